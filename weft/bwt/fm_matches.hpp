// Exact matches between queries and the references of an FM-index: the options and the results of
// fm_index::matches().
//
//   #include <weft/bwt/fm_index.hpp>
//   weft::sequences references, queries;
//   references.add("AAAGATTACAGGG");
//   queries.add("CCGATTACATT");
//   const weft::fm_index index = weft::fm_index::build(references);
//   const weft::fm_matches found = index.matches(queries, {.min_length = 5});
//   found.size();                                   // == 1
//   found.begin[0];                                 // == 3
//   found.query_begin[0];                           // == 2
//   found.length[0];                                // == 7
//
// A match is a stretch of a query record that equals a stretch of a reference record. It is maximal if it
// cannot be extended by a letter at either end: there, a record ends, or the letters differ, or one of them
// is not A, C, G or T. Only these four letters, of either case, match; so no match contains an N.
//
// A query is searched as it is and, with both_strands, as its reverse complement as well. Each strand of a
// query record is compared with the references as if it were a sequence of its own.
#pragma once

#include <cstdint>
#include <weft/base/run.hpp>
#include <weft/base/unwritten_allocator.hpp>

namespace weft {

// Which matches of at least min_length letters are reported, for each strand of each query record:
//   mem      all maximal matches
//   mum_ref  those maximal matches whose letters occur once in the references (mummer -mumreference)
//   mum      those of mum_ref whose letters also occur once in the strand of the query record (mummer -mum)
//   smem     super-maximal matches: the stretches of the query that occur at least min_occurrences times in
//            the references, and that lie in no longer stretch that does; a match for each occurrence. If
//            min_occurrences exceeds 1, single occurrences may be extendable.
enum class match_kind { mem, mum, mum_ref, smem };

// Options of fm_index::matches() and visit_matches().
struct match_options {
  match_kind kind = match_kind::mem; // which matches are reported
  std::uint64_t min_length = 20;     // letters of a match, at least 1
  std::uint64_t min_occurrences = 1; // of a stretch in the references, at least 1; only for smem
  bool both_strands = false;         // whether the reverse complements of the queries are searched, too
  // The letters of the queries, on all strands, that this and later calls for the index search, if they are
  // more than those of this call. The first search on a GPU copies the index to it, and many letters are
  // worth that.
  std::uint64_t expected_letters = 0;
  // The engine "seeds" runs on the CPU and, for mem, on a GPU. The memory includes the results, but not the
  // queries and the index.
  // Work and progress are counted in letters of the queries, on each strand that is searched.
  run_options run = {};
};

// Matches in columns: entry i of each column belongs to match i. All positions are 0-based and count every
// letter of a record. Matches are in the order of query records, the forward strand before the reverse
// strand, then by the position in the strand that is searched (so on the reverse strand by descending
// query_begin + length), then by reference record, then by position in it. The order does not depend on the
// number of threads. resize() of a column leaves the new items unwritten (base/unwritten_allocator.hpp).
struct fm_matches {
  // The numbers of the query records, and the begins of the matches in them, as the caller gave them.
  unwritten_vector<std::uint64_t> query, query_begin;
  // The numbers of the reference records, the begins of the matches in them, and the numbers of letters.
  unwritten_vector<std::uint64_t> record, begin, length;
  // 0: the letters [query_begin, query_begin + length) of the query equal the letters [begin, begin + length)
  // of the reference; 1: the reverse complement of these letters of the query does.
  unwritten_vector<std::uint8_t> reverse;

  // Returns the number of matches.
  [[nodiscard]] std::uint64_t size() const noexcept { return length.size(); }
};

} // namespace weft
