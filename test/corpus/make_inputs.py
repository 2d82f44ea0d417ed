"""Writes the generated inputs of the corpus into a folder.

    make_inputs.py FOLDER

All bytes come from SHAKE-256 of fixed names, so that every machine and every version of Python writes the same files.
"""

import bz2
import gzip
import hashlib
import lzma
import os
import struct
import sys

DNA = bytes(b"ACGT"[i % 4] for i in range(256))
# The amino acids; common ones occur more often, and B, Z and X are rare.
RESIDUES = (b"ALGVESIKRDTPNQFYMHCW" * 12 + b"LLAAGGVVEESSBZXX")[:256]
PROTEIN = bytes(RESIDUES)
COMPLEMENT = bytes.maketrans(b"ACGT", b"TGCA")
WORDS = ("the of and a sequence index motif Line sort match genome text Array number file read write order suffix "
         "prefix record letter symbol tree table word count begin end first last").split()


class Source:
    """Produces an endless stream of random bytes that a name determines."""

    def __init__(self, name):
        self.name, self.block, self.buffer, self.at = name, 0, b"", 0

    def bytes(self, count):
        """Returns the next `count` bytes."""
        while len(self.buffer) - self.at < count:
            size = max(1 << 16, count)
            fresh = hashlib.shake_256(f"{self.name}/{self.block}".encode()).digest(size)
            self.buffer, self.at, self.block = self.buffer[self.at:] + fresh, 0, self.block + 1
        self.at += count
        return self.buffer[self.at - count:self.at]

    def below(self, bound):
        """Returns a number from 0 to `bound` - 1."""
        return int.from_bytes(self.bytes(8), "little") % bound

    def choice(self, items):
        return items[self.below(len(items))]

    def dna(self, count):
        return self.bytes(count).translate(DNA)

    def protein(self, count):
        return self.bytes(count).translate(PROTEIN)


def mutated(source, text, alphabet, every):
    """Returns `text` with a substitution, an insertion or a deletion every `every` letters on average."""
    result, at = bytearray(), 0
    while at < len(text):
        step = 1 + source.below(2 * every)
        result += text[at:at + step]
        at += step
        kind = source.below(4)
        if kind >= 2:
            at += 1
        if kind != 3:
            result.append(source.choice(alphabet))
        if source.below(20) == 0:
            at += source.below(30)
    return bytes(result)


def fasta(records, width=60):
    """Returns FASTA of (header, residues) pairs."""
    lines = []
    for header, residues in records:
        lines.append(b">" + header)
        lines += [residues[i:i + width] for i in range(0, len(residues), width)]
    return b"\n".join(lines) + b"\n"


def npy(descr, items, shape=None, version=1):
    """Returns an .npy file that announces `shape` and holds the bytes `items`."""
    shape = shape if shape is not None else f"({len(items) // int(descr[2:])},)"
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    before = 8 + (2 if version == 1 else 4)
    header += b" " * (-(before + len(header) + 1) % 64) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(header)) + header + items


def zstd(data):
    """Returns a zstd frame whose blocks hold `data` as it is, because Python has no compressor for zstd."""
    frame = bytearray(b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(data)))
    pieces = [data[i:i + 100000] for i in range(0, len(data), 100000)]
    for i, piece in enumerate(pieces):
        frame += struct.pack("<I", len(piece) << 3 | (i + 1 == len(pieces)))[:3] + piece
    return bytes(frame)


