"""Reads small variants from the formats of several callers, as alleles that can be compared.

An allele is (position, reference, alternative): the 0-based position in A, and letters, of which one may be missing. All alleles are
substitutions of one letter, pure insertions, or pure deletions as far to the left as A allows. Those of MAX_LETTERS or more
are left out, because callers report such differences in different forms.
"""

import bisect
import lzma
import re

MAX_LETTERS = 50  # insertions and deletions must be shorter
MAX_AREA = 1 << 14  # a replacement with a larger table than this is left out, like long insertions and deletions
MISMATCH, GAP_OPEN, GAP_EXTEND = 4, 6, 2  # for replacements whose caller gives no alignment


def read_fasta(path):
    """Returns the name and the letters, in upper case, of a file with one record, which may be compressed with xz."""
    with (lzma.open(path, "rt") if str(path).endswith(".xz") else open(path)) as file:
        header, *lines = file.read().split("\n")
    if header[:1] != ">" or any(line[:1] == ">" for line in lines):
        raise ValueError(f"{path}: there must be one FASTA record")
    return header[1:].split()[0], "".join(lines).upper()


def write_fasta(path, name, letters):
    with open(path, "w") as file:
        file.write(f">{name}\n" + "".join(letters[i:i + 80] + "\n" for i in range(0, len(letters), 80)))


def left_normalised(genome, position, reference, alternative):
    """Returns a pure insertion or deletion as far to the left as the genome allows."""
    letters, shift = reference or alternative, 0
    size = len(letters)
    while shift < position and genome[position - 1 - shift] == letters[size - 1 - shift % size]:
        shift += 1
    cut = size - shift % size
    letters = letters[cut:] + letters[:cut]
    return (position - shift, letters, "") if reference else (position - shift, "", letters)


def aligned(reference, alternative):
    """Yields (offset, reference, alternative) of the differences of two strings, by an alignment of least affine penalty."""
    m, n, never = len(reference), len(alternative), 1 << 30
    rest = [[(never, never, never)] * (n + 2) for _ in range(m + 2)]  # after a letter of both, a deletion, an insertion

    def steps(i, j, last):
        down = rest[i + 1][j][1] + GAP_EXTEND + (0 if last == 1 else GAP_OPEN)
        right = rest[i][j + 1][2] + GAP_EXTEND + (0 if last == 2 else GAP_OPEN)
        both = i < m and j < n
        straight = rest[i + 1][j + 1][0] + (0 if reference[i] == alternative[j] else MISMATCH) if both else never
        return (straight, down, right)

    for i in range(m, -1, -1):
        for j in range(n, -1, -1):
            rest[i][j] = (0, 0, 0) if (i, j) == (m, n) else tuple(min(steps(i, j, last)) for last in range(3))
    i = j = last = 0
    while (i, j) != (m, n):
        found = steps(i, j, last)
        last = min((1, 0, 2), key=lambda step: found[step])
        begin = (i, j)
        i, j = i + (last != 2), j + (last != 1)
        if last != 0 or reference[i - 1] != alternative[j - 1]:
            yield begin[0], reference[begin[0]:i], alternative[begin[1]:j]


def joined(pieces):
    """Joins neighbouring deletions, and neighbouring insertions, to one each."""
    result = []
    for offset, reference, alternative in pieces:
        if result:
            o, r, a = result[-1]
            if not (alternative or a) and o + len(r) == offset or not (reference or r) and o == offset:
                result[-1] = (o, r + reference, a + alternative)
                continue
        result.append((offset, reference, alternative))
    return result


def atoms(genome, position, reference, alternative):
    """Yields the alleles of a difference: trimmed, and split if it is a replacement of several letters."""
    while reference and alternative and reference[-1] == alternative[-1]:
        reference, alternative = reference[:-1], alternative[:-1]
    while reference and alternative and reference[0] == alternative[0]:
        position, reference, alternative = position + 1, reference[1:], alternative[1:]
    if len(reference) == len(alternative):
        for i, (a, b) in enumerate(zip(reference, alternative)):
            if a != b:
                yield position + i, a, b
    elif not reference or not alternative:
        if len(reference + alternative) < MAX_LETTERS:
            yield left_normalised(genome, position, reference, alternative)
    elif len(reference) * len(alternative) <= MAX_AREA:
        for offset, a, b in joined(aligned(reference, alternative)):
            yield from atoms(genome, position + offset, a, b)


class Planted:
    """Holds the differences of a table of evolve_genome: `kinds` has the kind of the segment that contains each allele, `segments` the
    rows of the segments, and `positions` those of the small differences, as (position in A, position in B, strand), in order."""

    def __init__(self, kinds, segments, positions):
        self.kinds, self.segments, self.positions = kinds, segments, positions

    def range_in_copy(self, begin, size, slack):
        """Returns about which stretch of B has the letters of A from `begin` on, by the difference that is next to them."""
        at = bisect.bisect_left(self.positions, (begin, 0, ""))
        near = min(self.positions[max(0, at - 1):at + 2], key=lambda row: abs(row[0] - begin))
        first = near[1] + begin - near[0] if near[2] == "+" else near[1] + near[0] - begin - size
        return max(0, first - slack), max(0, first + size + slack)


