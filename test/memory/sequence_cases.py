"""The cases of scan, lcs, variants and info, and those of hardly any memory."""

import inputs
from index_cases import index
from inputs import LINES, MIB, RECORD, RECORDS, case, expanding


# ---- scan

@case("scan/many-matches-in-one-record", "16M")
def _(folder):
    folder.fasta("r.fa", folder.scaled(1_000_000, 30_000_000))
    return ["scan", "-e", "N(1,5)", "--alphabet", "dna", "r.fa"]


@case("scan/many-matches-counted", "16M")
def _(folder):
    folder.fasta("r.fa", folder.scaled(1_000_000, 30_000_000))
    return ["scan", "-e", "N(1,5)", "--alphabet", "dna", "r.fa", "--matches", "count"]


@case("scan/every-start-and-end", "16M")
def _(folder):
    folder.fasta("r.fa", folder.scaled(500_000, 30_000_000))
    return ["scan", "-e", "N(1,5)", "--alphabet", "dna", "r.fa", "--matches", "ends", "--format", "bed"]


@case("scan/one-long-record", "16M")
def _(folder):
    folder.fasta("r.fa", folder.scaled(60_000_000, 300_000_000))
    return ["scan", "-e", "GAATTC", "--alphabet", "dna", "r.fa"]


for suffix in ("gz", "bz2", "xz", "zst"):
    @case(f"scan/compressed-record-{suffix}", "64M")
    def _(folder, name=f"r.fa.{suffix}"):
        folder.compressed(name, LINES, folder.scaled(20 if name.endswith("bz2") else 120, 1024), start=b">r\n")
        return ["scan", "-e", "GAATTC", "--alphabet", "dna", name]


@case("scan/compressed-records", "64M")
def _(folder):
    folder.compressed("r.fa.gz", RECORDS, expanding(folder))
    return ["scan", "-e", "GAATTC", "--alphabet", "dna", "r.fa.gz"]


