"""Compares `weft variants` with minimap2 and nucmer on diverged copies of a genome whose differences are known.

    evaluate_variants.py --weft PATH --evolve PATH --genome FILE [--seeds N] [--runs N] [--callers LIST] [--findings FILE]
                         [--folder FOLDER] [--only SETTING]

FILE is FASTA of one record, also compressed with xz. For each seed there are two copies: `plain` has substitutions, short
insertions and short deletions; `rearranged` also has 10 inverted and 15 moved segments. The program prints

- the recall and the precision of each caller, of substitutions and of insertions and deletions shorter than 50 letters
  (alleles.py says how those of all callers become comparable), as sums over the seeds; `other spelling` counts the false
  alleles and the missed ones where the caller's alleles make the letters of B out of A, so that only their spelling differs;
- how many of the inverted and moved segments weft lists with all four ends within 10 letters, and how many others it lists;
- the time of each caller: processor time on one thread, the median of --runs runs, for the first seed;
- whether weft's VCF is right: in plain copies, `bcftools consensus` must make B out of A with it, and in every copy
  `bcftools norm` must change no record.

--findings FILE lists each allele by which weft differs from the planted ones, and which other callers agree with weft.
Callers that are not installed are left out, with a note. Exit codes: 0 the VCF is right, 1 it is not, 77 there is no genome.
"""

import argparse
import bisect
import collections
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import alleles

SMALL = ["--snp", "0.001", "--indel", "0.0001"]
SETTINGS = {"plain": SMALL, "rearranged": [*SMALL, "--inversions", "10", "--moves", "15"]}
CALLERS = {"weft": ["weft"], "minimap2": ["minimap2"], "nucmer": ["nucmer", "show-snps"]}
SEGMENTS = {"inversion": "inverted", "move": "moved"}  # what weft calls them
TOLERANCE = 10  # letters between an end that weft lists and the planted one
WINDOW = 60  # letters around a false or missed allele in which other alleles can be its other spelling
KINDS = ("substitutions", "indels")
COMPLEMENT = str.maketrans("ACGT", "TGCA")


