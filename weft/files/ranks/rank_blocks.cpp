#include <weft/files/ranks/rank_blocks.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/mixed.hpp>
#include <weft/files/lines/line_merge.hpp>
#include <weft/files/ranks/chunk_dealer.hpp>
#include <weft/files/ranks/rank_bytes.hpp>
#include <weft/multi/team.hpp>

namespace weft::files {

namespace {

using multi::reduction;

std::string_view text_of(const io::mapped_file& file) { return {file.bytes.data(), file.bytes.size()}; }

// Returns the size of a plain regular file; nothing for any other file and for one that cannot be read.
std::optional<std::uint64_t> size_of_plain(const std::string& path) {
  if (!is_regular(path)) return std::nullopt;
  try {
    const auto source = io::open_bytes(path);
    if (source->kind() == io::compression::none) return source->size();
  } catch (const error&) { // the rank that reads it reports the error
  }
  return std::nullopt;
}

void send_block(multi::communicator& ranks, const line_block& block, int to) {
  ranks.send(std::as_bytes(std::span(&block.position, 1)), to);
  multi::send_text(ranks, block.text, to);
}

void receive_block(multi::communicator& ranks, line_block& block, int from) {
  ranks.receive(std::as_writable_bytes(std::span(&block.position, 1)), from);
  block.text = multi::receive_text(ranks, from);
}

} // namespace

rank_blocks::rank_blocks(multi::communicator& ranks, sort_inputs& inputs, const settings& how)
    : ranks_(ranks.duplicate()), inputs_(inputs), how_(how), is_mapped_(can_map(ranks)), store_(how.store) {
  how_.block_bytes = multi::reduce_number(ranks, std::max<std::uint64_t>(how.block_bytes, 1), reduction::min);
  if (!is_mapped_) return;
  multi::run_together(ranks, [&] {
    positions_ = {0};
    for (std::size_t i = 0; i < inputs_.count(); ++i) {
      files_.push_back(io::map_file(inputs_.path(i)));
      // The last line of a file may lack its terminator, which then takes the byte behind the file.
      positions_.push_back(positions_.back() + files_.back().bytes.size() + 1);
    }
  });
}

// Files can be mapped if all ranks see plain files of the same sizes, whose text needs no reading.
bool rank_blocks::can_map(multi::communicator& ranks) {
  bool is_plain = inputs_.num_header_lines() == 0 && !inputs_.is_csv();
  std::uint64_t sizes = inputs_.count();
  for (std::size_t i = 0; is_plain && i < inputs_.count(); ++i) {
    const std::optional<std::uint64_t> size = size_of_plain(inputs_.path(i));
    is_plain = size.has_value();
    sizes = base_detail::mixed(sizes + size.value_or(0));
  }
  if (multi::reduce_number(ranks, is_plain ? 1 : 0, reduction::min) == 0) return false;
  return multi::reduce_number(ranks, sizes, reduction::min) ==
         multi::reduce_number(ranks, sizes, reduction::max);
}

void rank_blocks::throw_long_line(const std::string& path, std::uint64_t line) const {
  throw memory_error(fmt::format("{}:{}: the line does not fit in {} of memory (set {} to allow more)", path,
                                 line, format_size(how_.memory_limit), how_.memory_option));
}

std::vector<weighted_line> rank_blocks::sample(std::uint64_t count, std::uint64_t memory) {
  if (!is_mapped_) {
    sample_.emplace(count, memory, how_.terminator);
    receive_blocks();
    return sample_->lines();
  }
  std::vector<weighted_line> lines;
  multi::run_together(*ranks_, [&] {
    std::vector<placed_text> texts;
    std::uint64_t size = 0;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      texts.push_back({text_of(files_[i]), positions_[i]});
      size += texts.back().text.size();
    }
    const auto num_ranks = static_cast<std::uint64_t>(ranks_->size());
    const auto share_begin = [&](int rank) {
      const auto r = static_cast<std::uint64_t>(rank);
      return size / num_ranks * r + size % num_ranks * r / num_ranks;
    };
    lines = choose_lines(texts, share_begin(ranks_->rank()), share_begin(ranks_->rank() + 1), count,
                         how_.terminator);
  });
  return lines;
}

