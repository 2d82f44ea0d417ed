"""Compares weft find --mismatches and --errors with plain tables: strands, IUPAC letters, exact ends, limits, formats, counts,
circular records."""

import json
import re

import common
import texts

BASES = {"A": "A", "C": "C", "G": "G", "T": "T", "U": "T"}
CODES = {"R": "AG", "Y": "CT", "S": "CG", "W": "AT", "K": "GT", "M": "AC", "B": "CGT", "D": "AGT", "H": "ACT", "V": "ACG",
         "N": "ACGT"}
COMPLEMENT = {"A": "T", "C": "G", "G": "C", "T": "A"}
NEVER = 1 << 40  # a cost that no hit can have


class Search:
    """Holds the options of a search, and the flags that ask for it."""

    def __init__(self, random):
        self.errors = random.random() < 0.5
        self.limit = random.choice([0, 1, 1, 2, 2, 3, 4, 5, 8])
        self.both = random.random() < 0.6
        self.iupac = random.random() < 0.5
        self.all_ends = self.errors and random.random() < 0.3
        self.circular = random.random() < 0.5
        self.prefix = random.choice([0, 0, 0, 1, 2, 3, 7])
        self.suffix = random.choice([0, 0, 0, 1, 2, 3, 7])
        self.flags = ["--errors" if self.errors else "--mismatches", str(self.limit), "--threads", str(random.randint(1, 3))]
        self.flags += ["--both-strands"] * self.both + ["--iupac"] * self.iupac + ["--all-ends"] * self.all_ends
        self.flags += ["--circular"] * self.circular
        for name, value in (("--exact-prefix", self.prefix), ("--exact-suffix", self.suffix)):
            self.flags += [name, str(value)] if value else []
        self.flags += ["--memory", random.choice(["4M", "100M"])] if random.random() < 0.3 else []

    def bases(self, letter):
        """Returns the bases that a letter of a pattern matches."""
        return BASES.get(letter.upper()) or (CODES.get(letter.upper(), "") if self.iupac else "")


def exact_ends(search, size):
    """Returns for each letter of a pattern which exact ends it belongs to."""
    return [({"prefix"} if i < search.prefix else set()) | ({"suffix"} if i >= size - search.suffix else set())
            for i in range(size)]


def strands(search, pattern):
    """Yields the strand, the sets of bases and the exact ends of the letters, in the order in which a record has them."""
    sets, ends = [search.bases(c) for c in pattern], exact_ends(search, len(pattern))
    yield "+", sets, ends
    if search.both:
        yield "-", ["".join(COMPLEMENT[c] for c in letters) for letters in reversed(sets)], ends[::-1]


def mismatch_hits(search, sets, ends, text):
    """Yields (begin, end, distance) of the stretches as long as the pattern that differ in at most the limit."""
    for begin in range(len(text) - len(sets) + 1):
        wrong = [i for i, letters in enumerate(sets) if text[begin + i] not in letters]
        if len(wrong) <= search.limit and not any(ends[i] for i in wrong):
            yield begin, begin + len(sets), len(wrong)


def error_ends(search, sets, ends, text):
    """Yields (begin, end, distance) for each end: the least distance, and of the begins with it the leftmost."""
    size, one = len(sets), 1 << 20  # a cost: one for each error, plus the begin
    change = [NEVER if of else one for of in ends]
    between = [NEVER if i > 0 and i < size and ends[i - 1] & ends[i] else one for i in range(size + 1)]
    column = [0]
    for i in range(size):
        column.append(column[i] + change[i])
    for end in range(len(text) + 1):
        if end > 0:
            letter, following = text[end - 1], [end]
            for i in range(size):
                straight = column[i] + (0 if letter in sets[i] else change[i])
                following.append(min(straight, following[i] + change[i], column[i + 1] + between[i + 1]))
            column = following
        if column[size] < (search.limit + 1) * one:
            yield column[size] % one, end, column[size] // one


def circular_mismatch_hits(search, sets, ends, text):
    """Yields the hits of a circular record: those of the record and its first letters that begin in the record."""
    if len(sets) <= len(text):
        yield from mismatch_hits(search, sets, ends, text + text[:len(sets) - 1])


def circular_error_ends(search, sets, ends, text):
    """Yields (begin, end, distance) for each end in a circular record; no stretch is longer than the record."""
    size = len(text)
    if size >= len(sets) + search.limit:  # then no stretch is longer
        found = [(begin % size, begin % size + end - begin, distance)
                 for begin, end, distance in error_ends(search, sets, ends, text + text) if end > size]
    else:
        found = []
        for turn in range(1, size + 1):
            turned = text[turn:] + text[:turn]
            found += [((begin + turn) % size, (begin + turn) % size + end - begin, distance)
                      for begin, end, distance in error_ends(search, sets, ends, turned) if end == size]
    return found