def run(command, output=None):
    """Runs a command in the C locale, with standard output in a file; returns the seconds of processor and system."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WEFT_")} | {"LC_ALL": "C"}
    before = os.times()
    with open(output or os.devnull, "wb") as out:
        done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, env=environment, check=False)
    after = os.times()
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode()}")
    return after.children_user + after.children_system - before.children_user - before.children_system


def call(caller, weft, a, b, prefix):
    """Runs a caller, whose alleles are then in a file; returns the path and the seconds of processor time."""
    if caller == "weft":
        path = prefix + ".vcf"
        return path, run([weft, "variants", a, b, "--format", "vcf", "--threads", "1", "-q", "-o", path])
    if caller == "minimap2":
        path = prefix + ".paf"
        return path, run(["minimap2", "-t", "1", "-cx", "asm5", "--cs", a, b], path)
    path = prefix + ".snps"
    seconds = run(["nucmer", "-p", prefix, a, b])
    return path, seconds + run(["show-snps", "-CTHr", prefix + ".delta"], path)


READ = {"weft": alleles.read_vcf, "minimap2": alleles.read_cs, "nucmer": alleles.read_show_snps}


def kind_of(allele):
    return KINDS[0] if allele[1] and allele[2] else KINDS[1]


def spelled(genome, chosen, begin, end):
    """Returns a stretch of the genome with alleles, or none if they overlap."""
    letters, at = [], begin
    for position, reference, alternative in sorted(chosen):
        if position < at:
            return None
        letters += [genome[at:position], alternative]
        at = position + len(reference)
    return "".join(letters + [genome[at:max(at, end)]])


def other_spellings(genome, copy, planted, found):
    """Returns the alleles that are either planted or found, not both, but where those that are found make the letters of the copy."""
    differing = sorted(planted.kinds.keys() ^ found)
    chosen = sorted(found)
    same, first = set(), 0
    while first < len(differing):
        last = first
        while last + 1 < len(differing) and differing[last + 1][0] - differing[last][0] <= WINDOW:
            last += 1
        begin, end = max(0, differing[first][0] - WINDOW), differing[last][0] + len(differing[last][1]) + WINDOW
        near = [allele for allele in slice_of(chosen, begin, end) if allele[0] + len(allele[1]) <= end]
        letters = spelled(genome, near, begin, end)
        first_of_copy, end_of_copy = planted.range_in_copy(begin, end - begin, WINDOW)
        stretch = copy[first_of_copy:end_of_copy]
        if letters and (letters in stretch or letters[::-1].translate(COMPLEMENT) in stretch):
            same.update(differing[first:last + 1])
        first = last + 1
    return same


def slice_of(ordered, begin, end):
    """Returns the alleles of an ordered list that begin in [begin, end)."""
    return ordered[bisect.bisect_left(ordered, (begin, "", "")):bisect.bisect_left(ordered, (end, "", ""))]


class Score:
    """Counts the planted, found and correct alleles of a caller by kind, and those that are wrong but for their spelling."""

    def __init__(self):
        self.planted, self.found, self.right = (collections.Counter() for _ in range(3))
        self.missed, self.false, self.spelled = (collections.Counter() for _ in range(3))

    def add(self, genome, copy, planted, found):
        for allele in planted.kinds:
            self.planted[kind_of(allele)] += 1
            self.right[kind_of(allele)] += allele in found
        for allele in found:
            self.found[kind_of(allele)] += 1
        same = other_spellings(genome, copy, planted, found)
        for allele in planted.kinds.keys() ^ found:
            kind = "spelled" if allele in same else "missed" if allele in planted.kinds else "false"
            getattr(self, kind)[kind_of(allele)] += 1

    def row(self):
        columns = []
        for kind in KINDS:
            columns += [share(self.right[kind], self.planted[kind]), share(self.right[kind], self.found[kind])]
        totals = [sum(of.values()) for of in (self.missed, self.false, self.spelled)]
        return columns + [str(total) for total in totals]


def share(part, whole):
    return f"{100 * part / whole:.3f}" if whole else "-"


def check_vcf(path, a, copy, is_plain, prefix):
    """Returns what is wrong with weft's VCF: a list of sentences."""
    wrong = []
    run(["bcftools", "view", "-H", path], prefix + ".given")
    run(["bcftools", "norm", "-f", a, "-c", "e", path], prefix + ".norm.vcf")
    run(["bcftools", "view", "-H", prefix + ".norm.vcf"], prefix + ".norm")
    with open(prefix + ".given") as given, open(prefix + ".norm") as normal:
        first, second = given.read().splitlines(), normal.read().splitlines()
    changed = [line[:120] for line in sorted(set(first) ^ set(second))]
    if changed or len(first) != len(second):
        wrong.append(f"bcftools norm changes {len(changed)} lines: {changed[:4]}")
    if is_plain:
        run(["bcftools", "view", "-Oz", "-o", prefix + ".vcf.gz", path])
        run(["bcftools", "index", "-f", prefix + ".vcf.gz"])
        run(["bcftools", "consensus", "-f", a, prefix + ".vcf.gz"], prefix + ".consensus")
        if alleles.read_fasta(prefix + ".consensus")[1] != copy:
            wrong.append("bcftools consensus does not make B out of A")
    return wrong


def describe(genome, allele, kind, why, others):
    position, reference, alternative = allele
    context = genome[max(0, position - 20):position].lower() + "[" + (reference or ".") + ">" + (alternative or ".") + "]"
    context += genome[position + len(reference):position + len(reference) + 20].lower()
    return f"| {position + 1} | {why} | {kind} | {context} | {', '.join(others) or 'none'} |"


def findings(genome, copy, planted, found):
    """Returns a line for each allele by which weft differs from the planted ones, with the callers that agree with weft."""
    same = other_spellings(genome, copy, planted, found["weft"])
    lines = []
    for allele in sorted(planted.kinds.keys() ^ found["weft"]):
        is_missed = allele in planted.kinds
        why = ("missed" if is_missed else "false") + (" (other spelling)" if allele in same else "")
        others = [name for name in found if name != "weft" and (allele in found[name]) != is_missed]
        lines.append(describe(genome, allele, planted.kinds.get(allele, "-"), why, others))
    return lines


def table(title, header, rows):
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [header, *rows]]
    return "\n".join([title, *lines, ""])


