// Formats the comparison of two genomes: its variants as VCF or as a table, its blocks as PAF.
#pragma once

#include <string>
#include <string_view>
#include <weft/base/sequences.hpp>
#include <weft/io/output_file.hpp>
#include <weft/search/variants.hpp>

namespace weft::files {

enum class variant_format { vcf, tsv, paf };

// Returns the format of this name; vcf for any other name.
[[nodiscard]] variant_format parse_variant_format(std::string_view name);

// A comparison with the genomes that were compared, whose records have names. `reference` is the file of A
// and `sample` the name of B in the header of VCF.
struct variant_report {
  const genome_comparison& found;
  sequences_view a, b;
  std::string reference, sample;
};

// Returns the name of a block's kind.
[[nodiscard]] std::string_view name_of(block_kind kind);

// Returns a variant's type in VCF: snp, ins, del or complex.
[[nodiscard]] std::string_view type_of(const genome_variant& variant);

// Returns the name of a record as VCF writes it: bytes that VCF does not allow in the names of contigs become
// %HH, and so does a % that two hexadecimal digits follow. Different names stay different. O(name).
[[nodiscard]] std::string contig_name(std::string_view name);

// Return the first letters of the alleles in VCF. An insertion or a deletion contains the letter before it,
// or, at the begin of a record or behind a letter that VCF does not allow, the letter behind it.
struct vcf_alleles {
  std::uint64_t position = 0; // from 0
  std::string reference, alternative;
};
[[nodiscard]] vcf_alleles alleles_of(const genome_variant& variant, std::string_view record);

// Writes a comparison in a format. O(variants + blocks). Throws what the output throws.
//
// vcf   VCF 4.3 with one haploid sample. The header lists the blocks that are not collinear, and the
//       stretches of A and B in no block, as weft_block, weft_missing and weft_added, because bcftools
//       consensus refuses symbolic alleles such as <INV>.
// tsv   a line for each variant, positions from 1 and inclusive. An empty stretch ends before it begins.
// paf   a line for each block, with B as the query and A as the target.
void write_report(io::output_file& out, variant_format format, const variant_report& report);

} // namespace weft::files
