#include <weft/files/scan/scan_input.hpp>

#include <algorithm>
#include <utility>

namespace weft::files {

void scan_input::before_long_records(std::uint64_t residues, std::function<void()> wait) {
  long_record_ = residues;
  wait_ = std::move(wait);
  if (reader_) watch_long_records();
}

io::alphabet_guess scan_input::guess_alphabet() {
  constexpr std::uint64_t max_symbols = std::uint64_t{1} << 23;
  io::alphabet_guess guess;
  try {
    io::sequence_chunk record; // one by one, so that the records before a malformed one are kept
    for (std::uint64_t symbols = 0; !guess.is_full() && symbols < max_symbols && read_files(record, 1);) {
      guess.add(record.residues);
      symbols += record.residues.size();
      store_read_ahead(record);
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
  return guess;
}

void scan_input::read_ahead(std::uint64_t size, std::uint64_t max_size, std::uint64_t max_residues,
                            const std::function<bool()>& go_on) {
  if (failure_) return;
  try {
    io::sequence_chunk chunk;
    for (std::uint64_t sum = 0; sum < max_residues && go_on() && read_files(chunk, size);) {
      // A record also takes memory for two strings and an offset.
      constexpr std::uint64_t bytes_of_record = 2 * sizeof(std::string) + sizeof(std::uint64_t);
      sum += std::max<std::uint64_t>(size, chunk.residues.size() + bytes_of_record * chunk.names.size());
      size = std::min(2 * size, max_size);
      read_ahead_.push_back(std::exchange(chunk, {}));
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
}

// Adds a record to the records that were read ahead, as a chunk of its own if the last chunk would become too
// long.
void scan_input::store_read_ahead(io::sequence_chunk& record) {
  if (read_ahead_.empty() ||
      read_ahead_.back().residues.size() + record.residues.size() > io::alphabet_guess::max_letters) {
    read_ahead_.push_back(std::exchange(record, {}));
    return;
  }
  io::sequence_chunk& last = read_ahead_.back();
  last.names.push_back(std::move(record.names.front()));
  last.descriptions.push_back(std::move(record.descriptions.front()));
  last.residues += record.residues;
  last.offsets.push_back(last.residues.size());
}

bool scan_input::read(io::sequence_chunk& chunk, std::uint64_t residues, std::uint64_t strands) {
  if (!read_ahead_.empty()) {
    chunk = std::move(read_ahead_.front());
    read_ahead_.pop_front();
  } else {
    if (failure_) std::rethrow_exception(failure_);
    if (!read_files(chunk, residues)) {
      estimate_total(strands);
      return false;
    }
  }
  estimate_total(strands);
  return true;
}

bool scan_input::read_files(io::sequence_chunk& chunk, std::uint64_t residues) {
  for (;;) {
    if (!reader_) {
      if (next_ == files_.size()) return false;
      reader_ =
          std::make_unique<io::sequence_reader>(io::open_bytes(files_[next_++], true, memory_), max_record_);
      watch_long_records();
    }
    if (reader_->read(chunk, residues)) {
      residues_ += chunk.residues.size();
      return true;
    }
    reader_.reset();
  }
}

void scan_input::watch_long_records() {
  reader_->before_long_records(long_record_, [this] {
    if (wait_) wait_();
  });
}

// Passes the total number of residues to the monitor if all files have been read. Until then, estimates it
// from the residues in the bytes read so far, but only for a single file whose size is known.
void scan_input::estimate_total(std::uint64_t strands) const {
  if (monitor_ == nullptr) return;
  if (!reader_ && next_ == files_.size()) return monitor_->set_total(residues_ * strands);
  if (!reader_ || files_.size() > 1) return;
  const std::uint64_t size = reader_->source().size(), position = reader_->source().position();
  if (size == 0 || position == 0) return;
  monitor_->set_total(static_cast<std::uint64_t>(static_cast<double>(residues_) * static_cast<double>(size) /
                                                 static_cast<double>(std::min(size, position))) *
                      strands);
}

} // namespace weft::files
