// The matches of a batch, which come piece by piece, in one array.
#pragma once

#include <cstdint>
#include <span>
#include <thread>
#include <vector>
#include <weft/scan/scan.hpp>

namespace weft::scan_detail {

// How many there will be is not known before the last piece: there is room for as many as the residues so far
// tell, and other threads touch that memory before matches come there. For one thread.
class match_list {
public:
  // Of so many residues; with so many threads for the memory (0: all).
  match_list(std::uint64_t residues, int threads) : residues_(residues), threads_(threads) {}

  // The next residues have so many matches, which are to be appended then: room for them. Throws bad_alloc.
  void expect(std::uint64_t residues, std::uint64_t matches);

  // One thread copies as fast as it can write: more would need the array's size first, that is to write
  // twice.
  void append(std::span<const scan_match> matches) {
    all_.insert(all_.end(), matches.begin(), matches.end());
  }

  // All, once.
  [[nodiscard]] std::vector<scan_match> take();

private:
  void reserve(std::uint64_t count);
  void populate_room(std::uint64_t matches);

  std::uint64_t residues_, seen_ = 0; // residues of the pieces so far
  int threads_;
  std::vector<scan_match> all_;
  std::jthread populating_; // ends before what it touches
};

} // namespace weft::scan_detail
