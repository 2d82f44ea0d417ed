"""Compares weft scan with ps_scan.pl, if it is installed, and with a naive matcher: every rule, DNA, circular sequences, counts."""

import json
import shutil

import common
import texts

AMINO = "ACDNEQKXBZU"
BASES = {"A": 1, "C": 2, "G": 4, "T": 8, "U": 8, "R": 5, "Y": 10, "S": 6, "W": 9, "K": 12, "M": 3, "B": 14, "D": 13,
         "H": 11, "V": 7, "N": 15}
COMPLEMENT = str.maketrans("ACGTURYKMBDHVacgturykmbdhv", "TGCAAYRMKVHDBtgcaayrmkvhdb")
HAS_PS_SCAN = shutil.which("ps_scan.pl") is not None


class Element:
    """Describes an element of a pattern, which takes letters between `low` and `high` times; `anchor` is '<' or '>' in a set, or nothing."""

    def __init__(self, letters, low=1, high=1, negated=False, anchor="", written=""):
        self.letters, self.low, self.high, self.negated, self.anchor = letters, low, high, negated, anchor
        self.any = "X" in letters
        if self.any:
            self.anchor = ""  # as in ps_scan.pl
        self.written = written

    def accepts(self, letter, dna, with_unknown):
        """Returns whether the element accepts this letter of a text."""
        if self.any:
            return True
        letter = letter.upper()
        if dna:
            wanted = 0
            for code in self.letters:
                wanted |= BASES[code]
            wanted = 15 & ~wanted if self.negated else wanted
            return letter in BASES and BASES[letter] & ~wanted == 0
        taken = set(self.letters)
        for code, parts in (("B", "ND"), ("Z", "QE")):
            if code in taken:
                taken |= set(parts)
            elif taken & set(parts) and not self.negated:
                taken.add(code)
        if self.negated:
            return letter.isalpha() and letter not in taken
        return letter in taken or (with_unknown and letter == "X")


class Pattern:
    def __init__(self, elements, first, last, text):
        self.elements, self.first, self.last, self.text = elements, first, last, text


class Matcher:
    """Backtracks as Perl's regular expressions do, one repeat of an element after another."""

    def __init__(self, pattern, text, lazy, dna, with_unknown):
        self.pattern, self.text, self.lazy = pattern, text, lazy
        kinds = {(e, c): e.accepts(c, dna, with_unknown) for e in pattern.elements for c in set(text)}
        self.fits = lambda e, p: p < len(text) and kinds[e, text[p]]

    def ends(self, begin, search=0, element=0, unknown=0):
        """Yields (end, X that letters and sets took) of the alternatives in order of preference."""
        if element == len(self.pattern.elements):
            if not self.pattern.last or begin == len(self.text):
                yield begin, unknown
            return
        yield from self.repeats(begin, search, element, unknown, 0)

    def repeats(self, at, search, k, unknown, done):
        e = self.pattern.elements[k]
        lazy = self.lazy and e.low != e.high and e.high is not None
        if lazy and done >= e.low:
            yield from self.ends(at, search, k + 1, unknown)
        if (e.high is None or done < e.high) and self.fits(e, at):
            counts = not e.any and not e.negated and self.text[at] in "Xx"
            yield from self.repeats(at + 1, search, k, unknown + counts, done + 1)
        if done < e.low and ((e.anchor == "<" and at == search) or (e.anchor == ">" and at == len(self.text))):
            yield from self.repeats(at, search, k, unknown, done + 1)
        if not lazy and done >= e.low:
            yield from self.ends(at, search, k + 1, unknown)

    def first(self, begin, search=0):
        if self.pattern.first and begin > 0:
            return None
        return next(self.ends(begin, search), None)


