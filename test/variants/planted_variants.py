"""Checks `weft variants` on copies of a random genome whose differences are known.

    planted_variants.py --weft PATH --evolve PATH [--seed N] [--cases N] [--letters N]

For each case the program makes a random genome of one record, a copy with substitutions, insertions and deletions, and weft's VCF. It
checks that the records of the VCF make exactly the copy out of the genome, that every record is as far to the left as it can be, and that
the substitutions that are more than 20 letters from any other difference are found, and no others. Exit codes: 0 all is right, 1 it is not.
"""

import argparse
import bisect
import os
import random
import subprocess
import sys
import tempfile

import alleles

DISTANCE = 20  # letters between two differences that can be taken apart in one way only


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        sys.exit(f"FAILED: {' '.join(command)}: exit code {done.returncode}: {done.stdout.decode()}")


def alone(candidates, every):
    """Returns the substitutions that have no other allele of `every` within DISTANCE letters."""
    begins = sorted(position for position, _, _ in every)
    ends = sorted(position + max(1, len(reference)) for position, reference, _ in every)
    result = set()
    for allele in candidates:
        position, reference, alternative = allele
        if not reference or not alternative:
            continue
        # Alleles that begin before the end of the stretch, less those that end before its begin: the allele itself, if it is alone.
        near = bisect.bisect_right(begins, position + DISTANCE) - bisect.bisect_left(ends, position + 1 - DISTANCE)
        if near == 1:
            result.add(allele)
    return result


def check(condition, seed, sentence):
    if not condition:
        sys.exit(f"FAILED, seed {seed}: {sentence}")


def check_left(records, genome, seed):
    """Checks that no insertion or deletion can be moved to the left, by the rule of Tan et al. (2015)."""
    for position, reference, alternative in records:
        check(position == 0 or reference[-1] != alternative[-1], seed, f"the record at {position + 1} is not normalised")
        check(genome[position:position + len(reference)] == reference, seed, f"the record at {position + 1} has a wrong reference")


def compare(weft, evolve, seed, letters, folder):
    """Checks one genome, and returns the number of substitutions that had to be found."""
    a, b, listed, vcf = (os.path.join(folder, name) for name in ("a.fa", "b.fa", "planted.tsv", "found.vcf"))
    chosen = random.Random(seed)
    genome = "".join(chosen.choices("ACGT", k=letters))
    alleles.write_fasta(a, "random", genome)
    run(evolve, a, b, listed, "--seed", str(seed), "--snp", "0.005", "--indel", "0.0005")
    run(weft, "variants", a, b, "--format", "vcf", "-o", vcf)
    records = list(alleles.vcf_records(vcf))
    check_left(records, genome, seed)
    try:
        made = alleles.applied(records, genome)
    except ValueError as fault:
        sys.exit(f"FAILED, seed {seed}: {fault}")
    check(made == alleles.read_fasta(b)[1], seed, "the records do not make B out of A")
    planted, found = set(alleles.read_table(listed, genome).kinds), alleles.read_vcf(vcf, genome)
    wanted = alone(planted, planted)
    missed, false = sorted(wanted - found), sorted(alone(found, planted | found) - planted)
    check(not missed, seed, f"substitutions that weft misses: {missed}")
    check(not false, seed, f"substitutions that nobody planted: {false}")
    return len(wanted)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weft", required=True)
    parser.add_argument("--evolve", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=3)
    parser.add_argument("--letters", type=int, default=100000)
    given = parser.parse_args()
    wanted = 0
    for seed in range(given.seed, given.seed + given.cases):
        with tempfile.TemporaryDirectory(prefix="weft-planted-") as folder:
            wanted += compare(given.weft, given.evolve, seed, given.letters, folder)
    check(wanted > given.cases * given.letters / 1000, given.seed, "there are hardly any substitutions to find")
    print(f"{given.cases} copies agree, {wanted} substitutions found")


if __name__ == "__main__":
    main()