def without_overlaps(hits, size=None):
    """Returns the hits that overlap no hit taken before, by distance, begin and end, by more than half of the shorter.
    A circular record has `size` letters."""
    kept = []
    turns = (-size, 0, size) if size else (0,)
    for begin, end, distance in sorted(hits, key=lambda hit: (hit[2], hit[0], hit[1])):
        if all(2 * sum(max(0, min(end, e + turn) - max(begin, b + turn)) for turn in turns) <= min(end - begin, e - b)
               for b, e, _ in kept):
            kept.append((begin, end, distance))
    return kept


def all_hits(search, pattern, records):
    """Returns (record, begin, strand, end, distance) of all hits in order."""
    found = []
    for strand, sets, ends in strands(search, pattern):
        for number, text in enumerate(records):
            if search.errors:
                hits = list((circular_error_ends if search.circular else error_ends)(search, sets, ends, text))
                hits = hits if search.all_ends else without_overlaps(hits, len(text) if search.circular else None)
            else:
                hits = (circular_mismatch_hits if search.circular else mismatch_hits)(search, sets, ends, text)
            found += [(number, begin, strand, end, distance) for begin, end, distance in hits]
    return sorted(found)


def random_records(random):
    """Returns records with repeats, whose copies have differences, and with letters that are no bases."""
    letters = random.choice(["ACGT", "ACGT", "AC", "ACGTN", "acgtACGTNR", "ACGUu", "A"])
    pool, records = [], []
    for _ in range(random.choice([0, 1, 1, 2, 5])):
        text = []
        while len(text) < random.choice([0, 5, 40, 150]):
            if pool and random.random() < 0.4:
                at = random.randrange(len(pool))
                text += changed(random, pool[at:at + random.randint(1, 60)], letters)
            else:
                text += random.choices(letters, k=random.randint(1, 50))
            text += "N" * random.choice([0, 0, 0, 1, 5])
        pool += text
        records.append("".join(text))
    return records


def changed(random, letters, alphabet):
    result = list(letters)
    for _ in range(random.randrange(5)):
        at = random.randrange(len(result) + 1)
        kind = random.randrange(3)
        if kind == 0:
            result.insert(at, random.choice(alphabet))
        elif result and kind == 1:
            del result[at % len(result)]
        elif result:
            result[at % len(result)] = random.choice(alphabet)
    return result


def random_patterns(random, search, records):
    """Returns patterns that weft accepts: longer than the limit, and not shorter than an exact end."""
    pool, result = "".join(records) or "ACGT", []
    shortest = max(search.limit + 1, search.prefix, search.suffix)
    for _ in range(random.choice([1, 2, 5])):
        at = random.randrange(len(pool))
        size = max(shortest, random.choice([1, 4, 10, 20, 31, 33, random.randint(1, 70)]))
        pattern = changed(random, pool[at:at + size], "ACGT" if random.random() < 0.5 else "ACGTNRYSWKMBDHVu")
        if search.iupac:  # codes that match what they replace
            pattern = [random.choice([code for code, bases in CODES.items() if c in bases] or [c]) if random.random() < 0.2 else c
                       for c in pattern]
        if random.random() < 0.4:
            pattern = [COMPLEMENT.get(c, c) for c in reversed(pattern)]
        pattern += random.choices("ACGT", k=max(0, shortest - len(pattern)))
        result.append("".join(pattern))
    return result


def is_possible(search, pattern):
    wrong = [ends for c, ends in zip(pattern, exact_ends(search, len(pattern))) if not search.bases(c)]
    return len(wrong) <= search.limit and not any(wrong)


class Case:
    """Holds the inputs of one comparison, their hits, and the call without the flags for one form of output."""

    def __init__(self, run):
        random = run.random
        self.run, self.search = run, Search(random)
        given = random_records(random)
        self.names = [f"r{k}" for k in range(len(given))]
        self.records = [text.upper().replace("U", "T") for text in given]
        self.patterns = random_patterns(random, self.search, given)
        self.hits = [all_hits(self.search, p, self.records) if is_possible(self.search, p) else [] for p in self.patterns]
        fasta = texts.fasta([(n.encode(), t.encode()) for n, t in zip(self.names, given)], random)
        rate = ["--sa-sample-rate", str(random.choice([1, 2, 8, 1000]))] if random.random() < 0.5 else []
        result = run.weft("index", run.file("ref.fa", fasta), "-o", "ref.wfi", "--alphabet", "dna", *rate)
        run.expect(result.code == 0, "weft does not make an index", result)
        listed = "".join(f"p{k}\t{p}\n" for k, p in enumerate(self.patterns))
        self.call = ["find", "ref.wfi", run.file("patterns", listed), *self.search.flags]

    def output(self, *flags):
        result = self.run.weft(*self.call, *flags)
        self.run.expect(result.code == 0, "weft refuses a good search", result)
        return result.out.decode()


def check_counts(case):
    """Checks --count, which has a column for each distance."""
    limit = case.search.limit
    expected = ["\t".join(["pattern", "count"] + [f"distance_{d}" for d in range(limit + 1)])]
    for number, hits in enumerate(case.hits):
        columns = [sum(hit[4] == d for hit in hits) for d in range(limit + 1)]
        expected.append("\t".join(map(str, [f"p{number}", len(hits), *columns])))
    case.run.equal(case.output("--count").splitlines(), expected, "the counts")


