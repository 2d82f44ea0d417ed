#include <weft/multi/variants.hpp>

#include <algorithm>
#include <functional>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <weft/multi/team.hpp>
#include <weft/search/cpu/comparison_helpers.hpp>

namespace weft::multi {

namespace {

using multi_detail::bytes_of;
using search_detail::anchor_gap;
using search_detail::genome_text;
using search_detail::strand_anchors;

// Rank 0 broadcasts an order, which says what the ranks do next.
struct order {
  enum class step : std::uint64_t { end, find_anchors, close_gaps };
  step next = step::end;
  // find_anchors: the letters of both genomes and of a k-mer, and the limit
  std::uint64_t a_letters = 0, b_letters = 0, k = 0, max_anchors = 0;
  // close_gaps: the penalties
  std::uint64_t mismatch = 0, open = 0, extend = 0;
};

template <class Item> std::span<std::byte> bytes_of_items(std::vector<Item>& items) {
  return std::as_writable_bytes(std::span(items));
}

// Appends the items of the other ranks to those of rank 0.
template <class Item> void gather_on_first(communicator& ranks, std::vector<Item>& items) {
  if (ranks.rank() != 0) return send_items(ranks, items, 0);
  for (int from = 1; from < ranks.size(); ++from) {
    std::vector<Item> of_rank;
    receive_items(ranks, of_rank, from);
    items.insert(items.end(), of_rank.begin(), of_rank.end());
  }
}

// Broadcasts the items of rank 0.
template <class Item> void give_items(communicator& ranks, std::span<const Item> items) {
  ranks.broadcast(multi_detail::bytes_to_give(std::as_bytes(items)), 0);
}

// Copy a text of rank 0 to the other ranks: rank 0 gives it, and the other ranks take it.
void give_genome(communicator& ranks, const genome_text& text) {
  const std::uint64_t counts[] = {text.begins.size(), text.letters.size()};
  give_items<std::uint64_t>(ranks, counts);
  give_items<std::uint64_t>(ranks, text.begins);
  give_items<std::uint64_t>(ranks, text.sizes);
  give_items<char>(ranks, text.letters);
}
genome_text take_genome(communicator& ranks) {
  std::uint64_t counts[2];
  ranks.broadcast(std::as_writable_bytes(std::span(counts)), 0);
  genome_text text{std::string(counts[1], '\0'), std::vector<std::uint64_t>(counts[0]),
                   std::vector<std::uint64_t>(counts[0])};
  ranks.broadcast(bytes_of_items(text.begins), 0);
  ranks.broadcast(bytes_of_items(text.sizes), 0);
  ranks.broadcast(std::as_writable_bytes(std::span(text.letters)), 0);
  return text;
}

// Returns the letters of the records.
std::uint64_t count_letters(const genome_text& text) {
  std::uint64_t letters = 0;
  for (const std::uint64_t size : text.sizes) letters += size;
  return letters;
}

// Append a number to a text and take one from it: seven bits in a byte, the lowest first, and the highest bit
// is set in all bytes but the last.
void append_number(std::string& text, std::uint64_t number) {
  for (; number > 127; number >>= 7) text.push_back(static_cast<char>(number | 128));
  text.push_back(static_cast<char>(number));
}
std::uint64_t take_number(const char*& at) {
  std::uint64_t number = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    number |= std::uint64_t{byte & 127U} << shift;
    if (byte < 128) return number;
  }
}

// The steps of a run by their codes, which take two bits.
constexpr std::string_view step_codes = "=XID";

// Append a path to a text and take one from it. A run is 4 * length + code.
void append_path(std::string& text, const edit_script& path) {
  append_number(text, path.runs.size());
  for (const edit_run& run : path.runs)
    append_number(text, run.length << 2 | step_codes.find(static_cast<char>(run.op)));
}
edit_script take_path(const char*& at) {
  edit_script path;
  for (std::uint64_t runs = take_number(at); runs > 0; --runs) {
    const std::uint64_t run = take_number(at);
    search_detail::append(path, static_cast<edit_op>(step_codes[run & 3]), run >> 2);
  }
  return path;
}

// The gaps of one rank, and their letters.
struct gap_package {
  std::vector<anchor_gap> gaps; // positions of the letters below
  std::string a, b;
};

gap_package pack(std::span<const anchor_gap> gaps, const std::vector<std::uint64_t>& numbers,
                 std::string_view a, std::string_view b) {
  gap_package package;
  const auto copy = [](search_detail::text_range range, std::string_view from, std::string& to) {
    to += from.substr(range.begin, range.size());
    return search_detail::text_range{to.size() - range.size(), to.size()};
  };
  for (const std::uint64_t i : numbers)
    package.gaps.push_back({copy(gaps[i].a, a, package.a), copy(gaps[i].b, b, package.b), gaps[i].covers});
  return package;
}

// Deals gaps out to ranks, each to the one that has the least to do so far. Returns the numbers of the gaps
// of each rank.
std::vector<std::vector<std::uint64_t>> deal_out(std::span<const anchor_gap> gaps, int ranks) {
  using load = std::pair<std::uint64_t, std::size_t>; // time, and rank
  std::priority_queue<load, std::vector<load>, std::greater<>> loads;
  std::vector<std::vector<std::uint64_t>> numbers(static_cast<std::size_t>(ranks));
  for (std::size_t rank = 0; rank < numbers.size(); ++rank) loads.push({0, rank});
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const auto [time, rank] = loads.top();
    loads.pop();
    loads.push({time + search_detail::time_to_close(gaps[i]), rank});
    numbers[rank].push_back(i);
  }
  return numbers;
}

} // namespace

