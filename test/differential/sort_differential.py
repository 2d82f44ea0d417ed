"""Compares weft sort with GNU sort in the C locale: random combinations of flags and keys over lines that are hard to tell apart."""

import os
import string

import common

LETTERS = "bdfghiMnrV"  # options of keys and flags that GNU sort and weft order in the same way
LONG = {"b": "--ignore-leading-blanks", "d": "--dictionary-order", "f": "--ignore-case", "g": "--general-numeric-sort",
        "h": "--human-numeric-sort", "i": "--ignore-nonprinting", "M": "--month-sort", "n": "--numeric-sort",
        "r": "--reverse", "V": "--version-sort", "u": "--unique", "s": "--stable", "R": "--random-sort"}
WORDS = {"g": "general-numeric", "h": "human-numeric", "M": "month", "n": "numeric", "V": "version"}
# There are no NaNs: to order two equal ones, GNU sort 9.1 compares bytes that strtold() does not set.
NUMBERS = ["x", "-1", "-0", "0.50", ".5", "007", "7", "-3.2", "1e3", "", "+4", "-", "12345678901234567890", ".", "-.", " 8",
           "\t9", "1" + "0" * 40, "1" + "0" * 120, "1e400", "-1e-400", "1e5000", "1e-5000", "0x1p3", "0x.8", "inf", "-INF",
           "infinity", "1.0000000000000000001", "1.0000000000000000002", "0.1", ".1e", "1e", "1e+", "  -2",
           "18446744073709551615", "18446744073709551616", "3.3621e-4932", "1.18973e4932", "0.000000000000000001", "1.", "1.2.3"]
HUMAN = ["1K", "2k", "1M", "1023M", "-1G", "-2K", "1.5T", "1.", "1.E", "1..2E", "0K", "00", "K", "3Y", "9Z", "5P", "-0M", "1m",
         "1Ki", ".5G", "-.G"]
VERSIONS = ["a", "a0", "a00", "a1", "a01", "a10", "a~", "a0~", "a1~", "~", ".", "..", "...", ".a", ".a.b", "a.b", "a0.b", "1.2.tar.gz",
            "1.10.tar.gz", "1.2.tar~.gz", "1.2", "1.10", "a.1", "a.b1", "a..b", "a.", "abc-1.2.3~rc1", "abc-1.2.3", "0", "00", "",
            "a-1", "aB", "Ab", "a_1", "9" * 300, "1" + "0" * 300, "x.~1~", "a.b~", "a.~"]
MONTHS = ["JAN", "feb", "Mar", "APRIL", "may", "JUNE", "jul", "AUg", "sep", "OCT", "nov", "DEC", " dec", "\tJan x", "JA", "", "ZZZ",
          "xJAN", "MA", "febr"]
FIELDS = ["a", "B", "b!", "\0", "a\0", "a\1", "\xff", "zz", " q", "\tq", "A", "ab", "aB", "_", "~"]


def case(run):
    random = run.random
    zero = random.random() < 0.12
    end = "\0" if zero else "\n"
    flags = ["-z"] if zero else []
    flags += global_flags(run) + keys(run)
    files = [run.file(f"f{i}", text(run, end, random.choice([0, 3, 30, 30, 120]))) for i in range(random.choice([1, 1, 1, 2, 3]))]
    flags += working_flags(run)
    if random.random() < 0.15:
        for name in files:
            run.command(["sort", *flags, name, "-o", name])
        flags.append(random.choice(["-m", "--merge", "--me"]))
    checking = random.random() < 0.15
    if checking:
        flags.append(random.choice(["-c", "-C", "--check", "--check=quiet", "--check=silent", "--check=diagnose-first", "--ch=s"]))
        files = files[:random.choice([1, 1, 1, 2])]
    debug = not checking and not zero and random.random() < 0.1
    flags += ["--debug"] if debug else []
    compare(run, flags, files, checking)


def global_flags(run):
    random, flags = run.random, []
    for letter in LETTERS + "us":
        if random.random() < 0.09:
            choices = [[f"-{letter}"], [LONG[letter]], [LONG[letter][:-1]]]
            if letter in WORDS:
                choices += [[f"--sort={WORDS[letter]}"], ["--sort", WORDS[letter][:3]]]
            flags += random.choice(choices)
    if random.random() < 0.3:
        flags += random.choice([["-t,"], ["-t", ","], ["-t:"], ["--field-separator=,"], ["-t", "\\0"], ["--fie", "-"], ["-t."]])
    random.shuffle(flags) if all(flag.startswith("-") and flag not in ("-t", "--sort", "--fie") for flag in flags) else None
    return flags


def keys(run):
    random, flags = run.random, []
    for _ in range(random.choice([0, 0, 1, 1, 2, 3])):
        if random.random() < 0.12:  # +POS1 -POS2
            flags.append("+" + position(run, 0))
            if random.random() < 0.6:
                flags.append("-" + position(run, 0))
            continue
        key = position(run, 1) + ("," + position(run, 0, 1) if random.random() < 0.6 else "")
        flags += random.choice([["-k", key], ["-k" + key], ["--key=" + key], ["--k", key]])
    return flags


def position(run, first_character, first_field=None):
    random = run.random
    place = str(random.randrange(1 if first_field is None and first_character else first_field or 0, 5))
    if random.random() < 0.35:
        place += "." + str(random.randrange(first_character, 4))
    few = random.random() < 0.9  # most keys do not contradict themselves
    letters = random.choice(["", "", "", "n", "g", "h", "M", "V", "b", "d", "f", "r"]) if few else "".join(random.choices(LETTERS, k=3))
    return place + letters + ("r" if random.random() < 0.1 else "") + ("b" if random.random() < 0.1 else "")


