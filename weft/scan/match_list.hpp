// The matches of a batch, which come piece by piece, in one array.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>
#include <weft/scan/scan.hpp>

namespace weft::scan_detail {

// How many there will be is not known before the last piece: there is room for as many as the residues so far
// tell, and other threads touch that memory before matches come there: those who copy them would wait for
// pages one by one, and for one another. Calls by one thread.
class match_list {
public:
  // Of so many residues; with so many threads for the memory (0: all).
  match_list(std::uint64_t residues, int threads) : residues_(residues), threads_(threads) {}

  // Places for so many more matches, of the next residues, which are to be written before take(): by any
  // threads, and until the next call. Throws bad_alloc.
  [[nodiscard]] std::span<scan_match> append(std::uint64_t residues, std::uint64_t matches);

  // All, once.
  [[nodiscard]] match_vector take();

private:
  void make_room(std::uint64_t needed);
  void reserve(std::uint64_t count);
  void populate_room(std::uint64_t matches);

  std::uint64_t residues_, seen_ = 0; // residues of the pieces so far
  int threads_;
  match_vector all_;
  static constexpr std::uintptr_t everywhere = ~std::uintptr_t{0};
  std::atomic<std::uintptr_t> populated_{everywhere}; // an address: to there nobody need wait
  std::jthread populating_;                           // ends before what it touches
};

} // namespace weft::scan_detail
