#include <weft/multi/suffixes.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/bwt/cpu/suffix_ranges.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/multi/shared_pieces.hpp>
#include <weft/multi/team.hpp>

namespace weft::multi {

namespace {

using bwt_detail::preceding_range;
using bwt_detail::range_limits;
using bwt_detail::sorted_range;
using bwt_detail::suffix_string;
using bwt_detail::take_preceding;
using bwt_detail::take_range;
using multi_detail::bytes_of;
using multi_detail::shared_pieces;

constexpr std::uint64_t message_items = std::uint64_t{1} << 20; // suffixes that travel together
constexpr std::uint64_t copied_items = std::uint64_t{1} << 16;  // that a thread copies at a time

// Says what the other ranks send to rank 0 of their rows.
enum class wanted_rows : std::uint64_t { none, suffixes, preceding_symbols };

// Rank 0 broadcasts an order, which describes the text that is sorted next and how it is sorted, or says that
// there is none.
struct order {
  std::uint64_t goes_on = 0;
  wanted_rows wanted = wanted_rows::none;
  std::uint64_t size = 0, bits = 0, has_parts = 0, bytes = 0, fitting_items = 0, max_items = 0;
};

// Broadcasts a packed text and how it is sorted. On rank 0.
void send_text(communicator& ranks, const suffix_string& text, const range_limits& limits,
               wanted_rows wanted) {
  order what{1,
             wanted,
             text.size(),
             text.bits(),
             text.has_parts() ? 1U : 0U,
             limits.bytes,
             limits.fitting_items,
             limits.max_items};
  ranks.broadcast(bytes_of(what), 0);
  text.save(
      [&](std::span<const std::byte> bytes) { ranks.broadcast(multi_detail::bytes_to_give(bytes), 0); });
}

// Receives the text that an order has announced.
suffix_string receive_text(communicator& ranks, const order& what) {
  return {what.size, what.bits, what.has_parts != 0,
          [&](std::span<std::byte> bytes) { ranks.broadcast(bytes, 0); }};
}

range_limits limits_of(const order& what) {
  range_limits limits(what.size, what.bytes);
  limits.fitting_items = what.fitting_items;
  limits.max_items = what.max_items;
  return limits;
}

// Copies the suffixes of a range from number `first` on, as many as travel together.
template <class Position>
void copy_suffixes(const sorted_range& range, std::uint64_t first, unwritten_vector<Position>& positions,
                   const run_options& run) {
  positions.resize(std::min<std::uint64_t>(message_items, range.items.size() - first));
  parallel_for(0, positions.size(), copied_items, run.threads, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t k = begin; k < end; ++k)
      positions[k] = static_cast<Position>(range.layout.position(range.items[first + k]));
  });
}

// Sends the suffixes of a range, as numbers of the type Position.
template <class Position>
void send_suffixes(communicator& ranks, const sorted_range& range, const run_options& run) {
  unwritten_vector<Position> positions;
  for (std::uint64_t done = 0; done < range.items.size(); done += positions.size()) {
    copy_suffixes(range, done, positions, run);
    ranks.send(std::as_bytes(std::span(positions)), 0);
  }
}

// Receives the suffixes of the rows [row, end), and passes them on.
template <class Position>
void receive_suffixes(communicator& ranks, int from, std::uint64_t row, std::uint64_t end,
                      const run_options& run, const take_range& take) {
  constexpr bwt_detail::item_layout whole{.position_bits = 63, .key_bits = 0}; // an item is a position
  unwritten_vector<Position> positions;
  unwritten_vector<std::uint64_t> items;
  for (; row < end; row += positions.size()) {
    positions.resize(std::min(message_items, end - row));
    ranks.receive(std::as_writable_bytes(std::span(positions)), from);
    items.assign(positions.begin(), positions.end());
    base_detail::check_cancelled(run);
    take({row, items, whole});
  }
}

