"""Compares weft sort of arrays (--type, .npy, --by-key, --argsort, -r, -s) with Python's sorted() and the order that weft/sort/sort.hpp states."""

import struct

import common

FORMATS = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "f32": "f", "f64": "d",
           "i128": None}
SIZES = {"i128": 16, **{name: struct.calcsize(code) for name, code in FORMATS.items() if code}}
NPY = {"u8": "|u1", "u16": "<u2", "u32": "<u4", "u64": "<u8", "i8": "|i1", "i16": "<i2", "i32": "<i4", "i64": "<i8",
       "f32": "<f4", "f64": "<f8"}
ENGINES = ["auto", "auto", "merge", "sample-merge"]


def case(run):
    kind = run.random.choice(list(FORMATS))
    count = run.random.choice([0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 255, 256, 257, run.random.randrange(400), 1023, 5000])
    items = numbers(run, kind, count)
    npy = kind in NPY and run.random.random() < 0.4
    name = file(run, "keys", kind, items, npy)
    flags = ["--type", kind] if not npy or run.random.random() < 0.3 else []
    reverse = run.random.random() < 0.4
    flags += ["-r"] if reverse else []
    flags += ["--threads", str(run.random.randint(1, 3))] if run.random.random() < 0.3 else []
    order = sorted(range(count), key=lambda i: place(kind, items[i]), reverse=reverse)  # stable either way
    choice = run.random.random()
    if choice < 0.5:
        engine = run.random.choice(ENGINES)
        stable = ["-s"] if run.random.random() < 0.2 and engine == "auto" else []
        result = run.weft("sort", name, "-o", "out", *flags, *stable, "--engine", engine)
        expect_array(run, result, kind, [items[i] for i in order], npy)
    elif choice < 0.75:
        result = run.weft("sort", "--argsort", name, "-o", "out", *flags)
        expect_array(run, result, "u64", [struct.pack("<Q", i) for i in order], npy)
    else:
        other = run.random.choice(list(NPY))
        value_npy = other != kind or run.random.random() < 0.5 and kind in NPY
        values = numbers(run, other if value_npy else kind, count)
        values_name = file(run, "values", other if value_npy else kind, values, value_npy)
        if not npy and "--type" not in flags:
            flags += ["--type", kind]
        if npy and not value_npy and "--type" not in flags:
            flags += ["--type", kind]
        result = run.weft("sort", "--by-key", values_name, name, "-o", "out", *flags)
        expect_array(run, result, other if value_npy else kind, [values[i] for i in order], value_npy)


def numbers(run, kind, count):
    """Returns items as bytes: random ones, few distinct ones, special values, or nearly sorted ones."""
    size = SIZES[kind]
    style = run.random.randrange(4)
    if style == 0:
        return [run.random.randbytes(size) for _ in range(count)]
    if style == 1:
        few = [run.random.randbytes(size) for _ in range(3)]
        return [run.random.choice(few) for _ in range(count)]
    if style == 2:
        few = special(kind)
        return [run.random.choice(few) if run.random.random() < 0.7 else run.random.randbytes(size) for _ in range(count)]
    items = sorted((run.random.randbytes(size) for _ in range(count)), key=lambda item: place(kind, item))
    for _ in range(run.random.randrange(4)):
        if count > 1:
            a, b = run.random.randrange(count), run.random.randrange(count)
            items[a], items[b] = items[b], items[a]
    return items[::-1] if run.random.random() < 0.3 else items


def special(kind):
    size = SIZES[kind]
    if kind in ("f32", "f64"):
        code = "<" + FORMATS[kind]
        found = [struct.pack(code, x) for x in (0.0, -0.0, 1.0, -1.0, float("inf"), -float("inf"))]
        nan = 0x7FC00000 if kind == "f32" else 0x7FF8 << 48
        tiny = [1, (1 << (8 * size - 1)) | 1]  # the least denormal numbers
        payloads = [nan, nan | 1, nan | 1 << (8 * size - 1), nan + 5 | 1 << (8 * size - 1)]
        return found + [bits.to_bytes(size, "little") for bits in tiny + payloads]
    top = 1 << (8 * size - 1)
    return [bits.to_bytes(size, "little") for bits in (0, 1, top, top - 1, top + 1, 2 * top - 1)]


def place(kind, item):
    """Returns a key that ascends in the order of items. The order of floats is: -inf to -0, +0 to +inf, NaNs of sign 0 by
    ascending payload, NaNs of sign 1 by descending payload. (IEEE totalOrder puts the NaNs of sign 1 first.)"""
    bits, top = int.from_bytes(item, "little"), 1 << (8 * len(item) - 1)
    if kind[0] == "u":
        return bits
    if kind[0] == "i":
        return bits - 2 * top if bits & top else bits
    magnitude, infinity = bits & (top - 1), (0x7F800000 if kind == "f32" else 0x7FF << 52)
    if magnitude > infinity:
        return (2, -magnitude) if bits & top else (1, magnitude)
    return 0, -magnitude - 1 if bits & top else magnitude


def file(run, name, kind, items, npy):
    data = b"".join(items)
    if not npy:
        return run.file(name, data)
    version = run.random.choice([1, 2, 3])
    width = 2 if version == 1 else 4
    text = f"{{'descr': '{NPY[kind]}', 'fortran_order': False, 'shape': ({len(items)},), }}".encode()
    text += b" " * run.random.randrange(70) + b"\n"
    return run.file(name + ".npy", b"\x93NUMPY" + bytes([version, 0]) + len(text).to_bytes(width, "little") + text + data)


def expect_array(run, result, kind, items, npy):
    run.expect(result.code == 0, "weft refuses a good array", result)
    data = run.read("out")
    if npy:
        run.expect(data[:8] == b"\x93NUMPY\x01\x00", "the result is an .npy file", result)
        start = 10 + struct.unpack("<H", data[8:10])[0]
        header = f"{{'descr': '{NPY[kind]}', 'fortran_order': False, 'shape': ({len(items)},), }}"
        run.equal(data[10:start].decode().rstrip(), header, "the header of the result")
        run.equal(start % 64, 0, "the header's size")
        data = data[start:]
    size = SIZES[kind]
    run.equal([data[i:i + size] for i in range(0, len(data), size)], items, "the sorted items")


if __name__ == "__main__":
    common.main(case)