def sequences():
    """Writes DNA, proteins, reads, and the patterns and motifs to search for in them."""
    source = Source("sequences")
    base = source.dna(200000)
    base = base[:150000] + base[20000:30000] + base[150000:190000]  # a repeat of 10,000 bases
    other = mutated(source, base, b"ACGT", 60)
    yield "dna200k.fa", fasta([(b"chr200 made", base)])
    yield "dna200k_b.fa", fasta([(b"chr200b", other)], 70)
    yield "dna20k.fa", fasta([(b"d20", base[:20000])])
    yield "dna20k_inverted.fa", fasta([(b"d20i", base[:8000] + base[8000:14000].translate(COMPLEMENT)[::-1] + base[14000:20000])])
    yield "dna2k_a.fa", fasta([(b"a2", base[:2000])])
    yield "dna2k_b.fa", fasta([(b"b2", mutated(source, base[:2000], b"ACGT", 15))])
    yield "dna2k_u.fa", fasta([(b"u2", mutated(source, base[:2000], b"ACGTNX", 20).replace(b"T", b"U"))])
    million = source.dna(1000000)
    million = million[:300000] + million[1000:61000].lower() + b"N" * 1000 + b"RYKM" + million[360000:]
    yield "dna1m.fa", fasta([(b"m1 first", million[:600000]), (b"m2", million[600000:600007]), (b"empty", b""), (b"m3", million[600007:])], 80)
    yield "plasmids.fa", fasta([(b"p1", base[:3000]), (b"p2", b"GAATTCAAGAATT"), (b"p3", b"TTCGAA")])
    family = [(f"g{i} strain".encode(), mutated(source, base[:1500], b"ACGT", 20 + 10 * i)) for i in range(9)]
    family[4] = (b"g4 aligned", family[4][1][:700] + b"--..--" + b"N" * 5 + family[4][1][700:])
    yield "family.fa", fasta(family)
    proteins = [(f"sp|Q{i:05d}|P{i}_MADE protein {i}".encode(), b"M" + source.protein(30 + source.below(700))) for i in range(300)]
    yield "proteins300.fa", fasta(proteins)
    yield "protein_a.fa", fasta([(b"pa", proteins[0][1] + proteins[1][1])])
    yield "protein_b.fa", fasta([(b"pb", mutated(source, proteins[0][1] + proteins[1][1], b"ACDEFGHIKLMNPQRSTVWYX", 12))])
    reads = []
    for i in range(600):
        at = source.below(len(base) - 200)
        read = base[at:at + 40 + source.below(80)]
        reads.append((f"r{i} at {at}".encode(), read if i % 3 else read.translate(COMPLEMENT)[::-1]))
    yield "reads.fq", b"".join(b"@%s\n%s\n+\n%s\n" % (name, read, b"I" * len(read)) for name, read in reads)
    yield "reads.fa", fasta(reads[:200])
    yield "multiline.fq", b"@one x\r\nACGT\r\nACGT\r\n+one\r\nIIII\r\n@III\r\n@two\r\nGATTACA\r\n+\r\nIIIIIII\r\n"
    patterns = [read[:6 + source.below(20)] for name, read in reads[:300]]
    yield "patterns.txt", b"# patterns\n" + b"".join(
        (b"name%d\t%s\n" % (i, each)) if i % 2 else each + b"\n" for i, each in enumerate(patterns))
    yield "patterns_n.txt", b"ACGNA\nGATTACA\nwith blank\tACG ACG\nuuu\tACGU\nX\n"
    yield "protein_patterns.txt", b"".join(residues[10:13 + i % 3] + b"\n" for i, (_, residues) in enumerate(proteins[:60]))
    elements = ["x", "x(2)", "x(1,3)", "[ST]", "[LIVM](2)", "{P}", "{KR}", "G", "K", "[DE](1,2)", "L", "A(0,2)", "C", "x(0,4)"]
    lines = []
    for i in range(250):
        middle = "-".join(source.choice(elements) for _ in range(2 + source.below(6)))
        lines.append(f"m{i}\t{'<' if i % 31 == 7 else ''}{source.choice('ACDEFGHKLMNPQRSTVWY')}-{middle}-"
                     f"{source.choice('ACDEFGHKLNPQRSTVWY')}{'>' if i % 37 == 5 else ''}\n")
    yield "motifs250.txt", "".join(lines).encode()
    yield "dna_motifs.txt", b"EcoRI\tGAATTC\nBglI\tGCCN(5)GGC\nTATA\tTATA-W-A-[AT]\nE\tC-A-N-N-T-G\nrun\tA(9,12)\nR\tR-Y-R-Y-R-Y-K-M\n"
    entries = "".join(
        f"ID   MADE_{i}; {'MATRIX' if i % 9 == 4 else 'RULE' if i % 9 == 8 else 'PATTERN'}.\nAC   PS9{i:04d};\nDT   made\n"
        f"DE   Made entry {i}.\n" +
        (f"MA   /GENERAL_SPEC: LENGTH={i};\n" if i % 9 in (4, 8) else f"PA   {source.choice('ACGKLMS')}-x({i % 4 + 1})-\nPA   [{'LIVM' if i % 2 else 'ST'}]-{{P}}.\n") +
        (f"CC   /TAXO-RANGE=??E??; /SKIP-FLAG={'TRUE' if i % 7 == 0 else 'FALSE'};\n") + "DO   PDOC00000;\n//\n" for i in range(40))
    yield "made.dat", ("CC   A flat file as PROSITE has it.\n//\n" + entries).encode()
    yield "hostile.fa", b">a\x1b[31m\\b;=%,& x\nMNGSRGDNAT\n>track one\nMNGSA\n>\nNGSC\n>\xc3\xa9t\xc3\xa9|\xff\nRGDNGT\n"
    yield "hostile_dna.fa", b">a\x1b[31m\\b;=%,& x\nACGTACGT\n>browser one\nACGTT\n>\xc3\xa9t\xc3\xa9|\xff\nTTACGA\n"
    yield "crlf.fa", b"; a comment\r\n>a first\r\nac gt\r\nAC-N\r\n\r\n>b\r\nACGTTT\r\n"
    yield "bad.fa", b">one\nACGT\n>two\nAC\x01GT\n"
    yield "bad.fq", b"@read\nACGT\n+\nIII\n"
    yield "nothing.fa", b">a\n>b\n"
    yield "small_blocks.fa", fasta([(f"s{i}".encode(), source.protein(source.below(40))) for i in range(2000)])


