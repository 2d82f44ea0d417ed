#include <weft/files/ranks/rank_index.hpp>

#include <algorithm>
#include <bit>
#include <span>
#include <utility>
#include <vector>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/core/near_context.hpp>
#include <weft/bwt/cpu/fm_rows.hpp>
#include <weft/bwt/cpu/suffix_ranges.hpp>
#include <weft/files/ranks/index_rows.hpp>
#include <weft/multi/team.hpp>

namespace weft::files {

using bwt_detail::fm_header;
using bwt_detail::fm_plan;
using bwt_detail::fm_section;
using bwt_detail::section_sizes;
using bwt_detail::suffix_string;

namespace {

std::uint64_t size_of(const section_sizes& sizes, fm_section which) {
  return sizes[static_cast<std::size_t>(which)];
}

bool is_dna(const fm_header& header) {
  return header.alphabet == static_cast<std::uint32_t>(fm_alphabet::dna);
}

// Returns the sizes of the sections that rank 0 writes alone, and 0 for the others.
section_sizes sizes_of_references(const fm_header& header) {
  section_sizes sizes{};
  for (const fm_section which : {fm_section::names, fm_section::name_offsets, fm_section::record_offsets,
                                 fm_section::segments, fm_section::other_letters, fm_section::code_of_byte})
    sizes[static_cast<std::size_t>(which)] = size_of(header.sizes, which);
  if (!is_dna(header))
    sizes[static_cast<std::size_t>(fm_section::text)] = size_of(header.sizes, fm_section::text);
  return sizes;
}

// Bytes that rank 0, which takes most of all ranks, holds while suffixes are sorted, beside what
// multi::suffix_parts takes, and that it takes in all.
struct share_memory {
  share_memory(const fm_header& header, int num_ranks) {
    const std::uint64_t n = header.num_rows, share = row_shares(n, num_ranks).size(),
                        index = header.wide == 1 ? 8 : 4, levels = std::bit_width(header.num_codes - 1);
    const std::uint64_t segments = size_of(header.sizes, fm_section::segments), // 24 bytes each
        text = suffix_string::memory_for(n, std::max<std::uint64_t>(1, levels)),
                        code = header.num_codes > 256 ? 2 : 1;
    std::uint64_t kept = segments + (std::uint64_t{1} << 20);
    for (const std::uint64_t size : sizes_of_references(header)) kept += size;
    held = kept + 2 * index * share; // the suffixes of the rows, and those that a rank has sorted in a round
    std::uint64_t rows = 2 * index * share + share / 4 + segments; // suffixes, samples, marks, open rows
    rows += is_dna(header) ? n / 4 + size_of(header.sizes, fm_section::kmers) + share / 3
                           : 2 * code * share + levels * share / 6;
    if (bwt_detail::has_contexts(header)) rows += 8 * share;
    const std::uint64_t packing = n + (code > 1 ? 2 * n : 0);
    all = text + std::max({kept + packing, held + bwt_detail::range_limits::min_bytes(n), kept + rows});
  }
  std::uint64_t held, all;
};

// Returns the codes before the rows of a share.
template <class Code, class Index>
unwritten_vector<Code> codes_before(const index_share<Index>& share, const suffix_string& text) {
  const bwt_detail::packed_text_codes codes(text, share.header.num_codes);
  unwritten_vector<Code> before;
  multi::run_together(share.ranks, [&] { allocate(before, share.suffixes.size()); });
  constexpr std::uint64_t chunk = std::uint64_t{1} << 16, ahead = 32;
  parallel_for(0, before.size(), chunk, share.run, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) {
      if (i + ahead < last) text.prefetch(share.suffixes[i + ahead] * text.bits());
      before[i] = static_cast<Code>(codes.before(share.suffixes[i]));
    }
  });
  return before;
}

// Writes the sections of DNA. Frees the parts once their text is not read any more.
template <class Index>
void write_dna(const index_share<Index>& share, std::optional<multi::suffix_parts>& parts,
               index_output& out) {
  multi::communicator& ranks = share.ranks;
  const std::uint64_t num_words = size_of(share.header.sizes, fm_section::text) / sizeof(std::uint64_t);
  unwritten_vector<std::uint64_t> words;
  multi::run_together(ranks, [&] { allocate(words, num_words); });
  bwt_detail::unpack_bases(parts->text(), words, share.run);
  write_kmers(share, parts->text(), out);
  parts.reset();
  const auto begin = [&](int rank) {
    return num_words * static_cast<std::uint64_t>(rank) / static_cast<std::uint64_t>(ranks.size());
  };
  out.write(fm_section::text, bytes_of_items(std::span(words).subspan(
                                  begin(ranks.rank()), begin(ranks.rank() + 1) - begin(ranks.rank()))));
  write_row_sections<Index>(share, words, {}, out);
}

