#include <weft/multi/shared_pieces.hpp>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <weft/base/parallel.hpp>

namespace weft::multi_detail {

namespace {

using bwt_detail::suffix_buckets;
using multi::communicator;

// Returns in how many rounds the ranks sort a text, so that there is memory to copy the items of a piece.
std::uint64_t count_rounds(const communicator& ranks, std::uint64_t symbols,
                           const bwt_detail::range_limits& limits) {
  // Pieces differ in size, because they end where buckets do.
  const std::uint64_t of_rank =
      std::max<std::uint64_t>(1, bwt_detail::max_copied_items(limits.fitting_items) / 4 * 3);
  return (symbols - 1) / (static_cast<std::uint64_t>(ranks.size()) * of_rank) + 1;
}

} // namespace

rank_sharing::rank_sharing(communicator& ranks, const run_options& run)
    : position_sharing(static_cast<std::uint64_t>(ranks.rank()), static_cast<std::uint64_t>(ranks.size())),
      ranks_(ranks), run_(run) {}

void rank_sharing::run(const std::function<void()>& step) { multi::run_together(ranks_, step); }

void rank_sharing::sum(std::span<std::uint64_t> numbers) {
  ranks_.all_reduce(numbers, multi::reduction::sum);
}

unwritten_vector<std::uint64_t> rank_sharing::gather(std::span<const std::uint64_t> numbers) {
  const std::vector<std::uint64_t> sizes = multi::all_gather_number(ranks_, numbers.size_bytes());
  unwritten_vector<std::uint64_t> all;
  run([&] { allocate(all, std::reduce(sizes.begin(), sizes.end()) / sizeof(std::uint64_t)); });
  ranks_.all_gather(std::as_bytes(numbers), sizes, std::as_writable_bytes(std::span(all)));
  return all;
}

unwritten_vector<std::uint64_t> rank_sharing::exchange(const suffix_buckets& buckets,
                                                       std::span<const std::uint64_t> first_buckets,
                                                       bool wants_items) {
  const auto own_begin = [&](std::uint64_t rank) { return buckets.own_begin(first_buckets[rank]); };
  const std::vector<std::uint64_t> wanted = multi::all_gather_number(ranks_, wants_items ? 1 : 0);
  const std::vector<std::uint64_t> sizes = exchange_sizes(buckets, first_buckets);
  const std::uint64_t size =
      wants_items ? buckets.begin(first_buckets[part() + 1]) - buckets.begin(first_buckets[part()]) : 0;
  unwritten_vector<std::uint64_t> own, received, items;
  run([&] {
    allocate(own, own_begin(parts()) - own_begin(0));
    allocate(received, size);
    allocate(items, size);
  });
  std::vector<std::span<const std::byte>> send(parts());
  for (std::uint64_t first = 0, end = 0; first < parts(); first = end + 1) {
    // The buckets [first, end) of ranks that want items are adjacent.
    for (end = first; end < parts() && wanted[end] == 1;) ++end;
    if (first == end) continue;
    const std::uint64_t begin = own_begin(first);
    const std::span<std::uint64_t> part =
        std::span(own).subspan(begin - own_begin(0), own_begin(end) - begin);
    buckets.distribute(first_buckets[first], first_buckets[end], part);
    for (std::uint64_t rank = first; rank < end; ++rank)
      send[rank] =
          std::as_bytes(part.subspan(own_begin(rank) - begin, own_begin(rank + 1) - own_begin(rank)));
  }
  std::vector<std::uint64_t> receive_sizes(parts());
  if (wants_items)
    for (std::uint64_t i = 0; i < sizes.size(); ++i)
      receive_sizes[i / (sizes.size() / parts())] += sizes[i] * sizeof(std::uint64_t);
  ranks_.all_to_all(send, std::as_writable_bytes(std::span(received)), receive_sizes);
  if (wants_items) order_by_bucket(received, sizes, items);
  return items;
}

std::vector<std::uint64_t> rank_sharing::exchange_sizes(const suffix_buckets& buckets,
                                                        std::span<const std::uint64_t> first_buckets) {
  std::vector<std::uint64_t> own;
  for (std::uint64_t b = first_buckets.front(); b < first_buckets.back(); ++b)
    own.push_back(buckets.own_begin(b + 1) - buckets.own_begin(b));
  const std::uint64_t num_buckets = first_buckets[part() + 1] - first_buckets[part()];
  std::vector<std::uint64_t> sizes(num_buckets * parts()), bytes;
  for (std::uint64_t rank = 0; rank < parts(); ++rank)
    bytes.push_back((first_buckets[rank + 1] - first_buckets[rank]) * sizeof(std::uint64_t));
  const std::vector<std::uint64_t> receive_bytes(bytes.size(), num_buckets * sizeof(std::uint64_t));
  ranks_.all_to_all(std::as_bytes(std::span(own)), bytes, std::as_writable_bytes(std::span(sizes)),
                    receive_bytes);
  return sizes;
}

void rank_sharing::order_by_bucket(const unwritten_vector<std::uint64_t>& received,
                                   const std::vector<std::uint64_t>& sizes,
                                   unwritten_vector<std::uint64_t>& items) const {
  const std::uint64_t num_buckets = sizes.size() / parts();
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
        std::copy_n(received.data() + from[i], sizes[i], items.data() + to[i]);
  });
}

shared_pieces::shared_pieces(communicator& ranks, const bwt_detail::suffix_string& text,
                             const bwt_detail::range_limits& limits, const run_options& run)
    : ranks_(ranks), sharing_(ranks, run), num_rounds_(count_rounds(ranks, text.size(), limits)),
      pieces_(text, num_rounds_ * static_cast<std::uint64_t>(ranks.size()), limits, run, &sharing_) {}

bool shared_pieces::start(std::uint64_t round) {
  const std::uint64_t size = end_row(round, ranks_.rank()) - first_row(round, ranks_.rank());
  has_items_ = size <= bwt_detail::max_copied_items(pieces_.fitting_items());
  std::vector<std::uint64_t> first_buckets;
  for (int rank = 0; rank <= ranks_.size(); ++rank)
    first_buckets.push_back(pieces_.first_bucket(piece(round, rank)));
  unwritten_vector<std::uint64_t> items = sharing_.exchange(pieces_.buckets(), first_buckets, has_items_);
  return has_items_ && pieces_.start_items(piece(round, ranks_.rank()), std::move(items));
}

void shared_pieces::exchange(std::uint64_t round) {
  const bool needs_anchors = start(round);
  if (has_anchors_) return;
  const bool lacks_memory = has_items_ && !pieces_.anchors_fit();
  std::uint64_t any[] = {needs_anchors ? 1U : 0U, lacks_memory ? 1U : 0U};
  ranks_.all_reduce(any, multi::reduction::max);
  if (any[0] == 0) return;
  const bool again = any[1] != 0;
  if (again || !has_items_) pieces_.drop_items();
  pieces_.sort_anchors();
  has_anchors_ = true;
  if (again) (void)start(round); // the anchors have been sorted
}

void shared_pieces::sort(std::uint64_t round, const bwt_detail::take_range& take) {
  const std::uint64_t own = piece(round, ranks_.rank());
  has_items_ ? pieces_.finish_items(own, take) : pieces_.sort(own, take);
}

} // namespace weft::multi_detail
