// Measures what one rank does in a second, and how long ranks that are threads of this process take.
#pragma once

#include <bench/scale/model.hpp>
#include <functional>
#include <string>
#include <weft/multi/communicator.hpp>

namespace weft::bench {

// Measures the rates of one rank with one thread, in about ten seconds.
[[nodiscard]] rank_rates measure_rates();
// Measures how fast threads of this process exchange bytes.
[[nodiscard]] network measure_threads();

// Returns the shortest time of three calls of work(ranks) by all of `count` ranks, which are threads of this
// process. The calls follow `num_warm_ups` calls that are not timed. Rank 0 calls prepare() before each call
// of work(), and check() after it; neither is timed, and the other ranks wait meanwhile.
[[nodiscard]] double time_of_ranks(int count, const std::function<void()>& prepare,
                                   const std::function<void(multi::communicator&)>& work,
                                   const std::function<void()>& check, int num_warm_ups = 0);

// A job that is measured on ranks that are threads, each with one thread of its own.
struct measured_job {
  std::string name; // sort, lcs, suffixes, transform or scan
  double seconds;   // the shortest of several runs
  double predicted; // by the model, for a network of these threads
  bool is_right;    // whether the answer is that of one process
};
[[nodiscard]] measured_job run_sort(int ranks, const rank_rates& rates, const network& net);
[[nodiscard]] measured_job run_lcs(int ranks, const rank_rates& rates, const network& net);
[[nodiscard]] measured_job run_suffixes(int ranks, const rank_rates& rates, const network& net);
[[nodiscard]] measured_job run_transform(int ranks, const rank_rates& rates, const network& net);

} // namespace weft::bench
