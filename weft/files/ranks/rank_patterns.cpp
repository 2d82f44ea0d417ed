#include <weft/files/ranks/rank_patterns.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>
#include <weft/files/ranks/rank_bytes.hpp>

namespace weft::files {

namespace {

constexpr std::uint64_t first_bytes = std::uint64_t{1} << 13; // of the first chunks

void send_patterns(multi::communicator& ranks, const io::pattern_chunk& chunk, int to) {
  for (const std::string* text : {&chunk.text, &chunk.names, &chunk.source})
    multi::send_text(ranks, *text, to);
  send_items(ranks, chunk.offsets, to);
  send_items(ranks, chunk.name_offsets, to);
  send_items(ranks, chunk.positions, to);
  ranks.send(std::as_bytes(std::span(&chunk.first_record, 1)), to);
}

void receive_patterns(multi::communicator& ranks, io::pattern_chunk& chunk, int from) {
  for (std::string* text : {&chunk.text, &chunk.names, &chunk.source})
    *text = multi::receive_text(ranks, from);
  receive_items(ranks, chunk.offsets, from);
  receive_items(ranks, chunk.name_offsets, from);
  receive_items(ranks, chunk.positions, from);
  ranks.receive(std::as_writable_bytes(std::span(&chunk.first_record, 1)), from);
}

} // namespace

rank_patterns::rank_patterns(multi::communicator& ranks, std::unique_ptr<pattern_source> all)
    : pattern_source(std::vector<std::string>()), ranks_(ranks.duplicate()), all_(std::move(all)),
      dealer_(*ranks_) {}

bool rank_patterns::next(io::pattern_chunk& chunk, std::uint64_t bytes) {
  if (!std::exchange(has_begun_, true)) {
    // Chunks grow with what has been dealt out, so that the shares of a short list are about equal, too.
    const auto read = [this, bytes](io::pattern_chunk& next) {
      const std::uint64_t grown = num_dealt_ / (2 * static_cast<std::uint64_t>(ranks_->size()));
      const bool has_more = all_->next(next, std::min(bytes, std::max(grown, first_bytes)));
      num_dealt_ += next.text.size();
      return has_more;
    };
    dealer_.start({read, send_patterns, receive_patterns});
  }
  return dealer_.next(chunk);
}

void rank_patterns::stop() noexcept { dealer_.stop(); }

find_totals sum_of_ranks(multi::communicator& ranks, find_totals own) {
  std::array numbers = {&own.patterns,   &own.occurrences,        &own.cut,
                        &own.impossible, &own.with_other_letters, &own.without_contexts};
  std::array<std::uint64_t, numbers.size()> sums{};
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = *numbers[i];
  ranks.all_reduce(sums, multi::reduction::sum);
  for (std::size_t i = 0; i < sums.size(); ++i) *numbers[i] = sums[i];
  if (own.impossible == 0) return own;
  // Batch b of rank r is batch b * (number of ranks) + r of all.
  constexpr std::uint64_t none = ~std::uint64_t{0};
  const auto num_ranks = static_cast<std::uint64_t>(ranks.size());
  std::uint64_t batch = own.first_impossible_batch;
  if (batch != none) batch = batch * num_ranks + static_cast<std::uint64_t>(ranks.rank());
  own.first_impossible_batch = multi::reduce_number(ranks, batch, multi::reduction::min);
  multi::broadcast_text(ranks, own.first_impossible,
                        static_cast<int>(own.first_impossible_batch % num_ranks));
  return own;
}

} // namespace weft::files