def texts():
    """Writes texts for lcs --by line and for the transforms."""
    source = Source("texts")
    old = [" ".join(source.choice(WORDS) for _ in range(source.below(9))) for _ in range(1500)]
    new = list(old)
    for _ in range(150):
        at, kind = source.below(len(new)), source.below(4)
        if kind == 0:
            del new[at:at + 1 + source.below(3)]
        elif kind == 1:
            new.insert(at, "inserted " + source.choice(WORDS))
        else:
            new[at] = new[at].upper() if kind == 2 else new[at].replace(" ", "  \t")
    yield "text_a.txt", ("\n".join(old) + "\n").encode()
    yield "text_b.txt", "\n".join(new).encode()
    yield "text_crlf.txt", ("\r\n".join(old[:300]) + "\r\n").encode()
    yield "words.txt", " ".join(source.choice(WORDS) for _ in range(30000)).encode()
    yield "banana", b"banana"
    yield "empty", b""
    yield "one_byte", b"x"
    a, b = b"a", b"ab"
    while len(b) < 100000:
        a, b = b, b + a
    yield "fibonacci", b[:100000]
    yield "zeros", bytes(65536)
    yield "periodic", b"abcabd" * 10000
    yield "random.bin", source.bytes(150000)


def lines():
    """Writes texts for sort."""
    source = Source("lines")
    months = "jan FEB Mar apr MAY jun JUL aug sep OCT nov dec xyz".split()
    rows = []
    for i in range(6000):
        rows.append("\t".join([
            f"{source.choice(WORDS)}{source.below(40)}", str(source.below(2000) - 1000), f"{source.below(100)}.{source.below(1000)}",
            f"{source.below(90)}{source.choice(['', 'K', 'M', 'G', 'k', 'T'])}", source.choice(months),
            f"lib-{source.below(4)}.{source.below(30)}.{source.below(12)}{source.choice(['', '.tar.gz', '~rc1', '-2'])}",
            source.choice(["1e3", "-2.5E-2", "0x1F", "inf", "-inf", "nan", "12", "x", "+4"]),
            source.choice(["", " ", "  "]) + source.choice(WORDS).swapcase() + source.choice(["", "!", "\x01", "-", "\xe9"])]))
    yield "fields.tsv", ("\n".join(rows) + "\n").encode("latin-1")
    yield "blanks.txt", b"".join(b" " * source.below(4) + source.choice(WORDS).encode() + b" " * (1 + source.below(3)) +
                                 str(source.below(300)).encode() + b"\n" for _ in range(3000)) + b"last line without an end"
    yield "many.txt", b"".join(source.bytes(3 + source.below(30)).hex().encode() + b"\n" for _ in range(60000))
    yield "numbers.txt", b"".join(b"%d\n" % (source.below(100000) - 50000) for _ in range(50000))
    yield "zero.txt", b"".join(source.choice(WORDS).encode() + b" %d\n x\0" % source.below(50) for _ in range(500))
    yield "head_a.tsv", b"name\tsize\n" + b"".join(b"a%d\t%d\n" % (source.below(90), i) for i in range(200))
    yield "head_b.tsv", b"name\tsize\n" + b"".join(b"b%d\t%d\n" % (source.below(90), i) for i in range(200))
    yield "table.csv", b"name,size,note\r\n" + b"".join(
        b'"%s, %d",%d,"a ""note""\nof two lines %d"\r\n' % (source.choice(WORDS).encode(), source.below(9), source.below(500), source.below(5))
        for _ in range(800)) + b"short,1\n"
    yield "table.ssv", b"".join(b'%s;%d;"x;%d"\n' % (source.choice(WORDS).encode(), source.below(99), i) for i in range(300))
    yield "open.csv", b'a,b\n1,"open\n'
    yield "seed16", b"0123456789abcdef"
    yield "names0", b"head_a.tsv\0head_b.tsv\0"


