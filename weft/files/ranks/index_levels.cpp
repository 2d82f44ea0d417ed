// The wavelet matrix of an index that the ranks of a job make together.
#include <weft/files/ranks/index_rows.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>
#include <weft/bwt/cpu/fm_rows.hpp>

namespace weft::files {

namespace {

using bwt_detail::fm_section;

// The codes of all ranks that have the same bit: they follow one another on the next level.
class sorted_codes {
public:
  // `counts` are those of the ranks, and `begin` is the position of the first code of all.
  sorted_codes(const row_shares& shares, const std::vector<std::uint64_t>& counts, std::uint64_t begin)
      : shares_(shares), begins_{begin} {
    for (const std::uint64_t count : counts) begins_.push_back(begins_.back() + count);
  }
  // Returns the position behind the last code.
  [[nodiscard]] std::uint64_t end() const { return begins_.back(); }

  // Sends the codes of this rank to the ranks that own their positions, and writes those that it receives to
  // the front of `to`. Returns their number.
  template <class Code>
  std::uint64_t exchange(multi::communicator& ranks, std::span<const Code> own, std::span<Code> to) const {
    std::vector<std::span<const std::byte>> send;
    std::vector<std::uint64_t> sizes;
    std::uint64_t sent = 0, received = 0;
    for (int rank = 0; rank < ranks.size(); ++rank) {
      const std::uint64_t count = common(ranks.rank(), rank), num_received = common(rank, ranks.rank());
      send.push_back(std::as_bytes(own.subspan(sent, count)));
      sizes.push_back(num_received * sizeof(Code));
      sent += count;
      received += num_received;
    }
    ranks.all_to_all(send, std::as_writable_bytes(to.first(received)), sizes);
    return received;
  }

private:
  // Returns how many codes of one rank have positions that another one owns.
  [[nodiscard]] std::uint64_t common(int sender, int owner) const {
    const auto s = static_cast<std::size_t>(sender);
    return std::clamp(shares_.end(owner), begins_[s], begins_[s + 1]) -
           std::clamp(shares_.begin(owner), begins_[s], begins_[s + 1]);
  }

  const row_shares& shares_;
  std::vector<std::uint64_t> begins_; // of the codes of each rank, and the end
};

// Moves the codes, which have been sorted by a bit, to their positions on the next level. `ones` has how many
// codes of each rank have the bit.
template <class Code>
void move_codes(multi::communicator& ranks, const row_shares& shares, const std::vector<std::uint64_t>& ones,
                std::span<const Code> sorted, std::span<Code> codes) {
  std::vector<std::uint64_t> zeros;
  for (int rank = 0; rank < ranks.size(); ++rank)
    zeros.push_back(shares.end(rank) - shares.begin(rank) - ones[static_cast<std::size_t>(rank)]);
  const std::uint64_t own_zeros = zeros[static_cast<std::size_t>(ranks.rank())];
  const sorted_codes without(shares, zeros, 0), with(shares, ones, without.end());
  const std::uint64_t received = without.exchange(ranks, sorted.first(own_zeros), codes);
  with.exchange(ranks, sorted.subspan(own_zeros), codes.subspan(received));
}

} // namespace

template <class Code>
void write_levels(multi::communicator& ranks, const row_shares& shares, unwritten_vector<Code> codes,
                  int levels, const run_options& run, index_output& out) {
  const std::uint64_t groups = bwt_detail::groups_for(codes.size()),
                      own_groups = shares.num_items(ranks.rank(), 512);
  unwritten_vector<Code> sorted;
  std::vector<unwritten_vector<std::uint64_t>> words(static_cast<std::size_t>(levels)), counts(words.size());
  multi::run_together(ranks, [&] {
    allocate(sorted, codes.size());
    for (std::size_t level = 0; level < words.size(); ++level) {
      allocate(words[level], groups * 8);
      allocate(counts[level], groups);
    }
  });
  std::vector<std::string_view> words_to_write, counts_to_write;
  for (std::size_t level = 0; level < words.size(); ++level) {
    const int shift = levels - 1 - static_cast<int>(level);
    const std::uint64_t num_ones =
        bwt_detail::write_level<Code>(codes, shift, words[level], counts[level], run);
    const std::vector<std::uint64_t> ones = multi::all_gather_number(ranks, num_ones);
    if (shift > 0) {
      bwt_detail::sort_by_bit<Code>(codes, shift, counts[level], num_ones, sorted, run);
      move_codes<Code>(ranks, shares, ones, sorted, codes);
    }
    const std::uint64_t before = std::accumulate(ones.begin(), ones.begin() + ranks.rank(), std::uint64_t{0});
    for (std::uint64_t& count : counts[level]) count += before;
    words_to_write.push_back(bytes_of_items(std::span(words[level]).first(own_groups * 8)));
    counts_to_write.push_back(bytes_of_items(std::span(counts[level]).first(own_groups)));
  }
  out.write_turns(fm_section::ranks, words_to_write);
  out.write_turns(fm_section::rank_supers, counts_to_write);
}

template void write_levels(multi::communicator&, const row_shares&, unwritten_vector<unsigned char>, int,
                           const run_options&, index_output&);
template void write_levels(multi::communicator&, const row_shares&, unwritten_vector<std::uint16_t>, int,
                           const run_options&, index_output&);

} // namespace weft::files
