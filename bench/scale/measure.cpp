#include <bench/scale/measure.hpp>

#include <algorithm>
#include <atomic>
#include <bench/bench.hpp>
#include <bench/lcs/texts.hpp>
#include <bench/scan/inputs.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/cpu/suffix_ranges.hpp>
#include <weft/io/checksum.hpp>
#include <weft/lcs/lcs.hpp>
#include <weft/multi/lcs.hpp>
#include <weft/multi/sort.hpp>
#include <weft/multi/suffixes.hpp>
#include <weft/multi/thread_ranks.hpp>
#include <weft/scan/scan.hpp>
#include <weft/sort/sort.hpp>

namespace weft::bench {

namespace {

using multi::communicator;

constexpr int num_runs = 3; // of which the shortest counts
constexpr std::uint64_t sorted_items = std::uint64_t{1} << 23, text_symbols = std::uint64_t{1} << 22,
                        table_side = std::uint64_t{3} << 15;

// Returns the shortest time of several calls of work(), each after a call of prepare(), which is not timed.
double shortest(const std::function<void()>& prepare, const std::function<void()>& work) {
  double best = 0;
  for (int run = 0; run < num_runs; ++run) {
    prepare();
    const double begin = steady_seconds();
    work();
    const double seconds = steady_seconds() - begin;
    best = run == 0 ? seconds : std::min(best, seconds);
  }
  return best;
}
double shortest(const std::function<void()>& work) {
  return shortest([] {}, work);
}

std::vector<std::uint64_t> random_numbers(std::uint64_t count) {
  std::mt19937_64 random(count);
  std::vector<std::uint64_t> numbers(count);
  for (std::uint64_t& each : numbers) each = random();
  return numbers;
}

double seconds_to_sort(std::uint64_t count) {
  const std::vector<std::uint64_t> numbers = random_numbers(count);
  std::vector<std::uint64_t> items;
  return shortest([&] { items = numbers; },
                  [&] { weft::sort(std::span(items), {}, {.run = {.threads = 1}}); });
}

// The rates of sorting numbers: the two of the local sort from a small and a large array.
void measure_sorting(rank_rates& rates) {
  const double small = static_cast<double>(sorted_items >> 6), large = static_cast<double>(sorted_items);
  const double of_small = seconds_to_sort(sorted_items >> 6) / small,
               of_large = seconds_to_sort(sorted_items) / large;
  rates.sort_level = std::max(0.0, (of_large - of_small) / (std::log2(large) - std::log2(small)));
  rates.sort_item = of_large - rates.sort_level * std::log2(large);
  std::vector<std::uint64_t> runs = random_numbers(sorted_items), merged(sorted_items);
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>(sorted_items / 2);
  std::sort(runs.begin(), middle);
  std::sort(middle, runs.end());
  rates.merge_item =
      shortest([&] {
        sort_detail::merge_runs(runs.data(), merged.data(), {0, sorted_items / 2, sorted_items},
                                std::less<std::uint64_t>(), 1, nullptr);
      }) /
      large;
  std::vector<std::uint64_t> pivots = random_numbers(1 << 16); // 1024 of each rank come in their order
  for (auto of_rank = pivots.begin(); of_rank != pivots.end(); of_rank += 1024)
    std::sort(of_rank, of_rank + 1024);
  std::uint64_t sum = 0;
  const double searching = shortest([&] {
    for (const std::uint64_t pivot : pivots)
      sum += static_cast<std::uint64_t>(std::ranges::upper_bound(merged, pivot) - merged.begin());
  });
  // A sum of 0 cannot be; it keeps the searches from being left out.
  rates.search_pivot = sum == 0 ? 0 : searching / static_cast<double>(pivots.size());
}

void measure_suffixes(rank_rates& rates) {
  const std::string text = random_text(text_symbols, "ACGT", 1);
  const auto n = static_cast<double>(text.size());
  const run_options run{.threads = 1};
  const std::span symbols(reinterpret_cast<const unsigned char*>(text.data()), text.size());
  const bwt_detail::suffix_string packed(symbols, run);
  const bwt_detail::range_limits limits(text.size(), ~std::uint64_t{0});
  std::vector<std::uint32_t> sa(text.size());
  std::vector<std::uint8_t> preceding(text.size());
  double counting = 0, all = 0, taking = 0, reading = 0;
  for (int i = 0; i < num_runs; ++i) {
    const double begin = steady_seconds();
    bwt_detail::suffix_pieces pieces(packed, 1, limits, run);
    const double counted = steady_seconds() - begin;
    double taken = 0, was_read = 0;
    pieces.sort(0, [&](const bwt_detail::sorted_range& range) {
      const double start = steady_seconds();
      for (std::uint64_t k = 0; k < range.items.size(); ++k)
        sa[range.first_row + k] = static_cast<std::uint32_t>(range.layout.position(range.items[k]));
      const double middle = steady_seconds();
      write_preceding(packed, range, std::span(preceding).subspan(range.first_row, range.items.size()), run);
      taken += middle - start;
      was_read += steady_seconds() - middle;
    });
    const double total = steady_seconds() - begin;
    if (i > 0 && total >= all) continue;
    counting = counted, all = total, taking = taken, reading = was_read;
  }
  rates.count_symbol = 2 * counting / n; // once for the sizes of the buckets, and once to fill them
  rates.take_suffix = taking / n;
  rates.read_preceding = reading / n;
  rates.sort_suffix = std::max(0.0, all - 2 * counting - taking - reading) / n;
  std::uint64_t sum = 0;
  const double checking = shortest([&] { sum += io::checksum(text); });
  rates.check_byte = sum == 0 ? 0 : checking / n; // a sum of 0 keeps the checksums from being left out
}

void measure_table(rank_rates& rates) {
  const std::string a = random_text(table_side, "ACGT", 2), b = random_text(table_side, "ACGT", 3);
  const lcs_options options{.run = {.engine = "bit-sliced", .threads = 1}};
  rates.cell = shortest([&] { (void)lcs_value(a, b, options); }) /
               (static_cast<double>(a.size()) * static_cast<double>(b.size()));
}

void measure_scan(rank_rates& rates) {
  std::mt19937_64 random(4);
  std::vector<motif> motifs;
  for (int i = 0; i < 100; ++i) motifs.push_back(parse_motif(random_pattern(random)));
  const motif_set set(motifs);
  const protein_text text = random_proteins(1 << 20);
  const scan_options options{.run = {.threads = 1}};
  rates.scan_residue = shortest([&] {
                         (void)scan(set, {text.residues, text.offsets}, options);
                       }) /
                       static_cast<double>(text.residues.size());
}

double time_of_ranks(int count, const std::function<void(communicator&)>& work) {
  return bench::time_of_ranks(
      count, [] {}, work, [] {});
}

} // namespace

double time_of_ranks(int count, const std::function<void()>& prepare,
                     const std::function<void(communicator&)>& work, const std::function<void()>& check,
                     int num_warm_ups) {
  double best = 0;
  // The same threads do all runs, because a thread keeps what it needs of its GPU.
  multi::run_ranks(count, [&](communicator& ranks) {
    for (int run = -num_warm_ups; run < num_runs; ++run) {
      if (ranks.rank() == 0) prepare();
      ranks.barrier();
      const double begin = steady_seconds();
      work(ranks);
      ranks.barrier();
      const double seconds = steady_seconds() - begin;
      if (ranks.rank() != 0) continue;
      check();
      if (run >= 0) best = run == 0 ? seconds : std::min(best, seconds);
    }
  });
  return best;
}

rank_rates measure_rates() {
  rank_rates rates;
  measure_sorting(rates);
  measure_suffixes(rates);
  measure_table(rates);
  measure_scan(rates);
  return rates;
}

network measure_threads() {
  constexpr int meetings = 1000;
  constexpr std::uint64_t bytes = std::uint64_t{1} << 25; // to the other rank
  const double met = time_of_ranks(2, [](communicator& ranks) {
    for (int i = 0; i < meetings; ++i) ranks.barrier();
  });
  const std::vector<std::byte> from(bytes);
  std::vector<std::byte> to[2] = {std::vector<std::byte>(bytes), std::vector<std::byte>(bytes)};
  const double copied = time_of_ranks(2, [&](communicator& ranks) {
    const auto self = static_cast<std::size_t>(ranks.rank());
    std::vector<std::uint64_t> send = {bytes, bytes}, receive = send;
    send[self] = receive[self] = 0;
    ranks.all_to_all(from, send, to[self], receive);
  });
  return {.bandwidth = static_cast<double>(bytes) / copied, .latency = met / meetings};
}

measured_job run_sort(int ranks, const rank_rates& rates, const network& net) {
  const std::vector<std::uint64_t> numbers = random_numbers(sorted_items);
  std::vector<std::uint64_t> expected = numbers, items;
  weft::sort(std::span(expected));
  bool is_right = true;
  const double seconds = time_of_ranks(
      ranks, [&] { items = numbers; },
      [&](communicator& all) {
        const auto rank = static_cast<std::uint64_t>(all.rank()), count = static_cast<std::uint64_t>(ranks);
        const std::uint64_t begin = items.size() * rank / count, end = items.size() * (rank + 1) / count;
        multi::sort(all, std::span(items).subspan(begin, end - begin), {}, {.run = {.threads = 1}});
      },
      [&] { is_right = is_right && items == expected; });
  return {"sort", seconds, predict_sort(static_cast<double>(sorted_items), ranks, rates, net).total,
          is_right};
}

measured_job run_lcs(int ranks, const rank_rates& rates, const network& net) {
  const std::string a = random_text(table_side, "ACGT", 2), b = random_text(table_side, "ACGT", 3);
  const lcs_options options{.run = {.engine = "bit-sliced", .threads = 1}};
  const std::uint64_t expected = lcs_value(a, b, options);
  std::atomic<bool> is_right = true;
  const double seconds = time_of_ranks(ranks, [&](communicator& all) {
    if (multi::lcs_value(all, a, b, options, {.min_cells = 1, .min_rows = 1024}) != expected)
      is_right = false;
  });
  const auto side = static_cast<double>(table_side);
  return {"lcs", seconds, predict_lcs(side, side, ranks, rates, net).total, is_right};
}

measured_job run_suffixes(int ranks, const rank_rates& rates, const network& net) {
  const std::string text = random_text(text_symbols, "ACGT", 1);
  const bwt_options options{.run = {.threads = 1}};
  const std::vector<std::uint32_t> expected = suffix_array<std::uint32_t>(text, options);
  std::atomic<bool> is_right = true;
  const double seconds = time_of_ranks(ranks, [&](communicator& all) {
    multi::suffix_parts parts(all, text, options.run);
    for (std::uint64_t part = 0; part < parts.count(); ++part) {
      parts.exchange(part);
      auto row = expected.begin() + static_cast<std::ptrdiff_t>(parts.first_row(part));
      parts.sort<std::uint32_t>(part, [&](std::span<const std::uint32_t> rows) {
        if (!std::equal(rows.begin(), rows.end(), row)) is_right = false;
        row += static_cast<std::ptrdiff_t>(rows.size());
      });
    }
  });
  return {"suffixes", seconds, predict_suffixes(static_cast<double>(text_symbols), ranks, rates, net).total,
          is_right};
}

measured_job run_transform(int ranks, const rank_rates& rates, const network& net) {
  const std::string text = random_text(text_symbols, "ACGT", 1);
  const bwt_options options{.run = {.threads = 1}};
  const bwt_text expected = bwt(text, bwt_form::sentinel, options);
  const std::uint64_t sum_of_text = io::checksum(text), sum_of_bytes = io::checksum(expected.bytes);
  std::atomic<bool> is_right = true;
  const double seconds = time_of_ranks(ranks, [&](communicator& all) {
    multi::suffix_parts parts(all, text, options.run);
    std::string bytes(all.rank() == 0 ? 1 : 0, text.back());
    for (std::uint64_t part = 0; part < parts.count(); ++part) {
      parts.exchange(part);
      const std::uint64_t row = parts.first_row(part) - bytes.size();
      parts.sort_preceding(part, [&](std::string_view some, std::optional<std::uint64_t> whole_row) {
        bytes.append(some);
        if (whole_row) bytes.erase(*whole_row - row, 1);
      });
    }
    io::running_checksum sum;
    if (all.rank() > 0) sum.restore(multi::receive_text(all, all.rank() - 1));
    sum.add(bytes);
    if (all.rank() + 1 < all.size())
      multi::send_text(all, sum.save(), all.rank() + 1);
    else if (sum.value() != sum_of_bytes)
      is_right = false;
    if (all.rank() == 0 && io::checksum(text) != sum_of_text) is_right = false;
  });
  return {"transform", seconds, predict_transform(static_cast<double>(text_symbols), ranks, rates, net).total,
          is_right};
}

} // namespace weft::bench
