#include <weft/files/ranks/rank_input.hpp>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/files/ranks/rank_bytes.hpp>

namespace weft::files {

namespace {

using multi::reduction;

// Returns the first position from `at` on where a record of FASTA begins, or the size of the text.
std::uint64_t record_begin(std::string_view text, std::uint64_t at) {
  if (at == 0) return 0;
  const std::size_t line_end = at > text.size() ? text.npos : text.find("\n>", at - 1);
  return line_end == text.npos ? text.size() : line_end + 1;
}

// Returns the size of a plain FASTA file, or 0 for any other file and for one that cannot be read.
std::uint64_t size_of_fasta(const std::string& path) {
  if (!is_regular(path)) return 0; // a pipe must be opened by rank 0 alone
  try {
    const io::peeked_bytes file = io::peek_text(io::open_bytes(path), 1);
    return file.source->kind() == io::compression::none && file.start.starts_with(">") ? file.source->size()
                                                                                       : 0;
  } catch (const error&) {
    return 0;
  }
}

// Returns texts end to end, each followed by a zero byte, which no text contains.
std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all.append(text).push_back('\0');
  return all;
}

std::vector<std::string> split(std::string_view all) {
  std::vector<std::string> texts;
  while (!all.empty()) {
    texts.emplace_back(all.substr(0, all.find('\0')));
    all.remove_prefix(texts.back().size() + 1);
  }
  return texts;
}

void send_records(multi::communicator& ranks, const io::sequence_chunk& chunk, int to) {
  const std::uint64_t count = chunk.count();
  ranks.send(std::as_bytes(std::span(&count, 1)), to);
  ranks.send(std::as_bytes(std::span(chunk.offsets)), to);
  for (const std::string& text : {joined(chunk.names), joined(chunk.descriptions)})
    multi::send_text(ranks, text, to);
  multi::send_text(ranks, chunk.residues, to);
}

void receive_records(multi::communicator& ranks, io::sequence_chunk& chunk, int from) {
  std::uint64_t count = 0;
  ranks.receive(std::as_writable_bytes(std::span(&count, 1)), from);
  chunk.offsets.resize(count + 1);
  ranks.receive(std::as_writable_bytes(std::span(chunk.offsets)), from);
  chunk.names = split(multi::receive_text(ranks, from));
  chunk.descriptions = split(multi::receive_text(ranks, from));
  chunk.residues = multi::receive_text(ranks, from);
}

} // namespace

rank_input::rank_input(multi::communicator& ranks, std::vector<std::string> files, std::uint64_t memory,
                       std::uint64_t max_record, task_monitor* monitor)
    : scan_input(files, memory, max_record, monitor), files_(std::move(files)), memory_(memory),
      max_record_(max_record), ranks_(ranks.duplicate()), dealer_(*ranks_) {
  is_cut_ = can_cut();
}

// Files can be cut if all ranks see the same plain FASTA files.
bool rank_input::can_cut() const {
  std::uint64_t smallest = ~std::uint64_t{0}, size_of_all = 0;
  for (const std::string& file : files_) {
    const std::uint64_t size = size_of_fasta(file);
    smallest = std::min(smallest, size);
    size_of_all += size;
  }
  if (multi::reduce_number(*ranks_, smallest, reduction::min) == 0) return false;
  return multi::reduce_number(*ranks_, size_of_all, reduction::min) ==
         multi::reduce_number(*ranks_, size_of_all, reduction::max);
}

void rank_input::before_long_records(std::uint64_t residues, std::function<void()> wait) {
  long_record_ = residues;
  wait_ = std::move(wait);
}

io::alphabet_guess rank_input::guess_alphabet() {
  io::alphabet_guess guess;
  if (ranks_->rank() == 0)
    guess =
        is_cut_ ? scan_input(files_, memory_, max_record_).guess_alphabet() : scan_input::guess_alphabet();
  ranks_->broadcast(std::as_writable_bytes(std::span(&guess, 1)), 0);
  return guess;
}

bool rank_input::read(io::sequence_chunk& chunk, std::uint64_t residues, std::uint64_t strands) {
  if (!std::exchange(has_begun_, true)) {
    agree_on_sizes(residues);
    if (!is_cut_) start_dealing(residues, strands);
  }
  return is_cut_ ? read_piece(chunk) : dealer_.next(chunk);
}

void rank_input::stop() noexcept { dealer_.stop(); }

// Makes pieces small enough that every rank has several of them, and not larger than chunks.
void rank_input::agree_on_sizes(std::uint64_t residues) {
  constexpr std::uint64_t min_piece = std::uint64_t{1} << 16, pieces_per_rank = 16;
  std::uint64_t size = 0;
  if (is_cut_)
    for (const std::string& file : files_) size += size_of_fasta(file);
  const std::uint64_t share = size / (pieces_per_rank * static_cast<std::uint64_t>(ranks_->size()));
  max_piece_ = multi::reduce_number(*ranks_, std::min(std::max(share, min_piece), residues), reduction::min);
}

bool rank_input::read_piece(io::sequence_chunk& chunk) {
  chunk.clear();
  const auto num_ranks = static_cast<std::uint64_t>(ranks_->size()),
             rank = static_cast<std::uint64_t>(ranks_->rank());
  for (;; ++next_, round_ = 0, file_.reset()) {
    if (next_ == files_.size()) return false;
    if (!file_) file_ = io::map_file(files_[next_]);
    const std::uint64_t size = file_->bytes.size(), begin = (round_ * num_ranks + rank) * max_piece_;
    if (round_ * num_ranks * max_piece_ >= size) continue; // the rounds of this file are over
    ++round_;
    if (begin >= size) return true;
    const std::string_view text(file_->bytes.data(), size);
    const std::uint64_t first = record_begin(text, begin);
    if (first < begin + max_piece_) {
      const std::uint64_t last = record_begin(text, begin + max_piece_);
      parse_piece(file_->bytes.subspan(first, last - first), chunk);
    }
    return true;
  }
}

// A reader that begins within the file numbers lines and records from there. If there is an error, the file
// is read again from its start, up to the first error, whose numbers are right.
void rank_input::parse_piece(std::span<const char> bytes, io::sequence_chunk& chunk) {
  const std::uint64_t all = 64 * bytes.size(); // more than the residues and the memory of all headers
  try {
    io::sequence_reader reader(io::memory_bytes(bytes, files_[next_], 0, memory_), max_record_);
    reader.before_long_records(long_record_, [this] {
      if (wait_) wait_();
    });
    (void)reader.read(chunk, all);
  } catch (const error& fault) {
    if (fault.code() != errc::invalid_input && fault.code() != errc::out_of_memory) throw;
    scan_input whole({files_[next_]}, memory_, max_record_);
    while (whole.read(chunk, max_piece_, 1)) {
    }
    throw;
  }
}

void rank_input::start_dealing(std::uint64_t residues, std::uint64_t strands) {
  const auto read = [this, residues, strands](io::sequence_chunk& chunk) {
    return scan_input::read(chunk, residues, strands);
  };
  dealer_.start({read, send_records, receive_records});
}

} // namespace weft::files
