// Hyperscan, where this machine has it as a shared library: weft bench scan's yardstick. weft is not linked
// with it.
#pragma once

#include <cli/bench/bench.hpp>
#include <string>
#include <weft/scan/scan.hpp>

namespace weft::cli::bench {

// Block mode: every end of every match, a call a sequence.
class hyperscan {
public:
  hyperscan();
  ~hyperscan();
  hyperscan(const hyperscan&) = delete;
  hyperscan& operator=(const hyperscan&) = delete;

  [[nodiscard]] const std::string& not_here() const { return library_.not_here(); }
  // Once; nothing if it was done before. Throws error(unavailable) for what Hyperscan does not compile.
  void compile(const motif_set& motifs);
  // Matches without their begins.
  [[nodiscard]] match_vector scan(const sequence_batch& text) const;

private:
  peer_library library_;
  struct functions;
  std::unique_ptr<functions> call_;
  void *database_ = nullptr, *scratch_ = nullptr;
};

} // namespace weft::cli::bench
