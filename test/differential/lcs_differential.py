"""Compares weft lcs with tables that are filled cell by cell: records, gaps, unknown letters, every metric and format."""

import json
import re

import common
import texts
from lcs_oracle import Pair, affine_path, clean, leftmost_path, random_sequence, related_sequence, runs, unknown_letters

ENGINES = ["auto", "auto", "hirschberg-dp", "bit-parallel", "bit-sliced", "furthest-reaching"]
KEYS = {"lcs": "lcs_length", "indel": "indel_distance", "edit": "edit_distance"}


def options(run):
    metric = run.random.choice(["lcs", "indel", "edit"])
    rule = run.random.choice(["mismatch", "match", "skip", None])
    engine = run.random.choice(ENGINES)
    flags = ["--metric", metric, "--threads", str(run.random.randint(1, 3))]
    flags += ["--unknown", rule] if rule else []
    flags += ["--engine", engine] if engine != "auto" else []
    flags += ["--memory", "64K"] if run.random.random() < 0.2 else []
    return metric, rule or "mismatch", engine, flags


def refused(pair_unknown, rule, engine):
    return rule == "match" and pair_unknown > 0 and engine not in ("auto", "bit-parallel")


def replay(run, pair, operations):
    """Checks that a path consumes all of both sequences, and that its = and X are correct."""
    i = j = 0
    for count, step in re.findall(r"(\d+)([=XDI])", operations):
        for _ in range(int(count)):
            if step in "=X":
                run.expect(i < len(pair.a) and j < len(pair.b), "a path leaves the table", run.last)
                run.expect(pair.equal(pair.a[i], pair.b[j]) == (step == "="), "a path lies about two letters", run.last)
            i += step != "I"
            j += step != "D"
    run.expect((i, j) == (len(pair.a), len(pair.b)), "a path ends early", run.last)


def record_of(pair, names, metric, value):
    a, b = (len(text) for text in pair.compared())
    longest = max(a, b)
    length = value if metric == "lcs" else (a + b - value) // 2
    share = 1.0 if longest == 0 else 1.0 - value / longest if metric == "edit" else length / longest
    fields = {"a": names[0], "b": names[1], "a_length": str(len(pair.a)), "b_length": str(len(pair.b))}
    if metric == "edit":
        fields |= {"edit_distance": str(value), "identity": f"{share:.6f}"}
    else:
        fields |= {"lcs_length": str(length), "identity": f"{share:.6f}", "indel_distance": str(a + b - 2 * length)}
    if sum(pair.counts()) > 0:
        fields |= {"a_unknown": str(pair.counts()[0]), "b_unknown": str(pair.counts()[1]), "unknown": pair.rule}
    return fields


def paf_of(pair, names, steps):
    diagonal = [k for k, step in enumerate(steps) if step in "=X"]
    if not diagonal:
        return ""
    block = steps[diagonal[0]:diagonal[-1] + 1]
    begin = [steps[:diagonal[0]].count("D"), steps[:diagonal[0]].count("I")]
    end = [begin[0] + len(block) - block.count("I"), begin[1] + len(block) - block.count("D")]
    skipped = sum(map(pair.skips, pair.a[begin[0]:end[0]])) + sum(map(pair.skips, pair.b[begin[1]:end[1]]))
    matches = block.count("=")
    tags = [f"NM:i:{len(block) - matches - skipped}"]
    tags += [f"nn:i:{skipped}"] if pair.rule == "skip" and sum(pair.counts()) > 0 else []
    return "\t".join(map(str, [names[1], len(pair.b), begin[1], end[1], "+", names[0], len(pair.a), begin[0], end[0],
                               matches, len(block), 255, *tags, "cg:Z:" + runs(block)])) + "\n"


def write_records(run, name, chosen, flag):
    """Writes a FASTA file that holds `chosen`: alone, among others, or in parts to join. Returns the file's path, the flags
    that choose the sequence, and the name of the sequence in records."""
    records = run.random.choice([1, 1, 2, 3])
    end = [f"{name}{k}" for k in range(records)]
    if records == 1 or run.random.random() < 0.5:
        at = run.random.randrange(records)
        parts = [chosen if k == at else random_sequence(run.random, 20) for k in range(records)]
        flags = [flag, end[at]] if records > 1 or run.random.random() < 0.3 else []
        shown = end[at]
    else:
        cuts = sorted(run.random.randrange(len(chosen) + 1) for _ in range(records - 1))
        parts = [chosen[i:j] for i, j in zip([0, *cuts], [*cuts, len(chosen)])]
        flags, shown = ["--join"], None
    path = run.file(name + ".fa", texts.fasta([(n.encode(), p.encode()) for n, p in zip(end, parts)], run.random))
    return path, flags, shown or path, records


