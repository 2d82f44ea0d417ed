// The patterns of a search, dealt out to the ranks of a job.
#pragma once

#include <cstdint>
#include <memory>
#include <weft/files/find/pattern_search.hpp>
#include <weft/files/find/patterns.hpp>
#include <weft/files/ranks/chunk_dealer.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::files {

// A rank_patterns gives each rank of a job its share of the patterns that rank 0 reads, in rounds
// (chunk_dealer.hpp). The first chunks are small. The numbers and positions of patterns, for messages, are
// those in the whole file.
class rank_patterns final : public pattern_source {
public:
  // All ranks construct it together. `all` is the source of all patterns on rank 0, and null on other ranks.
  rank_patterns(multi::communicator& ranks, std::unique_ptr<pattern_source> all);
  [[nodiscard]] bool next(io::pattern_chunk& chunk, std::uint64_t bytes) override;
  void stop() noexcept override;

private:
  std::unique_ptr<multi::communicator> ranks_;
  std::unique_ptr<pattern_source> all_;
  bool has_begun_ = false;
  std::uint64_t num_dealt_ = 0; // letters of the patterns that rank 0 has read; of the thread that reads
  chunk_dealer<io::pattern_chunk> dealer_;
};

// Returns the totals of all ranks. All ranks call it together.
[[nodiscard]] find_totals sum_of_ranks(multi::communicator& ranks, find_totals own);

} // namespace weft::files