@case("scan/empty-records", "16M")
def _(folder):
    folder.compressed("r.fa.gz", b">\n" * (MIB // 2), folder.scaled(30, 1024))
    return ["scan", "-e", "GAATTC", "--alphabet", "dna", "r.fa.gz"]


@case("scan/compressed-motifs", "16M")
def _(folder):
    folder.file("r.fa", [RECORD])
    folder.compressed("m.txt.gz", b"G-A-A-T-T-C\n" * (MIB // 12), folder.scaled(2, 1024))
    return ["scan", "--alphabet", "dna", "m.txt.gz", "r.fa", "--matches", "count"]


@case("scan/large-window", "64M")
def _(folder):
    folder.file("r.fa.zst", [inputs.zstd_run(RECORDS * 160, window_log=27)])
    return ["scan", "-e", "GAATTC", "--alphabet", "dna", "r.fa.zst"]


# ---- lcs

@case("lcs/linear-space", "64K")
def _(folder):
    folder.fasta("a.fa", 20_000)
    folder.fasta("b.fa", 20_000)
    return ["lcs", "a.fa", "b.fa"]


@case("lcs/path-of-long-records", "16M")
def _(folder):
    letters = list(folder.letters(1_000_000))
    folder.file("a.fa", [b">a\n", *letters, b"\n"])
    folder.file("b.fa", [b">b\n", *(piece[5:] for piece in letters), b"ACGTT\n"])
    return ["lcs", "a.fa", "b.fa", "--format", "paf"]


for flags in (["--length"], ["--by", "line"], ["--by", "byte", "--length"]):
    @case(f"lcs/compressed{'-'.join(flags).replace('--', '-')}", "64M")
    def _(folder, flags=flags):
        folder.compressed("a.gz", LINES, expanding(folder), start=b">a\n")
        folder.compressed("b.gz", LINES, expanding(folder), start=b">b\n")
        return ["lcs", "a.gz", "b.gz", *flags]


@case("lcs/empty-lines", "64M")
def _(folder):
    folder.repeated("a.txt", b"\n" * MIB, folder.scaled(20, 100))
    folder.repeated("b.txt", b"\n" * MIB, folder.scaled(20, 100))
    return ["lcs", "--by", "line", "a.txt", "b.txt"]


# The paths have three runs for each two bytes; the limits are too small for them, and large enough.
for limit in ("64M", "200M"):
    for path_format in ("ops", "jsonl", "paf", "lcs"):
        @case(f"lcs/many-runs-{path_format}-{limit}", limit)
        def _(folder, path_format=path_format):
            folder.repeated("a", b"ab" * (MIB // 2), 2)
            folder.repeated("b", b"ac" * (MIB // 2), 2)
            return ["lcs", "--by", "byte", "a", "b", "--format", path_format]


@case("lcs/many-runs-drawn", "64M")
def _(folder):
    folder.repeated("a.fa", b"AC" * (MIB // 2), 4, start=b">a\n")
    folder.repeated("b.fa", b"AG" * (MIB // 2), 4, start=b">b\n")
    return ["lcs", "a.fa", "b.fa", "--plot", "out.svg"]


# Every third line is common: there are few pairs of equal lines, so the path is computed from them.
@case("lcs/many-runs-of-lines", "32M")
def _(folder):
    for name in "ab":
        lines = (b"".join(b"%d\n" % (i if i % 3 == 0 else folder.random.randrange(400_000, 800_000))
                          for i in range(start, start + 1000)) for start in range(0, 400_000, 1000))
        folder.file(name, lines)
    return ["lcs", "--by", "line", "a", "b", "--format", "unified"]


# Computes paths of unrelated texts with each engine.
for engine, residues, limit in (("auto", 400_000, "64K"), ("bit-sliced", 400_000, "4M"), ("bit-parallel", 200_000, "64K"),
                                ("hirschberg-dp", 20_000, "64K"), ("furthest-reaching", 50_000, "64M")):
    for metric in ("lcs", "edit"):
        @case(f"lcs/runs-by-{engine}-{metric}", limit)
        def _(folder, engine=engine, residues=residues, metric=metric):
            folder.fasta("a.fa", residues)
            folder.fasta("b.fa", residues)
            return ["lcs", "a.fa", "b.fa", "--format", "ops", "--engine", engine, "--metric", metric, "--quiet"]


for engine, residues, limit in (("affine-table", 20_000, "2M"), ("affine-wavefront", 10_000, "64M"), ("auto", 100_000, "8M")):
    @case(f"lcs/affine-gaps-by-{engine}", limit)
    def _(folder, engine=engine, residues=residues):
        folder.fasta("a.fa", residues)
        folder.fasta("b.fa", residues)
        return ["lcs", "a.fa", "b.fa", "--format", "ops", "--engine", engine, "--metric", "affine", "--quiet"]


@case("lcs/compressed-pairs", "64M")
def _(folder):
    folder.compressed("a.fa.gz", RECORDS, expanding(folder))
    return ["lcs", "--all-pairs", "a.fa.gz"]


@case("lcs/large-window", "64M")
def _(folder):
    folder.file("a.fa.xz", [inputs.large_xz(RECORD)])
    folder.file("b.fa", [RECORD])
    return ["lcs", "a.fa.xz", "b.fa"]


# ---- info

@case("info/compressed-motifs", "16M")
def _(folder):
    folder.compressed("m.txt.gz", b"G-A-A-T-T-C\n" * (MIB // 12), folder.scaled(20, 90))
    return ["info", "m.txt.gz"]


@case("info/compressed-prosite", "16M")
def _(folder):
    entry = b"ID   S; PATTERN.\nAC   PS00001;\nDE   A site.\nPA   N-{P}-[ST].\n//\n"
    folder.compressed("m.dat.gz", entry * (MIB // len(entry)), folder.scaled(20, 1024))
    return ["info", "m.dat.gz"]


for code, line in (("description", b"DE   " + b"x" * 995 + b"\n"), ("pattern", b"PA   " + b"A-" * 500 + b"\n")):
    @case(f"info/huge-{code}", "16M")
    def _(folder, line=line):
        folder.compressed("m.dat.gz", line * 1000, folder.scaled(100, 1024), start=b"ID   S; PATTERN.\nAC   PS00001;\n")
        return ["info", "m.dat.gz"]


# The largest pattern that weft reads and parses.
for count, limit in ((530, "64M"), (600, "64M"), (1000, "300M")):
    @case(f"info/pattern-of-{count}-kilobytes", limit)
    def _(folder, count=count):
        folder.file("m.txt", [b"A" * 1000 * count + b"\n"])
        return ["info", "m.txt"]


@case("info/compressed-fastq", "64M")
def _(folder):
    folder.compressed("r.fq.gz", b"A" * MIB, expanding(folder), start=b"@r\n")
    return ["info", "r.fq.gz"]


@case("info/compressed-fasta", "16M")
def _(folder):
    folder.compressed("r.fa.gz", LINES, expanding(folder), start=b">r\n")
    return ["info", "r.fa.gz"]


for limit in ("16M", "200M"):
    @case(f"info/names-{limit}", limit)
    def _(folder):
        records = [b"".join(b">a_record_with_a_name_%d\nA\n" % (1000 * i + j) for j in range(1000)) for i in range(300)]
        folder.file("ref.fa", records)
        folder.run("index", "ref.fa", "-o", "ref.wfi")
        return ["info", "ref.wfi", "--names", "--format", "jsonl"]


@case("info/large-window", "64M")
def _(folder):
    folder.file("m.txt.xz", [inputs.large_xz(b"A-C\n")])
    return ["info", "m.txt.xz"]


# ---- hardly any memory: what is left is the slack

@case("scan/hardly-any-memory", "64K")
def _(folder):
    folder.repeated("r.fa", RECORDS, 2)
    return ["scan", "-e", "A-C-G", "-e", "N(1,3)", "--alphabet", "dna", "r.fa"]


@case("find/hardly-any-memory", "64K")
def _(folder):
    index(folder)
    folder.repeated("p.fa", b">p\nACGTACGTAC\n" * 80_000, 3)
    return ["find", "ref.wfi", "p.fa", "--both-strands"]


@case("mem/hardly-any-memory", "64K")
def _(folder):
    index(folder)
    folder.repeated("q.fa", b">q\nACGTACGTACGTACGTACGTACGT\n" * 40_000, 3)
    return ["mem", "ref.wfi", "q.fa", "--both-strands", "-l", "10"]


@case("index/hardly-any-memory", "64K")
def _(folder):
    folder.repeated("ref.fa", RECORDS, 40)
    return ["index", "ref.fa", "-o", "out"]


@case("lcs/hardly-any-memory", "64K")
def _(folder):
    folder.repeated("a.fa", LINES, 40, start=b">a\n")
    folder.repeated("b.fa", LINES, 40, start=b">b\n")
    return ["lcs", "a.fa", "b.fa", "--length"]


@case("info/hardly-any-memory", "64K")
def _(folder):
    folder.file("m.txt", [b"A" * 61_000 + b"\n"])
    return ["info", "m.txt"]
