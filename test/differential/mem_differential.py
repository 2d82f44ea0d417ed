"""Compares weft mem with matches found from their definitions: every kind, strands, repeats, letters that are no bases, formats."""

import json

import common
import texts

KINDS = ["mem", "mum", "mum-ref", "smem"]
COMPLEMENT = str.maketrans("ACGT", "TGCA")


class References:
    """Holds the records as they are compared: upper case, U as T, and a dot for each letter that is no base."""

    def __init__(self, records):
        self.records = [compared(text) for text in records]

    def occurrences(self, word):
        """Returns (record, position) of each occurrence of a word of bases."""
        found = []
        for number, text in enumerate(self.records):
            at = text.find(word)
            while at >= 0:
                found.append((number, at))
                at = text.find(word, at + 1)
        return found

    def before(self, number, at):
        return self.records[number][at - 1] if at > 0 else "."

    def behind(self, number, at):
        return self.records[number][at] if at < len(self.records[number]) else "."


def compared(text):
    return "".join(c if c in "ACGT" else "." for c in text.upper().replace("U", "T"))


def stretches(strand, min_length):
    """Yields the begin and the end of each stretch of bases of at least `min_length` letters."""
    for begin in range(len(strand)):
        end = begin
        while end < len(strand) and strand[end] != ".":
            end += 1
            if end - begin >= min_length:
                yield begin, end


def maximal_matches(references, strand, min_length):
    """Returns (begin, record, position, length) of each match that can be extended at neither end."""
    found = []
    for begin, end in stretches(strand, min_length):
        left, right = strand[begin - 1:begin] or ".", strand[end:end + 1] or "."
        for number, at in references.occurrences(strand[begin:end]):
            before, behind = references.before(number, at), references.behind(number, at + end - begin)
            if "." in (left, before) or left != before:
                if "." in (right, behind) or right != behind:
                    found.append((begin, number, at, end - begin))
    return sorted(found)


def number_of(word, text):
    return sum(text.startswith(word, at) for at in range(len(text) - len(word) + 1))


def super_maximal_matches(references, strand, min_length, min_occurrences):
    """Returns the occurrences of the stretches that occur often enough and lie in no longer one that does."""
    often = {(begin, end): found for begin, end in stretches(strand, 1)
             if len(found := references.occurrences(strand[begin:end])) >= min_occurrences}
    result = []
    for (begin, end), found in often.items():
        inside = any(b <= begin and end <= e and (b, e) != (begin, end) for b, e in often)
        if end - begin >= min_length and not inside:
            result += [(begin, number, at, end - begin) for number, at in found]
    return sorted(result)


def matches(references, strand, kind, min_length, min_occurrences):
    if kind == "smem":
        return super_maximal_matches(references, strand, min_length, min_occurrences)
    found = maximal_matches(references, strand, min_length)
    if kind != "mem":
        found = [match for match in found if len(references.occurrences(strand[match[0]:match[0] + match[3]])) == 1]
    if kind == "mum":
        found = [match for match in found if number_of(strand[match[0]:match[0] + match[3]], strand) == 1]
    return found


def random_sequence(random, pool):
    """Returns letters that are new, or copied from `pool` with changes and on either strand, with some that are no bases."""
    letters = random.choice(["ACGT", "ACGT", "AC", "ACGTN", "acgtNACGTRU", "A"])
    text = ""
    size = random.choice([0, 1, 5, 20, 40, 60])
    while len(text) < size:
        piece = random.choices(letters, k=random.randint(1, 25))
        if pool and random.random() < 0.6:
            at = random.randrange(len(pool))
            piece = list(pool[at:at + random.randint(1, 40)])
            if random.random() < 0.3:
                piece = list("".join(piece[::-1]).upper().translate(COMPLEMENT))
            if random.random() < 0.5:
                piece[random.randrange(len(piece))] = random.choice(letters)
        text += "".join(piece)
    return text


def random_records(random, name, pool, numbers):
    records = []
    for number in range(random.choice(numbers)):
        text = random_sequence(random, pool)
        pool += text
        records.append((f"{name}{number}", text))
    return records, pool


def expected_rows(references, queries, options):
    kind, min_length, min_occurrences, both, names = options
    rows = []
    for name, text in queries:
        given = compared(text)
        for strand in "+-" if both else "+":
            searched = given if strand == "+" else given[::-1].translate(COMPLEMENT)
            for begin, number, at, length in matches(references, searched, kind, min_length, min_occurrences):
                first = begin if strand == "+" else len(given) - begin - length
                rows.append((name, first + 1, first + length, strand, names[number], at + 1, at + length, length))
    return rows


def rows_of(output, form, lengths):
    """Reads the rows of a format; those of PAF must also have the lengths of the sequences, and tags for an exact match."""
    rows = []
    for line in output.splitlines()[1 if form == "tsv" else 0:]:
        if form == "jsonl":
            rows.append(tuple(json.loads(line).values()))
            continue
        f = line.split("\t")
        if form == "tsv":
            rows.append((f[0], int(f[1]), int(f[2]), f[3], f[4], int(f[5]), int(f[6]), int(f[7])))
            continue
        length = int(f[9])
        good = f[10:] == [str(length), "255", "NM:i:0", f"cg:Z:{length}="] and [int(f[1]), int(f[6])] == [lengths[f[0]], lengths[f[5]]]
        rows.append((f[0], int(f[2]) + 1, int(f[3]), f[4], f[5], int(f[7]) + 1, int(f[8]), length if good else line))
    return rows


def compare(run):
    random = run.random
    records, pool = random_records(random, "r", "", [1, 1, 2, 5])
    queries, _ = random_records(random, "q", pool, [1, 1, 2, 4])
    kind, both = random.choice(KINDS), random.random() < 0.5
    min_length = random.choice([1, 2, 3, 4, 6, 10, 20])
    min_occurrences = random.choice([1, 2, 3]) if kind == "smem" else 1
    form = random.choice(["tsv", "tsv", "paf", "jsonl"])
    flags = ["--kind", kind, "-l", str(min_length), "--threads", str(random.randint(1, 3)), "--format", form]
    flags += ["--both-strands"] * both + (["--min-occ", str(min_occurrences)] if min_occurrences > 1 else [])
    flags += ["--memory", "20M"] if random.random() < 0.3 else []
    reference = run.file("ref.fa", texts.fasta([(n.encode(), t.encode()) for n, t in records], random))
    # Without bases an alphabet cannot be guessed, so that the index is made in a step of its own.
    made = run.weft("index", reference, "-o", "ref.wfi", "--alphabet", "dna")
    run.expect(made.code == 0, "weft does not make an index", made)
    query = run.file("query.fa", texts.fasta([(n.encode(), t.encode()) for n, t in queries], random))
    result = run.weft("mem", "ref.wfi", query, *flags)
    run.expect(result.code == 0, "weft refuses a good search", result)
    options = (kind, min_length, min_occurrences, both, [name for name, _ in records])
    lengths = {name: len(text) for name, text in records + queries}
    run.equal(rows_of(result.out.decode(), form, lengths),
              expected_rows(References([text for _, text in records]), queries, options), f"the matches of kind {kind}")


if __name__ == "__main__":
    common.main(compare)
