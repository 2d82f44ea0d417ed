// The turns of a rank at a common output, taken by a thread of their own.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <thread>
#include <weft/base/bounded_queue.hpp>
#include <weft/files/ranks/rank_output.hpp>

namespace weft::files {

// A turn_writer writes the texts of one turn after another to a rank_output. With several ranks, its thread
// waits for the turns, while the caller already computes what comes next. With one rank, it writes at once.
//
// Until finish() has returned, only the turn_writer may use the output, except for rank_output::fail().
class turn_writer {
public:
  // `is_shared`: whether there are several ranks. Texts that wait for their turn take at most `max_bytes`,
  // and at least 64 KiB.
  turn_writer(rank_output& out, bool is_shared, std::uint64_t max_bytes);
  // If the caller has failed before finish(), it must call rank_output::fail() first, so that the thread
  // ends.
  ~turn_writer();
  turn_writer(const turn_writer&) = delete;
  turn_writer& operator=(const turn_writer&) = delete;

  // Appends to the current turn; waits while too much text waits for its turn. Throws what writing throws,
  // maybe that of an earlier text.
  void write(std::string_view text);
  // Ends the current turn, which may be empty. Its text appears on standard output at once. Throws as
  // write().
  void end_turn();
  // Waits until all turns have been written. Throws as write(). No further calls may follow.
  void finish();

private:
  struct piece {
    std::string text;
    bool is_last; // in its turn
  };

  void push(bool is_last);
  void write_pieces();

  rank_output& out_;
  const bool is_shared_;
  const std::uint64_t piece_bytes_;
  std::string text_; // of the current turn, not yet in the queue
  bounded_queue<piece> waiting_;
  std::exception_ptr failure_; // of the thread; read after its end
  std::jthread thread_;
};

} // namespace weft::files
