"""Compares weft bwt, unbwt and sa with their definitions: sorted suffixes, sorted rotations, common prefixes of neighbours."""

import struct

import common
import texts


def case(run):
    text = texts.random_text(run.random)
    path = run.file("text", text)
    rule = run.random.choice(["sentinel", "rotation"])
    flags = ["--form", rule] if rule == "rotation" or run.random.random() < 0.5 else []
    flags += threads(run)
    bytes_, primary = sentinel(text) if rule == "sentinel" else rotation(text)

    raw = run.weft("bwt", path, "--raw", "-o", "raw", *flags)
    run.equal(raw.out, b"%d\n" % primary, f"the primary index of the form {rule}")
    run.equal(run.read("raw"), bytes_, f"the transformed bytes of the form {rule}")
    whole(run.weft("unbwt", "raw", "--raw", "--primary-index", str(primary), "-o", "back", *flags), run)
    run.equal(run.read("back"), text, "unbwt of raw bytes")

    whole(run.weft("bwt", path, "-o", "text.wbwt", *flags), run)
    whole(run.weft("unbwt", "text.wbwt", "-o", "back", *threads(run)), run)
    run.equal(run.read("back"), text, "unbwt of a .wbwt file")
    piped = run.weft("unbwt", "-", stdin=run.read("text.wbwt"))
    run.equal(piped.out, text, "unbwt of standard input")

    engine = ["--engine", "ternary-quicksort"] if run.random.random() < 0.3 else []
    run.equal(run.weft("bwt", path, *flags, *engine).out, run.read("text.wbwt"), "bwt by another engine")
    suffixes(run, path, text)


def suffixes(run, path, text):
    order = sorted(range(len(text)), key=lambda i: text[i:])
    whole(run.weft("sa", path, "-o", "sa.npy", "--lcp", "lcp.npy", *threads(run)), run)
    run.equal(array(run, "sa.npy"), order, "the suffix array")
    before = [0] + [common_prefix(text, a, b) for a, b in zip(order, order[1:])]
    run.equal(array(run, "lcp.npy"), before[:len(order)], "the LCP array")


def threads(run):
    return ["--threads", str(run.random.randint(1, 3))] if run.random.random() < 0.5 else []


def whole(result, run):
    run.expect(result.code == 0, "weft refuses a good file", result)


def sentinel(text):
    """Returns the byte before each suffix of the text and an end mark, without the end mark itself, and the row of the end mark."""
    rows = sorted(range(len(text) + 1), key=lambda i: text[i:])
    return bytes(text[i - 1] for i in rows if i > 0), rows.index(0) if text else 0


def rotation(text):
    rows = sorted(range(len(text)), key=lambda i: (text[i:] + text[:i], i))
    return bytes(text[i - 1] for i in rows), rows.index(0) if text else 0


def common_prefix(text, a, b):
    length = 0
    while max(a, b) + length < len(text) and text[a + length] == text[b + length]:
        length += 1
    return length


def array(run, name):
    """Returns the items of a .npy file of 32-bit numbers."""
    data = run.read(name)
    run.expect(data[:8] == b"\x93NUMPY\x01\x00" and b"'<u4'" in data[:128], f"{name} is an array of u32", run.last)
    items = data[10 + struct.unpack("<H", data[8:10])[0]:]
    return list(struct.unpack(f"<{len(items) // 4}I", items))


if __name__ == "__main__":
    common.main(case)
