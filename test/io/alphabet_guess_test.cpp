#include <gtest/gtest.h>
#include <string>
#include <weft/io/alphabet_guess.hpp>

namespace {

bool is_dna(const std::string& residues) {
  weft::io::alphabet_guess guess;
  guess.add(residues);
  return guess.is_dna();
}

TEST(alphabet_guess, nucleotides_in_any_case_are_dna) {
  EXPECT_TRUE(is_dna("A"));
  EXPECT_TRUE(is_dna("acgtunACGTUN"));
  EXPECT_TRUE(is_dna("--AC*GT--\n1234567890{}[]@`"));
  EXPECT_FALSE(is_dna("MKVLAAGIC"));
  EXPECT_FALSE(is_dna("RYSWKM"));
  EXPECT_FALSE(is_dna(""));
  EXPECT_FALSE(is_dna("--**"));
}

TEST(alphabet_guess, the_bound_is_95_percent) {
  EXPECT_TRUE(is_dna(std::string(95, 'A') + std::string(5, 'L')));
  EXPECT_FALSE(is_dna(std::string(94, 'A') + std::string(6, 'L')));
  EXPECT_TRUE(is_dna(std::string(19, 'n') + "r"));
  EXPECT_FALSE(is_dna(std::string(18, 'n') + "r"));
}

TEST(alphabet_guess, the_first_64_KiB_of_letters_count) {
  constexpr std::size_t limit = std::size_t{1} << 16;
  weft::io::alphabet_guess guess;
  guess.add(std::string(limit - 1, 'A') + std::string(limit, '-'));
  EXPECT_FALSE(guess.is_full());
  guess.add("");
  guess.add("A" + std::string(limit, 'L'));
  EXPECT_TRUE(guess.is_full());
  guess.add(std::string(limit, 'L'));
  EXPECT_TRUE(guess.is_dna());

  weft::io::alphabet_guess late;
  late.add(std::string(limit / 2, 'L'));
  late.add(std::string(limit, 'A'));
  EXPECT_TRUE(late.is_full());
  EXPECT_FALSE(late.is_dna());
}

} // namespace
