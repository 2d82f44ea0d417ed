// The matches of a batch, which come piece by piece, in one array.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <stop_token>
#include <thread>
#include <weft/scan/scan.hpp>

namespace weft::scan_detail {

// How many there will be is not known before the last piece: there is room for as many as the residues so far
// tell, and other threads touch that memory shortly before matches come there: those who copy them would wait
// for pages one by one, and for one another. Calls by one thread.
class match_list {
public:
  // Of so many residues; with so many threads for the memory (0: all; 1: the caller's alone).
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
  void populate(const std::stop_token& stop, char* begin, std::uint64_t bytes);
  void reach(std::uintptr_t place);

  static constexpr std::uintptr_t everywhere = ~std::uintptr_t{0};

  std::uint64_t residues_, seen_ = 0; // residues of the pieces so far
  int threads_;
  match_vector all_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::uintptr_t wanted_ = 0;             // matches come to here: pages not far behind it are to be there
  std::uintptr_t populated_ = everywhere; // they are, to here
  std::jthread populating_;               // ends before all that
};

} // namespace weft::scan_detail
