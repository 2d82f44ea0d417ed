#include <weft/files/ranks/index_rows.hpp>

#include <array>
#include <numeric>
#include <optional>
#include <string_view>
#include <weft/bwt/core/near_context.hpp>
#include <weft/bwt/cpu/fm_rows.hpp>

namespace weft::files {

using bwt_detail::base_counts;
using bwt_detail::dna_block;
using bwt_detail::dna_block_rows;
using bwt_detail::fm_section;

namespace {

// Rows [begin, end).
struct row_range {
  std::uint64_t begin, end;
  [[nodiscard]] std::uint64_t size() const { return end - begin; }
};

} // namespace

template <class Index>
unwritten_vector<Index> sort_share(multi::communicator& ranks, multi::suffix_parts& parts,
                                   const row_shares& shares) {
  const int self = ranks.rank();
  unwritten_vector<Index> own, sorted;
  multi::run_together(ranks, [&] { allocate(own, shares.end(self) - shares.begin(self)); });
  std::uint64_t num_received = 0;
  for (std::uint64_t part = 0; part < parts.count(); ++part) {
    parts.exchange(part);
    multi::run_together(ranks, [&] { sorted.reserve(parts.end_row(part) - parts.first_row(part)); });
    sorted.clear();
    parts.template sort<Index>(
        part, [&](std::span<const Index> some) { sorted.insert(sorted.end(), some.begin(), some.end()); });
    // Returns the rows of a part of one rank that are in the share of another one.
    const auto rows_for = [&](int sorter, int owner) -> row_range {
      const std::uint64_t first = parts.first_row(part, sorter), end = parts.end_row(part, sorter);
      return {std::clamp(shares.begin(owner), first, end), std::clamp(shares.end(owner), first, end)};
    };
    // Parts are in the order of the ranks, and so are the rows that each rank receives.
    std::vector<std::span<const std::byte>> send;
    std::vector<std::uint64_t> sizes;
    std::uint64_t size = 0;
    for (int rank = 0; rank < ranks.size(); ++rank) {
      const row_range to = rows_for(self, rank), from = rows_for(rank, self);
      send.push_back(std::as_bytes(std::span(sorted).subspan(to.begin - parts.first_row(part), to.size())));
      sizes.push_back(from.size() * sizeof(Index));
      size += from.size();
    }
    ranks.all_to_all(send, std::as_writable_bytes(std::span(own).subspan(num_received, size)), sizes);
    num_received += size;
  }
  return own;
}

namespace {

// The sections of a share of rows as they are in memory.
template <class Index> struct share_sections {
  share_sections(const index_share<Index>& share, std::span<std::uint64_t> packed_text) {
    const std::uint64_t rows = share.suffixes.size(), groups = bwt_detail::groups_for(rows),
                        rate = share.header.sample_rate;
    const bool dna = share.dna();
    allocate(marks, groups * 8);
    allocate(mark_counts, groups);
    allocate(samples, std::min(rows, (share.header.num_rows + rate - 1) / rate));
    allocate(blocks, dna ? bwt_detail::dna_blocks_for(rows) : 0);
    supers.resize(dna ? bwt_detail::dna_supers_for(share.header.num_rows) * 4 : 0);
    allocate(contexts, bwt_detail::has_contexts(share.header) ? rows : 0);
    options.alphabet = static_cast<fm_alphabet>(share.header.alphabet);
    options.sa_sample_rate = share.header.sample_rate;
    options.run = share.run;
    task.emplace(bwt_detail::fm_row_task<Index>{.symbols = no_symbols,
                                                .num_rows = rows,
                                                .segments = share.segments,
                                                .code_counts = {},
                                                .num_codes = share.header.num_codes,
                                                .kmer_size = 0,
                                                .options = options,
                                                .first_row = {},
                                                .open_rows = {},
                                                .open_positions = {},
                                                .marks = marks,
                                                .mark_counts = mark_counts,
                                                .samples = samples,
                                                .blocks = blocks,
                                                .words = {},
                                                .supers = supers,
                                                .kmers = {},
                                                .packed_text = packed_text,
                                                .contexts = contexts});
  }

  unwritten_vector<std::uint64_t> marks, mark_counts, contexts;
  unwritten_vector<Index> samples;
  unwritten_vector<dna_block> blocks;
  std::vector<std::uint64_t> supers; // of all ranks
  bwt_detail::fm_symbols no_symbols;
  fm_build_options options;
  std::optional<bwt_detail::fm_row_task<Index>> task;
};

// Numbers of rows: of marked and of open ones, and of those that each base precedes.
struct row_numbers {
  std::array<std::uint64_t, 6> of{}; // marked, open, A, C, G, T
  [[nodiscard]] base_counts bases() const { return {{of[2], of[3], of[4], of[5]}}; }
};

// Returns the bytes of the first `count` items of a list.
template <class Items> std::string_view bytes_of_first(const Items& items, std::uint64_t count) {
  return bytes_of_items(std::span(items).first(count));
}

// Writes the ranks of DNA, whose blocks have the counts of their own rows.
template <class Index>
void write_blocks(const index_share<Index>& share, const bwt_detail::row_sections<Index>& rows,
                  const row_numbers& before, share_sections<Index>& sections, index_output& out) {
  const int self = share.ranks.rank();
  const std::uint64_t first_block = share.shares.first_item(self, dna_block_rows);
  const bool has_blocks = share.shares.num_items(self, dna_block_rows) > 0;
  if (has_blocks) rows.write_supers(first_block, before.bases());
  share.ranks.all_reduce(sections.supers, multi::reduction::max);
  if (has_blocks) rows.sum_blocks(first_block, before.bases());
  out.write(fm_section::ranks, bytes_of_first(sections.blocks, share.shares.num_items(self, dna_block_rows)));
  out.write(fm_section::rank_supers, bytes_of_first(sections.supers, self == 0 ? sections.supers.size() : 0));
}

// Writes first_row; on rank 0.
void write_first_rows(std::span<const std::uint64_t> counts, int rank, index_output& out) {
  std::vector<std::uint64_t> sums;
  if (rank == 0) {
    sums.assign(counts.size() + 1, 0);
    std::partial_sum(counts.begin(), counts.end(), sums.begin() + 1);
  }
  out.write(fm_section::first_row, bytes_of_items(sums));
}

} // namespace

template <class Index>
void write_row_sections(const index_share<Index>& share, std::span<std::uint64_t> packed_text,
                        std::span<const std::uint64_t> code_counts, index_output& out) {
  const int self = share.ranks.rank();
  std::optional<share_sections<Index>> sections;
  multi::run_together(share.ranks, [&] { sections.emplace(share, packed_text); });
  bwt_detail::row_sections<Index> rows(*sections->task, share.header.num_rows);
  rows.scan({0, share.suffixes, true});
  std::vector<std::uint64_t> open_rows, open_positions;
  rows.visit_open_rows([&](std::uint64_t row, std::uint64_t position) {
    open_rows.push_back(share.first_row() + row);
    open_positions.push_back(position);
  });
  const base_counts bases = rows.counts();
  row_numbers before{
      {rows.num_marks(), open_rows.size(), bases.of[0], bases.of[1], bases.of[2], bases.of[3]}};
  row_numbers all = before;
  share.ranks.exclusive_scan(before.of);
  share.ranks.all_reduce(all.of, multi::reduction::sum);
  for (std::uint64_t& count : sections->mark_counts) count += before.of[0];
  write_first_rows(share.dna() ? std::span<const std::uint64_t>(all.of).subspan(1) : code_counts, self, out);
  out.write(fm_section::open_rows, bytes_of_items(open_rows));
  out.write(fm_section::open_positions, bytes_of_items(open_positions));
  const std::uint64_t groups = share.shares.num_items(self, 512);
  out.write(fm_section::marks, bytes_of_first(sections->marks, groups * 8));
  out.write(fm_section::mark_counts, bytes_of_first(sections->mark_counts, groups));
  out.write(fm_section::samples, bytes_of_first(sections->samples, rows.num_marks()));
  if (share.dna()) write_blocks(share, rows, before, *sections, out);
  if (!bwt_detail::has_contexts(share.header)) return;
  bwt_detail::write_contexts<Index>(*sections->task, share.header.num_rows, 0, share.suffixes);
  out.write_contexts(share.first_row(), sections->contexts, share.run);
}

template <class Index>
void write_kmers(const index_share<Index>& share, const bwt_detail::suffix_string& text, index_output& out) {
  multi::communicator& ranks = share.ranks;
  if (share.header.kmer_size == 0) return out.write(fm_section::kmers, {});
  const bwt_detail::kmer_classes classes(text, share.header.kmer_size);
  const bool has_rows = !share.suffixes.empty();
  std::uint64_t last = has_rows ? classes.of(share.suffixes.back()) : 0, before = 0;
  const std::vector<std::uint64_t> of_ranks = multi::all_gather_number(ranks, last);
  for (int rank = 0; rank < ranks.rank(); ++rank) // ranks without rows are the last ones
    before = std::max(before, of_ranks[static_cast<std::size_t>(rank)]);
  const bool is_end = share.first_row() + share.suffixes.size() == share.header.num_rows;
  const std::uint64_t end = !has_rows ? before : is_end ? classes.count() : last;
  unwritten_vector<Index> table;
  multi::run_together(ranks, [&] { allocate(table, end - before); });
  classes.write_entries<Index>(share.suffixes, share.first_row(), before, table, share.run);
  if (has_rows) // behind the last row
    std::fill(table.begin() + static_cast<std::ptrdiff_t>(last - before), table.end(),
              static_cast<Index>(share.header.num_rows));
  out.write(fm_section::kmers, bytes_of_items(table));
}

template unwritten_vector<std::uint32_t> sort_share(multi::communicator&, multi::suffix_parts&,
                                                    const row_shares&);
template unwritten_vector<std::uint64_t> sort_share(multi::communicator&, multi::suffix_parts&,
                                                    const row_shares&);
template void write_row_sections(const index_share<std::uint32_t>&, std::span<std::uint64_t>,
                                 std::span<const std::uint64_t>, index_output&);
template void write_row_sections(const index_share<std::uint64_t>&, std::span<std::uint64_t>,
                                 std::span<const std::uint64_t>, index_output&);
template void write_kmers(const index_share<std::uint32_t>&, const bwt_detail::suffix_string&, index_output&);
template void write_kmers(const index_share<std::uint64_t>&, const bwt_detail::suffix_string&, index_output&);

} // namespace weft::files