def working_flags(run):
    """Returns flags that change how the work is done, but not its result."""
    random = run.random
    return random.choice([[], [], [], [], ["-S", "64K"], ["-S1", "--parallel=2"], ["--p=3"], ["--batch-size=2"], ["-T", run.folder],
                          ["--compress-program=gzip", "-S", "1b"], ["-T", run.folder, "--temp", "/tmp"], ["--stable"]])


def text(run, end, lines):
    """Returns lines of one kind, or of several; the last one may lack its end."""
    random = run.random
    kinds = random.choices([letters, odd_bytes, numbers, fields, words, integers, human, versions, months, general], k=random.choice([1, 1, 2]))
    result = "".join(random.choice(kinds)(random).replace(end, "_") + end for _ in range(lines))
    if result and random.random() < 0.2:
        result = result[:-1]
    return result.encode("latin-1")


def letters(random):
    return "".join(random.choices("ab", k=random.randrange(12)))


def odd_bytes(random):  # but 80, which GNU sort 9.1 takes for a separator of thousands
    return "".join(chr((129 + random.randrange(255)) & 255) for _ in range(random.randrange(20)))


def several(random, words, separators):
    return "".join(random.choice(words) + random.choice(separators) for _ in range(random.randrange(5)))


def numbers(random):
    return several(random, NUMBERS, " ")


def fields(random):
    return several(random, FIELDS, ",")


def words(random):
    return "".join(random.choice(["abcdefgh", "\0" * 8]) for _ in range(random.randrange(4)))


def integers(random):
    return str(random.randrange(-50, 50)) + random.choice(["", ".10"])


def human(random):
    return several(random, HUMAN, [" ", ","])


def versions(random):
    made = "".join(random.choices("ab.0123~-_A", k=random.randrange(8)))
    return random.choice(VERSIONS) if random.random() < 0.5 else made


def months(random):
    return several(random, MONTHS, [" ", ","])


def general(random):
    made = "".join(random.choices(string.digits + "..eE+-xp ", k=random.randrange(9)))
    return random.choice([made, f"{random.random() * 10 ** random.randrange(-30, 30)}", random.choice(NUMBERS)])


def compare(run, flags, files, checking):
    """Checks that weft called as sort, and weft sort, have the bytes, messages and exit code of GNU sort."""
    environment = {"_POSIX2_VERSION": "199209"} if run.random.random() < 0.3 else {}
    to_file = run.random.random() < 0.1 and not checking
    arguments = [*flags, *files] if run.random.random() < 0.7 else [*files, *flags]
    if run.random.random() < 0.1 and not any(flag.startswith("+") for flag in flags):
        arguments = [*flags, "--files0-from=" + run.file("names", "\0".join(files))]
    arguments += ["-o", "out"] if to_file else []
    expected = run.command(["sort", *arguments], environment=environment)
    wanted = run.read("out") if to_file and expected.code == 0 else expected.out
    link = run.path("sort")
    os.symlink(run.weft_program, link)
    found = run.command([link, *arguments], environment=environment)
    run.equal(found.code, expected.code, f"the exit code of {expected}")
    if expected.code != 2:
        run.equal(run.read("out") if to_file and found.code == 0 else found.out, wanted, "the sorted lines")
    if expected.code == 1 or b"--debug" in " ".join(arguments).encode() and expected.code == 0:
        run.equal(found.err, expected.err, "the messages")
    if expected.code == 2:
        run.equal(found.err.split(b"\n")[0], expected.err.split(b"\n")[0], "the message")
    verb = run.weft("sort", *arguments, environment=environment)
    run.equal(verb.code in (2, 3) if expected.code == 2 else verb.code == expected.code, True, "the exit code of weft sort")
    if expected.code != 2 and not to_file:
        run.equal(verb.out, wanted, "the lines sorted by weft sort")


def shuffled(run):
    """Checks -R: all lines are printed, equal ones together, the same in every run, and in another order for another seed."""
    random = run.random
    lines = [random.choice(["a", "A", "b", "B", "ab", "", "zz", "Zz", str(random.randrange(30))]) for _ in range(random.randrange(200))]
    path = run.file("lines", "".join(line + "\n" for line in lines))
    fold = random.random() < 0.5
    flags = ["-R", "-f", "-s"] if fold else random.choice([["-R"], ["--sort=random"], ["-k1,1R"]])
    flags = [*flags, *(["--random-source=" + path] if random.random() < 0.3 and len(lines) > 20 else [])]
    found = run.weft("sort", *flags, path)
    run.equal(found.code, 0, "the exit code")
    out = found.out.decode().split("\n")[:-1]
    run.equal(sorted(out), sorted(lines), "the shuffled lines")
    groups = [line.upper() if fold else line for line in out]
    changes = sum(a != b for a, b in zip(groups, groups[1:]))
    run.equal(changes, max(len(set(groups)) - 1, 0), "how often the key changes")
    run.equal(run.weft("sort", *flags, "--parallel=2", "-S", "64K", path).out, found.out, "the order in another run")


if __name__ == "__main__":
    common.require("sort", "gzip")
    if b"GNU coreutils) 9.1" not in os.popen("sort --version").read().encode():
        common.skip("the system's sort is not GNU sort 9.1")
    common.main(case, case, case, case, shuffled)
