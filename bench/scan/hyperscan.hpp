// Hyperscan, the yardstick of `weft-bench scan`, where it was installed when weft-bench was built.
#pragma once

#include <bench/bench.hpp>
#include <memory>
#include <string>
#include <weft/scan/scan.hpp>

namespace weft::bench {

// Finds every end of every match in block mode, with one call per sequence.
class hyperscan {
public:
  hyperscan();
  ~hyperscan();
  hyperscan(const hyperscan&) = delete;
  hyperscan& operator=(const hyperscan&) = delete;

  // Returns why there is no Hyperscan, or an empty string if there is one. Then the functions below may be
  // called.
  [[nodiscard]] static std::string unavailable_reason();
  // Compiles the motifs at the first call; later calls do nothing. Throws error(unavailable) if Hyperscan
  // cannot compile them.
  void compile(const motif_set& motifs);
  // Returns the matches, whose begins are all 0.
  [[nodiscard]] match_vector scan(const sequences_view& text) const;

private:
  struct database;
  std::unique_ptr<database> compiled_;
};

} // namespace weft::bench