// Packs codes of `bits` bits, eight of them into so many bytes. The last ones may be completed by zeros.
unwritten_vector<std::uint8_t> pack_codes(std::span<const std::uint8_t> codes, std::uint64_t bits) {
  unwritten_vector<std::uint8_t> packed((codes.size() + 7) / 8 * bits);
  for (std::uint64_t first = 0; first < codes.size(); first += 8) {
    std::uint64_t word = 0;
    for (std::uint64_t k = 0; k < std::min<std::uint64_t>(8, codes.size() - first); ++k)
      word |= std::uint64_t{codes[first + k]} << k * bits;
    std::memcpy(packed.data() + first / 8 * bits, &word, bits);
  }
  return packed;
}

void unpack_codes(std::span<const std::uint8_t> packed, std::uint64_t bits, std::span<std::uint8_t> codes) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  for (std::uint64_t first = 0; first < codes.size(); first += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, packed.data() + first / 8 * bits, bits);
    for (std::uint64_t k = 0; k < std::min<std::uint64_t>(8, codes.size() - first); ++k)
      codes[first + k] = static_cast<std::uint8_t>(word >> k * bits & mask);
  }
}

constexpr std::uint64_t no_row = ~std::uint64_t{0};

// Passes the symbols before the suffixes of a range to take(), message by message.
void visit_preceding(const suffix_string& text, const sorted_range& range, const run_options& run,
                     const take_preceding& take) {
  unwritten_vector<std::uint8_t> codes;
  for (std::uint64_t done = 0; done < range.items.size(); done += codes.size()) {
    codes.resize(std::min<std::uint64_t>(message_items, range.items.size() - done));
    const sorted_range part{range.first_row + done, range.items.subspan(done, codes.size()), range.layout};
    const std::optional<std::uint64_t> whole_row = write_preceding(text, part, codes, run);
    take({part.first_row, codes, whole_row});
  }
}

void send_preceding(communicator& ranks, const suffix_string& text, const sorted_range& range,
                    const run_options& run) {
  visit_preceding(text, range, run, [&](const preceding_range& part) {
    const std::uint64_t whole_row = part.whole_row.value_or(no_row);
    ranks.send(std::as_bytes(std::span(&whole_row, 1)), 0);
    const unwritten_vector<std::uint8_t> packed = pack_codes(part.codes, text.bits());
    ranks.send(std::as_bytes(std::span(packed)), 0);
  });
}

// Receives the symbols before the suffixes of the rows [row, end), and passes them on.
void receive_preceding(communicator& ranks, int from, const suffix_string& text, std::uint64_t row,
                       std::uint64_t end, const run_options& run, const take_preceding& take) {
  unwritten_vector<std::uint8_t> codes, packed;
  for (; row < end; row += codes.size()) {
    codes.resize(std::min(message_items, end - row));
    packed.resize((codes.size() + 7) / 8 * text.bits());
    std::uint64_t whole_row = no_row;
    ranks.receive(std::as_writable_bytes(std::span(&whole_row, 1)), from);
    ranks.receive(std::as_writable_bytes(std::span(packed)), from);
    unpack_codes(packed, text.bits(), codes);
    base_detail::check_cancelled(run);
    take({row, codes, whole_row == no_row ? std::nullopt : std::optional(whole_row)});
  }
}

} // namespace

bool suffix_limits::allow(int ranks, std::uint64_t symbols) const noexcept {
  return ranks >= std::max(2, min_ranks) && symbols >= std::max<std::uint64_t>(1, min_symbols);
}

class suffix_team::state final : public bwt_detail::suffix_helpers {
public:
  state(communicator& ranks, const suffix_limits& limits) : ranks_(ranks), limits_(limits) {}

  [[nodiscard]] bool are_worthwhile(std::uint64_t symbols) const override {
    return limits_.allow(ranks_.size(), symbols);
  }

