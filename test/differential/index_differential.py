"""Checks that weft finds every stretch of the references of an index at its position, that the same references give the same
bytes, and that weft refuses a damaged index or answers as with the undamaged one."""

import re

import common
import texts

ALPHABETS = {"dna": b"ACGT", "protein": b"ACDEFGHIKLMNPQRSTVWY", "bytes": bytes(range(0x21, 0x7F)).replace(b">", b"")}


def case(run):
    kind = run.random.choice(list(ALPHABETS))
    records = references(run, kind)
    path = run.file("ref.fa", texts.fasta(records, run.random))
    rate = ["--sa-sample-rate", str(run.random.choice([1, 2, 3, 8, 1024]))] if run.random.random() < 0.5 else []
    build(run, "ref.wfi", path, "--alphabet", kind, *rate)
    build(run, "again.wfi", path, "--alphabet", kind, *rate, "--threads", str(run.random.randint(1, 3)))
    run.equal(run.read("again.wfi"), run.read("ref.wfi"), "an index built again")
    found = every_stretch(run, kind, records)
    for _ in range(8):
        damage(run, found)


def references(run, kind):
    """Returns records with repeats, some of them empty; records of DNA also have runs of N."""
    records = []
    for i in range(run.random.randint(1, 4)):
        letters = bytes(run.random.choices(ALPHABETS[kind][:run.random.choice([2, 4, 100])], k=run.random.randrange(120)))
        if kind == "dna" and run.random.random() < 0.4:
            at = run.random.randrange(len(letters) + 1)
            letters = letters[:at] + b"N" * run.random.randint(1, 30) + letters[at:]
        records.append((b"r%d" % i, letters * run.random.choice([1, 1, 1, 3])))
    return records


def build(run, output, *arguments):
    result = run.weft("index", *arguments, "-o", output)
    run.expect(result.code == 0, "weft refuses good references", result)


def every_stretch(run, kind, records):
    """Searches for parts of the references; returns the file of patterns, and what was found."""
    patterns = set()
    for _, letters in records:
        for _ in range(6):
            begin = run.random.randrange(len(letters) + 1)
            stretch = letters[begin:begin + run.random.randint(1, 20)]
            if stretch and b"\t" not in stretch and not (kind == "dna" and b"N" in stretch):
                patterns.add(stretch)
    patterns = sorted(patterns) or [b"A"]
    run.file("p.fa", texts.fasta([(b"p%d" % i, pattern) for i, pattern in enumerate(patterns)], width=1000))
    result = run.weft("find", "ref.wfi", "p.fa", "-q")
    run.expect(result.code == 0, "weft cannot search its index", result)
    expected = {(b"p%d" % i, name, begin + 1, begin + len(pattern)) for i, pattern in enumerate(patterns)
                for name, letters in records for begin in occurrences(letters, pattern)}
    rows = [line.split(b"\t") for line in result.out.splitlines()[1:]]
    run.equal(sorted((row[0], row[1], int(row[2]), int(row[3])) for row in rows), sorted(expected), "the occurrences")
    return result.out


def occurrences(text, pattern):
    return [match.start() for match in re.finditer(b"(?=" + re.escape(pattern) + b")", text)]


def damage(run, found):
    data = bytearray(run.read("ref.wfi"))
    kind = run.random.randrange(5)
    if kind == 0:
        data = data[:run.random.randrange(len(data))]
    elif kind == 1:
        data[run.random.randrange(len(data))] ^= 1 << run.random.randrange(8)
    elif kind == 2:
        begin = run.random.randrange(len(data))
        data[begin:begin + 8] = run.random.choice([b"\0" * 8, b"\xff" * 8, run.random.randbytes(8)])
    elif kind == 3:
        data[run.random.randrange(448)] ^= 1 << run.random.randrange(8)
    else:
        data += bytes(run.random.randint(1, 100))
    run.file("damaged.wfi", bytes(data))
    result = run.weft("find", "damaged.wfi", "p.fa", "-q", timeout=20)
    if result.code == 0:
        run.equal(result.out, found, "a damaged index gives another answer")
    else:
        run.expect(result.code in (2, 3) and b"damaged.wfi" in result.err, "a damaged index is named", result)


if __name__ == "__main__":
    common.main(case)
