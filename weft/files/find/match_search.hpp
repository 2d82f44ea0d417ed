// Finds the exact matches between an index and files of queries, and writes them while the files are read;
// and builds an index in memory where the references are a file of sequences. Several ranks share the work.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include <weft/bwt/fm_index.hpp>
#include <weft/files/formats/match_formats.hpp>
#include <weft/files/ranks/rank_output.hpp>
#include <weft/files/scan/scan_input.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::files {

// An index, and whether it was built in memory instead of mapped from a file.
struct reference_index {
  fm_index index;
  bool is_built;
};

// Returns the index in a file or, if the file does not begin like an index, the index of the DNA records in
// it, in which U is the same as T. "-" and pipes are files of records, because only an ordinary file can be
// mapped. All ranks call it together. An index file is mapped by every rank; records are read by rank 0,
// which builds the index and sends the other ranks copies of it. The options are for building, which takes at
// most `memory` bytes with the records (0: memory_limit(0)). Throws error(invalid_input) if the index is not
// valid or the letters are not DNA, memory_error, and the errors of the reader and of fm_index::build().
[[nodiscard]] reference_index open_or_build_index(multi::communicator& ranks, const std::string& path,
                                                  const fm_build_options& options, std::uint64_t memory);

// The options of find_matches().
struct match_search_options {
  match_options
      match; // run.memory is replaced by a share of `memory`, expected_letters by the sizes of files
  std::uint64_t memory = 0; // bytes for queries, matches and text; 0: memory_limit(0)
  match_format format = match_format::tsv;
  // Functions that observe the search, if they are not null. `on_queries` is called with the records of the
  // queries, some at a time and in their order, and after it `on_matches` with the matches of these records
  // in parts: fm_matches::query counts from the first record of the last call of `on_queries`.
  std::function<void(const sequences_view&)> on_queries = nullptr;
  std::function<void(const fm_matches&)> on_matches = nullptr;
};

// The numbers that describe the result of a search.
struct match_totals {
  std::uint64_t queries = 0, letters = 0, matches = 0; // `letters`: of the queries, on one strand
  device_choice device{device_kind::cpu, 0};           // where this rank searched: a GPU if it searched any
};

// The queries of a search, of which the first ones are being read on another thread; or none.
struct early_queries {
  std::unique_ptr<scan_input> input;
  std::uint64_t bytes = 0; // memory that they take at most
};

// Begins to read the queries of find_matches(), for example while the index is built, if this is worth a
// thread and they are small beside the memory. Files that are not ordinary ones are never read early.
[[nodiscard]] early_queries read_queries_early(const multi::communicator& ranks,
                                               const std::vector<std::string>& paths,
                                               const match_search_options& options);

// Reads the records of the files one after another, and writes their matches, with a header. In the queries,
// U is the same as T. All ranks call it together, each searches its share of the records (rank_input.hpp),
// and all return the totals of all ranks. The observers of the options are for one rank. The monitor of the
// options, if there is one, counts the letters of the strands that this rank searches. Throws memory_error if
// a query or its matches do not fit given.memory, and the errors of the reader, the index and the output.
[[nodiscard]] match_totals find_matches(multi::communicator& ranks, const fm_index& index,
                                        const std::vector<std::string>& paths,
                                        const match_search_options& given, rank_output& out,
                                        early_queries early = {});

} // namespace weft::files
