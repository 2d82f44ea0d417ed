// Hyperscan, the yardstick of `weft bench scan`. It is loaded as a shared library if this machine has one;
// weft is not linked with it.
#pragma once

#include <cli/bench/bench.hpp>
#include <string>
#include <weft/scan/scan.hpp>

namespace weft::cli::bench {

// Finds every end of every match in block mode, with one call per sequence.
class hyperscan {
public:
  hyperscan();
  ~hyperscan();
  hyperscan(const hyperscan&) = delete;
  hyperscan& operator=(const hyperscan&) = delete;

  [[nodiscard]] const std::string& unavailable_reason() const { return library_.unavailable_reason(); }
  // Compiles the motifs at the first call; later calls do nothing. Throws error(unavailable) if Hyperscan
  // cannot compile them.
  void compile(const motif_set& motifs);
  // Returns the matches, whose begins are all 0.
  [[nodiscard]] match_vector scan(const sequence_batch& text) const;

private:
  peer_library library_;
  struct functions;
  std::unique_ptr<functions> call_;
  void *database_ = nullptr, *scratch_ = nullptr;
};

} // namespace weft::cli::bench
