"""The oracle of weft lcs: tables that are filled cell by cell, and sequences to compare."""


def optimum_table(a, b, equal, edit):
    """Returns rest with rest[i][j] = the distance of a[i:] and b[j:]."""
    m, n = len(a), len(b)
    rest = [[0] * (n + 1) for _ in range(m + 1)]
    for i in range(m, -1, -1):
        for j in range(n, -1, -1):
            if i == m or j == n:
                rest[i][j] = m - i + n - j
                continue
            best = 1 + min(rest[i + 1][j], rest[i][j + 1])
            if equal(a[i], b[j]):
                best = min(best, rest[i + 1][j + 1])
            if edit:
                best = min(best, 1 + rest[i + 1][j + 1])
            rest[i][j] = best
    return rest


def leftmost_path(a, b, equal, edit):
    """Returns the path that weft/lcs/lcs.hpp defines, one character per step."""
    rest = optimum_table(a, b, equal, edit)
    i = j = 0
    steps = []
    while i < len(a) or j < len(b):
        inside = i < len(a) and j < len(b)
        same = inside and equal(a[i], b[j])
        if i < len(a) and rest[i + 1][j] + 1 == rest[i][j]:
            step = "D"
        elif inside and (same or edit) and rest[i + 1][j + 1] + (0 if same else 1) == rest[i][j]:
            step = "=" if same else "X"
        else:
            step = "I"
        steps.append(step)
        i += step != "I"
        j += step != "D"
    return steps


def runs(steps):
    text, at = "", 0
    while at < len(steps):
        end = at
        while end < len(steps) and steps[end] == steps[at]:
            end += 1
        text += f"{end - at}{steps[at]}"
        at = end
    return text


class Pair:
    """Holds two sequences as weft compares them under a rule for unknown letters."""

    def __init__(self, a, b, rule):
        self.a, self.b, self.rule = clean(a), clean(b), rule
        self.unknown = unknown_letters([self.a, self.b])
        self.rna_is_dna = "N" in self.unknown

    def counts(self):
        return [sum(c in self.unknown for c in text) for text in (self.a, self.b)]

    def equal(self, x, y):
        if x in self.unknown or y in self.unknown:
            return self.rule == "match"
        return self.symbol(x) == self.symbol(y)

    def symbol(self, c):
        return "T" if self.rna_is_dna and c == "U" else c

    def skips(self, c):
        return self.rule == "skip" and c in self.unknown

    def compared(self):
        return [[c for c in text if not self.skips(c)] for text in (self.a, self.b)]

    def steps(self, metric):
        """Returns the path over all letters, in which skipped letters are deleted or inserted."""
        return self.with_skipped(leftmost_path(*self.compared(), self.equal, metric == "edit"))

    def with_skipped(self, core):
        """Returns a path of the compared letters with the skipped ones added."""
        gaps = {"D": 0, "I": 0}
        found = []
        i = j = 0
        for step in core + [""]:
            while i < len(self.a) and self.skips(self.a[i]) and step != "I":
                i, gaps["D"] = i + 1, gaps["D"] + 1
            while j < len(self.b) and self.skips(self.b[j]) and step != "D":
                j, gaps["I"] = j + 1, gaps["I"] + 1
            if step in gaps:
                gaps[step] += 1
            else:
                found += ["D"] * gaps["D"] + ["I"] * gaps["I"] + ([step] if step else [])
                gaps = {"D": 0, "I": 0}
            i += step in ("=", "X", "D")
            j += step in ("=", "X", "I")
        return found

    def value(self, metric):
        a, b = self.compared()
        distance = optimum_table(a, b, self.equal, metric == "edit")[0][0]
        return (len(a) + len(b) - distance) // 2 if metric == "lcs" else distance


def clean(text):
    return text.upper().replace("-", "").replace(".", "")


def unknown_letters(sequences):
    """Returns N and X if at least 95 % of the first 65,536 letters are nucleotides, otherwise X."""
    letters = [c for c in "".join(sequences) if c.isalpha()][:65536]
    nucleotides = sum(c in "ACGTUN" for c in letters)
    return "NX" if letters and 100 * nucleotides >= 95 * len(letters) else "X"


def random_sequence(random, size):
    letters = random.choice(["ACGT", "ACGTN", "acgtACGTn", "ACGTU", "ACGTNX-", "ACGTRYN.", "ACDEFGHIKLMNPQRSTVWYX",
                             "AN", "N", "MX-k*"])
    return "".join(random.choices(letters, k=random.choice([0, 1, 2, random.randrange(size), size])))


def related_sequence(random, sequence):
    """Returns a copy with changes, or now and then an unrelated sequence."""
    if random.random() < 0.3:
        return random_sequence(random, 60)
    changed = list(sequence)
    for _ in range(random.randrange(8)):
        at = random.randrange(len(changed) + 1)
        kind = random.randrange(3)
        if kind == 0:
            changed.insert(at, random.choice("ACGTNn-"))
        elif changed and kind == 1:
            del changed[at % len(changed)]
        elif changed:
            changed[at % len(changed)] = random.choice("ACGTNXacgu")
    return "".join(changed)


def affine_path(a, b, equal, gap_open, extend, mismatch):
    """Returns the penalty and the path of metric affine that weft/lcs/lcs.hpp defines, one character per step."""
    m, n, never = len(a), len(b), float("inf")
    rest = {(i, j): (never, never, never) for i in range(m + 2) for j in range(n + 2)}  # after = or X, D and I

    def choices(i, j, last):
        down = rest[i + 1, j][1] + extend + (0 if last == "D" else gap_open)
        same = i < m and j < n and equal(a[i], b[j])
        straight = rest[i + 1, j + 1][0] + (0 if same else mismatch)
        right = rest[i, j + 1][2] + extend + (0 if last == "I" else gap_open)
        return [(down, "D"), (straight, "=" if same else "X"), (right, "I")]

    for i in range(m, -1, -1):
        for j in range(n, -1, -1):
            if (i, j) == (m, n):
                rest[i, j] = (0, 0, 0)
                continue
            rest[i, j] = tuple(min(cost for cost, _ in choices(i, j, last)) for last in "=DI")
    i = j = 0
    steps, last = [], "="
    while (i, j) != (m, n):
        found = choices(i, j, last)
        last = next(step for cost, step in found if cost == min(found)[0])
        steps.append(last)
        i += last != "I"
        j += last != "D"
    return rest[0, 0][0], steps
