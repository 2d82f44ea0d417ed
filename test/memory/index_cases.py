"""The cases of the verbs that make and search an index: index, find and mem."""

import inputs
from inputs import LINES, MIB, RECORD, RECORDS, case, expanding


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


@case("mem/compressed-records", "64M")
def _(folder):
    index(folder)
    folder.compressed("q.fa.gz", RECORDS, expanding(folder))
    return ["mem", "ref.wfi", "q.fa.gz", "--both-strands"]


@case("mem/one-huge-record", "64M")
def _(folder):
    index(folder)
    folder.compressed("q.fa.gz", LINES, expanding(folder), start=b">q\n")
    return ["mem", "ref.wfi", "q.fa.gz"]


@case("mem/many-matches", "16M")
def _(folder):
    folder.repeated("ref.fa", LINES, 1, start=b">r\n")
    folder.run("index", "ref.fa", "-o", "ref.wfi")
    folder.repeated("q.fa", RECORD, folder.scaled(8, 100))
    return ["mem", "ref.wfi", "q.fa", "--both-strands"]


@case("mem/many-unique-matches", "16M")
def _(folder):
    folder.fasta("ref.fa", 1_000_000)
    folder.run("index", "ref.fa", "-o", "ref.wfi")
    return ["mem", "ref.wfi", "ref.fa", "-l", "8", "--kind", "mum", "--both-strands"]


@case("mem/two-files", "64M")
def _(folder):
    folder.fasta("ref.fa", 4_000_000)
    return ["mem", "ref.fa", "ref.fa", "--kind", "smem"]


@case("variants/fits", "64M")
def _(folder):
    folder.fasta("a.fa", 4_000_000)
    return ["variants", "a.fa", "a.fa"]


@case("variants/many-variants", "64M")
def _(folder):
    letters = b"".join(folder.letters(2_000_000))
    changed = bytearray(letters)
    for i in range(10, len(changed), 20):
        changed[i] = b"CGTA"[b"ACGT".index(changed[i])]
    folder.file("a.fa", [b">a\n", letters, b"\n"])
    folder.file("b.fa", [b">b\n", bytes(changed), b"\n"])
    return ["variants", "a.fa", "b.fa", "--format", "tsv"]


@case("variants/does-not-fit", "16M")
def _(folder):
    folder.fasta("a.fa", folder.scaled(30_000_000, 300_000_000))
    return ["variants", "a.fa", "a.fa"]


@case("variants/second-does-not-fit", "16M")
def _(folder):
    folder.fasta("a.fa", 1_000_000)
    folder.compressed("b.fa.gz", RECORDS, expanding(folder))
    return ["variants", "a.fa", "b.fa.gz"]


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
