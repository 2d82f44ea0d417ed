"""Compares weft lcs --by line and --by word with the table of LCS lengths, and checks its unified diffs with patch and diff.

The path of small files must be the canonical one, step by step. The path of larger files must be the same for every engine and
change no more lines than `diff -d`. With the diff, patch must turn A into B, and B into A.
"""

import common

SPACE = b" \t\r\v\f"
ENGINES = ["auto", "hirschberg-dp", "bit-parallel", "bit-sliced", "furthest-reaching", "hunt-szymanski"]


def small(run):
    random = run.random
    a, b = file_pair(run, random.choice([3, 8, 25]), random.choice([2, 4, 12]))
    by = random.choice(["line", "line", "word"])
    flags, rules = comparison(random, by)
    x, y = ([rules(token) for token in tokens(text, by, True)] for text in (a, b))
    steps, common_a = canonical(x, y)
    engine = ["--engine", random.choice(ENGINES)]
    run.equal(lcs(run, "--by", by, *flags, *engine, "--format", "ops"), b"%s\n" % runs(steps), "the canonical path")
    plain = tokens(a, by, True)
    run.equal(lcs(run, "--by", by, *flags, *engine, "--format", "lcs"), b"".join(plain[i] + b"\n" for i in common_a),
              "the common lines or words")
    run.equal(lcs(run, "--by", by, *flags, *engine, "--length"), b"%d\n" % len(common_a), "the length of the LCS")


def unified(run):
    random = run.random
    a, b = file_pair(run, random.choice([3, 8, 25]), random.choice([2, 4, 12]))
    flags, rules = comparison(random, "line")
    x, y = ([rules(line, "-w" not in flags) for line in tokens(text, "line", False)] for text in (a, b))
    context = random.choice([0, 1, 3, 100])
    diff = lcs(run, "--by", "line", *flags, "--format", "unified", "-U", str(context), code=int(x != y))
    steps, _ = canonical(x, y)
    run.equal(diff, expected_diff(a, b, steps, context), "the unified diff")
    plain = run.command(["diff", "-q", "-a", *flags, "a", "b"])
    run.equal(plain.code, int(x != y), "the exit code of GNU diff")
    if not flags:
        patches(run, a, b, diff)


def larger(run):
    random = run.random
    a, b = file_pair(run, random.choice([300, 3000]), random.choice([5, 100, 10 ** 6]))
    diff = lcs(run, "--by", "line", "--format", "unified", code=int(a != b))
    found = changes(diff)
    other = changes(run.command(["diff", "-a", "-d", "-u", "a", "b"]).out)
    run.expect(found <= other, f"diff -d changes {other} lines, weft {found}")
    patches(run, a, b, diff)
    paths = {engine: lcs(run, "--by", "line", "--format", "ops", "--engine", engine)
             for engine in ["auto", "bit-sliced", "furthest-reaching", "hunt-szymanski"]}
    for engine, path in paths.items():
        run.equal(path, paths["auto"], f"the path of engine {engine}")


def lcs(run, *flags, code=None):
    result = run.weft("lcs", "a", "b", *flags, *([] if code is None else ["--fail-if-different"]))
    run.expect(result.code == (code or 0) and not result.err, f"weft ends with {code or 0} and says nothing", result)
    return result.out


