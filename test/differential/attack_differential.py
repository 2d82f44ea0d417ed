"""Runs every verb with damaged, truncated, compressed and odd files, and with odd values and combinations of the flags that its
help lists. weft must never crash or hang. It must end with an exit code of the contract and, unless the code is 0 or 1, print a
message without control characters. It must not change its inputs, nor leave the output of a failed run or a temporary file."""

import bz2
import functools
import gzip
import lzma
import os
import re
import stat
import struct
import subprocess

import common
import texts

VERBS = ["scan", "lcs", "sort", "bwt", "unbwt", "sa", "index", "find", "info"]
VALUES = ["", "0", "1", "2", "3", "-1", "7", "1024", "1025", "65535", "4294967296", "99999999999999999999", "abc", "1e9", "0x10", "1.5",
          "64K", "1M", "4G", "1%", "nan", "-", "--", "/", ".", "out", "other", "out.svg", "out.html", "out.png", "out.pdf",
          "missing/out", "one", "two", "\n", "\x1b[31m", "\u00e9", "a,b", "5,3", "1,1", "2.3,4nr", ",", "%", "auto", "all", "cpu", "gpu",
          "A", "ACGT", "N(1,5)", "[AC", "x*", "<M", "A-x(2,4)-[GC]>", "\t", "r0", "r1", "u8", "f64", "csv"]
USUAL = {"N": ["0", "1", "2", "3", "20"], "SIZE": ["64K", "1M", "4G"], "FILE": ["out", "other", "out.svg", "out.html"],
         "PATTERN": ["A-C", "ACG", "N(1,2)"], "CHAR": [",", "\\t", ":"], "POS[,POS": ["1", "2,2n", "1.2,1.3", "1,1r"],
         "DIR": ["."], "NAME": ["auto", "cpu", "gpu", "r0", "r1"], "VALUES": ["two"], "WHEN": ["always"]}  # by what the help calls the value
PATTERNS = ["A-C", "[ST]-x-[RK]", "N(1,2)", "x(0,3)-G>", "<M-x", "{P}-[^A]", "A(", "RYN", "ACGT", "..", "A-C."]


def damaged_file(run):
    """Runs a valid command with one input that is not valid."""
    verb = run.random.choice(VERBS)
    arguments = inputs(run, verb)
    for victim in [a for a in arguments if os.path.isfile(run.path(a))]:
        if run.random.random() < 0.8:
            spoil(run, victim)
    good = {"scan": [["--alphabet", "dna"], ["--matches", "count"], ["--format", "gff3"], []],
            "lcs": [["--length"], ["--by", "line"], ["--by", "byte"], ["--format", "paf"], ["--metric", "edit"], []],
            "sort": [["-n"], ["-u"], ["-c"], ["-m"], ["-k2,2"], ["--type", "u16"], ["--type", "f32", "--argsort"], ["-z"], []],
            "bwt": [["--raw"], ["--stats"], ["--form", "rotation"], ["--no-decompress"], []],
            "unbwt": [["--raw", "--primary-index", "3"], []], "sa": [["--lcp", "lcp"], []],
            "index": [["--alphabet", "protein"], ["--sa-sample-rate", "3"], []], "find": [["--count"], ["--both-strands"], []]}
    check(run, verb, [*run.random.choice(good.get(verb, [[]])), *arguments, *output(run, verb)])


def odd_flags(run):
    """Runs a verb, mostly on valid inputs, with flags from its help that have any values, valid or not."""
    verb = run.random.choice(VERBS)
    arguments = inputs(run, verb)
    for _ in range(run.random.randint(1, 4)):
        flag, values = run.random.choice(flags_of(run.weft_program, verb))
        if values is None:
            arguments.insert(run.random.randrange(len(arguments) + 1), flag)
            continue
        value = run.random.choice(values) if values and run.random.random() < 0.7 else run.random.choice(VALUES)
        pair = [f"{flag}={value}"] if flag.startswith("--") and run.random.random() < 0.5 else [flag, value]
        at = run.random.randrange(len(arguments) + 1)
        arguments[at:at] = pair
    if run.random.random() < 0.3:
        spoil(run, run.random.choice([a for a in arguments if os.path.isfile(run.path(a))] or ["one"]))
    check(run, verb, arguments + (output(run, verb) if run.random.random() < 0.5 else []))