def matches(matcher, rule, overlap, included, max_x):
    """Returns the (begin, end) pairs of one pattern in one text by a rule."""
    size = len(matcher.text)
    if rule == "starts":
        found = [(begin, matcher.first(begin)) for begin in range(size)]
        return [(begin, end[0]) for begin, end in found if end and end[0] > begin]
    if rule == "ends":
        largest = {}
        for begin in range(1 if matcher.pattern.first else size):
            if begin < size:
                largest.update({end: begin for end, _ in matcher.ends(begin) if end > begin})
        return sorted((begin, end) for end, begin in largest.items())
    result, at, search, last_end = [], 0, 0, -1
    while at < size:
        found = matcher.first(at, search)
        if found is None:
            at += 1
            continue
        end, unknown = found
        if end > at and (max_x < 0 or unknown <= max_x) and (included or end > last_end):
            result.append((at, end))
            last_end = end
        at = search = at + 1 if overlap or end == at else end
    return result


def random_element(random, letters, first, last, dna, circular):
    kind = random.randrange(7)
    anchor = ""
    if kind < 3:
        chosen = random.choice(letters)
        text = chosen
    elif kind < 5:
        chosen = "".join(random.choices(letters, k=random.randint(1, 3)))
        if kind == 3 and not circular and random.random() < 0.4:
            anchor = "<" if first else ">" if last else ""
        at = random.randint(0, len(chosen))
        text = f"[{chosen[:at]}{anchor}{chosen[at:]}]"
    elif kind == 5:
        chosen = "".join(random.choices([c for c in letters if not (dna and c == "N") and c != "X"], k=random.randint(1, 2)))
        if dna and sum(BASES[c] for c in set(chosen)) >= 15:
            chosen = "A"
        text = f"{{{chosen}}}"
    else:
        chosen, text = "X", random.choice("xX")
    low = high = 1
    roll = random.randrange(10)
    if roll < 2:
        low = random.randrange(3)
        high = low + random.randint(1, 3)
        text += f"({low},{high})"
    elif roll == 2:
        low = high = random.randint(1, 3)
        text += f"({low})"
    elif roll == 3 and random.random() < 0.3:
        low, high = 0, None
        text += "*"
    return Element(chosen, low, high, kind == 5, anchor, text)


def random_pattern(random, letters, dna=False, circular=False):
    count = random.randint(1, 5)
    elements = [random_element(random, letters, k == 0, k + 1 == count, dna, circular) for k in range(count)]
    first = not circular and random.random() < 0.1
    last = not circular and random.random() < 0.1
    text = ("<" if first else "") + "-".join(e.written for e in elements) + (">" if last else "")
    return Pattern(elements, first, last, text)


def prosite(patterns):
    return "".join(f"ID   M{k}; PATTERN.\nAC   PS{k:05};\nDE   Made.\nPA   {p.text}.\n//\n" for k, p in enumerate(patterns))


def setting(run):
    """Returns flags that must not change the result: threads, memory, chunks."""
    flags = ["-t", str(run.random.randint(1, 3))]
    if run.random.random() < 0.3:
        flags += ["--memory", run.random.choice(["64K", "1M"])]
    if run.random.random() < 0.2:
        flags += ["--engine", run.random.choice(["shift-and", "nfa-array"])]
    chunk = {"WEFT_CHUNK": str(run.random.choice([1, 30]))} if run.random.random() < 0.5 else None
    return flags, chunk


def against_ps_scan(run):
    """Compares the bytes of three formats with ps_scan.pl, for random flags and motifs in a PROSITE file."""
    if not HAS_PS_SCAN:
        return
    random = run.random
    patterns = [random_pattern(random, AMINO) for _ in range(12)]
    sequences = [(b"s%d" % i, "".join(random.choices(AMINO[:random.randint(3, 11)], k=random.randint(1, 25))).encode())
                 for i in range(8)]
    run.file("motifs.dat", prosite(patterns))
    run.file("text.fa", texts.fasta(sequences))
    flags = [f for f in ("-g", "-v", "-i") if random.random() < 0.4]
    if random.random() < 0.5:
        flags += ["-x", str(random.choice([-1, 0, 1, 2]))]
    form = random.choice(["pff", "scan", "fasta"])
    want = run.command(["ps_scan.pl", "-r", "-o", form, *flags, "-d", "motifs.dat", "text.fa"])
    run.expect(want.code == 0 and not want.err, "ps_scan.pl does not like the input", want)
    settings, chunk = setting(run)
    have = run.weft("scan", "-q", "--format", form, *flags, *settings, "motifs.dat", "text.fa", environment=chunk)
    run.equal(have.out, want.out, f"the format {form} of ps_scan.pl {' '.join(flags)}")


