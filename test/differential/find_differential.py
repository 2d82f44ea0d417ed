"""Compares weft index and find with a naive search: alphabets, files of patterns in every form, strands, circular records, formats."""

import json

import common
import texts

COMPLEMENT = bytes.maketrans(b"ACGTacgt", b"TGCAtgca")


class Pattern:
    def __init__(self, name, letters):
        self.name, self.letters = name or letters, letters


def case(run):
    random = run.random
    alphabet = random.choice(["dna", "dna", "dna", "protein", "bytes"])
    records = random_records(random, alphabet)
    index = make_index(run, records, alphabet)
    patterns = random_patterns(random, alphabet, records)
    given = written(run, patterns)
    both = alphabet == "dna" and random.random() < 0.5
    circular = alphabet == "dna" and random.random() < 0.5
    flags = ["--both-strands"] * both + ["--circular"] * circular + limits(random)
    hits = [occurrences(alphabet, records, p.letters, both, circular) for p in patterns]

    counted = ok(run, run.weft("find", index, given, "--count", *flags))
    run.equal(counted.out, b"".join([b"pattern\tcount\n"] + [b"%s\t%d\n" % (p.name, len(h)) for p, h in zip(patterns, hits)]),
              "the counts")
    check_warning(run, counted, alphabet, patterns)
    listed = ok(run, run.weft("find", index, given, *flags))
    run.equal(rows(listed.out), [row for p, h in zip(patterns, hits) for row in tsv(p, h, records)], "the table")
    check_format(run, index, given, flags, alphabet, records, patterns, hits)
    check_cut(run, index, given, flags, records, patterns, hits)
    check_strict(run, index, given, alphabet, patterns)


def random_records(random, alphabet):
    letters = {"dna": random.choice([b"ACGT", b"AC", b"ACGTN", b"acgtACGTNR", b"ACGUu"]), "protein": b"ACDEFGHIKLmnpq*X",
               "bytes": b"ACgt~!>#"}[alphabet]
    records = []
    for number in range(random.choice([0, 1, 1, 2, 5, 30])):
        size = random.choice([0, 1, 2, 5, 31, 32, 33, 100, random.randrange(400)])
        text = bytes(random.choices(letters, k=size))
        if random.random() < 0.4 and size > 10:  # a repeat
            period = text[:random.randint(1, 10)]
            text = (period * size)[:size]
        if alphabet == "bytes":
            text = text.replace(b">", b"-", 1) if text.startswith(b">") else text
        records.append((b"%s_%d" % (texts.random_name(random), number), text))
    return records


def make_index(run, records, alphabet):
    path = run.file("ref.fa", texts.fasta(records, width=1 << 20))
    rate = ["--sa-sample-rate", str(run.random.choice([1, 2, 8, 1000]))] if run.random.random() < 0.5 else []
    ok(run, run.weft("index", path, "-o", "ref.wfi", "--alphabet", alphabet, *rate))
    return run.path("ref.wfi")


def random_patterns(random, alphabet, records):
    pool = b"".join(text for _, text in records) or b"A"
    result = []
    for _ in range(random.choice([0, 1, 3, 20, 100])):
        start = random.randrange(len(pool))
        letters = pool[start:start + random.choice([1, 2, 3, 8, 40, random.randint(1, 100)])]
        if random.random() < 0.2:
            letters = bytes(random.choices(letters + b"ACGT", k=len(letters)))
        if random.random() < 0.2 and alphabet != "bytes":
            letters = letters.swapcase()
        if random.random() < 0.2:  # over the end of a record
            letters = (pool[-10:] + pool[:10])[random.randrange(8):][:random.randint(2, 12)] or b"A"
        name = texts.random_name(random) + b" x" if random.random() < 0.5 else b""
        result.append(Pattern(name, letters))
    return result


def written(run, patterns):
    """Writes the patterns as a file in one of the forms; their names become those that the form stores."""
    random, form = run.random, run.random.choice(["list", "fasta", "fastq"])
    if not patterns or any(p.letters[:1] in b">#@" for p in patterns):
        form = "list"
    end = random.choice([b"\n", b"\r\n"])
    mark = b"\xef\xbb\xbf" if random.random() < 0.2 else b""
    if form == "list":
        for p in patterns:
            if p.name == p.letters and p.letters[:1] in b">#@;":
                p.name = b"named"
        lines = [b"# a comment"] + [p.letters if p.name == p.letters else p.name + b"\t" + p.letters for p in patterns]
        if random.random() < 0.3:
            lines.insert(random.randrange(len(lines) + 1), b"")
        return run.file("patterns", mark + end.join(lines) + random.choice([b"", end]))
    for p in patterns:
        own = p.name == p.letters
        p.name = p.letters if own else p.name.split()[0]
        p.header = b"" if own else p.name + b" text"
    if form == "fasta":
        width = random.choice([7, 1000])
        parts = [b">" + p.header + end + end.join(p.letters[i:i + width] for i in range(0, len(p.letters), width)) for p in patterns]
        if any(line[:1] in b">;" for part in parts for line in part.split(end)[1:]):
            form = "fastq"
        else:
            return run.file("patterns", mark + end.join(parts) + end)
    return run.file("patterns", mark + b"".join(end.join([b"@" + p.header, p.letters, b"+", b"I" * len(p.letters), b""]) for p in patterns))


def limits(random):
    flags = ["--threads", str(random.randint(1, 3))] if random.random() < 0.6 else []
    return flags + (["--memory", random.choice(["4M", "20M", "100M"])] if random.random() < 0.4 else [])


def can_match(alphabet, letters):
    return alphabet != "dna" or not letters.upper().strip(b"ACGTU")


