#include <weft/files/ranks/rank_lines.hpp>

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

namespace weft::files {

namespace {

constexpr std::uint64_t min_piece = std::uint64_t{1} << 16;

} // namespace

class rank_lines::source final : public io::byte_source {
public:
  explicit source(rank_lines& lines) : lines_(lines) {}

  std::size_t read(std::span<char> out) override { return lines_.read(out); }
  const std::string& name() const noexcept override { return lines_.name_; }
  io::compression kind() const noexcept override { return io::compression::none; }
  std::uint64_t position() const noexcept override { return lines_.received_bytes_; }
  std::uint64_t size() const noexcept override { return 0; } // as a pipe

private:
  rank_lines& lines_;
};

std::unique_ptr<io::byte_source> rank_lines::open() { return std::make_unique<source>(*this); }

rank_lines::rank_lines(multi::communicator& ranks, sort_inputs& inputs, const settings& how)
    : ranks_(ranks.duplicate()), blocks_(ranks, inputs, how.blocks), order_(how.order),
      terminator_(how.blocks.terminator), unique_(how.unique), max_block_(2 * how.blocks.block_bytes),
      threads_(thread_count(how.threads)), name_(fmt::format("<lines of rank {}>", ranks.rank())) {
  splitters_ = choose_splitters(how.sample_memory);
}

std::vector<line_splitter> rank_lines::choose_splitters(std::uint64_t memory) {
  constexpr std::uint64_t line_memory = 200, min_lines = 64, max_lines = std::uint64_t{1} << 18;
  constexpr std::uint64_t min_pivots = 16, max_pivots = 256; // of a rank
  constexpr std::uint64_t max_all_pivots = std::uint64_t{1} << 16;
  const auto num_ranks = static_cast<std::uint64_t>(ranks_->size());
  const std::uint64_t count = std::clamp(memory / line_memory, min_lines, max_lines);
  const std::vector<weighted_line> sample = blocks_.sample(count, memory);
  const std::uint64_t pivots = std::clamp(count, min_pivots * num_ranks, max_pivots * num_ranks);
  return find_splitters(*ranks_, sample,
                        {order_, unique_, std::min(pivots, max_all_pivots), memory, threads_});
}

std::size_t rank_lines::rank_of(std::string_view line, std::uint64_t position, std::string& code) const {
  code.clear();
  if (!order_.plain()) order_.append_code(line, code);
  const auto found =
      std::partition_point(splitters_.begin(), splitters_.end(), [&](const line_splitter& each) {
        const int order = order_.compare(each.line, each.code, line, code);
        return order != 0 ? order < 0 : each.position <= position;
      });
  return static_cast<std::size_t>(found - splitters_.begin());
}

void rank_lines::cut_block() {
  const std::string_view text = block_.text;
  const std::uint64_t count =
      std::clamp<std::uint64_t>(text.size() / min_piece, 1, static_cast<std::uint64_t>(threads_));
  pieces_.clear();
  for (std::uint64_t i = 1, begin = 0; i <= count; ++i) {
    const std::uint64_t at = std::max(begin, text.size() / count * i);
    const std::uint64_t end =
        i == count ? text.size() : std::min(text.find(terminator_, at), text.size() - 1) + 1;
    pieces_.push_back({begin, std::min<std::uint64_t>(end, text.size())});
    begin = pieces_.back().end;
  }
}

void rank_lines::find_runs(piece& each) const {
  constexpr std::uint64_t max_run = std::numeric_limits<std::uint32_t>::max();
  const std::string_view text = block_.text;
  each.offsets.assign(splitters_.size() + 1, 0);
  std::string code;
  for (std::uint64_t at = each.begin; at < each.end;) {
    const std::uint64_t end = text.find(terminator_, at) + 1; // every line has its terminator
    const auto rank = static_cast<std::uint32_t>(
        splitters_.empty() ? 0 : rank_of(text.substr(at, end - 1 - at), block_.position + at, code));
    each.offsets[rank] += end - at;
    for (std::uint64_t left = end - at; left > 0;) {
      if (each.runs.empty() || each.runs.back().rank != rank || each.runs.back().bytes == max_run)
        each.runs.push_back({rank, 0});
      const std::uint64_t added = std::min(left, max_run - each.runs.back().bytes);
      each.runs.back().bytes += static_cast<std::uint32_t>(added);
      left -= added;
    }
    at = end;
  }
}

std::vector<std::uint64_t> rank_lines::partition_block() {
  cut_block();
  const int members = static_cast<int>(pieces_.size());
  team_.run(members, [&](int i) { find_runs(pieces_[static_cast<std::size_t>(i)]); });
  std::vector<std::uint64_t> sizes(splitters_.size() + 1);
  std::uint64_t offset = 0;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank)
    for (piece& each : pieces_) {
      sizes[rank] += each.offsets[rank];
      offset += std::exchange(each.offsets[rank], offset);
    }
  sent_.resize(block_.text.size());
  team_.run(members, [&](int i) {
    piece& own = pieces_[static_cast<std::size_t>(i)];
    const char* from = block_.text.data() + own.begin;
    for (const run& each : own.runs) {
      std::memcpy(sent_.data() + own.offsets[each.rank], from, each.bytes);
      own.offsets[each.rank] += each.bytes;
      from += each.bytes;
    }
  });
  return sizes;
}