  void sort(const suffix_string& text, const range_limits& limits, const run_options& run,
            const take_range& take) override {
    multi_detail::fail_together(ranks_, [&] {
      send_text(ranks_, text, limits, wanted_rows::suffixes);
      const bool wide = is_wide(text);
      gather(text, limits, run, take, [&](int from, std::uint64_t row, std::uint64_t end) {
        wide ? receive_suffixes<std::uint64_t>(ranks_, from, row, end, run, take)
             : receive_suffixes<std::uint32_t>(ranks_, from, row, end, run, take);
      });
    });
  }

  void transform(const suffix_string& text, const range_limits& limits, const run_options& run,
                 const take_preceding& take) override {
    multi_detail::fail_together(ranks_, [&] {
      send_text(ranks_, text, limits, wanted_rows::preceding_symbols);
      const auto take_own = [&](const sorted_range& range) { visit_preceding(text, range, run, take); };
      gather(text, limits, run, take_own, [&](int from, std::uint64_t row, std::uint64_t end) {
        receive_preceding(ranks_, from, text, row, end, run, take);
      });
    });
  }

  void help(const run_options& run) {
    for (;;) {
      order what;
      ranks_.broadcast(bytes_of(what), 0);
      if (what.goes_on == 0) return;
      multi_detail::fail_together(ranks_, [&] {
        const suffix_string text = receive_text(ranks_, what);
        send_pieces(text, limits_of(what), run, what.wanted);
      });
    }
  }

  void dismiss() {
    order what;
    ranks_.broadcast(bytes_of(what), 0);
  }

private:
  static bool is_wide(const suffix_string& text) { return text.size() > std::uint64_t{1} << 32; }

  // Sorts the pieces of rank 0 and calls take() for their ranges, and receive(rank, row, end) for each range
  // of the pieces of other ranks, all in order. Pieces are dealt out in rounds, so that each rank sorts while
  // rank 0 takes what other ranks have sorted.
  template <class Receive>
  void gather(const suffix_string& text, const range_limits& limits, const run_options& run,
              const take_range& take, const Receive& receive) {
    shared_pieces pieces(ranks_, text, limits, run);
    for (std::uint64_t round = 0; round < pieces.num_rounds(); ++round) {
      pieces.exchange(round);
      pieces.sort(round, take);
      for (int owner = 1; owner < ranks_.size(); ++owner)
        for (std::uint64_t row = pieces.first_row(round, owner); row < pieces.end_row(round, owner);) {
          std::uint64_t size = 0; // of the range that the rank has sorted next
          ranks_.receive(std::as_writable_bytes(std::span(&size, 1)), owner);
          receive(owner, row, row + size);
          row += size;
        }
    }
  }

  // Sorts the pieces of another rank, and sends rank 0 what it wants of their ranges, after the size of each.
  void send_pieces(const suffix_string& text, const range_limits& limits, const run_options& run,
                   wanted_rows wanted) {
    shared_pieces pieces(ranks_, text, limits, run);
    const auto send = [&](const sorted_range& range) {
      const std::uint64_t size = range.items.size();
      ranks_.send(std::as_bytes(std::span(&size, 1)), 0);
      if (wanted == wanted_rows::preceding_symbols)
        send_preceding(ranks_, text, range, run);
      else if (is_wide(text))
        send_suffixes<std::uint64_t>(ranks_, range, run);
      else
        send_suffixes<std::uint32_t>(ranks_, range, run);
    };
    for (std::uint64_t round = 0; round < pieces.num_rounds(); ++round) {
      pieces.exchange(round);
      pieces.sort(round, send);
    }
  }

  communicator& ranks_;
  const suffix_limits limits_;
};

struct suffix_parts::state {
  state(communicator& ranks, std::unique_ptr<suffix_string> packed, const range_limits& limits,
        const run_options& options)
      : run(options), text(std::move(packed)), pieces(ranks, *text, limits, run) {}

  const run_options run;
  std::unique_ptr<suffix_string> text;
  shared_pieces pieces;
};