def compare_two(run):
    first = random_sequence(run.random, 60)
    second = related_sequence(run.random, first)
    a_path, a_flags, a_name, a_records = write_records(run, "a", first, "--a-record")
    b_path, b_flags, b_name, b_records = write_records(run, "b", second, "--b-record")
    metric, rule, engine, flags = options(run)
    if "--join" in a_flags + b_flags:
        flags += ["--join"]
    if "--a-record" in a_flags and "--b-record" in b_flags and "--join" in flags:
        return
    flags += [f for f in a_flags + b_flags if f != "--join"]
    names, pair = (a_name, b_name), Pair(first, second, rule)
    steps = pair.steps(metric)
    value = pair.value(metric)
    if refused(sum(pair.counts()), rule, engine):
        result = run.weft("lcs", a_path, b_path, *flags)
        run.expect(result.code == 2, "an engine without wildcards takes them", result)
        return
    check_formats(run, pair, (a_path, b_path, names, flags), metric, steps, value)


def check_formats(run, pair, given, metric, steps, value):
    a_path, b_path, names, flags = given
    kind = run.random.choice(["record", "json", "length", "ops", "paf", "jsonl", "lcs", "tsv"])
    if kind == "lcs" and metric == "edit":
        kind = "ops"
    asked = {"record": [], "json": ["--json"], "length": ["--length"]}.get(kind, ["--format", kind])
    result = run.weft("lcs", a_path, b_path, *flags, *asked)
    run.expect(result.code == 0, "weft refuses to compare", result)
    out = result.out.decode()
    fields = record_of(pair, names, metric, value)
    if kind == "length":
        run.equal(out, f"{value}\n", "another number")
    elif kind == "ops":
        replay(run, pair, out)
        run.equal(out, runs(steps) + "\n", "another path")
    elif kind == "paf":
        run.equal(out, paf_of(pair, names, steps), "another PAF line")
    elif kind == "lcs":
        i, letters = 0, ""
        for step in steps:
            letters += pair.a[i] if step == "=" else ""
            i += step != "I"
        run.equal("".join(out.split("\n")[1:]), letters, "another subsequence")
    elif kind in ("record", "tsv"):
        found = dict(line.split("\t") for line in out.splitlines())
        run.expect("identity_definition" in found, "the record does not define identity", result)
        run.equal({k: v for k, v in found.items() if k != "identity_definition"}, fields, "another record")
    else:
        found = json.loads(out)
        found = {k: f"{v:.6f}" if k == "identity" else str(v) for k, v in found.items() if k != "identity_definition"}
        if kind == "jsonl":
            fields["ops"] = runs(steps)
        run.equal(found, fields, "another object")


def all_pairs(run):
    sequences = [random_sequence(run.random, 40) for _ in range(run.random.randrange(6))]
    sequences += [related_sequence(run.random, s) for s in sequences]
    names = [f"s{k}" for k in range(len(sequences))]
    path = run.file("many.fa", texts.fasta([(n.encode(), s.encode()) for n, s in zip(names, sequences)], run.random))
    metric, rule, engine, flags = options(run)
    unknown = unknown_letters([clean(s) for s in sequences])
    rows = []
    for i, a in enumerate(sequences):
        for j, b in enumerate(sequences[:i]):
            pair = Pair(a, b, rule)
            pair.unknown, pair.rna_is_dna = unknown, "N" in unknown
            rows.append((i, j, pair.value(metric)))
    if refused(sum(c in unknown for s in sequences for c in clean(s)), rule, engine):
        result = run.weft("lcs", "--all-pairs", path, *flags)
        run.expect(result.code == 2, "an engine without wildcards takes them", result)
        return
    if run.random.random() < 0.5:
        result = run.weft("lcs", "--all-pairs", path, *flags, "--format", "jsonl")
        expected = [{"a": names[i], "b": names[j], KEYS[metric]: value} for i, j, value in rows]
        run.equal([json.loads(line) for line in result.out.splitlines()], expected, "other objects")
        return
    result = run.weft("lcs", "--all-pairs", path, *flags)
    values = {(i, j): value for i, j, value in rows}
    expected = "".join("\t".join([name, *(str(values[i, j]) for j in range(i))]) + "\n" for i, name in enumerate(names))
    run.equal(result.out.decode(), expected, "another table")


def several_records(run):
    path = run.file("many.fa", ">one\nACGT\n>two\nACGA\n")
    one = run.file("one.fa", ">x\nACGT\n")
    for inputs, flag in (((path, one), "--a-record"), ((one, path), "--b-record")):
        result = run.weft("lcs", *inputs)
        run.expect(result.code == 2, "several records are not refused", result)
        for name in (flag, "--all-pairs", "--join"):
            run.expect(name.encode() in result.err, f"the message does not name {name}", result)