bool rank_lines::exchange() {
  if (!blocks_.next(block_)) return false;
  const std::vector<std::uint64_t> sizes = partition_block();
  if (block_.text.capacity() > max_block_) block_.text = {}; // gives back the memory of a long line
  std::vector<std::uint64_t> received(sizes.size());
  const std::vector<std::uint64_t> each(sizes.size(), sizeof(std::uint64_t));
  ranks_->all_to_all(std::as_bytes(std::span(sizes)), each, std::as_writable_bytes(std::span(received)),
                     each);
  if (received_.capacity() > max_block_ * sizes.size()) received_ = unwritten_vector<char>();
  received_.resize(std::accumulate(received.begin(), received.end(), std::uint64_t{0}));
  returned_ = 0;
  received_bytes_ += received_.size();
  ranks_->all_to_all(std::as_bytes(std::span(sent_)), sizes, std::as_writable_bytes(std::span(received_)),
                     received);
  if (sent_.capacity() > max_block_) sent_ = unwritten_vector<char>();
  return true;
}

std::size_t rank_lines::read(std::span<char> out) {
  std::size_t count = 0;
  while (count < out.size()) {
    if (returned_ == received_.size() && !exchange()) break;
    const std::size_t copied = std::min(out.size() - count, received_.size() - returned_);
    if (copied > 0) std::memcpy(out.data() + count, received_.data() + returned_, copied);
    returned_ += copied;
    count += copied;
  }
  return count;
}

namespace {

// Returns how lines are sent with a quarter of the memory, and kept with another one until all have come. A
// rank sends and receives, in blocks: its own, what it sends of it, and up to one of each rank that it
// receives; and up to four that describe lines of a few bytes. Rank 0 holds up to four that it reads. A
// decoder takes memory of rank 0 while the lines come, beside those of the sample, which take another
// quarter.
rank_lines::settings exchange_settings(const sort_settings& settings, const sort_inputs& inputs,
                                       const multi::communicator& ranks) {
  constexpr std::uint64_t min_block = std::uint64_t{1} << 14, max_block = std::uint64_t{8} << 20,
                          other_blocks = 10;
  const std::uint64_t memory = settings.merging.memory / 4,
                      decoder = ranks.rank() == 0 ? std::min(settings.decoder_memory, 2 * memory) : 0;
  rank_lines::settings how{.order = settings.order};
  how.blocks.terminator = inputs.terminator();
  how.blocks.block_bytes =
      std::clamp(memory / (static_cast<std::uint64_t>(ranks.size()) + other_blocks), min_block, max_block);
  how.blocks.memory_limit = settings.memory_limit;
  how.blocks.memory_option = settings.merging.memory_option;
  how.blocks.store = {std::min(memory, 2 * memory - decoder), settings.folders, settings.compress_program};
  how.blocks.monitor = settings.merging.monitor;
  how.unique = settings.merging.unique;
  how.sample_memory = memory;
  how.threads = settings.sorting.run.threads;
  return how;
}

} // namespace

sort_report sort_files(multi::communicator& ranks, sort_inputs& inputs, sort_settings settings,
                       rank_output& out, const line_sink& write) {
  const rank_lines::settings how = exchange_settings(settings, inputs, ranks);
  rank_lines lines(ranks, inputs, how);
  try {
    settings.decoder_memory = 0; // the inputs are mapped, or have been read
    settings.merging.memory -= settings.merging.memory / 4 + lines.stored_bytes();
    settings.merging.memory = std::max(settings.merging.memory, std::uint64_t{1} << 16);
    bool has_begun = false;
    // The size is known when all lines have come, unless some are left out.
    const auto begin = [&] {
      if (!has_begun) out.begin_turn(how.unique ? std::nullopt : std::optional(lines.received_bytes()));
      has_begun = true;
    };
    std::unique_ptr<io::byte_source> text = lines.open();
    sort_report done =
        sort_texts({[&] { return std::exchange(text, nullptr); }}, settings, [&](std::string_view sorted) {
          begin();
          write(sorted);
        });
    begin();
    out.end_turn();
    out.wait_for_turns();
    done.bytes = multi::reduce_number(ranks, done.bytes, multi::reduction::sum);
    return done;
  } catch (...) {
    out.fail(std::current_exception());
    throw;
  }
}

} // namespace weft::files