def read_table(path, genome):
    """Reads a table of evolve_genome."""
    with open(path) as file:
        header, *lines = file.read().splitlines()
    rows = [dict(zip(header.split("\t"), line.split("\t"))) for line in lines]
    small = ("substitution", "insertion", "deletion")
    segments = [row for row in rows if row["kind"] not in small]
    found = {}
    for row in rows:
        if row["kind"] in small:
            kind = "collinear" if row["segment"] == "." else segments[int(row["segment"]) - 1]["kind"]
            letters = [row[key].replace(".", "") for key in ("reference", "alternative")]
            for allele in atoms(genome, int(row["a_begin"]) - 1, *letters):
                found[allele] = kind
    positions = sorted((int(row["a_begin"]) - 1, int(row["b_begin"]) - 1, row["strand"]) for row in rows if row["kind"] in small)
    return Planted(found, segments, positions)


def vcf_records(path):
    """Yields (position, reference, alternative) of the records of a VCF file that spell their letters."""
    with open(path) as file:
        for line in file:
            if line[:1] == "#":
                continue
            _, position, _, reference, alternatives = line.split("\t")[:5]
            for alternative in alternatives.rstrip("\n").split(","):
                if re.fullmatch("[ACGTNacgtn]+", alternative):
                    yield int(position) - 1, reference.upper(), alternative.upper()


def blocks_of_vcf(path):
    """Yields the fields of the header's lines ##weft_block."""
    with open(path) as file:
        for line in file:
            if line.startswith("##weft_block=<"):
                yield dict(re.findall(r'(\w+)="?([^,">]*)', line.rstrip()[14:]))
            elif line[:1] != "#":
                return


def read_vcf(path, genome):
    return {allele for record in vcf_records(path) for allele in atoms(genome, *record)}


def applied(records, genome):
    """Returns the genome with the records of a VCF file in their alternative form. Throws ValueError if two records overlap."""
    result, at = [], 0
    for position, reference, alternative in sorted(records):
        if position < at or genome[position:position + len(reference)] != reference:
            raise ValueError(f"the record at position {position + 1} overlaps another one, or has a wrong reference")
        result += [genome[at:position], alternative]
        at = position + len(reference)
    return "".join(result + [genome[at:]])


def read_cs(path, genome):
    """Returns the alleles of primary and inverted alignments with a quality of 5 or more in a PAF file with tags cs, where no two of these
    align the same letter of A: the rule of `paftools.js call`, but without its least lengths of alignments, and letters in a
    long deletion do not count as aligned, so that alleles of moved segments are called too."""
    calls, stretches = [], []
    with open(path) as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            tags = {tag[:5]: tag[5:] for tag in fields[12:]}
            if tags.get("tp:A:") not in ("P", "I") or int(fields[11]) < 5:
                continue
            at = begin = int(fields[7])
            for operation, letters in re.findall(r"([:*+-])(\w+)", tags["cs:Z:"].upper()):
                reference = letters[0] if operation == "*" else letters if operation == "-" else ""
                if operation == "-" and len(letters) >= MAX_LETTERS:
                    stretches.append((begin, at))
                    begin = at + len(letters)
                elif operation != ":":
                    calls.append((at, reference, letters[1] if operation == "*" else letters if operation == "+" else ""))
                at += int(letters) if operation == ":" else len(reference)
            stretches.append((begin, at))
    is_single = covered_once(stretches, len(genome))
    return {allele for at, reference, alternative in calls if all(is_single[at:at + max(1, len(reference))])
            for allele in atoms(genome, at, reference, alternative)}


def covered_once(stretches, size):
    """Returns for each position whether exactly one stretch contains it."""
    change = [0] * (size + 2)
    for begin, end in stretches:
        change[begin] += 1
        change[end] -= 1
    depth, result = 0, bytearray(size + 1)
    for i in range(size):
        depth += change[i]
        result[i] = depth == 1
    return result


def read_show_snps(path, genome):
    """Returns the alleles of a table of `show-snps -CTHr`, whose insertions and deletions have a line for each letter."""
    groups = []  # position, reference, alternative, the last position in B
    with open(path) as file:
        for line in file:
            fields = line.split("\t")
            at, reference, alternative, in_b = int(fields[0]) - 1, fields[1].strip("."), fields[2].strip("."), int(fields[3])
            at += not reference  # an insertion is listed at the letter before it
            if groups:
                position, r, a, last = groups[-1]
                is_next = abs(in_b - last) == 1 and not r and at == position and not reference
                if is_next or (not a and not alternative and in_b == last and at == position + len(r)):
                    groups[-1] = (position, r + reference, a + alternative, in_b)
                    continue
            groups.append((at, reference, alternative, in_b))
    return {allele for at, reference, alternative, _ in groups for allele in atoms(genome, at, reference, alternative)}
