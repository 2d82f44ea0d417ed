"""Prints the contents of a PNG or a PDF without the compression, because compressed bytes depend on the versions of libraries.

    plain_picture.py FILE

For a PNG, it prints the width, the height and the SHA-256 of the pixels; for a PDF, the drawing operators of its pages.
"""

import hashlib
import re
import struct
import sys
import zlib


def paeth(a, b, c):
    """Returns the predictor of PNG's fourth filter: whichever of left, above and above left is nearest to their gradient."""
    return min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]


def png(data):
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack_from(">IIBB", body)
        elif kind == b"IDAT":
            packed += body
        at += 12 + size
    step = {0: 1, 2: 3, 4: 2, 6: 4}[colour] * depth // 8
    raw, row = zlib.decompress(packed), width * step
    above, pixels = bytearray(row), hashlib.sha256()
    for y in range(height):
        filtered, line = raw[y * (row + 1)], bytearray(raw[y * (row + 1) + 1:(y + 1) * (row + 1)])
        for x in range(row) if filtered else ():
            left, corner = (line[x - step], above[x - step]) if x >= step else (0, 0)
            predicted = [0, left, above[x], (left + above[x]) // 2, paeth(left, above[x], corner)][filtered]
            line[x] = (line[x] + predicted) & 255
        pixels.update(line)
        above = line
    print(width, height, depth, colour, pixels.hexdigest())


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    if data[:4] == b"\x89PNG":
        png(data)
        return
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", data, re.DOTALL):
        sys.stdout.write(zlib.decompressobj().decompress(stream).decode("latin-1") + "\n")


if __name__ == "__main__":
    main()
