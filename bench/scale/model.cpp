#include <bench/scale/model.hpp>

#include <algorithm>
#include <cmath>

namespace weft::bench {

namespace {

constexpr double item_bytes = 8, pivot_bytes = 24;

double steps(int ranks) { return ranks == 1 ? 0 : std::ceil(std::log2(ranks)); }

double broadcast(double bytes, int ranks, const network& net) {
  return ranks == 1 ? 0 : 2 * bytes / net.bandwidth + steps(ranks) * net.latency;
}
double gather(double bytes_of_all, int ranks, const network& net) {
  return ranks == 1 ? 0 : bytes_of_all / net.bandwidth + steps(ranks) * net.latency;
}

// The rounds of pivots that cut the order: 1024 pivots of each rank in the first round, and as many again,
// but at least one for each of the p - 1 cuts, until a bracket has one item. The ranks have alike items.
prediction cuts(double items, int ranks, const rank_rates& rates, const network& net) {
  prediction sum;
  double in_bracket = items;
  const double max_pivots = 1024, num_cuts = ranks - 1;
  for (double brackets = 1; in_bracket >= 1; brackets = num_cuts) {
    const double of_rank = std::max(max_pivots, brackets), all = of_rank * ranks;
    sum.computing += all * rates.search_pivot;
    sum.exchanging += gather(all * pivot_bytes, ranks, net) + broadcast(all * 8, ranks, net);
    in_bracket /= all / brackets;
  }
  return sum;
}

} // namespace

prediction predict_sort(double items, int ranks, const rank_rates& rates, const network& net) {
  const double n = items / ranks, p = ranks;
  prediction sum;
  sum.computing = n * (rates.sort_item + rates.sort_level * std::log2(std::max(2.0, n)));
  if (ranks == 1) {
    sum.total = sum.computing;
    return sum;
  }
  const prediction cutting = cuts(items, ranks, rates, net);
  constexpr double groups = 16;
  const double travelling = n * item_bytes * (p - 1) / p / net.bandwidth + groups * (p - 1) * net.latency;
  const double merging = n * steps(ranks) * rates.merge_item;
  sum.computing += cutting.computing + merging;
  sum.exchanging = cutting.exchanging + travelling;
  // The first group travels before it can be merged, and the last one is merged after all have travelled.
  const double overlap = std::min(travelling, merging) * (groups - 1) / groups;
  sum.total = sum.computing + sum.exchanging - overlap;
  return sum;
}

prediction predict_lcs(double rows, double columns, int ranks, const rank_rates& rates, const network& net) {
  prediction sum;
  sum.computing = rows * columns / ranks * rates.cell;
  if (ranks > 1) {
    // Half of the ranks work from each end. A band begins when the band before it has passed on its first
    // piece of a border, of 1024 to 65536 columns.
    const double bands = std::max(1.0, ranks / 2.0),
                 piece = std::clamp(columns / std::max(256.0, 8.0 * ranks), 1024.0, 65536.0),
                 pieces = std::ceil(columns / piece);
    const double filling = (bands - 1) * (rows / ranks * piece * rates.cell + net.latency);
    const double borders = columns / 8 / net.bandwidth + pieces * net.latency;
    sum.exchanging = broadcast((rows + columns) / 4, ranks, net) + filling + borders;
  }
  sum.total = sum.computing + sum.exchanging;
  return sum;
}

namespace {

// The sort of all suffixes, of each of which a rank keeps what it computes in `take` seconds.
prediction predict_sorted_suffixes(double symbols, int ranks, double take, const rank_rates& rates,
                                   const network& net) {
  prediction sum;
  const double p = ranks;
  sum.computing = symbols / p * (rates.count_symbol + rates.sort_suffix + take);
  sum.exchanging = broadcast(symbols / 4, ranks, net) + symbols / p * 8 * (p - 1) / p / net.bandwidth +
                   (p - 1) * net.latency;
  sum.total = sum.computing + sum.exchanging;
  return sum;
}

} // namespace

prediction predict_suffixes(double symbols, int ranks, const rank_rates& rates, const network& net) {
  return predict_sorted_suffixes(symbols, ranks, rates.take_suffix, rates, net);
}

prediction predict_transform(double symbols, int ranks, const rank_rates& rates, const network& net) {
  prediction sum = predict_sorted_suffixes(symbols, ranks, rates.read_preceding, rates, net);
  sum.computing += (ranks == 1 ? 2 : 1) * symbols * rates.check_byte; // on several ranks at the same time
  sum.exchanging += ranks == 1 ? 0 : ranks * net.latency;
  sum.total = sum.computing + sum.exchanging;
  return sum;
}

prediction predict_scan(double residues, int ranks, const rank_rates& rates, const network& net) {
  prediction sum;
  sum.computing = residues / ranks * rates.scan_residue;
  sum.exchanging = ranks == 1 ? 0 : ranks * net.latency;
  sum.total = sum.computing + sum.exchanging;
  return sum;
}

} // namespace weft::bench
