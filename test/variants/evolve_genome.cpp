// evolve_genome GENOME.fa COPY.fa TABLE.tsv [--OPTION VALUE]...: writes a diverged copy of a genome of one
// record, and the differences that were planted in it. The options are those of evolution_options, with
// hyphens. The table has a header and a row for each difference: positions are from 1, both included, so that
// a_end of an insertion is a_begin - 1; a missing allele is "."; `segment` is the number of the segment that
// contains a small difference, or
// "." if there is none, and of a segment its own number.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include "evolve.hpp"

namespace weft::test {

namespace {

// Reads a file of one FASTA record, with letters in upper case.
std::string read_genome(const std::string& path) {
  std::ifstream in(path);
  std::string line, letters;
  if (!std::getline(in, line) || line.substr(0, 1) != ">")
    throw std::invalid_argument(path + ": there is no FASTA record");
  while (std::getline(in, line)) {
    if (line.substr(0, 1) == ">") throw std::invalid_argument(path + ": there are several records");
    for (const char c : line)
      if (c >= 'A') letters += static_cast<char>(c & ~0x20);
  }
  return letters;
}

void write_copy(const std::string& path, const std::string& letters) {
  constexpr std::size_t width = 80;
  std::ofstream out(path);
  out << ">copy\n";
  for (std::size_t i = 0; i < letters.size(); i += width) out << letters.substr(i, width) << '\n';
  if (!out.flush()) throw std::runtime_error(path + ": cannot be written");
}

const char* name_of(planted_kind kind) {
  switch (kind) {
  case planted_kind::substitution:
    return "substitution";
  case planted_kind::insertion:
    return "insertion";
  case planted_kind::deletion:
    return "deletion";
  case planted_kind::inversion:
    return "inversion";
  case planted_kind::move:
    return "move";
  case planted_kind::duplication:
    return "duplication";
  default:
    return "missing";
  }
}

void write_table(const std::string& path, const evolved_genome& copy) {
  std::ofstream out(path);
  out << "kind\ta_begin\ta_end\tb_begin\tb_end\tstrand\treference\talternative\tsegment\n";
  const auto shown = [](const std::string& letters) { return letters.empty() ? "." : letters; };
  for (const planted_difference& each : copy.differences)
    out << name_of(each.kind) << '\t' << each.a_begin + 1 << '\t' << each.a_end << '\t' << each.b_begin + 1
        << '\t' << each.b_end << '\t' << (each.reverse ? '-' : '+') << '\t' << shown(each.reference) << '\t'
        << shown(each.alternative) << '\t' << (each.segment == 0 ? "." : std::to_string(each.segment))
        << '\n';
  if (!out.flush()) throw std::runtime_error(path + ": cannot be written");
}

void set_option(evolution_options& options, const std::string& name, const std::string& value) {
  struct rate {
    const char* name;
    double* to;
  };
  struct number {
    const char* name;
    std::uint64_t* to;
  };
  const rate rates[] = {{"--snp", &options.snp},
                        {"--transitions", &options.transitions},
                        {"--indel", &options.indel},
                        {"--tandem", &options.tandem},
                        {"--long-indels", &options.long_indels}};
  const number numbers[] = {{"--seed", &options.seed},
                            {"--indel-mean", &options.indel_mean},
                            {"--long-mean", &options.long_mean},
                            {"--spacing", &options.spacing},
                            {"--inversions", &options.inversions},
                            {"--moves", &options.moves},
                            {"--duplications", &options.duplications},
                            {"--deletions", &options.deletions},
                            {"--segment-mean", &options.segment_mean},
                            {"--min-segment", &options.min_segment}};
  for (const rate& each : rates)
    if (name == each.name) return void(*each.to = std::stod(value));
  for (const number& each : numbers)
    if (name == each.name) return void(*each.to = std::stoull(value));
  throw std::invalid_argument("there is no option " + name);
}

} // namespace

} // namespace weft::test

int main(int argc, char** argv) {
  if (argc < 4 || argc % 2 != 0) {
    std::cerr << "usage: evolve_genome GENOME.fa COPY.fa TABLE.tsv [--OPTION VALUE]...\n";
    return 2;
  }
  try {
    weft::test::evolution_options options;
    for (int i = 4; i < argc; i += 2) weft::test::set_option(options, argv[i], argv[i + 1]);
    const weft::test::evolved_genome copy = weft::test::evolve(weft::test::read_genome(argv[1]), options);
    weft::test::write_copy(argv[2], copy.letters);
    weft::test::write_table(argv[3], copy);
  } catch (const std::exception& fault) {
    std::cerr << "evolve_genome: " << fault.what() << '\n';
    return 1;
  }
}
