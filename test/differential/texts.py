"""Makes the random inputs that several differential programs use: texts, names, FASTA files."""


def random_text(random, size=300):
    """Returns bytes that are difficult for suffix sorting and searching: few or many symbols, repeats, runs, Fibonacci words."""
    length = random.choice([0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, random.randrange(size), size])
    kind = random.randrange(6)
    if kind == 0:
        return bytes(random.choices(range(256), k=length))
    if kind == 1:
        return bytes(random.choices(random.sample(range(256), 2), k=length))
    if kind == 2:
        return bytes([random.randrange(256)]) * length
    if kind == 3:
        period = bytes(random.choices(b"abc", k=random.randint(1, 9)))
        return (period * (length // len(period) + 1))[:length]
    if kind == 4:
        a, b = b"a", b"ab"
        while len(a) < length:
            a, b = b, b + a
        return a[:length]
    text = bytearray()
    while len(text) < length:  # copies of what was there, changed a little
        start = random.randrange(len(text) + 1)
        text += text[start:start + random.randint(0, 40)] + bytes(random.choices(b"ACGT", k=random.randint(1, 3)))
    return bytes(text[:length])


def random_name(random, blanks=False):
    symbols = b"ABCxyz019_.|:-" + (b" \t" if blanks else b"")
    return bytes(random.choices(symbols, k=random.randint(1, 12)))


def fasta(records, random=None, width=None):
    """Returns a FASTA file of (name, residues) pairs; with `random`, in lines of varying width and with either line end."""
    end = b"\r\n" if random is not None and random.random() < 0.2 else b"\n"
    lines = []
    for name, residues in records:
        lines.append(b">" + name)
        step = width or (random.choice([1, 7, 60, 1 << 20]) if random is not None else 60)
        lines += [residues[i:i + step] for i in range(0, len(residues), step)]
    text = end.join(lines) + (end if lines else b"")
    return text[:-len(end)] if random is not None and lines and random.random() < 0.1 else text
