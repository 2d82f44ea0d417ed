"""Checks that weft writes the same output if the same input is given in another way: from standard input, compressed, with lines
that end in CR LF, with any number of threads, with little memory (which weft may refuse), to another engine, in several files."""

import bz2
import gzip
import lzma
import os

import attack_differential
import common
import texts

PACKERS = [gzip.compress, bz2.compress, lzma.compress, attack_differential.zstd_compress]


def case(run):
    verb, flags, files, crlf = run.random.choice([scan, lcs, lcs_lines, sort, bwt, index, find])(run)
    names = [name for name, _ in files]
    for name, data in files:
        run.file(name, data)
    first = run.weft(verb, *flags, *names)
    run.expect(first.code == 0, "a good command is refused", first)
    for _ in range(4):
        again(run, verb, flags, files, crlf, first)


def again(run, verb, flags, files, crlf, first):
    """Runs the command again with its input given in another form."""
    more, environment, arguments, stdin, packed = [], {}, [], b"", False
    for name, data in files:
        fixed = verb == "find" and name == "ref.wfi"  # is mapped: a plain regular file
        if not fixed and crlf and run.random.random() < 0.3:
            data = data.replace(b"\n", b"\r\n")
        if not fixed and run.random.random() < 0.5:
            data = in_members(run, data)
            packed = True
        if not fixed and "-" not in arguments and run.random.random() < 0.3:
            arguments.append("-")
            stdin = data
        else:
            arguments.append("other-" + name)
            run.file("other-" + name, data)
    if run.random.random() < 0.5:
        more += ["--threads", str(run.random.randint(1, 5))]
    if run.random.random() < 0.3:
        more += ["--memory", run.random.choice(["64K", "256K", "1M", "16M"])]
    if verb == "scan" and run.random.random() < 0.5:
        environment["WEFT_CHUNK"] = str(run.random.choice([1, 10, 100, 1000]))
    if run.random.random() < 0.3:
        more += ["-o", "result"]
    result = run.weft(verb, *flags, *more, *arguments, stdin=stdin, environment=environment)
    if result.code == 4 and "--memory" in more:
        return
    run.expect(result.code == first.code, "another way has another exit code", first, result)
    run.equal(run.read("result") if "result" in more else result.out, first.out, f"another way has another result than {first.command}")


def in_members(run, data):
    """Returns the data compressed, in one member or several."""
    pack = run.random.choice(PACKERS)
    at = run.random.randrange(len(data) + 1) if run.random.random() < 0.5 else 0
    return (pack(data[:at]) if at > 0 else b"") + pack(data[at:])


def sequences(run, alphabet, count, size):
    return [(b"r%d" % i + run.random.choice([b"", b" of a kind"]), bytes(run.random.choices(alphabet, k=run.random.randrange(size))))
            for i in range(count)]


def scan(run):
    dna = run.random.random() < 0.5
    patterns = run.random.sample(["A-C", "N(1,3)", "G-x(0,2)-T", "[AC]-G", "<x", "T>", "A(2,4)"] if dna else
                                 ["N-{P}-[ST]-{P}", "[RK](2)-x", "<M", "S-x(1,3)-[DE]", "C-x(2,4)-C", "x>"], k=2)
    flags = ["--alphabet", "dna" if dna else "protein", "--matches", run.random.choice(["ps-scan", "starts", "ends", "count"])]
    if "count" not in flags:
        flags += ["--format", run.random.choice(["tsv", "gff3", "bed", "jsonl", "fasta"])]
    letters = b"ACGT" * 5 + b"NRY" if dna else b"ACDEFGHIKLMNPQRSTVWYX"
    file = texts.fasta(sequences(run, letters, run.random.randint(1, 40), 200))
    return "scan", [f for p in patterns for f in ("-e", p)] + flags, [("s.fa", file)], True


def lcs(run):
    a = sequences(run, b"ACGT", 1, 800)
    b = [(b"b", bytes(run.random.choice(b"ACGT") if run.random.random() < 0.1 else c for c in a[0][1]))]
    flags = run.random.choice([[], ["--length"], ["--format", "paf"], ["--format", "ops"], ["--format", "jsonl"],
                               ["--metric", "edit", "--format", "paf"], ["--metric", "indel", "--length"]])
    return "lcs", ["-q", *flags], [("a.fa", texts.fasta(a)), ("b.fa", texts.fasta(b))], True


def lcs_lines(run):
    lines = [b"%d\n" % run.random.randrange(20) for _ in range(run.random.randrange(200))]
    other = [line for line in lines if run.random.random() < 0.9]
    return "lcs", ["--by", "line", "-q", "--length"], [("a", b"".join(lines)), ("b", b"".join(other))], False


def sort(run):
    files = [(f"{i}.txt", b"".join(b"%d %s\n" % (run.random.randrange(30), texts.random_name(run.random))
                                   for _ in range(run.random.randrange(3000)))) for i in range(run.random.randint(1, 3))]
    flags = run.random.choice([[], ["-n"], ["-r"], ["-u"], ["-k2"], ["-k1,1n", "-s"], ["-f", "-u"], ["-k2,2r", "-k1n"], ["-z"]])
    return "sort", flags, files, False


def bwt(run):
    verb = run.random.choice(["bwt", "sa"])
    return verb, ["--form", "rotation"] if verb == "bwt" and run.random.random() < 0.5 else [], \
        [("t", b"text " + texts.random_text(run.random, 5000))], False


def index(run):
    files = [(f"{i}.fa", texts.fasta(sequences(run, b"ACGTN", run.random.randint(1, 4), 300))) for i in range(run.random.randint(1, 3))]
    return "index", ["-q", "--alphabet", "dna"], files, True


def find(run):
    references = sequences(run, b"ACGTN", 3, 2000)
    run.file("ref.fa", texts.fasta(references))
    made = run.weft("index", "ref.fa", "-o", "ref.wfi", "-q", "--alphabet", "dna")
    run.expect(made.code == 0, "an index cannot be made", made)
    patterns = sequences(run, b"ACGT", 50, 9)
    file = run.random.choice([texts.fasta(patterns), b"".join(letters + b"\n" for _, letters in patterns if letters)])
    flags = run.random.choice([[], ["--count"], ["--both-strands"], ["--max-hits", "3"]])
    with open(os.path.join(run.folder, "ref.wfi"), "rb") as made_file:
        return "find", ["-q", *flags], [("ref.wfi", made_file.read()), ("p", file)], True


if __name__ == "__main__":
    common.main(case)
