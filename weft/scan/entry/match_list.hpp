// Collects the matches of a batch, which come piece by piece, in one array.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <stop_token>
#include <thread>
#include <utility>
#include <weft/scan/scan.hpp>

namespace weft::scan_detail {

// An array of matches that grows piece by piece. The number of matches is unknown before the last piece, so
// the list reserves as many as the residues so far suggest. Other threads touch the reserved memory shortly
// before matches are written there; otherwise the threads that write matches would wait for pages one by one,
// and for one another. All calls must come from one thread.
class match_list {
public:
  // Makes an empty list for the matches of `residues` residues. `threads` is the number of threads that may
  // touch memory (0: all; 1: only the calling thread). The list uses the memory of `spare` while the matches
  // fit there.
  match_list(std::uint64_t residues, int threads, match_vector spare = {})
      : residues_(residues), threads_(threads), all_(std::move(spare)) {
    all_.clear();
  }

  // Appends `matches` unwritten matches, found in the next `residues` residues, and returns them. Any threads
  // may write them, but all must be written before the next call. Throws bad_alloc.
  [[nodiscard]] std::span<scan_match> append(std::uint64_t residues, std::uint64_t matches);

  // Returns all matches. Can be called only once.
  [[nodiscard]] match_vector take();

private:
  void reserve_for(std::uint64_t needed);
  void reserve(std::uint64_t count);
  void start_populating(std::uint64_t matches);
  void populate(const std::stop_token& stop, char* begin, std::uint64_t bytes);
  void set_populated(std::uintptr_t address);

  static constexpr std::uintptr_t end_of_memory = ~std::uintptr_t{0};

  std::uint64_t residues_, seen_residues_ = 0; // number of residues in all, and in the pieces so far
  int threads_;
  match_vector all_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  // Address of the end of the appended matches; pages up to `window` bytes after it should be populated.
  std::uintptr_t wanted_ = 0;
  std::uintptr_t populated_ = end_of_memory; // address of the end of the populated pages
  // Declared last, so that it ends before the other members are destroyed.
  std::jthread populating_;
};

} // namespace weft::scan_detail
