// One output that all ranks of a job write together.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <weft/io/output_file.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::files {

// A rank_output is the output file of a job. The ranks write in turns: rank 0 in its first turn, rank 1 in
// its first turn, and so on to the last rank; then rank 0 in its second turn. All ranks have the same number
// of turns, some of which may write nothing. The file has the bytes in this order.
//
// In a regular file, every rank writes its bytes itself, at the position where the turn before ends: only
// positions travel between the ranks. If the output is a pipe, a device or standard output, or if a rank
// cannot open the file of rank 0, because the two have no file system in common, then rank 0 receives the
// bytes of the other ranks and writes them. With one rank, the object is an io::output_file, whose bytes need
// no turns.
//
// One thread at a time may use the object. Throws io_error, and the failure of another rank
// (communicator.hpp).
class rank_output {
public:
  // Opens the output. All ranks call it together, with the same path.
  rank_output(multi::communicator& ranks, const std::string& path);
  // Opens an output of one rank.
  explicit rank_output(const std::string& path);

  // Writes bytes in front of the first turn of rank 0. The other ranks ignore them.
  void write_header(std::string_view bytes);
  // Takes a turn in which rank 0 writes these bytes, and the other ranks nothing.
  void write_footer(std::string_view bytes);
  // Waits for all turns so far, and then replaces the first bytes of a common file by those that rank 0
  // gives. All ranks call it after as many turns.
  void replace_header(std::string_view bytes);
  // Writes bytes at a position of a common file, outside of turns.
  void write_at(std::uint64_t position, std::string_view bytes);
  // Waits for the next turn of this rank. With the size of all its bytes, the next rank need not wait for
  // them in a regular file.
  void begin_turn(std::optional<std::uint64_t> size = {});
  // Waits until all turns before the next one of this rank have ended, instead of taking this turn: for a
  // rank that will now fail, so that an error of an earlier turn comes first. Throws such an error.
  void wait_to_fail();
  // Writes bytes. With several ranks, only during a turn.
  void write(std::string_view bytes);
  // Writes `last` and ends the turn. In a regular file, the next rank may write before `last` is written.
  void end_turn(std::string_view last = {});
  // Waits, on rank 0, until the other ranks have ended the turns that belong to its own turns so far. All
  // ranks call it after as many turns, before they exchange anything else. Further turns may follow.
  void wait_for_turns();
  // Passes the bytes so far to the system.
  void flush();
  // Waits for all turns and completes the file, which then appears under its name. All ranks call it
  // together, after as many turns.
  void commit();
  // Ends the exchanges of all ranks with this exception (communicator::fail()). To be called where an
  // exception may leave a thread behind that exchanges with other ranks.
  void fail(const std::exception_ptr& fault) noexcept;
  // Returns the file, if there is one rank.
  [[nodiscard]] io::output_file& file() noexcept { return *file_; }
  // Returns whether all ranks write their bytes to a common regular file.
  [[nodiscard]] bool is_common() const noexcept { return is_common_; }
  // Returns whether the output is standard output.
  [[nodiscard]] bool is_stdout() const noexcept { return is_stdout_; }

private:
  // Tells the next rank where it writes.
  void pass_position(std::uint64_t position);
  void open(multi::communicator& ranks, const std::string& path);
  // On rank 0, without a common file: writes the bytes of the turns of the other ranks that follow its own.
  void receive_turns();
  [[nodiscard]] bool receive_part(std::string& text, int other);

  std::unique_ptr<multi::communicator> ranks_; // null: there is one rank
  std::optional<io::output_file> file_;        // none: rank 0 writes for this rank
  bool is_stdout_, is_common_ = false;         // is_common_: all ranks have opened the file
  bool has_begun_ = false;                     // whether there was a turn since the last wait_for_turns()
  bool has_passed_ = false;                    // whether the next rank knows where this turn ends
  std::uint64_t position_ = 0;                 // in a common file: where the next byte goes
};

} // namespace weft::files