def against_matcher(run):
    """Compares the rows of a table, or counts, with a naive matcher."""
    random = run.random
    dna = random.random() < 0.6
    circular = dna and random.random() < 0.5
    letters = "ACGTURN" if dna else AMINO
    patterns = [random_pattern(random, letters, dna, circular) for _ in range(random.randint(1, 6))]
    alphabet = "ACGTUNacgtR" if dna else AMINO + AMINO.lower()
    sequences = [("s%d" % i, "".join(random.choices(alphabet, k=random.choice([0, 1, 2, 5, random.randrange(22)]))))
                 for i in range(random.randint(1, 6))]
    rule = random.choice(["ps-scan", "starts", "ends"])
    lazy = random.random() < 0.2
    flags = ["--matches", rule] + ["-g"] * lazy
    overlap, included, max_x = True, False, 0
    if rule == "ps-scan":
        overlap, included = random.random() < 0.7, random.random() < 0.3
        flags += ["-v"] * (not overlap) + ["-i"] * included
    strand = random.choice(["both", "+", "-"]) if dna else "+"
    flags += ["--alphabet", "dna", "--strand", strand] if dna else ["--alphabet", "protein"]
    flags += ["--circular"] * circular
    run.file("motifs.txt", "".join(f"m{k}\t{p.text}\n" for k, p in enumerate(patterns)))
    run.file("text.fa", texts.fasta([(n.encode(), s.encode()) for n, s in sequences]))
    rows = expected(patterns, sequences, strand, circular, lazy, dna, (rule, overlap, included, max_x))
    settings, chunk = setting(run)
    command = ["scan", "-q", *flags, *settings, "motifs.txt", "text.fa"]
    table = run.weft(*command, environment=chunk).out.decode()
    run.equal(table.splitlines()[1:], ["\t".join(map(str, row)) for row in rows], "the rows of the table")
    if random.random() < 0.3:
        lines = run.weft(*command, "--format", "jsonl", environment=chunk).out.decode().splitlines()
        keys = ("sequence", "begin", "end", "strand", "motif", "name", "match")
        run.equal([tuple(json.loads(line)[key] for key in keys) for line in lines], rows, "the records of jsonl")
    if rule == "ps-scan":
        counted(run, [f for f in command if f not in ("--matches", "ps-scan")], patterns, rows, chunk)


def counted(run, command, patterns, rows, chunk):
    sums, each = {f"m{k}": 0 for k in range(len(patterns))}, {}
    for row in rows:
        sums[row[4]] += 1
        each[row[0], row[4]] = each.get((row[0], row[4]), 0) + 1
    table = run.weft(*command, "--matches", "count", environment=chunk).out.decode().splitlines()
    run.equal(table[1:], [f"{m}\t{m}\t{count}" for m, count in sums.items()], "the counts")
    table = run.weft(*command, "--matches", "count", "--per-sequence", environment=chunk).out.decode().splitlines()
    run.equal(table[1:], [f"{s}\t{m}\t{m}\t{count}" for (s, m), count in each.items()], "the counts of each sequence")


def expected(patterns, sequences, strand, circular, lazy, dna, rule):
    rows = []
    for name, text in sequences:
        for k, pattern in enumerate(patterns):
            found = []
            for sign in "+-" if strand == "both" else strand:
                read = text if sign == "+" else text.translate(COMPLEMENT)[::-1]
                onward = read + read[:-1] if circular else read
                for begin, end in matches(Matcher(pattern, onward, lazy, dna, True), *rule):
                    if circular and (begin >= len(text) or end - begin > len(text)):
                        continue
                    at = begin if sign == "+" else (len(text) if end <= len(text) else 2 * len(text)) - end
                    found.append((at, at + end - begin, sign, onward[begin:end]))
            rows += [(name, at + 1, end, sign, f"m{k}", f"m{k}", match) for at, end, sign, match in sorted(found)]
    return rows


if __name__ == "__main__":
    common.main(against_matcher, against_ps_scan)