class Evaluation:
    """Holds the inputs of all comparisons, and collects their results."""

    def __init__(self, given, folder):
        self.given, self.folder = given, folder
        self.name, self.genome = alleles.read_fasta(given.genome)
        self.a = os.path.join(folder, "a.fa")
        alleles.write_fasta(self.a, self.name, self.genome)
        self.callers = [name for name in given.callers.split(",") if self.is_installed(name)]
        self.scores, self.seconds, self.wrong, self.found = {}, {}, [], []
        self.segments = collections.Counter()

    def is_installed(self, caller):
        missing = [program for program in CALLERS[caller] if caller != "weft" and shutil.which(program) is None]
        if missing:
            print(f"Left out: {caller}, because {missing[0]} is not installed")
        return not missing

    def compare(self, setting, seed):
        prefix = os.path.join(self.folder, f"{setting}.{seed}")
        b, listed = prefix + ".b.fa", prefix + ".tsv"
        run([self.given.evolve, self.a, b, listed, "--seed", str(seed), *SETTINGS[setting]])
        planted = alleles.read_table(listed, self.genome)
        copy, found = alleles.read_fasta(b)[1], {}
        for caller in self.callers:
            path = self.time(caller, setting, seed, b, f"{prefix}.{caller}")
            found[caller] = READ[caller](path, self.genome)
            self.scores.setdefault((setting, caller), Score()).add(self.genome, copy, planted, found[caller])
            if caller == "weft" and planted.segments:
                self.check_segments(planted.segments, list(alleles.blocks_of_vcf(path)), f"{setting}, seed {seed}")
            if caller == "weft" and shutil.which("bcftools"):
                wrong = check_vcf(path, self.a, copy, setting == "plain", prefix)
                self.wrong += [f"{setting}, seed {seed}: {sentence}" for sentence in wrong]
        if "weft" in found:
            self.found += [f"\n## {setting}, seed {seed}\n", "| position | | segment | context | agreeing with weft |",
                           "| --- | --- | --- | --- | --- |", *findings(self.genome, copy, planted, found)]

    def check_segments(self, planted, listed, title):
        """Compares the inverted and moved segments with the blocks that weft lists."""
        def ends(row, keys):
            return [int(row[key]) for key in keys]

        blocks = [(row["KIND"], row["BSTRAND"], ends(row, ("BEGIN", "END", "BBEGIN", "BEND"))) for row in listed]
        for row in planted:
            wanted = (SEGMENTS.get(row["kind"]), row["strand"], ends(row, ("a_begin", "a_end", "b_begin", "b_end")))
            match = [block for block in blocks if block[:2] == wanted[:2] and
                     all(abs(x - y) <= TOLERANCE for x, y in zip(block[2], wanted[2]))]
            self.segments.update(planted=1, found=len(match) > 0)
            if match:
                blocks.remove(match[0])
            else:
                self.found.append(f"\n{title}: the segment {wanted} is not listed")
        self.segments["other"] += len(blocks)
        self.found += [f"\n{title}: the block {block} was not planted" for block in blocks]

    def time(self, caller, setting, seed, b, prefix):
        runs = [call(caller, self.given.weft, self.a, b, prefix) for _ in range(self.given.runs if seed == 1 else 1)]
        if seed == 1:
            self.seconds[setting, caller] = statistics.median(seconds for _, seconds in runs)
        return runs[0][0]

    def report(self):
        header = ["copies", "caller", "SNP recall %", "SNP precision %", "indel recall %", "indel precision %", "missed",
                  "false", "other spelling", "seconds"]
        rows = [[*key, *score.row(), f"{self.seconds[key]:.2f}"] for key, score in self.scores.items()]
        of = self.segments
        segments = f"weft lists {of['found']} of {of['planted']} inverted and moved segments, and {of['other']} others\n" if of else ""
        return segments + table(f"{self.given.seeds} copies of {self.name} ({len(self.genome)} letters) each; seconds of one thread", header, rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weft", required=True)
    parser.add_argument("--evolve", required=True)
    parser.add_argument("--genome", required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--callers", default="weft,minimap2,nucmer")
    parser.add_argument("--only", choices=SETTINGS)
    parser.add_argument("--findings")
    parser.add_argument("--folder")
    given = parser.parse_args()
    if not os.path.exists(given.genome):
        print(f"Skipped: the genome {given.genome} does not exist")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="weft-variants-") as temporary:
        evaluation = Evaluation(given, given.folder or temporary)
        for setting in [given.only] if given.only else SETTINGS:
            for seed in range(1, given.seeds + 1):
                evaluation.compare(setting, seed)
        print(evaluation.report())
        if given.findings:
            with open(given.findings, "w") as file:
                file.write(evaluation.report() + "\n" + "\n".join(evaluation.wrong + evaluation.found) + "\n")
        print("\n".join(evaluation.wrong) or "weft's VCF: bcftools consensus makes every plain copy, and bcftools norm changes no record"
              if "weft" in evaluation.callers else "weft was not run")
        sys.exit(1 if evaluation.wrong else 0)


if __name__ == "__main__":
    main()
