#include <weft/files/ranks/turn_writer.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace weft::files {

namespace {

// The pieces that exist at a time: those that wait, the one that is written and the one that grows.
constexpr std::size_t max_waiting = 6, max_pieces = max_waiting + 2;
constexpr std::uint64_t min_piece_bytes = std::uint64_t{1} << 13;

} // namespace

turn_writer::turn_writer(rank_output& out, bool is_shared, std::uint64_t max_bytes)
    : out_(out), is_shared_(is_shared), piece_bytes_(std::max(max_bytes / max_pieces, min_piece_bytes)),
      waiting_(max_waiting) {
  if (is_shared_) thread_ = std::jthread([this] { write_pieces(); });
}

turn_writer::~turn_writer() { waiting_.close(); }

void turn_writer::write(std::string_view text) {
  if (!is_shared_) return out_.write(text);
  while (text_.size() + text.size() > piece_bytes_) {
    const std::uint64_t taken = piece_bytes_ - text_.size();
    text_.append(text.substr(0, taken));
    text.remove_prefix(taken);
    push(false);
  }
  text_.append(text);
}

void turn_writer::end_turn() {
  if (is_shared_)
    push(true);
  else if (out_.is_stdout())
    out_.flush();
}

void turn_writer::push(bool is_last) {
  if (!waiting_.push({std::exchange(text_, {}), is_last})) finish(); // the thread has failed
}

void turn_writer::finish() {
  waiting_.finish();
  if (thread_.joinable()) thread_.join();
  if (failure_) std::rethrow_exception(failure_);
}

// If all of a turn is known when it begins, the next rank need not wait until it is written. After each turn,
// rank 0 receives those of the other ranks, so that they can go on.
void turn_writer::write_pieces() {
  try {
    bool has_begun = false;
    while (const std::optional<piece> next = waiting_.pop()) {
      if (!has_begun)
        out_.begin_turn(next->is_last ? std::optional<std::uint64_t>(next->text.size()) : std::nullopt);
      has_begun = !next->is_last;
      if (has_begun) {
        out_.write(next->text);
      } else {
        out_.end_turn(next->text);
        if (out_.is_stdout()) out_.flush();
        out_.wait_for_turns();
      }
    }
  } catch (...) {
    failure_ = std::current_exception();
    waiting_.close();
  }
}

} // namespace weft::files
