"""The cases of the verbs that order lines, numbers and suffixes: sort, bwt, unbwt and sa."""

import os

import inputs
from inputs import LINES, MIB, case, expanding


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


# Each of many threads makes keys, and the key of an empty line is larger than the line.
@case("sort/keys-of-empty-lines", "64M")
def _(folder):
    folder.repeated("l.txt", b"\n" * MIB, folder.scaled(10, 100))
    return ["sort", "-k1,1n", "-k2", "--threads", "16", "l.txt"]


# Some threads provide memory for the text ahead of the one that reads.
@case("sort/many-threads", "100M")
def _(folder):
    folder.repeated("l.txt", (b"x" * 87 + b"\n") * (MIB // 88), 200)
    return ["sort", "--threads", "8", "l.txt"]


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


# Half of the suffixes begin with "aaaa", and are sorted a part at a time.
@case("bwt/same-first-letters", "64M")
def _(folder):
    return ["bwt", text(folder, 20, b"a" * 28 + b"cgtn"), "-o", "out"]


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


# The window takes memory while the file is read; the inversion then takes nearly all that is allowed.
@case("unbwt/large-window", "280M")
def _(folder):
    folder.run("bwt", folder.repeated("t", b"acgt" * (MIB // 4), 40), "-o", "t.wbwt")
    with open(os.path.join(folder.path, "t.wbwt"), "rb") as file:
        folder.file("t.wbwt.zst", [inputs.zstd_run(file.read(), window_log=26)])
    return ["unbwt", "t.wbwt.zst", "-o", "out"]


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

@case("sort/hardly-any-memory", "64K")
def _(folder):
    folder.file("l.txt", folder.letters(8_000_000, alphabet=b"abcdefghijklmnopqrstuvwxyz01234\n"))
    return ["sort", "l.txt"]


for verb in ("bwt", "sa", "unbwt"):
    @case(f"{verb}/hardly-any-memory", "64K")
    def _(folder, verb=verb):
        folder.repeated("t", b"acgt" * (MIB // 4), 40)
        flags = ["--raw", "--primary-index", "1"] if verb == "unbwt" else []
        return [verb, *flags, "t", "-o", "out"]
