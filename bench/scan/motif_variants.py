#!/usr/bin/env python3
"""motif_variants.py PROSITE.dat [--count 100000] [--seed 1] > variants.dat

Many motifs like those of PROSITE, in its format: each is one of the file's with one to four changes. A letter or a member of a
class becomes one of about its frequency, a class gets or loses a member, a gap is shifted by one, or two gaps change places.
All are different, each is expected within a factor of two as often as its original, and motifs with SKIP-FLAG are left out.
The same seed gives the same bytes on every version of Python. For weft-bench scan MOTIFS SEQUENCES."""
import argparse
import re

LETTERS = "LAGVESIKRDTPNQFYMHCW"  # by falling frequency: of 10,000 residues of Swiss-Prot
OF_10000 = dict(zip(LETTERS, (965, 825, 707, 686, 672, 665, 591, 580, 553, 546, 536, 474, 406, 393, 386, 292, 241, 227, 138, 110)))
ELEMENT = re.compile(r"([A-Za-z]|\[[^\]]*\]|\{[^}]*\})(?:\((\d+)(?:,(\d+))?\))?")


class Generator:  # Knuth's, of MMIX
    def __init__(self, seed):
        self.state = seed

    def below(self, bound):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % bound

    def one_of(self, items):
        return items[self.below(len(items))]


def read(path):  # accession, anchors, elements of each entry
    for entry in open(path, encoding="latin-1").read().split("\n//"):
        pattern = "".join(re.findall(r"^PA +(\S+)", entry, re.M)).rstrip(".")
        accession = re.search(r"^AC +(\w+)", entry, re.M)
        if not pattern or not accession or "/SKIP-FLAG=TRUE" in entry or "*" in pattern:
            continue
        elements = []  # [brackets ("", "[]", "[>]", "{}"), letters, fewest, most]
        for what, low, high in ELEMENT.findall(pattern.strip("<>")):
            letters = "".join(c for c in what if c.isalpha())
            elements.append(["".join(c for c in what if not c.isalpha()), letters, int(low or 1), int(high or low or 1)])
        yield accession.group(1), ("<" * (pattern[0] == "<"), ">" * (pattern[-1] == ">")), elements


def chance(elements):  # of a match at a position, times the ways of its gaps
    product = 1.0
    for brackets, letters, low, high in elements:
        rate = 10000 if letters == "x" else min(9999, max(1, sum(OF_10000.get(c, 1) for c in letters)))
        for _ in range(low):
            product *= (10000 - rate if "{" in brackets else rate) / 10000
        product *= high - low + 1
    return product


def change(elements, generator):
    element = generator.one_of(elements)
    brackets, letters, low, high = element
    if letters == "x":
        other = generator.one_of([e for e in elements if e[1] == "x"])
        if generator.below(2) == 0:
            element[2:], other[2:] = other[2:], element[2:]
        else:
            step = 1 if low < 2 or generator.below(2) == 0 else -1
            element[2:] = [low + step, high + step]
        return
    at = generator.below(len(letters))
    new = LETTERS[max(0, min(LETTERS.find(letters[at]) + generator.below(7) - 3, len(LETTERS) - 1))]
    kind = generator.below(4) if brackets else 3
    if kind == 0 and len(letters) > 2:
        element[1] = letters[:at] + letters[at + 1:]
    elif new not in letters:
        element[1] = letters + new if kind == 1 and len(letters) < 12 else letters[:at] + new + letters[at + 1:]


def written(anchors, elements):
    parts = []
    for brackets, letters, low, high in elements:
        repeat = "" if low == high == 1 else f"({low})" if low == high else f"({low},{high})"
        parts.append(brackets[:1] + letters + brackets[1:] + repeat)
    return anchors[0] + "-".join(parts) + anchors[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prosite")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    originals, generator, number = list(read(given.prosite)), Generator(given.seed), 0
    known = {written(anchors, elements) for _, anchors, elements in originals}
    while number < given.count:
        accession, anchors, elements = generator.one_of(originals)
        made = [list(element) for element in elements]
        for _ in range(1 + generator.below(4)):
            change(made, generator)
        pattern, ratio = written(anchors, made), chance(made) / chance(elements)
        if pattern not in known and 0.5 < ratio < 2:
            known.add(pattern)
            number += 1
            print(f"ID   VARIANT_{number}; PATTERN.\nAC   VR{number:06};\nDE   Variant of {accession}.\nPA   {pattern}.\n//")


if __name__ == "__main__":
    main()