def odd_commands(run):
    """Runs verbs that do not exist, and verbs that take no files."""
    verb = run.random.choice(["help", "man", "completion", "devices", "nosuchverb", "", "-", "--version", "--help", "-h"])
    check(run, verb, [run.random.choice(VALUES + VERBS) for _ in range(run.random.randrange(3))])


OUTPUT_FLAGS = ("-o", "--output", "--plot", "--lcp", "--sa")


def check(run, verb, arguments):
    if any("\0" in argument for argument in arguments):
        return
    before = snapshot(run.folder)
    result = run.weft(verb, *arguments, timeout=60)
    after = snapshot(run.folder)
    values = {v for a in arguments for v in (a, a.split("=", 1)[-1], a[2:])}
    outputs = {b for a, b in zip(arguments, arguments[1:]) if a in OUTPUT_FLAGS}
    outputs |= {a.split("=", 1)[1] for a in arguments if a.split("=", 1)[0] in OUTPUT_FLAGS and "=" in a}
    outputs |= {a[2:] for a in arguments if a.startswith("-o")}
    for name in before.keys() | after.keys():
        if before.get(name) == after.get(name):
            continue
        whole = result.code in (0, 1) or verb == "info"  # which describes the other files where one is damaged
        run.expect(whole, f"a run that failed left or changed {name}", result)
        run.expect(name in values or os.path.join(run.folder, name) in values, f"a file that nobody named: {name}", result)
        named = name in outputs or os.path.join(run.folder, name) in outputs
        run.expect(name not in before or named, f"an input is changed: {name}", result)
    shown = re.sub(rb"\r|\x1b\[K", b"", result.err) if any("progress" in a for a in arguments) else result.err
    run.expect(not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", shown), "a message has control characters", result)
    run.expect(b"Traceback" not in shown and b"std::" not in shown and b"basic_string" not in shown, "a message of a library",
               result)


def snapshot(folder):
    """Returns the names and contents of the files below a folder."""
    found = {}
    for path, folders, names in os.walk(folder):
        for name in names:
            full = os.path.join(path, name)
            if stat.S_ISREG(os.lstat(full).st_mode):
                with open(full, "rb") as file:
                    found[os.path.relpath(full, folder)] = file.read()
            else:
                found[os.path.relpath(full, folder)] = None
        for name in folders:
            found[os.path.relpath(os.path.join(path, name), folder)] = "a folder"
    return found


def output(run, verb):
    """Returns an -o with a file that may exist already, or that cannot be written."""
    if verb in ("info",):
        return []
    kind = run.random.random()
    if kind < 0.2:
        run.file("out", "it was here before")
    return ["-o", run.random.choice(["missing/out", ".", "/dev/full"]) if kind > 0.85 else "out"]


def inputs(run, verb):
    """Returns files that the verb reads, as arguments."""
    letters = run.random.choice([b"ACGT", b"ACGTN", b"ACDEFGHIKLMNPQRSTVWY"])
    sequences = lambda n: [(b"r%d" % i, bytes(run.random.choices(letters, k=run.random.randrange(80)))) for i in range(n)]
    if verb == "scan":
        run.file("two", texts.fasta(sequences(3), run.random))
        if run.random.random() < 0.5:
            return ["-e", run.random.choice(PATTERNS), "two"]
        return [os.path.basename(run.file("one", run.random.choice([PROSITE, "name\tA-C\n# note\nG-x\n"]))), "two"]
    if verb == "lcs":
        run.file("one", texts.fasta(sequences(1), run.random))
        run.file("two", texts.fasta(sequences(run.random.choice([1, 1, 2])), run.random))
        return ["one", "two"]
    if verb == "sort":
        run.file("one", b"".join(b"%d\t%s\n" % (run.random.randrange(99), texts.random_name(run.random)) for _ in range(20)))
        run.file("two", texts.random_text(run.random))
        return run.random.choice([["one"], ["one", "two"], ["two"]])
    if verb in ("bwt", "sa"):
        run.file("one", texts.random_text(run.random))
        return ["one"]
    if verb == "unbwt":
        run.file("text", texts.random_text(run.random))
        made(run, "bwt", "text", "-o", "one")
        return ["one"]
    if verb == "index":
        run.file("one", texts.fasta(sequences(3), run.random))
        return ["one"]
    run.file("ref", texts.fasta(sequences(3)))
    made(run, "index", "ref", "-o", "one")
    if verb == "info":
        return run.random.choice([["one"], ["ref"], ["one", "ref"]])
    run.file("two", run.random.choice([b"ACG\nT\n", b"name\tACG\n", b">p\nAC\n", b"@p\nAC\n+\nII\n"]))
    return ["one", "two"]


PROSITE = "ID   MY_SITE; PATTERN.\nAC   PS99999;\nDE   A site.\nPA   N-{P}-[ST].\n//\n"


def made(run, *arguments):
    result = run.weft(*arguments)
    run.expect(result.code == 0, "an input cannot be made", result)


def spoil(run, name):
    """Changes a file: damages it, compresses it, does both, replaces it by another kind, or makes it unreadable."""
    path = run.path(name)
    data = run.read(name)
    kind = run.random.randrange(13)
    if kind == 0:
        os.remove(path)
        run.random.choice([lambda: None, lambda: os.mkdir(path), lambda: os.symlink("nowhere", path),
                           lambda: os.symlink("/dev/null", path)])()
        return
    if kind == 1:
        data = run.random.choice([b"", b"\n", b"\0", b"\xff", b">", b"@", b"\r\n", b"\x1f\x8b", b"BZh9", b"\xfd7zXZ\0",
                                  b"\x28\xb5\x2f\xfd", b"\x93NUMPY", b"\x89WFI\r\n\x1a\n", b"\x89WBWT\r\n\x1a"])
    elif kind == 2:
        data = b"\xef\xbb\xbf" + data
    elif kind == 3:
        data = data.replace(b"\n", b"\r\n")
    elif kind == 4:
        data = data.rstrip(b"\n")
    elif kind == 5:
        data = data[:run.random.randrange(len(data) + 1)]
    elif kind == 6:
        data = npy(run)
    elif kind == 7:
        data = run.random.randbytes(run.random.randrange(300))
    if kind >= 8 or run.random.random() < 0.3:
        data = run.random.choice([gzip.compress, bz2.compress, lzma.compress, zstd_compress])(data)
        if run.random.random() < 0.3:
            data += run.random.choice([data, b"\0" * 8, b"garbage", b"\n"])
    for _ in range(run.random.choice([0, 1, 1, 2, 5])):
        if not data:
            break
        at = run.random.randrange(len(data))
        what = run.random.randrange(4)
        if what == 0:
            data = data[:at] + bytes([data[at] ^ 1 << run.random.randrange(8)]) + data[at + 1:]
        elif what == 1:
            data = data[:at] + run.random.choice([b"\0", b"\n", b"\t", b">", b"\xff\xff\xff\xff", b"\x1b]0;x\x07"]) + data[at:]
        elif what == 2:
            data = data[:at] + data[at + run.random.randint(1, 20):]
        else:
            data = data[:max(at, 1)]
    run.file(name, data)


def npy(run):
    """Returns a .npy file whose header may be false."""
    shape = run.random.choice(["(3,)", "(4,)", "(0,)", "()", "(2, 2)", "(99999999999999999999,)", "(-1,)", "(3,"])
    kind = run.random.choice(["<u4", "<f8", "|u1", ">u4", "<c8", "|S3", "<i2"])
    text = f"{{'descr': '{kind}', 'fortran_order': {run.random.choice(['False', 'True'])}, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + bytes(12)


def zstd_compress(data):
    """Returns a zstd frame of one raw block."""
    return b"\x28\xb5\x2f\xfd\x00\x50" + struct.pack("<I", len(data) << 3 | 1)[:3] + data


@functools.lru_cache(maxsize=None)
def flags_of(weft, verb):
    """Returns (flag, values); values is None if the flag takes none, otherwise those that the help names."""
    done = subprocess.run([weft, "help", verb], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    text = re.sub(r"\n {12,}", " ", done.stdout.decode())
    found = []
    for line in text.splitlines():
        match = re.match(r"  (?:(-\w), |   +)(--[\w-]+)( \[?[A-Z][^ ]*| \[=[^ ]*)?(.*)", line)
        if not match or match[2] in ("--help",):
            continue
        choices = re.findall(r"\(([\w+:|-]+(?:, [\w+:|-]+)+)\)", match[4])
        named = [value for choice in choices for value in choice.split(", ")]
        values = None if not match[3] else named or USUAL.get(match[3].strip(" [=]"), [])
        found += [(flag, values) for flag in (match[1], match[2]) if flag]
    return found or [("--help", None)]


if __name__ == "__main__":
    common.main(damaged_file, odd_flags, odd_commands, odd_flags)
