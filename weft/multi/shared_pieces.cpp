#include <weft/multi/shared_pieces.hpp>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <weft/base/parallel.hpp>

namespace weft::multi_detail {

namespace {

using bwt_detail::position_share;
using multi::communicator;

// Returns in how many rounds the ranks sort a text, so that there is memory to copy the items of a piece.
std::uint64_t count_rounds(const communicator& ranks, std::uint64_t symbols,
                           const bwt_detail::range_limits& limits) {
  // Pieces differ in size, because they end where buckets do.
  const std::uint64_t of_rank =
      std::max<std::uint64_t>(1, bwt_detail::max_copied_items(limits.fitting_items) / 4 * 3);
  return (symbols - 1) / (static_cast<std::uint64_t>(ranks.size()) * of_rank) + 1;
}

position_share share_of(communicator& ranks) {
  return {static_cast<std::uint64_t>(ranks.rank()), static_cast<std::uint64_t>(ranks.size()),
          [&ranks](std::span<std::uint64_t> numbers) { ranks.all_reduce(numbers, multi::reduction::sum); }};
}

} // namespace

shared_pieces::shared_pieces(communicator& ranks, const bwt_detail::suffix_string& text,
                             const bwt_detail::range_limits& limits, const run_options& run)
    : ranks_(ranks), run_(run), num_rounds_(count_rounds(ranks, text.size(), limits)),
      pieces_(text, num_rounds_ * static_cast<std::uint64_t>(ranks.size()), limits, run, share_of(ranks)) {}

void shared_pieces::exchange(std::uint64_t round) {
  const int num_ranks = ranks_.size(), self = ranks_.rank();
  const std::uint64_t size = end_row(round, self) - first_row(round, self);
  has_items_ = size <= bwt_detail::max_copied_items(pieces_.fitting_items());
  const std::vector<std::uint64_t> wanted = multi::all_gather_number(ranks_, has_items_ ? 1 : 0);
  const std::vector<std::uint64_t> sizes = exchange_sizes(round);
  const std::uint64_t num_buckets = sizes.size() / static_cast<std::uint64_t>(num_ranks);
  unwritten_vector<std::uint64_t> own, received;
  multi::run_together(ranks_, [&] {
    allocate(own, own_begin(round, num_ranks) - own_begin(round, 0));
    allocate(received, has_items_ ? size : 0);
    allocate(items_, has_items_ ? size : 0);
  });
  std::vector<std::span<const std::byte>> send(static_cast<std::size_t>(num_ranks));
  for (int first = 0, end = 0; first < num_ranks; first = end + 1) {
    // The pieces [first, end) of ranks that want items are adjacent.
    for (end = first; end < num_ranks && wanted[static_cast<std::size_t>(end)] == 1;) ++end;
    if (first == end) continue;
    const std::uint64_t begin = own_begin(round, first);
    const std::span<std::uint64_t> part =
        std::span(own).subspan(begin - own_begin(round, 0), own_begin(round, end) - begin);
    pieces_.buckets().distribute(first_bucket(round, first), first_bucket(round, end), part);
    for (int rank = first; rank < end; ++rank)
      send[static_cast<std::size_t>(rank)] = std::as_bytes(
          part.subspan(own_begin(round, rank) - begin, own_begin(round, rank + 1) - own_begin(round, rank)));
  }
  std::vector<std::uint64_t> receive_sizes(static_cast<std::size_t>(num_ranks));
  if (has_items_)
    for (std::uint64_t i = 0; i < sizes.size(); ++i)
      receive_sizes[i / num_buckets] += sizes[i] * sizeof(std::uint64_t);
  ranks_.all_to_all(send, std::as_writable_bytes(std::span(received)), receive_sizes);
  if (has_items_) order_by_bucket(received, sizes, num_buckets);
}

std::vector<std::uint64_t> shared_pieces::exchange_sizes(std::uint64_t round) const {
  const std::uint64_t first = first_bucket(round, 0), end = first_bucket(round, ranks_.size());
  std::vector<std::uint64_t> own;
  for (std::uint64_t b = first; b < end; ++b)
    own.push_back(pieces_.buckets().own_begin(b + 1) - pieces_.buckets().own_begin(b));
  const std::uint64_t num_buckets =
      first_bucket(round, ranks_.rank() + 1) - first_bucket(round, ranks_.rank());
  std::vector<std::uint64_t> sizes(num_buckets * static_cast<std::uint64_t>(ranks_.size())), bytes;
  for (int rank = 0; rank < ranks_.size(); ++rank)
    bytes.push_back((first_bucket(round, rank + 1) - first_bucket(round, rank)) * sizeof(std::uint64_t));
  const std::vector<std::uint64_t> receive_bytes(bytes.size(), num_buckets * sizeof(std::uint64_t));
  ranks_.all_to_all(std::as_bytes(std::span(own)), bytes, std::as_writable_bytes(std::span(sizes)),
                    receive_bytes);
  return sizes;
}

void shared_pieces::order_by_bucket(const unwritten_vector<std::uint64_t>& received,
                                    const std::vector<std::uint64_t>& sizes, std::uint64_t num_buckets) {
  std::vector<std::uint64_t> from(sizes.size()), to(sizes.size()); // where the items of each size begin
  std::exclusive_scan(sizes.begin(), sizes.end(), from.begin(), std::uint64_t{0});
  for (std::uint64_t b = 0, at = 0; b < num_buckets; ++b)
    for (std::uint64_t i = b; i < sizes.size(); i += num_buckets) {
      to[i] = at;
      at += sizes[i];
    }
  parallel_for(0, num_buckets, 1, run_.threads, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t b = first; b < last; ++b)
      for (std::uint64_t i = b; i < sizes.size(); i += num_buckets)
        std::copy_n(received.data() + from[i], sizes[i], items_.data() + to[i]);
  });
}

void shared_pieces::sort(std::uint64_t round, const bwt_detail::take_range& take) {
  const std::uint64_t own = piece(round, ranks_.rank());
  has_items_ ? pieces_.sort_items(own, std::move(items_), take) : pieces_.sort(own, take);
}

} // namespace weft::multi_detail