def bytes_as_they_are(run):
    symbols = run.random.choice([b"aA-N\n", bytes(range(256))])
    a, b = (bytes(run.random.choices(symbols, k=run.random.randrange(40))) for _ in range(2))
    metric = run.random.choice(["lcs", "indel", "edit"])
    result = run.weft("lcs", "--raw", run.file("a", a), run.file("b", b), "--metric", metric, "--format", "ops")
    steps = leftmost_path(a, b, lambda x, y: x == y, metric == "edit")
    run.equal(result.out.decode(), runs(steps) + "\n", "another path of bytes")


def affine_flags(run):
    """Returns random penalties, and the flags of a comparison with them."""
    cost = [run.random.randrange(9), run.random.randrange(1, 5), run.random.randrange(1, 9)]
    flags = ["--metric", "affine", "--threads", str(run.random.randint(1, 3))]
    for flag, value in zip(("--gap-open", "--gap-extend", "--mismatch"), cost):
        flags += [flag, str(value)]
    return cost, flags + run.random.choice([[], ["--engine", "affine-table"], ["--engine", "affine-wavefront"]])


def affine_gaps(run):
    sigma = run.random.choice([b"ab", b"ACGT", bytes(range(256))])
    a = bytes(run.random.choices(sigma, k=run.random.randrange(40)))
    b = bytes(run.random.choices(sigma, k=run.random.randrange(40)))
    if run.random.random() < 0.5 and a:
        begin, end = sorted(run.random.randrange(len(a) + 1) for _ in range(2))
        b = a[:begin] + a[end:] + bytes(run.random.choices(sigma, k=run.random.randrange(6)))
    cost, flags = affine_flags(run)
    penalty, steps = affine_path(a, b, lambda x, y: x == y, *cost)
    given = ["lcs", "--raw", run.file("a", a), run.file("b", b), *flags]
    kind = run.random.choice(["ops", "length", "json"])
    if kind == "ops":
        run.equal(run.weft(*given, "--format", "ops").out.decode(), runs(steps) + "\n", "another path with gaps")
    elif kind == "length":
        run.equal(run.weft(*given, "--length").out.decode(), f"{penalty}\n", "another penalty")
    else:
        found = json.loads(run.weft(*given, "--json").out)
        run.equal([found[key] for key in ("affine_penalty", "matches", "substitutions", "deletions", "insertions", "gaps")],
                  [penalty, *(steps.count(step) for step in "=XDI"), len(re.findall(r"\d+[DI]", runs(steps)))],
                  "another record of metric affine")


def affine_residues(run):
    """Compares the affine paths of sequences with unknown letters under each rule for them."""
    first = random_sequence(run.random, 40)
    second = related_sequence(run.random, first)
    rule, (cost, flags) = run.random.choice(["mismatch", "match", "skip"]), affine_flags(run)
    pair = Pair(first, second, rule)
    a_path = run.file("a.fa", texts.fasta([(b"a", first.encode())], run.random))
    b_path = run.file("b.fa", texts.fasta([(b"b", second.encode())], run.random))
    penalty, core = affine_path(*pair.compared(), pair.equal, *cost)
    given = ["lcs", a_path, b_path, *flags, "--unknown", rule]
    if run.random.random() < 0.5:
        run.equal(run.weft(*given, "--length").out.decode(), f"{penalty}\n", "another penalty")
    else:
        run.equal(run.weft(*given, "--format", "ops").out.decode(), runs(pair.with_skipped(core)) + "\n",
                  "another path with gaps")


def affine_all_pairs(run):
    """Compares the table of penalties of all pairs of a file."""
    sequences = [random_sequence(run.random, 30) for _ in range(run.random.randrange(4))]
    sequences += [related_sequence(run.random, s) for s in sequences]
    path = run.file("many.fa", texts.fasta([(b"s%d" % k, s.encode()) for k, s in enumerate(sequences)], run.random))
    rule, (cost, flags) = run.random.choice(["mismatch", "match", "skip"]), affine_flags(run)
    unknown, expected = unknown_letters([clean(s) for s in sequences]), ""
    for i, a in enumerate(sequences):
        row = [f"s{i}"]
        for b in sequences[:i]:
            pair = Pair(a, b, rule)
            pair.unknown, pair.rna_is_dna = unknown, "N" in unknown
            row.append(str(affine_path(*pair.compared(), pair.equal, *cost)[0]))
        expected += "\t".join(row) + "\n"
    result = run.weft("lcs", "--all-pairs", path, *flags, "--unknown", rule)
    run.equal(result.out.decode(), expected, "another table of penalties")


common.main(compare_two, compare_two, all_pairs, affine_gaps, compare_two, bytes_as_they_are, affine_residues, affine_all_pairs,
            compare_two, affine_gaps, several_records)
