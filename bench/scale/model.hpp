// Predicts how long a job takes on many ranks, from what one rank does in a second and from a network. The
// models are those of weft/multi: what each rank computes, and what it sends and receives (the formulas that
// test/multi compares with the counters of the communicators).
//
//   sort        n = N / p items: local sort; rounds of pivots; the exchange of n (p - 1) / p items, while
//               log2(p) rounds of merges go on
//   lcs         a table of m n cells: m n / p cells; the texts; bands that begin one after another
//   suffixes    n = N / p symbols: each rank receives the packed text, reads n symbols, sends the n (p - 1) /
//               p suffixes that other ranks sort, and sorts and keeps n
//   transform   the same, but each rank keeps the n bytes before its suffixes; the checksum of all bytes goes
//               from rank to rank, while rank 0 computes that of the text
//   dealt       chunks of an input: N / p units, and a position that is passed on in turns
//
// A link carries `bandwidth` bytes a second in each direction, and a message takes `latency` seconds besides.
// Collective calls take log2(p) messages one after another; a broadcast of B bytes moves 2 B over a link
// (scatter and gather), a reduction as much.
#pragma once

#include <cstdint>

namespace weft::bench {

struct network {
  double bandwidth; // bytes a second that a rank can send, and receive at the same time
  double latency;   // seconds
};

// These are the seconds that one rank takes for one unit of each kind of work.
struct rank_rates {
  double sort_item = 0, sort_level = 0; // to sort n numbers: n (sort_item + sort_level log2 n)
  double merge_item = 0;                // for a number in a round of merges
  double search_pivot = 0;              // to look for a pivot among the sorted numbers
  double cell = 0;                      // for a cell of a table
  double count_symbol = 0;              // to read a symbol for the sizes of the buckets, and for its bucket
  double sort_suffix = 0;               // to sort a suffix
  double take_suffix = 0;               // to write a row
  double read_preceding = 0;            // to read the symbol before a suffix
  double check_byte = 0;                // to add a byte to a checksum
  double scan_residue = 0;              // to look for all motifs
};

// The seconds of a job: of computing, of what the ranks wait for each other, and of both as far as they do
// not overlap.
struct prediction {
  double computing = 0, exchanging = 0, total = 0;
};

// Each function predicts the time on `ranks` ranks, at least 1.
[[nodiscard]] prediction predict_sort(double items, int ranks, const rank_rates& rates, const network& net);
[[nodiscard]] prediction predict_lcs(double rows, double columns, int ranks, const rank_rates& rates,
                                     const network& net);
[[nodiscard]] prediction predict_suffixes(double symbols, int ranks, const rank_rates& rates,
                                          const network& net);
[[nodiscard]] prediction predict_transform(double symbols, int ranks, const rank_rates& rates,
                                           const network& net);
[[nodiscard]] prediction predict_scan(double residues, int ranks, const rank_rates& rates,
                                      const network& net);

} // namespace weft::bench