class comparison_team::state final : public search_detail::comparison_helpers {
public:
  state(communicator& ranks, const comparison_limits& limits) : ranks_(ranks), limits_(limits) {}

  [[nodiscard]] bool are_worthwhile(std::uint64_t letters) const override {
    return ranks_.size() > 1 && letters >= limits_.min_letters;
  }

  [[nodiscard]] bool are_worthwhile(std::span<const anchor_gap> gaps) const override {
    std::uint64_t letters = 0;
    for (const anchor_gap& each : gaps) letters += each.a.size() + each.b.size();
    return ranks_.size() > 1 && letters >= limits_.min_gap_letters;
  }

  [[nodiscard]] strand_anchors find_anchors(const genome_text& a, const genome_text& b,
                                            const genome_text& b_reverse, std::uint64_t k,
                                            std::uint64_t max_anchors, const run_options& run) override {
    return multi_detail::fail_together(ranks_, [&] {
      order what{.next = order::step::find_anchors,
                 .a_letters = count_letters(a),
                 .b_letters = count_letters(b),
                 .k = k,
                 .max_anchors = max_anchors};
      ranks_.broadcast(bytes_of(what), 0);
      give_genome(ranks_, a);
      give_genome(ranks_, b);
      return search(what, a, b, b_reverse, run);
    });
  }

  [[nodiscard]] std::vector<edit_script> close_gaps(std::span<const anchor_gap> gaps, std::string_view a,
                                                    std::string_view b, const affine_penalties& penalties,
                                                    const run_options& run) override {
    return multi_detail::fail_together(ranks_, [&] {
      order what{.next = order::step::close_gaps,
                 .mismatch = penalties.mismatch,
                 .open = penalties.gap_open,
                 .extend = penalties.gap_extend};
      ranks_.broadcast(bytes_of(what), 0);
      const std::vector<std::vector<std::uint64_t>> numbers = deal_out(gaps, ranks_.size());
      for (int to = 1; to < ranks_.size(); ++to) {
        gap_package package = pack(gaps, numbers[static_cast<std::size_t>(to)], a, b);
        send_items(ranks_, package.gaps, to);
        send_text(ranks_, package.a, to);
        send_text(ranks_, package.b, to);
      }
      std::vector<anchor_gap> own;
      for (const std::uint64_t i : numbers.front()) own.push_back(gaps[i]);
      std::vector<edit_script> of_own = search_detail::close_gaps(own, a, b, penalties, run);
      std::vector<edit_script> paths(gaps.size());
      for (std::size_t i = 0; i < own.size(); ++i) paths[numbers.front()[i]] = std::move(of_own[i]);
      for (int from = 1; from < ranks_.size(); ++from) {
        const std::string text = receive_text(ranks_, from);
        const char* at = text.data();
        for (const std::uint64_t i : numbers[static_cast<std::size_t>(from)]) paths[i] = take_path(at);
      }
      return paths;
    });
  }