def file_pair(run, most, kinds):
    """Writes the files a and b with lines of a given number of kinds; b is changed or shuffled from a, or unrelated to it."""
    random = run.random
    odd = [b"", b" ", b"x", b"X", b"x ", b"\tX", b"\r", b"\0", b"\xff", b"-x", b"+x", b"@@ -1 +1 @@", b"--- a", b"x y X", b"\\"]

    def line():
        kind = random.randrange(kinds)
        return odd[kind] if kind < len(odd) and kinds < 100 else b"line %d" % kind

    def whole(lines):
        text = b"".join(each + b"\n" for each in lines)
        return text[:-1] if text and random.random() < 0.3 else text

    first = [line() for _ in range(random.randrange(most + 1))]
    second = list(first)
    shape = random.random()
    if shape < 0.3:
        second = [line() for _ in range(random.randrange(most + 1))]
    elif shape < 0.5:
        random.shuffle(second)
    else:
        for _ in range(random.randrange(2 + most // 10)):
            at = random.randrange(len(second) + 1)
            second[at:at + random.randrange(3)] = [line() for _ in range(random.randrange(3))]
    a, b = whole(first), whole(second)
    run.file("a", a)
    run.file("b", b)
    return a, b


def comparison(random, by):
    """Returns flags for weft and for diff, and a function that maps a line or word to what is compared."""
    space, case = by == "line" and random.random() < 0.3, random.random() < 0.3

    def rules(token, keep_newline=False):
        open_end = not token.endswith(b"\n")
        token = token.removesuffix(b"\n")
        if space:
            token = token.translate(None, SPACE)
        if case:
            token = token.lower()
        return (token, keep_newline and open_end)

    return ["-w"] * space + ["-i"] * case, rules


def tokens(text, by, bare):
    if by == "word":
        return text.split()
    lines = [line + b"\n" for line in text.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    lines = lines if lines[-1] else lines[:-1]
    return [line.removesuffix(b"\n") for line in lines] if bare else lines


def canonical(a, b):
    """Returns the steps of the canonical path, and the indices in a of its matches."""
    rest = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            rest[i][j] = 1 + rest[i + 1][j + 1] if a[i] == b[j] else max(rest[i + 1][j], rest[i][j + 1])
    i = j = 0
    steps, matched = [], []
    while i < len(a) or j < len(b):
        if i < len(a) and rest[i + 1][j] == rest[i][j]:
            steps.append("D")
            i += 1
        elif i < len(a) and j < len(b) and a[i] == b[j]:
            steps.append("=")
            matched.append(i)
            i, j = i + 1, j + 1
        else:
            steps.append("I")
            j += 1
    return steps, matched


def runs(steps):
    text, first = b"", 0
    for at in range(len(steps)):
        if at + 1 == len(steps) or steps[at + 1] != steps[at]:
            text += b"%d%s" % (at + 1 - first, steps[at].encode())
            first = at + 1
    return text


def expected_diff(a, b, steps, context):
    """Returns a unified diff of the steps, with one mark for each line, cut into hunks."""
    x, y = tokens(a, "line", False), tokens(b, "line", False)
    shown = [any(step != "=" for step in steps[max(0, at - context):at + context + 1]) for at in range(len(steps))]
    if not any(shown):
        return b""
    text, i, j, at = b"--- a\n+++ b\n", 0, 0, 0
    while at < len(steps):
        first, i0, j0, body = at, i, j, b""
        while at < len(steps) and shown[at]:
            mark, line = {"=": (b" ", x), "D": (b"-", x), "I": (b"+", y)}[steps[at]]
            body += mark + line[j if steps[at] == "I" else i]
            body += b"" if body.endswith(b"\n") else b"\n\\ No newline at end of file\n"
            i, j, at = i + (steps[at] != "I"), j + (steps[at] != "D"), at + 1
        if at > first:
            text += b"@@ -%s +%s @@\n" % (span(i0, i), span(j0, j)) + body
        else:
            i, j, at = i + 1, j + 1, at + 1
    return text


def span(begin, end):
    return b"%d" % (begin + 1) if end - begin == 1 else b"%d,%d" % (begin + (end > begin), end - begin)


def changes(diff):
    lines = diff.split(b"\n")[2:]
    return sum(line[:1] in (b"+", b"-") for line in lines)


def patches(run, a, b, diff):
    if not diff:
        return
    run.file("diff", diff)
    for flags, start, end in ([], "a", b), (["-R"], "b", a):
        result = run.command(["patch", "--binary", "-s", *flags, "-o", "made", start, "diff"])
        run.expect(result.code == 0, "patch applies the diff", result, common.shown(diff))
        run.equal(run.read("made"), end, f"what patch {' '.join(flags)} makes")


if __name__ == "__main__":
    common.require("patch", "diff")
    common.main(small, unified, larger)