// Writes the sections of other alphabets likewise.
template <class Code, class Index>
void write_letters(const index_share<Index>& share, std::optional<multi::suffix_parts>& parts,
                   std::span<const std::uint64_t> code_counts, index_output& out) {
  unwritten_vector<Code> codes = codes_before<Code>(share, parts->text());
  parts.reset();
  out.write(fm_section::kmers, {});
  write_row_sections<Index>(share, {}, code_counts, out);
  write_levels<Code>(share.ranks, share.shares, std::move(codes), std::bit_width(share.header.num_codes - 1),
                     share.run, out);
}

} // namespace

rank_index::rank_index(multi::communicator& ranks, const sequences_view& references,
                       const fm_build_options& options, const multi::suffix_limits& limits,
                       std::uint64_t min_wide)
    : ranks_(ranks), references_(references), options_(options) {
  std::uint64_t shared = 0;
  multi::run_together(ranks, [&] {
    // Each record has at most one separator beside its letters.
    if (ranks.rank() != 0 || !limits.allow(ranks.size(), references.data.size() + references.count())) return;
    options_.run.memory = memory_limit(options.run.memory);
    const bool wide = references.data.size() + references.count() >= min_wide;
    plan_ = wide ? bwt_detail::plan_index<std::uint64_t>(references, options_)
                 : bwt_detail::plan_index<std::uint32_t>(references, options_);
    header_ = plan_->header;
    header_.sizes = plan_->sizes;
    header_.offsets = bwt_detail::section_offsets(plan_->sizes).begin;
    bwt_detail::seal_header(header_, plan_->options.contexts);
    shared = limits.allow(ranks.size(), header_.num_rows) &&
                     share_memory(header_, ranks.size()).all <= options_.run.memory
                 ? 1
                 : 0;
  });
  ranks.broadcast(std::as_writable_bytes(std::span(&header_, 1)), 0);
  is_shared_ = multi::reduce_number(ranks, shared, multi::reduction::max) == 1;
}

std::uint64_t rank_index::num_letters() const noexcept {
  return header_.num_rows - size_of(header_.sizes, fm_section::segments) / sizeof(bwt_detail::fm_segment);
}

void rank_index::write(rank_output& out) {
  multi_detail::fail_together(
      ranks_, [&] { header_.wide == 1 ? write_as<std::uint64_t>(out) : write_as<std::uint32_t>(out); });
}

template <class Index> void rank_index::write_as(rank_output& out) {
  const bool is_first = ranks_.rank() == 0;
  run_options run = options_.run;
  std::optional<bwt_detail::fm_writer> own; // of the sections of rank 0
  std::vector<bwt_detail::fm_segment> segments;
  bwt_detail::fm_symbols symbols;
  multi::run_together(ranks_, [&] {
    if (!is_first) return;
    run.memory -= share_memory(header_, ranks_.size()).held;
    own.emplace(sizes_of_references(header_), 0);
    write_references(*plan_, references_, *own, symbols);
    const auto written = own->section<bwt_detail::fm_segment>(fm_section::segments);
    segments.assign(written.begin(), written.end());
  });
  multi::broadcast_items(ranks_, segments);
  const auto pack = [&] {
    suffix_string text = bwt_detail::packed_symbols(symbols, header_.num_codes, segments, run);
    bwt_detail::fm_symbols().swap(symbols);
    return text;
  };
  std::optional<multi::suffix_parts> parts(std::in_place, ranks_, pack, run);
  const row_shares shares(header_.num_rows, ranks_.size());
  const index_share<Index> share{ranks_,   header_, shares,
                                 segments, run,     sort_share<Index>(ranks_, *parts, shares)};
  index_output sections(ranks_, out, header_);
  for (const fm_section which : {fm_section::names, fm_section::name_offsets, fm_section::record_offsets,
                                 fm_section::segments, fm_section::other_letters, fm_section::code_of_byte})
    sections.write(which, is_first ? bytes_of_items(own->section<char>(which)) : "");
  if (share.dna()) {
    write_dna(share, parts, sections);
  } else {
    sections.write(fm_section::text, is_first ? bytes_of_items(own->section<char>(fm_section::text)) : "");
    const std::span<const std::uint64_t> counts =
        is_first ? std::span<const std::uint64_t>(plan_->extent.code_counts)
                 : std::span<const std::uint64_t>();
    header_.num_codes > 256 ? write_letters<std::uint16_t>(share, parts, counts, sections)
                            : write_letters<unsigned char>(share, parts, counts, sections);
  }
  sections.finish();
}

} // namespace weft::files
