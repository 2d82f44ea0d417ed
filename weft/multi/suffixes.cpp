#include <weft/multi/suffixes.hpp>

#include <algorithm>
#include <exception>
#include <optional>
#include <span>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/bwt/cpu/suffix_ranges.hpp>
#include <weft/multi/team.hpp>

namespace weft::multi {

namespace {

using bwt_detail::range_limits;
using bwt_detail::sorted_range;
using bwt_detail::suffix_pieces;
using bwt_detail::suffix_string;
using bwt_detail::take_range;
using multi_detail::bytes_of;

constexpr std::uint64_t message_items = std::uint64_t{1} << 20; // suffixes that travel together
constexpr std::uint64_t copied_items = std::uint64_t{1} << 16;  // that a thread copies at a time

// Rank 0 broadcasts an order, which describes the text that is sorted next and how it is sorted, or says that
// there is none.
struct order {
  std::uint64_t goes_on = 0, size = 0, bits = 0, has_parts = 0, bytes = 0, max_items = 0;
};

// Broadcasting reads bytes on rank 0, and writes them elsewhere.
std::span<std::byte> as_sent(std::span<const std::byte> bytes) {
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}

// Sends the suffixes of a range, as numbers of the type Position.
template <class Position>
void send_range(communicator& ranks, const sorted_range& range, const run_options& run) {
  unwritten_vector<Position> positions;
  for (std::uint64_t done = 0; done < range.items.size(); done += positions.size()) {
    positions.resize(std::min<std::uint64_t>(message_items, range.items.size() - done));
    parallel_for(0, positions.size(), copied_items, run.threads,
                 [&](std::uint64_t first, std::uint64_t last) {
                   for (std::uint64_t k = first; k < last; ++k)
                     positions[k] = static_cast<Position>(range.layout.position(range.items[done + k]));
                 });
    ranks.send(std::as_bytes(std::span(positions)), 0);
  }
}

// Receives the suffixes of `count` rows from `row` on, and passes them on. Their sender has sorted them range
// by range, and has announced the size of each.
template <class Position>
void receive_rows(communicator& ranks, int from, std::uint64_t row, std::uint64_t count,
                  const run_options& run, const take_range& take) {
  constexpr bwt_detail::item_layout whole{.position_bits = 63, .key_bits = 0}; // an item is a position
  unwritten_vector<Position> positions;
  unwritten_vector<std::uint64_t> items;
  for (const std::uint64_t end = row + count; row < end;) {
    std::uint64_t size = 0;
    ranks.receive(std::as_writable_bytes(std::span(&size, 1)), from);
    for (const std::uint64_t range_end = row + size; row < range_end; row += positions.size()) {
      positions.resize(std::min(message_items, range_end - row));
      ranks.receive(std::as_writable_bytes(std::span(positions)), from);
      items.assign(positions.begin(), positions.end());
      base_detail::check_cancelled(run);
      take({row, items, whole});
    }
  }
}

} // namespace

class suffix_team::state final : public bwt_detail::suffix_helpers {
public:
  state(communicator& ranks, const suffix_limits& limits) : ranks_(ranks), limits_(limits) {}

  [[nodiscard]] bool are_worthwhile(std::uint64_t symbols) const override {
    return ranks_.size() >= std::max(2, limits_.min_ranks) &&
           symbols >= std::max<std::uint64_t>(1, limits_.min_symbols);
  }

  void sort(const suffix_string& text, const range_limits& limits, const run_options& run,
            const take_range& take) override {
    multi_detail::fail_together(ranks_, [&] {
      order what{1, text.size(), text.bits(), text.has_parts() ? 1U : 0U, limits.bytes, limits.max_items};
      ranks_.broadcast(bytes_of(what), 0);
      text.save([&](std::span<const std::byte> bytes) { ranks_.broadcast(as_sent(bytes), 0); });
      sort_pieces(text, limits, run, take);
    });
  }