suffix_parts::suffix_parts(communicator& ranks, std::string_view text, const run_options& run)
    : suffix_parts(
          ranks,
          [&] {
            const auto* const symbols = reinterpret_cast<const unsigned char*>(text.data());
            return suffix_string(std::span(symbols, text.size()), run);
          },
          run) {}

suffix_parts::suffix_parts(communicator& ranks, const std::function<suffix_string()>& pack,
                           const run_options& run)
    : ranks_(ranks) {
  multi_detail::fail_together(ranks_, [&] {
    std::unique_ptr<suffix_string> packed;
    std::optional<range_limits> limits;
    order what;
    if (ranks_.rank() == 0) {
      packed = std::make_unique<suffix_string>(pack());
      if (packed->size() == 0) throw std::invalid_argument("suffix_parts: the text is empty");
      const std::uint64_t symbols = packed->size(), held = suffix_string::memory_for(symbols, packed->bits());
      bwt_detail::require_memory(held + range_limits::min_bytes(symbols), run.memory, "sorting the suffixes");
      limits.emplace(symbols, memory_limit(run.memory) - held);
      send_text(ranks_, *packed, *limits, wanted_rows::none);
    } else {
      ranks_.broadcast(bytes_of(what), 0);
      packed = std::make_unique<suffix_string>(receive_text(ranks_, what));
      limits = limits_of(what);
    }
    state_ = std::make_unique<state>(ranks_, std::move(packed), *limits, run);
  });
}
suffix_parts::~suffix_parts() = default;
std::uint64_t suffix_parts::count() const noexcept { return state_->pieces.num_rounds(); }
std::uint64_t suffix_parts::first_row(std::uint64_t part, int rank) const {
  return state_->pieces.first_row(part, rank);
}
std::uint64_t suffix_parts::end_row(std::uint64_t part, int rank) const {
  return state_->pieces.end_row(part, rank);
}
const suffix_string& suffix_parts::text() const noexcept { return *state_->text; }
void suffix_parts::exchange(std::uint64_t part) {
  multi_detail::fail_together(ranks_, [&] { state_->pieces.exchange(part); });
}

template <class Index>
void suffix_parts::sort(std::uint64_t part, const std::function<void(std::span<const Index>)>& take) {
  multi_detail::fail_together(ranks_, [&] {
    unwritten_vector<Index> rows;
    state_->pieces.sort(part, [&](const sorted_range& range) {
      for (std::uint64_t done = 0; done < range.items.size(); done += rows.size()) {
        copy_suffixes(range, done, rows, state_->run);
        take(rows);
      }
    });
  });
}

void suffix_parts::sort_preceding(
    std::uint64_t part, const std::function<void(std::string_view, std::optional<std::uint64_t>)>& take) {
  const suffix_string& text = *state_->text;
  const run_options& run = state_->run;
  multi_detail::fail_together(ranks_, [&] {
    std::string bytes;
    const auto take_codes = [&](const preceding_range& some) {
      bytes.resize(some.codes.size());
      parallel_for(0, bytes.size(), copied_items, run.threads, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t k = begin; k < end; ++k)
          bytes[k] = static_cast<char>(text.symbols()[some.codes[k]]);
      });
      take(bytes, some.whole_row);
    };
    state_->pieces.sort(part,
                        [&](const sorted_range& range) { visit_preceding(text, range, run, take_codes); });
  });
}

template void suffix_parts::sort(std::uint64_t, const std::function<void(std::span<const std::uint32_t>)>&);
template void suffix_parts::sort(std::uint64_t, const std::function<void(std::span<const std::uint64_t>)>&);

suffix_team::suffix_team(communicator& ranks, const suffix_limits& limits)
    : state_(std::make_unique<state>(ranks, limits)) {}
suffix_team::~suffix_team() = default;
bwt_detail::suffix_helpers* suffix_team::helpers() noexcept { return state_.get(); }
void suffix_team::help(const run_options& run) { state_->help(run); }
void suffix_team::dismiss() { state_->dismiss(); }

} // namespace weft::multi