def check_rows(case):
    """Checks the table of all hits, and the CIGAR of each hit with errors."""
    rows = [line.split("\t") for line in case.output().splitlines()[1:]]
    expected = [[f"p{number}", case.names[record], str(begin + 1), str(end), strand, str(distance)]
                for number, hits in enumerate(case.hits) for record, begin, strand, end, distance in hits]
    case.run.equal([row[:6] for row in rows], expected, "the table")
    for row in rows if case.search.errors else []:
        check_cigar(case, row)


def check_cigar(case, row):
    """Checks that a CIGAR spells an allowed correspondence of the pattern and the stretch, with as many differences as listed."""
    search, run = case.search, case.run
    pattern = case.patterns[int(row[0][1:])]
    strand = {of: (sets, ends) for of, sets, ends in strands(search, pattern)}[row[4]]
    text = (2 * case.records[case.names.index(row[1])])[int(row[2]) - 1:int(row[3])]
    sets, ends = strand
    i = j = differences = 0
    for count, operation in re.findall(r"(\d+)([=XID])", row[6]):
        for _ in range(int(count)):
            if operation == "D":
                run.expect(not (0 < i < len(sets) and ends[i - 1] & ends[i]), "a letter is added in an exact end", run.last, row)
            elif operation != "=":
                run.expect(not ends[i], "an exact end has a difference", run.last, row)
            if operation in "=X":
                run.expect((text[j] in sets[i]) == (operation == "="), "a CIGAR lies about a letter", run.last, row)
            differences += operation != "="
            i += operation != "D"
            j += operation != "I"
    run.equal((i, j, differences), (len(sets), len(text), int(row[5])), f"the CIGAR {row[6]} of {row}")


def check_limited(case):
    """Checks --best and --max-hits, alone and together: the first hits by distance, record, begin, strand and end."""
    best, maximum = case.run.random.random() < 0.5, case.run.random.choice([None, 1, 1, 2, 3, 5])
    flags = (["--best"] if best else []) + (["--max-hits", str(maximum)] if maximum else [])
    expected = []
    for number, hits in enumerate(case.hits):
        hits = [hit for hit in hits if hit[4] == min(other[4] for other in hits)] if best else hits
        first = sorted(hits, key=lambda hit: (hit[4], *hit[:4]))[:maximum]
        for record, begin, strand, end, distance in sorted(first):
            expected.append([f"p{number}", case.names[record], str(begin + 1), str(end), strand, str(distance)])
        if len(first) < len(hits):
            expected.append([f"p{number}", "*", str(len(first)), str(len(hits)), "*", "*"])
    case.run.equal([line.split("\t")[:6] for line in case.output(*flags).splitlines()[1:]], expected, "a limited table")


def check_format(case):
    """Checks another format of the same rows. In some formats, a hit over an origin has two rows; their differences are
    added up."""
    form = case.run.random.choice(["bed", "paf", "jsonl", "sam"])
    found, expected, halved = [], [], []
    for number, hits in enumerate(case.hits):
        pattern = case.patterns[number]
        if form == "sam" and not hits:
            expected.append((f"p{number}", 4))
        for record, begin, strand, end, distance in hits:
            extra = {"bed": (), "jsonl": (distance,), "paf": (len(pattern), len(case.records[record]), distance, len(hits)),
                     "sam": (distance, len(hits))}[form]
            size = len(case.records[record])
            parts = [(begin, end)]
            if end > size and form != "jsonl":
                parts = [(begin, size), (0, end - size)]
                halved.append(len(expected))
            for part in parts:
                place = part[:1] if form == "sam" else part
                expected.append((f"p{number}", case.names[record], *place, strand, *extra))
    for line in case.output("--format", form).splitlines():
        f = line.split("\t")
        if form == "bed":
            found.append((f[3], f[0], int(f[1]), int(f[2]), f[5]))
        elif form == "jsonl":
            row = json.loads(line)
            found.append((row["pattern"], row["reference"], row["begin"] - 1, row["end"], row["strand"], row["distance"]))
        elif form == "paf":
            found.append((f[0], f[5], int(f[7]), int(f[8]), f[4], int(f[1]), int(f[6]), int(f[12][5:]), int(f[13][5:])))
        elif f[0][:1] != "@":
            tags = {tag[:5]: tag[5:] for tag in f[11:]}
            found.append((f[0], 4) if f[1] == "4" else (f[0], f[2], int(f[3]) - 1, "-" if int(f[1]) & 16 else "+",
                                                        int(tags["NM:i:"]), int(tags["NH:i:"])))
    for row in halved if form != "bed" and len(found) == len(expected) else []:
        both = found[row][-2] + found[row + 1][-2]
        found[row:row + 2] = [(*found[at][:-2], both, found[at][-1]) for at in (row, row + 1)]
    case.run.equal(found, expected, f"the rows of {form}")


def compare(run):
    case = Case(run)
    for check in (check_rows, run.random.choice([check_counts, check_limited, check_limited, check_format])):
        check(case)


if __name__ == "__main__":
    common.main(compare)
