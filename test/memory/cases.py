"""The cases of the memory tests: verb/what, the limit, and the arguments of weft, whose inputs are made on the way."""

import dataclasses
import typing

import inputs

CASES = []

MIB = 1 << 20


@dataclasses.dataclass
class Case:
    name: str
    limit: str
    arguments: typing.Callable


def case(name, limit):
    """Registers the function that makes a case's inputs and returns its arguments."""
    def register(function):
        CASES.append(Case(name, limit, function))
        return function
    return register


# Pieces of compressed files: a megabyte of lines, whose compressed form takes a kilobyte or two.
LINES = (b"ACGT" * 15 + b"\n") * (MIB // 61)
RECORD = b">r\n" + b"ACGT" * 15 + b"\n"
RECORDS = RECORD * (MIB // len(RECORD))


def expanding(folder):
    """How many megabytes a compressed input expands to."""
    return folder.scaled(160, 1024)


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


@case("lcs/compressed-pairs", "64M")
def _(folder):
    folder.compressed("a.fa.gz", RECORDS, expanding(folder))
    return ["lcs", "--all-pairs", "a.fa.gz"]


@case("lcs/large-window", "64M")
def _(folder):
    folder.file("a.fa.xz", [inputs.large_xz(RECORD)])
    folder.file("b.fa", [RECORD])
    return ["lcs", "a.fa.xz", "b.fa"]


# ---- find and index

def index(folder, residues=1_000_000):
    folder.fasta("ref.fa", residues)
    folder.run("index", "ref.fa", "-o", "ref.wfi")


@case("find/compressed-lines", "64M")
def _(folder):
    index(folder)
    folder.compressed("p.txt.gz", LINES, expanding(folder))
    return ["find", "ref.wfi", "p.txt.gz", "--count"]


@case("find/compressed-records", "64M")
def _(folder):
    index(folder)
    folder.compressed("p.fa.gz", RECORDS, expanding(folder))
    return ["find", "ref.wfi", "p.fa.gz"]


@case("find/one-huge-line", "64M")
def _(folder):
    index(folder)
    folder.compressed("p.txt.gz", b"A" * MIB, expanding(folder))
    return ["find", "ref.wfi", "p.txt.gz"]


@case("find/one-huge-record", "64M")
def _(folder):
    index(folder)
    folder.compressed("p.fa.gz", LINES, expanding(folder), start=b">p\n")
    return ["find", "ref.wfi", "p.fa.gz"]


@case("find/patterns-larger-than-memory", "16M")
def _(folder):
    index(folder)
    folder.repeated("p.txt", b"ACGTACGTAC\n" * (MIB // 11), folder.scaled(60, 1024))
    return ["find", "ref.wfi", "p.txt", "--count"]


@case("find/many-occurrences", "16M")
def _(folder):
    index(folder)
    folder.file("p.txt", [b"A\nC\nG\nT\n" * 5])
    return ["find", "ref.wfi", "p.txt"]


@case("find/occurrences-of-one-pattern", "16M")
def _(folder):
    folder.repeated("ref.fa", b"A" * MIB, 8, start=b">r\n")
    folder.run("index", "ref.fa", "-o", "ref.wfi")
    return ["find", "ref.wfi", "-e", "A"]


@case("find/large-window", "64M")
def _(folder):
    index(folder)
    folder.file("p.txt.xz", [inputs.large_xz(b"ACGT\n")])
    return ["find", "ref.wfi", "p.txt.xz"]


@case("index/fits", "64M")
def _(folder):
    folder.fasta("ref.fa", 4_000_000)
    return ["index", "ref.fa", "-o", "out"]


@case("index/does-not-fit", "64M")
def _(folder):
    folder.fasta("ref.fa", 30_000_000)
    return ["index", "ref.fa", "-o", "out"]


@case("index/compressed-record", "64M")
def _(folder):
    folder.compressed("ref.fa.gz", LINES, expanding(folder), start=b">r\n")
    return ["index", "ref.fa.gz", "-o", "out"]


@case("index/compressed-records", "64M")
def _(folder):
    folder.compressed("ref.fa.gz", RECORDS, expanding(folder))
    return ["index", "ref.fa.gz", "-o", "out"]


@case("index/empty-records", "64M")
def _(folder):
    folder.compressed("ref.fa.gz", b">\n" * (MIB // 2), folder.scaled(30, 1024))
    return ["index", "ref.fa.gz", "-o", "out"]


@case("index/proteins", "64M")
def _(folder):
    folder.fasta("ref.fa", 3_000_000, alphabet=b"ACDEFGHIKLMNPQRSTVWY")
    return ["index", "ref.fa", "-o", "out"]


# ---- sort

@case("sort/empty-lines", "64M")
def _(folder):
    folder.repeated("l.txt", b"\n" * MIB, 100)
    return ["sort", "l.txt"]


@case("sort/one-long-line", "64M")
def _(folder):
    folder.repeated("l.txt", b"x" * MIB, 150)
    return ["sort", "l.txt"]


@case("sort/long-lines", "64M")
def _(folder):
    line = b"x" * (10 * MIB - 1) + b"\n"
    folder.repeated("l.txt", line, 20)
    return ["sort", "l.txt"]


@case("sort/random-lines", "16M")
def _(folder):
    folder.file("l.txt", folder.letters(100_000_000, alphabet=b"abcdefghijklmnopqrstuvwxyz01234\n"))
    return ["sort", "l.txt"]


@case("sort/keys", "16M")
def _(folder):
    folder.file("l.txt", folder.letters(30_000_000, alphabet=b"0123456789 0123456789 01234567.\n"))
    return ["sort", "-k2,2n", "-k1,1r", "l.txt"]


@case("sort/compressed", "64M")
def _(folder):
    folder.compressed("l.gz", LINES, expanding(folder))
    return ["sort", "l.gz"]


@case("sort/compressed-line-checked", "64M")
def _(folder):
    folder.compressed("l.gz", b"x" * MIB, expanding(folder))
    return ["sort", "-c", "l.gz"]


@case("sort/merge-of-long-lines", "64M")
def _(folder):
    names = [folder.repeated(f"{i}.txt", b"x" * MIB, 15) for i in range(8)]
    return ["sort", "-m", *names]


@case("sort/merge-of-compressed-files", "64M")
def _(folder):
    names = [folder.compressed(f"{i}.xz", b"x" * 1000 + b"\n", 10) for i in range(40)]
    return ["sort", "-m", *names]


@case("sort/merge-of-large-windows", "64M")
def _(folder):
    names = [folder.file(f"{i}.zst", [inputs.zstd_run((b"x" * 999 + b"\n") * 10_000, window_log=23)]) for i in range(12)]
    return ["sort", "-m", *names]


@case("sort/large-window", "64M")
def _(folder):
    folder.file("l.xz", [inputs.large_xz(b"x\n")])
    return ["sort", "l.xz"]


# ---- arrays

@case("sort/array-fits", "64M")
def _(folder):
    folder.file("a.u32", folder.letters(50_000_000, alphabet=bytes(range(256))))
    return ["sort", "--type", "u32", "a.u32"]


@case("sort/array-does-not-fit", "64M")
def _(folder):
    folder.file("a.u32", folder.letters(120_000_000, alphabet=bytes(range(256))))
    return ["sort", "--type", "u32", "a.u32"]


@case("sort/compressed-array", "64M")
def _(folder):
    folder.compressed("a.u64.gz", bytes(MIB), expanding(folder))
    return ["sort", "--type", "u64", "a.u64.gz"]


@case("sort/compressed-array-within", "64M")
def _(folder):
    folder.compressed("a.u64.gz", bytes(MIB), 50)
    return ["sort", "--type", "u64", "a.u64.gz"]


@case("sort/array-in-a-large-window", "64M")
def _(folder):
    folder.file("a.u8.zst", [inputs.zstd_run(bytes(30 * MIB), window_log=27)])
    return ["sort", "--type", "u8", "a.u8.zst"]


@case("sort/argsort", "64M")
def _(folder):
    folder.file("a.u32", folder.letters(9_000_000, alphabet=bytes(range(256))))
    return ["sort", "--type", "u32", "--argsort", "a.u32"]


@case("sort/by-key", "64M")
def _(folder):
    folder.file("a.u64", folder.letters(10_000_000, alphabet=bytes(range(256))))
    folder.file("b.u64", folder.letters(10_000_000, alphabet=bytes(range(256))))
    return ["sort", "--type", "u64", "--by-key", "b.u64", "a.u64"]


@case("sort/keys-and-values-that-do-not-fit", "64M")
def _(folder):
    folder.file("a.u64", folder.letters(60 * MIB, alphabet=bytes(range(256))))
    folder.compressed("b.u64.gz", bytes(MIB), 60)
    return ["sort", "--type", "u64", "--by-key", "b.u64.gz", "a.u64"]


# ---- bwt, unbwt, sa

def text(folder, megabytes, alphabet=b"acgtn"):
    return folder.file("t", folder.letters(megabytes * MIB, alphabet))


# The largest texts that fit, and larger ones.
for form, megabytes in (("sentinel", 10), ("rotation", 9), ("sentinel", 30), ("rotation", 30)):
    @case(f"bwt/{form}-{megabytes}", "64M")
    def _(folder, form=form, megabytes=megabytes):
        return ["bwt", text(folder, megabytes), "--form", form, "-o", "out"]


@case("bwt/another-engine", "32M")
def _(folder):
    return ["bwt", text(folder, 2), "--engine", "ternary-quicksort", "-o", "out"]


@case("bwt/compressed", "64M")
def _(folder):
    folder.compressed("t.gz", LINES, expanding(folder))
    return ["bwt", "t.gz", "-o", "out"]


for megabytes in (9, 16):
    @case(f"unbwt/{megabytes}", "64M")
    def _(folder, megabytes=megabytes):
        folder.run("bwt", folder.repeated("t", b"acgt" * (MIB // 4), megabytes), "-o", "t.wbwt")
        return ["unbwt", "t.wbwt", "-o", "out"]


@case("unbwt/compressed", "64M")
def _(folder):
    folder.compressed("t.gz", LINES, expanding(folder))
    return ["unbwt", "--raw", "--primary-index", "1", "t.gz", "-o", "out"]


for megabytes in (11, 30):
    @case(f"sa/{megabytes}", "64M")
    def _(folder, megabytes=megabytes):
        return ["sa", text(folder, megabytes), "-o", "out"]


for megabytes in (4, 30):
    @case(f"sa/lcp-{megabytes}", "64M")
    def _(folder, megabytes=megabytes):
        return ["sa", text(folder, megabytes), "-o", "out", "--lcp", "out2"]


for verb in ("bwt", "sa"):
    @case(f"{verb}/large-window", "64M")
    def _(folder, verb=verb):
        folder.file("t.zst", [inputs.zstd_run(LINES * 30, window_log=27)])
        return [verb, "t.zst", "-o", "out"]


@case("sa/compressed", "64M")
def _(folder):
    folder.compressed("t.gz", LINES, expanding(folder))
    return ["sa", "t.gz", "-o", "out"]


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


@case("sort/hardly-any-memory", "64K")
def _(folder):
    folder.file("l.txt", folder.letters(8_000_000, alphabet=b"abcdefghijklmnopqrstuvwxyz01234\n"))
    return ["sort", "l.txt"]


@case("index/hardly-any-memory", "64K")
def _(folder):
    folder.repeated("ref.fa", RECORDS, 40)
    return ["index", "ref.fa", "-o", "out"]


for verb in ("bwt", "sa", "unbwt"):
    @case(f"{verb}/hardly-any-memory", "64K")
    def _(folder, verb=verb):
        folder.repeated("t", b"acgt" * (MIB // 4), 40)
        flags = ["--raw", "--primary-index", "1"] if verb == "unbwt" else []
        return [verb, *flags, "t", "-o", "out"]


@case("lcs/hardly-any-memory", "64K")
def _(folder):
    folder.repeated("a.fa", LINES, 40, start=b">a\n")
    folder.repeated("b.fa", LINES, 40, start=b">b\n")
    return ["lcs", "a.fa", "b.fa", "--length"]
