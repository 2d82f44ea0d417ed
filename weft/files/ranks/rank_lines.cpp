#include <weft/files/ranks/rank_lines.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/files/ranks/rank_bytes.hpp>

namespace weft::files {

namespace {

using multi::reduction;

constexpr std::uint64_t samples_per_part = 1024;

std::string_view text_of(const io::mapped_file& file) { return {file.bytes.data(), file.bytes.size()}; }

// Returns the size of a plain regular file, or 0 for any other file, for an empty one, and for one that
// cannot be read.
std::uint64_t size_of_plain(const std::string& path) {
  if (!is_regular(path)) return 0;
  try {
    const auto source = io::open_bytes(path);
    return source->kind() == io::compression::none ? source->size() : 0;
  } catch (const error&) {
    return 0;
  }
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
    : ranks_(ranks.duplicate()), dealing_(ranks.duplicate()), inputs_(inputs), how_(how),
      name_(fmt::format("<lines of rank {}>", ranks.rank())) {
  is_mapped_ = can_map();
  multi::run_together(*ranks_, [&] {
    if (is_mapped_)
      for (std::size_t i = 0; i < inputs_.count(); ++i) files_.push_back(io::map_file(inputs_.path(i)));
  });
  choose_splitters();
  if (!is_mapped_) start_dealing();
}

// Files can be mapped if all ranks see the same plain files, and no header is dropped.
bool rank_lines::can_map() {
  std::uint64_t smallest = inputs_.num_header_lines() == 0 ? 1 : 0, size_of_all = 0;
  for (std::size_t i = 0; i < inputs_.count(); ++i) {
    const std::uint64_t size = size_of_plain(inputs_.path(i));
    smallest = std::min(smallest, size);
    size_of_all += size;
  }
  if (multi::reduce_number(*ranks_, smallest, reduction::min) == 0) return false;
  return multi::reduce_number(*ranks_, size_of_all, reduction::min) ==
         multi::reduce_number(*ranks_, size_of_all, reduction::max);
}

std::string_view rank_lines::line_at(std::string_view text, std::uint64_t at) const {
  return text.substr(at, std::min(text.find(how_.terminator, at), text.size()) - at);
}

std::uint64_t rank_lines::line_begin(std::string_view text, std::uint64_t at) const {
  if (at == 0) return 0;
  const std::size_t end = at > text.size() ? text.npos : text.find(how_.terminator, at - 1);
  return end == text.npos ? text.size() : end + 1;
}

std::vector<rank_lines::splitter> rank_lines::sample_files(std::uint64_t count) const {
  std::uint64_t size = 0, begin = 0, i = 0;
  for (const io::mapped_file& file : files_) size += file.bytes.size();
  std::vector<splitter> sample;
  for (const io::mapped_file& file : files_) {
    const std::string_view text = text_of(file);
    const std::uint64_t end = begin + text.size();
    for (; i < count; ++i) {
      const std::uint64_t at = size / count * i + size % count * i / count;
      if (at >= end) break;
      const std::uint64_t line = line_begin(text, at - begin);
      if (line < text.size()) sample.push_back({std::string(line_at(text, line)), begin + line});
    }
    begin = end;
  }
  return sample;
}

std::vector<rank_lines::splitter> rank_lines::sample_blocks(std::uint64_t count) const {
  std::vector<splitter> sample;
  for (const line_block& block : ahead_) {
    const std::string_view text = block.text;
    const std::uint64_t share = count / ahead_.size() + 1;
    for (std::uint64_t i = 0; i < share; ++i)
      if (const std::uint64_t line = line_begin(text, text.size() / share * i); line < text.size())
        sample.push_back({std::string(line_at(text, line)), block.position + line});
  }
  return sample;
}

void rank_lines::choose_splitters() {
  const auto num_parts = static_cast<std::uint64_t>(ranks_->size());
  std::vector<splitter> sample;
  multi::run_together(*ranks_, [&] {
    if (ranks_->rank() != 0) return;
    std::uint64_t bytes = 0;
    for (line_block block; !is_mapped_ && bytes < how_.sample_bytes && read_block(block);
         bytes += ahead_.back().text.size())
      ahead_.push_back(std::exchange(block, {}));
    sample =
        is_mapped_ ? sample_files(samples_per_part * num_parts) : sample_blocks(samples_per_part * num_parts);
    std::sort(sample.begin(), sample.end(), [&](const splitter& a, const splitter& b) {
      const int order = how_.order.compare(a.line, b.line);
      return order != 0 ? order < 0 : a.position < b.position;
    });
  });
  for (std::uint64_t part = 1; part < num_parts; ++part) {
    splitter chosen{"", ~std::uint64_t{0}};
    if (!sample.empty()) chosen = sample[sample.size() * part / num_parts];
    if (how_.unique) chosen.position = 0;
    multi::broadcast_text(*ranks_, chosen.line, 0);
    ranks_->broadcast(std::as_writable_bytes(std::span(&chosen.position, 1)), 0);
    splitters_.push_back(std::move(chosen));
  }
}

std::size_t rank_lines::rank_of(std::string_view line, std::uint64_t position) const {
  const auto found = std::partition_point(splitters_.begin(), splitters_.end(), [&](const splitter& each) {
    const int order = how_.order.compare(each.line, line);
    return order != 0 ? order < 0 : each.position <= position;
  });
  return static_cast<std::size_t>(found - splitters_.begin());
}

bool rank_lines::next_block(line_block& block) {
  return is_mapped_ ? next_mapped_block(block) : dealer_->next(block);
}

bool rank_lines::next_mapped_block(line_block& block) {
  block.text.clear();
  const auto num_ranks = static_cast<std::uint64_t>(ranks_->size()),
             rank = static_cast<std::uint64_t>(ranks_->rank());
  for (; next_file_ < files_.size(); file_begin_ += files_[next_file_++].bytes.size(), round_ = 0) {
    const std::string_view text = text_of(files_[next_file_]);
    if (round_ * num_ranks * how_.block_bytes >= text.size()) continue; // the rounds of this file are over
    const std::uint64_t begin = (round_++ * num_ranks + rank) * how_.block_bytes;
    const std::uint64_t first = line_begin(text, begin), end = begin + how_.block_bytes;
    if (first >= std::min<std::uint64_t>(end, text.size())) return true;
    block.text = text.substr(first, line_begin(text, end) - first);
    if (block.text.back() != how_.terminator) block.text += how_.terminator;
    block.position = file_begin_ + first;
    return true;
  }
  return false;
}

// Blocks end with a line. The rest of what was read begins the next block.
bool rank_lines::read_block(line_block& block) {
  block.text = std::exchange(rest_, {});
  block.position = read_position_;
  for (;;) {
    const std::size_t before = block.text.size();
    if (!source_) {
      if (before > 0 || next_input_ == inputs_.count()) break;
      source_ = inputs_.open_text(next_input_++);
    }
    block.text.resize(before + how_.block_bytes);
    const std::size_t got = source_->read(std::span(block.text).subspan(before));
    block.text.resize(before + got);
    if (got == 0) { // a line does not continue in the next file
      source_.reset();
      if (!block.text.empty() && block.text.back() != how_.terminator) block.text += how_.terminator;
    }
    const std::size_t end = block.text.rfind(how_.terminator);
    if (end == std::string::npos) continue;
    rest_ = block.text.substr(end + 1);
    block.text.resize(end + 1);
    break;
  }
  read_position_ += block.text.size();
  return !block.text.empty();
}

void rank_lines::start_dealing() {
  const auto read = [this](line_block& block) {
    if (ahead_.empty()) return read_block(block);
    block = std::move(ahead_.front());
    ahead_.pop_front();
    return true;
  };
  dealer_.emplace(*dealing_, chunk_dealer<line_block>::functions{read, send_block, receive_block});
}

bool rank_lines::exchange() {
  line_block block;
  if (!next_block(block)) return false;
  const auto num_ranks = static_cast<std::size_t>(ranks_->size());
  std::vector<std::string> parts(num_ranks);
  for (std::uint64_t at = 0; at < block.text.size();) {
    const std::string_view line = line_at(block.text, at);
    parts[rank_of(line, block.position + at)].append(line).push_back(how_.terminator);
    at += line.size() + 1;
  }
  std::vector<std::uint64_t> sizes, received(num_ranks);
  std::vector<std::span<const std::byte>> pieces;
  for (const std::string& part : parts) {
    sizes.push_back(part.size());
    pieces.push_back(std::as_bytes(std::span(part)));
  }
  const std::vector<std::uint64_t> each(num_ranks, sizeof(std::uint64_t));
  ranks_->all_to_all(std::as_bytes(std::span(sizes)), each, std::as_writable_bytes(std::span(received)),
                     each);
  std::uint64_t bytes = 0;
  for (const std::uint64_t size : received) bytes += size;
  received_.resize(bytes);
  returned_ = 0;
  received_bytes_ += bytes;
  ranks_->all_to_all(pieces, std::as_writable_bytes(std::span(received_)), received);
  return true;
}

std::size_t rank_lines::read(std::span<char> out) {
  std::size_t count = 0;
  while (count < out.size()) {
    if (returned_ == received_.size() && !exchange()) break;
    const std::size_t copied = received_.copy(out.data() + count, out.size() - count, returned_);
    returned_ += copied;
    count += copied;
  }
  return count;
}

} // namespace weft::files
