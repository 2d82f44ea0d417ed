#include <weft/files/sequence_summary.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/io/line_scanner.hpp>
#include <weft/io/sequence_reader.hpp>

namespace weft::files {

namespace {

void close_record(sequence_summary& summary, std::string_view name, std::uint64_t residues) {
  summary.shortest = summary.num_records == 0 ? residues : std::min(summary.shortest, residues);
  if (summary.num_records == 0 || residues > summary.longest) summary.longest_name = name;
  summary.longest = std::max(summary.longest, residues);
  summary.num_residues += residues;
  ++summary.num_records;
}

// Reads FASTA line by line with the rules of io::sequence_reader.
class fasta_counter {
public:
  fasta_counter(std::unique_ptr<io::byte_source> source, task_monitor& monitor)
      : lines_(std::move(source)), monitor_(monitor) {}

  sequence_summary count() {
    while (!lines_.at_end()) {
      const char first = lines_.peek();
      if (first == '>')
        read_header();
      else
        read_line(!in_record_ && first == ';');
      monitor_.check();
    }
    if (in_record_) close_record(summary_, name_, residues_);
    return std::move(summary_);
  }

private:
  void read_header() {
    constexpr std::size_t max_name = std::size_t{1} << 20;
    if (in_record_) close_record(summary_, name_, residues_);
    in_record_ = true;
    residues_ = 0;
    name_.clear();
    bool in_name = true;
    for (std::size_t skipped = 1; next(); skipped = 0) { // skips the '>'
      const std::string_view text = piece_.text.substr(std::min(skipped, piece_.text.size()));
      const std::size_t end = std::min(text.find_first_of(" \t\r"), text.size());
      if (in_name) name_ += text.substr(0, std::min(end, max_name - name_.size()));
      in_name = in_name && end == text.size();
      if (piece_.ends_line) break;
    }
  }

  void read_line(bool is_comment) {
    while (next()) {
      if (!is_comment) count_residues(piece_.text);
      if (piece_.ends_line) break;
    }
  }

  void count_residues(std::string_view text) {
    std::uint64_t blanks = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (io::is_blank(c)) {
        ++blanks;
        continue;
      }
      if (c < 0x21 || c > 0x7e || !in_record_) refuse(c, lines_.column() + i);
      ++summary_.counts[static_cast<unsigned char>(c)];
    }
    residues_ += text.size() - blanks;
    if (!summary_.guess.is_full()) summary_.guess.add(text);
  }

  [[noreturn]] void refuse(char c, std::uint64_t column) const {
    const std::string where =
        in_record_ ? fmt::format("record {} ('{}')", summary_.num_records + 1, name_.substr(0, 80))
                   : "before the first record";
    throw parse_error(lines_.source().name(), lines_.line(), column,
                      fmt::format("{}: byte 0x{:02x} is not a valid residue", where,
                                  static_cast<unsigned>(static_cast<unsigned char>(c))));
  }

  bool next() {
    if (!lines_.next(piece_)) return false;
    monitor_.add(piece_.text.size() + 1);
    return true;
  }

  io::line_scanner lines_;
  task_monitor& monitor_;
  io::line_scanner::piece piece_;
  sequence_summary summary_;
  bool in_record_ = false;
  std::uint64_t residues_ = 0; // residues of the current record
  std::string name_;
};

} // namespace

sequence_summary summarise_sequences(std::unique_ptr<io::byte_source> source, bool fastq,
                                     std::uint64_t max_record, task_monitor* monitor) {
  task_monitor progress(monitor);
  if (!fastq) return fasta_counter(std::move(source), progress).count();
  constexpr std::uint64_t chunk_residues = std::uint64_t{1} << 20;
  sequence_summary summary;
  summary.fastq = true;
  io::sequence_reader reader(std::move(source), max_record);
  for (io::sequence_chunk chunk; reader.read(chunk, chunk_residues);) {
    for (std::uint64_t i = 0; i < chunk.count(); ++i)
      close_record(summary, chunk.names[i], chunk.sequence(i).size());
    for (const char c : chunk.residues) ++summary.counts[static_cast<unsigned char>(c)];
    summary.guess.add(chunk.residues);
    progress.add(2 * chunk.residues.size());
    progress.check();
  }
  return summary;
}

} // namespace weft::files
