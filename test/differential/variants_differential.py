"""Checks weft variants on random genomes: blocks and variants must explain B letter by letter, and the formats must agree."""

import collections
import re

import common
import texts

BASES = "ACGT"
COMPLEMENT = str.maketrans("ACGT", "TGCA")
Block = collections.namedtuple("Block", "query begin_b end_b strand reference begin end matches columns kind cigar")
Variant = collections.namedtuple("Variant", "reference begin end kind ref alt query begin_b end_b strand block of")


def reverse_complement(text):
    return text[::-1].translate(COMPLEMENT)


def compared(text):
    """Returns the letters as they are compared: upper case, U as T, and N for each letter that is no base."""
    return "".join(c if c in BASES else "N" for c in text.upper().replace("U", "T"))


def random_letters(random, size, alphabet=BASES):
    return "".join(random.choices(alphabet, k=size))


def random_record(random):
    """Returns letters with repeats and tandem repeats, and now and then some that are no bases."""
    text = ""
    size = random.choice([1, 30, 200, 600, 1500, 3000])
    while len(text) < size:
        kind = random.randrange(6)
        if text and kind == 0:  # a repeat, perhaps on the other strand
            at = random.randrange(len(text))
            copy = text[at:at + random.randint(20, 300)]
            text += copy if random.random() < 0.6 else reverse_complement(copy)
        elif kind == 1:
            text += random_letters(random, random.randint(1, 5)) * random.randint(1, 12)
        elif kind == 2 and random.random() < 0.1:  # an array in which every k-mer occurs often
            text += random_letters(random, random.choice([1, 2, 7, 40])) * random.randint(40, 90)
        else:
            text += random_letters(random, random.randint(1, 300), random.choice([BASES, BASES, "AC", "AT"]))
    if random.random() < 0.15:
        at = random.randrange(len(text))
        text = text[:at] + random.choice(["N", "NNNNN", "R", "nn"]) + text[at:]
    return text


def mutated(random, text):
    """Returns a copy with small differences, as frequent as a random rate says."""
    rate, result, i = random.choice([0, 0.002, 0.01, 0.02, 0.05, 0.2]), [], 0
    while i < len(text):
        kind = random.randrange(8) if random.random() < rate else 8
        if kind < 5:
            result.append(random.choice(BASES))
        elif kind == 5:
            result += [random_letters(random, random.choice([1, 1, 2, 5, 60])), text[i]]
        elif kind == 6:  # slippage
            result += [text[max(0, i - random.randint(1, 6)):i], text[i]]
        elif kind == 7:
            i += random.choice([0, 0, 1, 4, 60])
        else:
            result.append(text[i])
        i += 1
    return "".join(result)


def rearranged(random, text):
    """Returns a copy in which a stretch is reversed, moved, doubled or cut out, or which begins at another letter."""
    if len(text) < 10:
        return text
    begin = random.randrange(len(text) - 5)
    end = min(len(text), begin + random.randint(5, 500))
    before, middle, behind = text[:begin], text[begin:end], text[end:]
    kind = random.randrange(7)
    if kind in (0, 6):
        return before + reverse_complement(middle) + behind
    if kind == 1:
        rest = before + behind
        at = random.randrange(len(rest) + 1)
        return rest[:at] + (middle if random.random() < 0.5 else reverse_complement(middle)) + rest[at:]
    if kind == 2:
        return before + middle + middle + behind
    if kind == 3:
        return before + behind
    return text[begin:] + before if kind == 4 else reverse_complement(text)


def random_copy(random, records):
    """Returns the letters of the records of B."""
    result = []
    for text in records:
        copy = mutated(random, text)
        while random.random() < 0.6:
            copy = rearranged(random, copy)
        if random.random() < 0.1 and len(copy) > 1:  # contigs
            at = random.randrange(1, len(copy))
            result.append(copy[:at])
            copy = copy[at:]
        if random.random() < 0.9:
            result.append(copy)
    if random.random() < 0.1:
        result.append(random_letters(random, 100))
    random.shuffle(result)
    return [text for text in result if text] or [random_letters(random, 50)]


