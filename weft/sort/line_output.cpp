// How a line_sorter writes its lines.
#include <weft/sort/line_sort.hpp>

#include <algorithm>
#include <atomic>
#include <string>
#include <weft/base/turns.hpp>
#include <weft/sort/core/line_entry.hpp>

namespace weft {

using sort_detail::begin_of_line;
using sort_detail::line_id_flag;

bool line_sorter::same_keys(std::uint64_t a, std::uint64_t b) const {
  return order_.plain() ? line(a) == line(b) : code(a) == code(b);
}

// Appends the line of an entry with its terminator, unless `unique` and the line before has equal keys.
void line_sorter::append_line(std::uint64_t index, bool unique, std::string& to) const {
  constexpr std::uint64_t ahead = 24;
  const auto* entries = reinterpret_cast<const uint128*>(entries_.data());
  const bool backwards = order_.plain() && order_.reverse(); // equal lines are identical
  const auto id_at = [&](std::uint64_t i) {
    return sort_detail::id_of(entries[backwards ? num_lines_ - 1 - i : i]);
  };
  if (index + ahead < num_lines_) {
    const std::uint64_t later = id_at(index + ahead);
    const bool coded = !order_.plain() && (later & line_id_flag) == 0;
    __builtin_prefetch((coded ? codes_.data() : text_.data()) + begin_of_line(later) - (coded ? 8 : 0));
  }
  if (unique && index > 0 && same_keys(id_at(index - 1), id_at(index))) return;
  const std::string_view text = line(id_at(index));
  to.append(text.data(), text.size() + 1);
}

// Cuts the lines into pieces of about the same size. Each thread collects the lines of a piece from all over
// the text, and its turn tells where the piece begins in the output. A piece that is larger than expected is
// written in parts.
void line_sorter::write_pieces(const piece_sink& sink, bool unique, bool in_order) const {
  constexpr std::uint64_t min_piece = std::uint64_t{1} << 16;
  const std::uint64_t memory = memory_ / 8; // for all pieces
  const auto max_threads = static_cast<std::uint64_t>(threads_);
  const std::uint64_t threads = std::clamp<std::uint64_t>(memory / min_piece, 1, max_threads);
  const std::uint64_t piece_bytes = std::clamp(memory / threads, min_piece, block_bytes);
  const std::uint64_t line_bytes = complete_size_ / std::max<std::uint64_t>(num_lines_, 1) + 1;
  const std::uint64_t lines_per_piece = std::max<std::uint64_t>(piece_bytes / 8 * 7 / line_bytes, 1);
  const std::uint64_t num_pieces = (num_lines_ + lines_per_piece - 1) / lines_per_piece;
  turns order;
  std::atomic<std::uint64_t> next{0};
  std::uint64_t position = 0; // in the output; belongs to the thread whose turn it is
  const auto work = [&] {
    std::string piece;
    piece.reserve(piece_bytes + (piece_bytes >> 4));
    for (std::uint64_t number; (number = next++) < num_pieces;) {
      const auto hand_over = [&](bool last) {
        order.wait(number);
        const std::uint64_t begin = position;
        position += piece.size();
        if (last && !in_order) order.end();
        if (!piece.empty()) sink(begin, piece);
        if (last && in_order) order.end();
        piece.clear();
      };
      const std::uint64_t end = std::min(num_lines_, (number + 1) * lines_per_piece);
      for (std::uint64_t i = number * lines_per_piece; i < end; ++i) {
        append_line(i, unique, piece);
        if (piece.size() >= piece_bytes) hand_over(false);
      }
      hand_over(true);
    }
  };
  run_team(static_cast<int>(std::min(threads, num_pieces)), [&](int) {
    try {
      work();
    } catch (const turns::stopped&) { // the thread that failed throws its error
    } catch (...) {
      order.fail();
      throw;
    }
  });
}

void line_sorter::write(const std::function<void(std::string_view)>& sink, bool unique) const {
  write_pieces([&](std::uint64_t, std::string_view lines) { sink(lines); }, unique, true);
}

void line_sorter::write_at(const piece_sink& sink, bool unique) const { write_pieces(sink, unique, false); }

} // namespace weft