  void help(const run_options& run) {
    for (;;) {
      order what;
      ranks_.broadcast(bytes_of(what), 0);
      if (what.next == order::step::end) return;
      multi_detail::fail_together(ranks_, [&] {
        what.next == order::step::find_anchors ? help_to_search(what, run) : help_to_close(what, run);
      });
    }
  }

  void dismiss() {
    order what;
    ranks_.broadcast(bytes_of(what), 0);
  }

private:
  // Searches the pieces of this rank. Returns the anchors of all ranks on rank 0, and none elsewhere.
  strand_anchors search(const order& what, const genome_text& a, const genome_text& b,
                        const genome_text& b_reverse, const run_options& run) {
    const auto index = static_cast<std::uint64_t>(ranks_.rank()),
               count = static_cast<std::uint64_t>(ranks_.size());
    const search_detail::kmer_table table(
        a, what.k, run, {index, count, [this](std::span<std::uint64_t> numbers, std::uint64_t owner) {
                           ranks_.broadcast(std::as_writable_bytes(numbers), static_cast<int>(owner));
                         }});
    search_detail::anchor_search pieces(table, a, b, b_reverse, what.max_anchors, run, index, count);
    pieces.search_stretches(
        search_detail::join_stretches(gather_items(ranks_, pieces.search_chunks()).items));
    search_detail::check_anchors(reduce_number(ranks_, pieces.num_matches(), reduction::sum),
                                 what.max_anchors);
    strand_anchors anchors = pieces.take();
    gather_on_first(ranks_, anchors.forward);
    gather_on_first(ranks_, anchors.reverse);
    if (ranks_.rank() != 0) return {};
    search_detail::join_and_sort(anchors);
    return anchors;
  }

  void help_to_search(const order& what, const run_options& run) {
    search_detail::check_memory(what.a_letters, what.b_letters, run);
    const genome_text a = take_genome(ranks_), b = take_genome(ranks_);
    (void)search(what, a, b, search_detail::reverse_complement(b), run);
  }

  void help_to_close(const order& what, const run_options& run) {
    std::vector<anchor_gap> gaps;
    receive_items(ranks_, gaps, 0);
    const std::string a = receive_text(ranks_, 0), b = receive_text(ranks_, 0);
    const affine_penalties penalties{.gap_open = static_cast<std::uint32_t>(what.open),
                                     .gap_extend = static_cast<std::uint32_t>(what.extend),
                                     .mismatch = static_cast<std::uint32_t>(what.mismatch)};
    std::string text;
    for (const edit_script& path : search_detail::close_gaps(gaps, a, b, penalties, run))
      append_path(text, path);
    send_text(ranks_, text, 0);
  }

  communicator& ranks_;
  const comparison_limits limits_;
};

comparison_team::comparison_team(communicator& ranks, const comparison_limits& limits)
    : state_(std::make_unique<state>(ranks, limits)) {}
comparison_team::~comparison_team() = default;
search_detail::comparison_helpers* comparison_team::helpers() noexcept { return state_.get(); }
void comparison_team::help(const run_options& run) { state_->help(run); }
void comparison_team::dismiss() { state_->dismiss(); }

genome_comparison compare_genomes(communicator& ranks, const sequences_view& a, const sequences_view& b,
                                  const comparison_options& options, const comparison_limits& limits) {
  comparison_team team(ranks, limits);
  genome_comparison found;
  comparison_options own = options;
  own.helpers = team.helpers();
  multi_detail::work_together(ranks, team, options.run, [&] { found = weft::compare_genomes(a, b, own); });
  return found;
}

} // namespace weft::multi