class Comparison:
    """Holds two genomes, and what weft says of them in each format."""

    def __init__(self, run):
        random = run.random
        self.run = run
        first = [random_record(random) for _ in range(random.choice([1, 1, 1, 2, 3]))]
        second = random_copy(random, first)
        self.a = {f"a{k}": compared(text) for k, text in enumerate(first)}
        self.b = {f"b{k}": compared(text) for k, text in enumerate(second)}
        case = random.choice([str.upper, str.upper, str.lower])
        paths = [run.file(name + ".fa", texts.fasta([(b"%s%d" % (name.encode(), k), case(text).encode())
                                                     for k, text in enumerate(records)], random))
                 for name, records in (("a", first), ("b", second))]
        self.call = ["variants", *paths]
        if random.random() < 0.4:
            self.call += ["--min-match", str(random.choice([8, 12, 31])), "--min-block", str(random.choice([1, 20, 40, 200]))]
        if random.random() < 0.3:
            self.call += ["--gap-open", str(random.randrange(9)), "--gap-extend", str(random.randint(1, 4)),
                          "--mismatch", str(random.randint(1, 9))]
        paf, table, vcf = (self.output(form) for form in ("paf", "tsv", "vcf"))
        self.vcf = vcf
        self.blocks = [self.block(line.split("\t")) for line in paf]
        self.variants = [self.variant(line.split("\t")) for line in table[1:]]

    def output(self, form):
        result = self.run.weft(*self.call, "--format", form, "--threads", str(self.run.random.randint(1, 3)))
        self.run.expect(result.code == 0, "weft refuses a good comparison", result)
        return result.out.decode().splitlines()

    @staticmethod
    def block(f):
        tags = {tag[:5]: tag[5:] for tag in f[12:]}
        return Block(f[0], int(f[2]), int(f[3]), f[4], f[5], int(f[7]), int(f[8]), int(f[9]), int(f[10]), tags["kd:Z:"],
                     tags["cg:Z:"])

    @staticmethod
    def variant(f):
        ref, alt = f[4].replace("-", ""), f[5].replace("-", "")
        return Variant(f[0], int(f[1]) - 1, int(f[2]), f[3], ref, alt, f[6], int(f[7]) - 1, int(f[8]), f[9], int(f[10]), f[11])

    def letters_of_b(self, row):
        letters = self.b[row.query][row.begin_b:row.end_b]
        return letters if row.strand == "+" else reverse_complement(letters)


def check_cigars(given):
    """Checks that the CIGAR of each block leads from its letters of A to those of B."""
    run = given.run
    for block in given.blocks:
        a, b = given.a[block.reference][block.begin:block.end], given.letters_of_b(block)
        i = j = matches = columns = 0
        for count, operation in re.findall(r"(\d+)([=XID])", block.cigar):
            for _ in range(int(count)):
                if operation in "=X":
                    run.expect((a[i] == b[j] != "N") == (operation == "="), "a CIGAR lies about two letters", block)
                matches += operation == "="
                columns += 1
                i += operation != "I"
                j += operation != "D"
        run.equal((i, j, matches, columns), (len(a), len(b), block.matches, block.columns), f"the columns of {block}")


def check_listed_blocks(given):
    """Checks that the header of the VCF lists the blocks that are not collinear."""
    found = [dict(re.findall(r'(\w+)="?([^,">]*)', line[14:])) for line in given.vcf if line.startswith("##weft_block=<")]
    expected = [{"ID": str(number), "KIND": block.kind, "NAME": block.reference, "BEGIN": str(block.begin + 1), "END": str(block.end),
                 "BNAME": block.query, "BBEGIN": str(block.begin_b + 1), "BEND": str(block.end_b), "BSTRAND": block.strand}
                for number, block in enumerate(given.blocks, 1) if block.kind != "collinear"]
    given.run.equal(found, expected, "the blocks in the header")


def stretches(lines, kind):
    """Yields (record, begin, end) of the header's lines of a kind."""
    for line in lines:
        if line.startswith(f"##weft_{kind}=<"):
            fields = dict(re.findall(r'(\w+)="?([^,">]*)', line))
            yield fields["NAME"], int(fields["BEGIN"]) - 1, int(fields["END"])


def check_cover(given):
    """Checks that no letter is in two blocks that are not duplicated ones, and that the letters in no block are listed."""
    run = given.run
    sides = (("a", given.a, "missing", lambda block: (block.reference, block.begin, block.end)),
             ("b", given.b, "added", lambda block: (block.query, block.begin_b, block.end_b)))
    for name, records, kind, ends in sides:
        single = {record: [0] * len(text) for record, text in records.items()}
        every = {record: [0] * len(text) for record, text in records.items()}
        for block in given.blocks:
            record, begin, end = ends(block)
            for i in range(begin, end):
                single[record][i] += block.kind != "duplicated"
                every[record][i] = 1
        for record, begin, end in stretches(given.vcf, kind):
            for i in range(begin, end):
                every[record][i] += 1
        for record in records:
            run.expect(max(single[record], default=0) <= 1, f"a letter of {record} is in two blocks", given.blocks)
            run.expect(set(every[record]) <= {1}, f"the stretches of {name} in no block", record, every[record])