def folded(alphabet, text):
    text = text if alphabet == "bytes" else text.upper()
    return text.replace(b"U", b"T") if alphabet == "dna" else text


def occurrences(alphabet, records, letters, both, circular):
    """Returns (record, begin, strand) ordered by record and begin, + before -."""
    if not letters or not can_match(alphabet, letters):
        return []
    found = set()
    pattern = folded(alphabet, letters)
    for strand, wanted in [("+", pattern)] + [("-", pattern[::-1].translate(COMPLEMENT))] * both:
        for r, (_, residues) in enumerate(records):
            text = folded(alphabet, residues)
            searched = text + text[:len(wanted) - 1] if circular and len(wanted) <= len(text) else text
            at = searched.find(wanted)
            while at >= 0:
                found.add((r, at, strand))
                at = searched.find(wanted, at + 1)
    return sorted(found)


def tsv(pattern, hits, records):
    return [b"%s\t%s\t%d\t%d\t%s" % (pattern.name, records[r][0], at + 1, at + len(pattern.letters), strand.encode())
            for r, at, strand in hits]


def rows(output):
    return output.split(b"\n")[1:-1]


def parts(pattern, hit, records):
    """Returns an occurrence as stretches within its record: (begin, letters before it, size)."""
    _, at, _ = hit
    here = min(len(pattern.letters), len(records[hit[0]][1]) - at)
    return [(at, 0, here)] + [(0, here, len(pattern.letters) - here)] * (here < len(pattern.letters))


def check_format(run, index, given, flags, alphabet, records, patterns, hits):
    form = run.random.choice(["bed", "paf", "gff3", "jsonl"] + ["sam"] * (alphabet == "dna"))
    out = ok(run, run.weft("find", index, given, "--format", form, *flags)).out
    lines = [line for line in out.decode("latin-1").split("\n")[:-1] if line[:1] not in "@" or form != "sam"]
    found, expected = [], []
    for p, of in zip(patterns, hits):
        if form == "sam" and not of:
            expected.append((p.name, 4))
        for number, hit in enumerate(of):
            r, at, strand = hit
            name, size = records[r][0], len(p.letters)
            if form in ("gff3", "jsonl"):
                expected.append((p.name, name, at + 1, at + size, strand if alphabet == "dna" or form == "jsonl" else "."))
                continue
            for begin, before, length in parts(p, hit, records):
                if form == "bed":
                    expected.append((name, begin, begin + length, p.name, strand))
                elif form == "paf":
                    start = size - before - length if strand == "-" else before
                    expected.append((p.name, size, start, start + length, strand, name, len(records[r][1]), begin, length, len(of)))
                else:
                    flag = 16 * (strand == "-") + 256 * (number > 0) + 2048 * (before > 0)
                    expected.append((p.name, flag, name, begin + 1, length, len(of)))
    for line in lines:
        f = line.split("\t")
        if form == "bed":
            found.append((f[0].encode(), int(f[1]), int(f[2]), f[3].encode(), f[5]))
        elif form == "paf":
            found.append((f[0].encode(), int(f[1]), int(f[2]), int(f[3]), f[4], f[5].encode(), int(f[6]), int(f[7]), int(f[9]), int(f[13][5:])))
        elif form == "jsonl":
            row = json.loads(line)
            found.append((row["pattern"].encode(), row["reference"].encode(), row["begin"], row["end"], row["strand"]))
        elif form == "gff3":
            if not line.startswith("##") and f[2] != "region":
                found.append((unescaped(f[8][5:]), unescaped(f[0]), int(f[3]), int(f[4]), f[6]))
        elif f[1] == "4":
            found.append((unescaped(f[0]), 4))
        else:
            matched = int(f[5].split("=")[0].split("H")[-1].split("S")[-1])
            found.append((unescaped(f[0]), int(f[1]), unescaped(f[2]), int(f[3]), matched, int(f[12][5:])))
    run.equal(found, expected, f"the rows of {form}")


def unescaped(text):
    head, *rest = text.split("%")
    return head.encode() + b"".join(bytes([int(part[:2], 16)]) + part[2:].encode() for part in rest)


def check_cut(run, index, given, flags, records, patterns, hits):
    limit = run.random.choice([1, 2, 5])
    out = rows(ok(run, run.weft("find", index, given, "--max-hits", str(limit), *flags)).out)
    for p, of in zip(patterns, hits):
        every = tsv(p, of, records)
        listed, out = out[:min(limit, len(every))], out[min(limit, len(every)):]
        positions = [every.index(row) if row in every else -1 for row in listed]
        run.expect(-1 not in positions and positions == sorted(set(positions)), f"rows of {p.name} cut to {limit}", run.last, listed)
        if len(every) > limit:
            run.equal(out[:1], [b"%s\t*\t%d\t%d\t*" % (p.name, limit, len(every))], "the mark of a pattern that is cut")
            out = out[1:]
    run.equal(out, [], "rows behind the last pattern")


def impossible(alphabet, patterns):
    return [p for p in patterns if not can_match(alphabet, p.letters)]


def check_warning(run, result, alphabet, patterns):
    bad = impossible(alphabet, patterns)
    warning = b"can never match: %d of %d " % (len(bad), len(patterns))
    run.expect((warning in result.err) == bool(bad) and result.err.count(b"can never match") == bool(bad),
               "one warning of patterns that can never match", result)


def check_strict(run, index, given, alphabet, patterns):
    result = run.weft("find", index, given, "--strict", "--count")
    run.expect(result.code == (2 if impossible(alphabet, patterns) else 0), "--strict", result)


def ok(run, result):
    run.expect(result.code == 0, "weft refuses a good search", result)
    return result


if __name__ == "__main__":
    common.main(case)