def arrays():
    """Writes arrays of numbers, raw and as .npy."""
    source = Source("arrays")
    for name, size in [("u8", 1), ("u16", 2), ("u32", 4), ("u64", 8), ("i8", 1), ("i16", 2), ("i32", 4), ("i64", 8), ("i128", 16)]:
        yield f"raw.{name}", source.bytes(20000 * size)
        if size <= 8:
            yield f"{name}.npy", npy(f"{'|' if size == 1 else '<'}{name[0]}{size}", source.bytes(3000 * size))
    special = [0.0, -0.0, float("inf"), float("-inf"), 1.5, -1.5, 1e-40]
    for name, size, code in [("f32", 4, "f"), ("f64", 8, "d")]:
        # Halves of integers are exact in both types; the NaNs have fixed bits.
        values = [special[source.below(7)] if i % 9 == 0 else (source.below(100000) - 50000) / 2 for i in range(20000)]
        items = struct.pack(f"<20000{code}", *values) + (b"\0\0\xc0\x7f\0\0\xc0\xff" if size == 4 else b"\0" * 6 + b"\xf8\x7f" + b"\0" * 6 + b"\xf8\xff")
        yield f"raw.{name}", items
        yield f"{name}.npy", npy(f"<f{size}", items[:4000 * size])
    yield "large.u64", source.bytes(300000 * 8)
    yield "few.u32", b"".join(struct.pack("<I", source.below(7) * 1000003) for _ in range(60000))
    yield "rising.i32", struct.pack("<50000i", *range(-25000, 25000))
    yield "keys.npy", npy("<i4", b"".join(struct.pack("<i", source.below(100) - 50) for _ in range(4000)))
    yield "values.npy", npy("<f8", struct.pack("<4000d", *range(4000)))
    yield "keys.u8", source.bytes(500)
    yield "values.u8", source.bytes(500)
    yield "version2.npy", npy("<u2", source.bytes(2000), version=2)
    yield "version3.npy", npy("<u2", source.bytes(2000), version=3)
    yield "empty.npy", npy("<u4", b"")
    yield "square.npy", npy("<u4", source.bytes(64), shape="(4, 4)")
    yield "short.npy", npy("<u4", source.bytes(8), shape="(3,)")
    yield "big_endian.npy", npy(">u4", source.bytes(8))
    yield "renamed_array", npy("<u2", source.bytes(200))


def compressed(plain):
    """Writes compressed forms of files. Only the contents of these files are compared, not their bytes."""
    yield "proteins300.fa.gz", gzip.compress(plain["proteins300.fa"], mtime=0)
    yield "proteins300.fa.bz2", bz2.compress(plain["proteins300.fa"])
    yield "proteins300.fa.xz", lzma.compress(plain["proteins300.fa"])
    yield "proteins300.fa.zst", zstd(plain["proteins300.fa"])
    half = len(plain["many.txt"]) // 2
    yield "many.txt.gz", gzip.compress(plain["many.txt"][:half], mtime=0) + gzip.compress(plain["many.txt"][half:], mtime=0)
    yield "dna200k.fa.xz", lzma.compress(plain["dna200k.fa"])
    yield "dna200k_b.fa.zst", zstd(plain["dna200k_b.fa"])
    yield "reads.fq.bz2", bz2.compress(plain["reads.fq"])
    yield "motifs250.txt.gz", gzip.compress(plain["motifs250.txt"], mtime=0)
    yield "keys.npy.gz", gzip.compress(plain["keys.npy"], mtime=0)
    yield "raw.u64.zst", zstd(plain["raw.u64"])
    yield "truncated.gz", gzip.compress(plain["many.txt"], mtime=0)[:5000]
    yield "behind.gz", gzip.compress(plain["banana"], mtime=0) + b"garbage"
    yield "looks_like.gz", b"\x1f\x8b is how this text begins\nit is not compressed\n"


def main():
    plain = {name: data for make in (sequences, texts, lines, arrays) for name, data in make()}
    for name, data in [*plain.items(), *compressed(plain)]:
        with open(os.path.join(sys.argv[1], name), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    main()
