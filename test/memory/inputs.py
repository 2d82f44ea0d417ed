"""Holds the list of the cases of the memory tests, and makes their inputs piece by piece: gigabytes of compressed text are
written as many members one after another."""

import bz2
import dataclasses
import gzip
import itertools
import lzma
import os
import random
import struct
import subprocess
import typing

MIB = 1 << 20
PIECE = MIB
# All cases, in the order of the files that register them.
CASES = []


@dataclasses.dataclass
class Case:
    """Holds a case: its name verb/what, the limit, and the function that makes its inputs and returns the arguments of weft."""
    name: str
    limit: str
    arguments: typing.Callable


def case(name, limit):
    """Registers the function that makes a case's inputs and returns its arguments."""
    def register(function):
        CASES.append(Case(name, limit, function))
        return function
    return register


# Building blocks of compressed files: a megabyte of lines that compresses to a kilobyte or two.
LINES = (b"ACGT" * 15 + b"\n") * (MIB // 61)
RECORD = b">r\n" + b"ACGT" * 15 + b"\n"
RECORDS = RECORD * (MIB // len(RECORD))


def expanding(folder):
    """Returns the number of megabytes to which a compressed input expands."""
    return folder.scaled(160, 1024)


def size(text):
    """Returns the bytes that a --memory such as 64M means."""
    return int(text[:-1]) << {"K": 10, "M": 20, "G": 30}[text[-1]]


class Folder:
    """Holds a folder for the inputs of one case, and the intended size of the inputs."""

    def __init__(self, path, full, weft):
        self.path, self.full, self.weft = path, full, weft
        self.random = random.Random(1)

    def scaled(self, quick, full):
        return full if self.full else quick

    def run(self, *arguments):
        """Prepares an input with weft itself, without a limit."""
        subprocess.run([self.weft, *arguments], cwd=self.path, check=True, stdout=subprocess.DEVNULL)

    def file(self, name, pieces):
        with open(os.path.join(self.path, name), "wb") as file:
            for piece in pieces:
                file.write(piece)
        return name

    def letters(self, count, alphabet=b"ACGT"):
        """Yields random letters, in pieces."""
        table = bytes(alphabet[i % len(alphabet)] for i in range(256))
        while count > 0:
            step = min(count, PIECE)
            yield self.random.randbytes(step).translate(table)
            count -= step

    def fasta(self, name, residues, alphabet=b"ACGT"):
        """Writes one record on one line."""
        return self.file(name, itertools.chain([b">r\n"], self.letters(residues, alphabet), [b"\n"]))

    def repeated(self, name, piece, count, start=b""):
        """Writes a file that repeats a piece `count` times."""
        return self.file(name, itertools.chain([start], itertools.repeat(piece, count)))

    def compressed(self, name, piece, count, start=b""):
        """Writes the same with the compression that the name states, as members one after another, so that gigabytes are written at once."""
        pack = {".gz": lambda data: gzip.compress(data, 9), ".bz2": bz2.compress, ".xz": lzma.compress,
                ".zst": zstd_run}[os.path.splitext(name)[1]]
        return self.file(name, itertools.chain([pack(start)], itertools.repeat(pack(piece), count)))


def zstd_run(data, window_log=20):
    """Returns a zstd frame of runs of one byte and raw bytes, made without a compressor: blocks of up to 128 KiB."""
    frame = [b"\x28\xb5\x2f\xfd\x00", bytes([(window_log - 10) << 3])]
    blocks = [data[i:i + (1 << 17)] for i in range(0, len(data), 1 << 17)] or [b""]
    for i, block in enumerate(blocks):
        run = len(block) > 1 and block == block[:1] * len(block)
        header = len(block) << 3 | (2 if run else 0) | (i + 1 == len(blocks))
        frame += [struct.pack("<I", header)[:3], block[:1] if run else block]
    return b"".join(frame)


def large_xz(data):
    """Compresses with preset 9, which takes 65 MiB to decompress."""
    return lzma.compress(data, preset=9)