def check_variants(given):
    """Checks that the variants of each block make its letters of B, and that each one is as far to the left as it can be."""
    run = given.run
    of_block = collections.defaultdict(list)
    for row in given.variants:
        of_block[row.block].append(row)
    for number, block in enumerate(given.blocks, 1):
        genome, at, made = given.a[block.reference], block.begin, []
        for row in of_block.pop(number, []):
            run.expect((row.reference, row.query, row.strand, row.of) == (block.reference, block.query, block.strand, block.kind),
                       "a variant is in another block", row, block)
            run.equal(genome[row.begin:row.end], row.ref, f"the reference of {row}")
            run.equal(given.letters_of_b(row), row.alt, f"the alternative of {row}")
            run.expect(row.begin >= at and row.end <= block.end, "two variants overlap, or one leaves its block", row, block)
            check_left(run, row, genome, is_free=row.begin > at)
            made += [genome[at:row.begin], row.alt]
            at = row.end
        made = "".join(made + [genome[at:block.end]])
        wanted = given.letters_of_b(block)
        has_unknown = "N" in genome[block.begin:block.end] + wanted  # which is in no variant
        run.expect(block.kind == "duplicated" or has_unknown or made == wanted,
                   "the variants of a block do not make its letters of B", block, made, wanted)
    run.equal(dict(of_block), {}, "variants in blocks that do not exist")


def check_left(run, row, genome, is_free):
    """Checks that a variant has a minimal form; `is_free`: whether the letter before it is in its block and in no other variant."""
    run.expect(not (row.ref and row.alt) or (row.ref[0] != row.alt[0] and row.ref[-1] != row.alt[-1]), "a variant can be trimmed", row)
    kind = "snp" if len(row.ref) == len(row.alt) == 1 else "complex" if row.ref and row.alt else "del" if row.ref else "ins"
    run.equal(row.kind, kind, f"the type of {row}")
    letters = (row.ref or row.alt) if kind in ("ins", "del") else ""
    if letters and is_free:
        run.expect(genome[row.begin - 1] != letters[-1], "a variant can be moved to the left", row, genome[:row.begin][-20:])


def check_vcf(given):
    """Checks that the VCF has the variants of the table: an insertion or a deletion has one more letter on one side."""
    run, found = given.run, []
    for line in given.vcf:
        if line[:1] == "#":
            continue
        name, position, _, ref, alt, _, _, info, _, _ = line.split("\t")
        begin, fields = int(position) - 1, dict(pair.split("=") for pair in info.split(";"))
        shown = given.a[name][begin:begin + len(ref)]
        run.expect(all(x == y or "N" in (x, y) for x, y in zip(ref, shown)) and len(ref) == len(shown), "a wrong REF", line)
        if fields["TYPE"] in ("ins", "del"):
            rows = [row for row in given.variants if row.reference == name and row.block == int(fields["BLOCK"])]
            trimmed = [(begin + 1, ref[1:], alt[1:])] * (ref[0] == alt[0]) + [(begin, ref[:-1], alt[:-1])] * (ref[-1] == alt[-1])
            chosen = [t for t in trimmed if any((row.begin, row.ref, row.alt) == t for row in rows)]
            run.expect(chosen, "the table does not have a row of the VCF", line, trimmed)
            begin, ref, alt = chosen[0]
        found.append((name, begin, ref, alt, fields["TYPE"], int(fields["BLOCK"]), fields["KIND"], fields["BNAME"],
                      int(fields["BPOS"]) - 1, fields["BSTRAND"]))
    expected = [(row.reference, row.begin, row.ref, row.alt, row.kind, row.block, row.of, row.query, row.begin_b, row.strand)
                for row in given.variants]
    run.equal(found, expected, "the rows of the VCF")


def check_whole(given):
    """Checks genomes of one record in which nothing is inverted or moved: all variants together make B, from some letter on."""
    bases = all("N" not in text for text in [*given.a.values(), *given.b.values()])
    simple = all(block.kind in ("collinear", "duplicated") for block in given.blocks)
    if not given.blocks or not simple or not bases or len(given.a) > 1 or len(given.b) > 1:
        return
    (genome,), (copy,) = given.a.values(), given.b.values()
    at, made = 0, []
    for row in given.variants:
        made += [genome[at:row.begin], row.alt]
        at = row.end
    made = "".join(made + [genome[at:]])
    given.run.expect(len(made) == len(copy) and any(made in text + text for text in (copy, reverse_complement(copy))),
                     "the variants do not make B out of A", given.run.last, given.blocks)


def compare(run):
    given = Comparison(run)
    for check in (check_cigars, check_cover, check_listed_blocks, check_variants, check_vcf, check_whole):
        check(given)


if __name__ == "__main__":
    common.main(compare)
