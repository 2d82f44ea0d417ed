"""Tests alleles.py: that the formats of all callers, and the table of evolve_genome, give the same alleles."""

import os
import tempfile
import unittest

import alleles

GENOME = "ACGTTTGACCAGAGAGTCCATTTACG"
TAB = "\t"


class Alleles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, text):
        path = os.path.join(self.folder.name, "file")
        with open(path, "w") as file:
            file.write(text.replace(" ", TAB))
        return path

    def atoms(self, *difference):
        return list(alleles.atoms(GENOME, *difference))

    def test_insertions_and_deletions_move_to_the_left(self):
        self.assertEqual(self.atoms(5, "T", ""), [(3, "T", "")])
        self.assertEqual(self.atoms(14, "AG", ""), [(10, "AG", "")])
        self.assertEqual(self.atoms(16, "", "AG"), [(10, "", "AG")])
        self.assertEqual(self.atoms(15, "", "GA"), [(10, "", "AG")])
        self.assertEqual(self.atoms(1, "", "A"), [(0, "", "A")])

    def test_replacements_are_split(self):
        self.assertEqual(self.atoms(2, "GTT", "CTG"), [(2, "G", "C"), (4, "T", "G")])
        self.assertEqual(self.atoms(6, "GA", "GCA"), [(7, "", "C")])
        self.assertEqual(self.atoms(6, "GACC", "TACCGG"), [(6, "G", "T"), (10, "", "GG")])
        self.assertEqual(self.atoms(0, "", "A" * alleles.MAX_LETTERS), [])

    def test_vcf(self):
        path = self.file("##fileformat=VCFv4.2\n#CHROM POS ID REF ALT QUAL FILTER INFO\nc 3 . G C . . .\nc 3 . GT G . . .\n"
                         "c 10 . C CAG . . .\nc 20 . A <INV> . . END=24\n")
        self.assertEqual(alleles.read_vcf(path, GENOME), {(2, "G", "C"), (3, "T", ""), (10, "", "AG")})
        path = self.file("c 3 . G C . . .\nc 10 . C CAG . . .\nc 15 . AG A . . .\n")
        made = alleles.applied(alleles.vcf_records(path), GENOME)
        self.assertEqual(made, "ACCTTTGACCAGAGAGATCCATTTACG")
        self.assertRaises(ValueError, alleles.applied, [(2, "GTT", "G"), (3, "T", "C")], GENOME)
        self.assertRaises(ValueError, alleles.applied, [(2, "C", "G")], GENOME)

    def test_cs_of_alignments(self):
        def line(begin, end, kind, cs):
            return f"b 30 0 30 + c {len(GENOME)} {begin} {end} 9 9 60 tp:A:{kind} cs:Z:{cs}\n"

        path = self.file(line(0, 26, "P", ":2*gc:2-t:4+ag:16"))
        self.assertEqual(alleles.read_cs(path, GENOME), {(2, "G", "C"), (3, "T", ""), (10, "", "AG")})
        path = self.file(line(0, 26, "P", ":2*gc:23") + line(10, 16, "S", ":3*ac:2") + line(20, 26, "P", ":6"))
        self.assertEqual(alleles.read_cs(path, GENOME), {(2, "G", "C")})
        path = self.file(line(0, 10, "P", ":2*gc:7") + line(2, 9, "I", ":7"))
        self.assertEqual(alleles.read_cs(path, GENOME), set())

    def test_show_snps(self):
        path = self.file("3 G C 3 1 3 1 1 c b\n5 T . 4 1 3 1 1 c b\n6 T . 4 1 3 1 1 c b\n16 . A 15 1 1 1 1 c b\n16 . G 16 1 1 1 1 c b\n")
        self.assertEqual(alleles.read_show_snps(path, GENOME), {(2, "G", "C"), (3, "TT", ""), (10, "", "AG")})

    def test_blocks(self):
        path = self.file('##weft_block=<ID=3,KIND=moved,NAME="c",BEGIN=5,END=9,BNAME="b",BBEGIN=1,BEND=5,BSTRAND=->\n#CHROM\n')
        fields = dict(ID="3", KIND="moved", NAME="c", BEGIN="5", END="9", BNAME="b", BBEGIN="1", BEND="5", BSTRAND="-")
        self.assertEqual(list(alleles.blocks_of_vcf(path)), [fields])

    def test_table(self):
        path = self.file("kind a_begin a_end b_begin b_end strand reference alternative segment\ninversion 5 9 5 9 - . . 1\n"
                         "substitution 3 3 3 3 + G C .\ndeletion 4 4 4 3 - T . 1\n")
        planted = alleles.read_table(path, GENOME)
        self.assertEqual(planted.kinds, {(2, "G", "C"): "collinear", (3, "T", ""): "inversion"})
        self.assertEqual([segment["kind"] for segment in planted.segments], ["inversion"])
        self.assertEqual(planted.range_in_copy(1, 5, 1), (0, 7))
        self.assertEqual(planted.range_in_copy(5, 2, 0), (0, 1))


if __name__ == "__main__":
    unittest.main()