  void help(const run_options& run) {
    for (;;) {
      order what;
      ranks_.broadcast(bytes_of(what), 0);
      if (what.goes_on == 0) return;
      multi_detail::fail_together(ranks_, [&] {
        const suffix_string text(what.size, what.bits, what.has_parts != 0,
                                 [&](std::span<std::byte> bytes) { ranks_.broadcast(bytes, 0); });
        range_limits limits(what.size, what.bytes);
        limits.max_items = what.max_items;
        sort_pieces(text, limits, run, nullptr);
      });
    }
  }

  void dismiss() {
    order what;
    ranks_.broadcast(bytes_of(what), 0);
  }

private:
  // Sorts the pieces of this rank. Rank 0 takes them and those of the other ranks, in order; they are dealt
  // out in rounds, so that each rank sorts while rank 0 takes what other ranks have sorted.
  void sort_pieces(const suffix_string& text, const range_limits& limits, const run_options& run,
                   const take_range& take) {
    const auto ranks = static_cast<std::uint64_t>(ranks_.size());
    const std::uint64_t n = text.size(), of_round = ranks * std::max<std::uint64_t>(1, limits.max_items),
                        count = ranks * ((n - 1) / of_round + 1);
    suffix_pieces pieces(text, count, limits, run);
    const bool wide = n > std::uint64_t{1} << 32;
    const take_range send = [&](const sorted_range& range) {
      const std::uint64_t size = range.items.size();
      ranks_.send(std::as_bytes(std::span(&size, 1)), 0);
      wide ? send_range<std::uint64_t>(ranks_, range, run) : send_range<std::uint32_t>(ranks_, range, run);
    };
    for (std::uint64_t piece = 0; piece < count; ++piece) {
      const auto owner = static_cast<int>(piece % ranks);
      const std::uint64_t row = pieces.first_row(piece), size = pieces.first_row(piece + 1) - row;
      if (owner == ranks_.rank())
        pieces.sort(piece, owner == 0 ? take : send);
      else if (ranks_.rank() == 0)
        wide ? receive_rows<std::uint64_t>(ranks_, owner, row, size, run, take)
             : receive_rows<std::uint32_t>(ranks_, owner, row, size, run, take);
    }
  }

  communicator& ranks_;
  const suffix_limits limits_;
};

suffix_team::suffix_team(communicator& ranks, const suffix_limits& limits)
    : state_(std::make_unique<state>(ranks, limits)) {}
suffix_team::~suffix_team() = default;
bwt_detail::suffix_helpers* suffix_team::helpers() noexcept { return state_.get(); }
void suffix_team::help(const run_options& run) { state_->help(run); }
void suffix_team::dismiss() { state_->dismiss(); }

namespace {

// Returns work(options with helpers) on rank 0, and a default value on the other ranks.
template <class Result, class Work>
Result sort_together(communicator& ranks, bwt_options options, const suffix_limits& limits,
                     const Work& work) {
  suffix_team team(ranks, limits);
  Result result{};
  options.helpers = team.helpers();
  multi_detail::work_together(ranks, team, options.run, [&] { result = work(options); });
  return result;
}

} // namespace

bwt_text bwt(communicator& ranks, std::string_view text, bwt_form form, const bwt_options& options,
             const suffix_limits& limits) {
  return sort_together<bwt_text>(ranks, options, limits,
                                 [&](const bwt_options& how) { return weft::bwt(text, form, how); });
}

template <class Index>
std::vector<Index> suffix_array(communicator& ranks, std::string_view text, const bwt_options& options,
                                const suffix_limits& limits) {
  return sort_together<std::vector<Index>>(
      ranks, options, limits, [&](const bwt_options& how) { return weft::suffix_array<Index>(text, how); });
}

template std::vector<std::uint32_t> suffix_array(communicator&, std::string_view, const bwt_options&,
                                                 const suffix_limits&);
template std::vector<std::uint64_t> suffix_array(communicator&, std::string_view, const bwt_options&,
                                                 const suffix_limits&);

} // namespace weft::multi