// If a rank fails, the exchange must have failed before the dealer is destroyed, because its thread may be
// waiting for other ranks.
void rank_blocks::receive_blocks() {
  chunk_dealer<line_block> dealer(*ranks_);
  multi_detail::fail_together(*ranks_, [&] {
    dealer.start({[this](line_block& block) { return read_block(block); }, send_block, receive_block});
    for (line_block block; dealer.next(block);) {
      count_bytes(how_.monitor, block.text.size());
      sample_->add({block.text, block.position});
      store_.add(std::move(block));
    }
  });
}

bool rank_blocks::next(line_block& block) {
  if (is_mapped_) return next_mapped(block);
  sample_.reset();
  return store_.next(block);
}

bool rank_blocks::next_mapped(line_block& block) {
  const auto num_ranks = static_cast<std::uint64_t>(ranks_->size()),
             rank = static_cast<std::uint64_t>(ranks_->rank());
  const std::uint64_t round_begin = round_ * num_ranks * how_.block_bytes;
  if (round_begin >= positions_.back()) return false;
  ++round_;
  block.text.clear();
  const std::uint64_t begin = round_begin + rank * how_.block_bytes, end = begin + how_.block_bytes;
  while (first_file_ < files_.size() && positions_[first_file_ + 1] <= begin) ++first_file_;
  for (std::size_t i = first_file_; i < files_.size() && positions_[i] < end; ++i)
    append_lines(i, std::max(begin, positions_[i]) - positions_[i], end - positions_[i], block);
  return true;
}

void rank_blocks::append_lines(std::size_t file, std::uint64_t begin, std::uint64_t end,
                               line_block& block) const {
  const std::string_view text = text_of(files_[file]);
  end = std::min<std::uint64_t>(end, text.size());
  if (begin >= end) return;
  if (begin > 0) { // the byte before the first line is a terminator
    const std::size_t found = text.substr(begin - 1, end - begin).find(how_.terminator);
    if (found == text.npos) return; // no line begins here
    begin += found;
  }
  // The last line ends at `end`, or behind it.
  const std::size_t longest =
      static_cast<std::size_t>(std::min<std::uint64_t>(how_.memory_limit / 2, text.size()));
  const std::string_view last = text.substr(end - 1, longest);
  const std::size_t found = last.find(how_.terminator);
  if (found == last.npos && last.size() < text.size() - (end - 1)) {
    const auto lines =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), how_.terminator);
    throw_long_line(inputs_.path(file), static_cast<std::uint64_t>(lines) + 1);
  }
  if (block.text.empty()) block.position = positions_[file] + begin;
  end = found == last.npos ? text.size() : end + found;
  block.text += text.substr(begin, end - begin);
  if (block.text.back() != how_.terminator) block.text += how_.terminator;
}

std::uint64_t rank_blocks::next_block_bytes() const {
  constexpr std::uint64_t min_block = std::uint64_t{1} << 16;
  const std::uint64_t share = position_ / static_cast<std::uint64_t>(ranks_->size());
  return std::clamp(share / 8, std::min(min_block, how_.block_bytes), how_.block_bytes);
}

// A block ends with a line. What was read of the next line begins the next block.
bool rank_blocks::read_block(line_block& block) {
  std::string& text = block.text;
  text = std::exchange(rest_, {});
  block.position = position_;
  const std::uint64_t block_bytes = next_block_bytes();
  std::size_t complete = 0;
  while (complete == 0 || text.size() < block_bytes) {
    if (!source_) {
      if (next_input_ == inputs_.count()) break;
      source_ = inputs_.open_text(next_input_++);
      num_lines_ = inputs_.num_header_lines();
    }
    read_more(text, complete, block_bytes);
  }
  rest_ = text.substr(complete);
  text.resize(complete);
  position_ += complete;
  return complete > 0;
}

void rank_blocks::read_more(std::string& text, std::size_t& complete, std::uint64_t block_bytes) {
  const std::size_t before = text.size();
  text.resize(before < block_bytes ? block_bytes : before + block_bytes);
  const std::size_t count = source_->read(std::span(text).subspan(before));
  text.resize(before + count);
  const std::string_view added = std::string_view(text).substr(before);
  num_lines_ += static_cast<std::uint64_t>(std::count(added.begin(), added.end(), how_.terminator));
  if (const std::size_t last = added.rfind(how_.terminator); last != added.npos) complete = before + last + 1;
  if (text.size() - complete > how_.memory_limit / 2) throw_long_line(source_->name(), num_lines_ + 1);
  if (count > 0) return;
  source_.reset();
  if (complete < text.size()) text += how_.terminator; // a line does not continue in the next file
  complete = text.size();
}

} // namespace weft::files
