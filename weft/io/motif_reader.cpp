#include <weft/io/motif_reader.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/io/line_scanner.hpp>
#include <weft/io/pattern_reader.hpp>

namespace weft::io {

namespace {

constexpr std::size_t longest_line = std::size_t{1} << 20, peeked_size = 4096;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Returns `text` up to the first `stop`, without blanks around it.
std::string_view text_before(std::string_view text, char stop) {
  return trimmed(text.substr(0, text.find(stop)));
}

// Returns the bytes of memory that a record takes.
std::uint64_t size_of(const motif_record& record) {
  return sizeof(record) + record.name.capacity() + record.accession.capacity() +
         record.description.capacity() + record.pattern.capacity() +
         record.positions.capacity() * sizeof(motif_record::position);
}

// Throws memory_error if a record takes more than `memory` bytes (0: no limit) after `letters` more bytes of
// a pattern, with their positions if `has_positions`, or of a description. `line` is the record's first line
// in the file; 0 for FASTA and FASTQ.
void require_memory(const motif_record& record, std::uint64_t letters, bool has_positions,
                    std::uint64_t memory, const std::string& file, std::uint64_t line) {
  const std::uint64_t needed =
      size_of(record) + letters * (has_positions ? 1 + sizeof(motif_record::position) : 1);
  if (memory == 0 || needed <= memory) return;
  throw memory_error(fmt::format("{}: the pattern needs at least {} of memory, but only {} is allowed "
                                 "for one pattern",
                                 line == 0 ? file : fmt::format("{}:{}", file, line), format_size(needed),
                                 format_size(memory)));
}

// Appends the pattern characters of `text`, which begins at `column` of `line`, without white space.
void add_pattern(motif_record& record, std::string_view text, std::uint64_t line, std::uint64_t column) {
  if (record.line == 0) record.line = line;
  if (record.positions.empty()) record.positions.reserve(text.size()); // most patterns have one line
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_blank(text[i])) continue;
    record.pattern += text[i];
    record.positions.push_back({line, column + i});
  }
}

void drop_period(motif_record& record) {
  if (record.pattern.ends_with('.')) record.pattern.pop_back(); // its position stays, for errors at the end
}

using record_sink = std::function<void(motif_record&&)>;

// Makes a source that the caller owns look like one that a reader can own.
class borrowed_source final : public byte_source {
public:
  explicit borrowed_source(byte_source& source) : source_(source) {}
  std::size_t read(std::span<char> out) override { return source_.read(out); }
  const std::string& name() const noexcept override { return source_.name(); }
  compression kind() const noexcept override { return source_.kind(); }
  std::uint64_t position() const noexcept override { return source_.position(); }
  std::uint64_t size() const noexcept override { return source_.size(); }

private:
  byte_source& source_;
};

// Reads a PROSITE flat file and passes its patterns to `take`.
class flat_reader {
public:
  flat_reader(std::unique_ptr<byte_source> source, const record_sink& take, std::uint64_t memory)
      : lines_(std::move(source)), take_(take), memory_(memory) {}

  motif_file read() {
    file_.name = lines_.source().name();
    file_.is_prosite = true;
    while (next_line())
      if (!trimmed(line_).empty()) read_entries();
    return std::move(file_);
  }

  // Returns whether `line` is the first line of a flat file: a line code of PROSITE and a blank, or "//".
  // Other codes do not count, because a list may start with the pattern "MK P", or "CC".
  static bool is_flat_file_start(std::string_view line) {
    static constexpr std::string_view codes = "ID AC DT DE PA MA NR CC RU PP PR DO 3D DR ";
    return line.starts_with("//") ||
           (line.size() > 2 && is_code(line) && codes.find(line.substr(0, 3)) != std::string_view::npos);
  }

private:
  [[noreturn]] void fail(std::uint64_t column, const std::string& message, std::uint64_t line = 0) const {
    throw parse_error(lines_.source().name(), line == 0 ? lines_.line() : line, column, message);
  }

  // Returns whether `line` begins like a line of an entry: with two capital letters or digits ("3D" is a code
  // of PROSITE), then a blank or nothing; or with "//".
  static bool is_code(std::string_view line) {
    const auto fits = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
    return line.starts_with("//") ||
           (line.size() >= 2 && fits(line[0]) && fits(line[1]) && (line.size() == 2 || line[2] == ' '));
  }

  bool next_line() {
    line_.clear();
    line_scanner::piece piece;
    do {
      if (!lines_.next(piece)) return false;
      line_ += piece.text;
      if (line_.size() > longest_line) fail(0, "the line is longer than 1 MiB");
    } while (!piece.ends_line);
    if (line_.ends_with('\r')) line_.pop_back();
    for (std::size_t i = 0; i < line_.size(); ++i)
      if (static_cast<unsigned char>(line_[i]) < 0x20 && !is_blank(line_[i]))
        fail(i + 1,
             fmt::format("byte 0x{:02x}: this is not a text file", static_cast<unsigned char>(line_[i])));
    return true;
  }

  struct entry {
    motif_record record;
    std::string kind; // PATTERN, MATRIX or RULE
    std::uint64_t begin = 0;
  };

  // Reads from the current line to the end of the file.
  void read_entries() {
    const std::string first = line_.substr(0, 2);
    entry current;
    do {
      if (trimmed(line_).empty()) continue;
      if (!is_code(line_)) fail(1, "a line of a PROSITE file must start with a two-letter code and spaces");
      if (line_.starts_with("//")) {
        finish(current);
        current = {};
      } else {
        add_line(current);
      }
    } while (next_line());
    if (current.begin != 0)
      fail(0, fmt::format("the entry '{}' does not end with '//'", current.record.name), current.begin);
    if (!has_pattern_ && file_.matrix_entries == 0 && file_.rule_entries == 0)
      throw parse_error(
          lines_.source().name(), 0, 0,
          fmt::format("the file begins with '{}', as a PROSITE file does, but has no entry (from an ID "
                      "line to //)",
                      first));
  }

  void add_line(entry& current) {
    const std::string_view code = std::string_view(line_).substr(0, 2);
    const std::size_t start = std::min(line_.find_first_not_of(' ', 2), line_.size());
    const std::string_view text = trimmed(std::string_view(line_).substr(start));
    motif_record& record = current.record;
    if (code == "ID") {
      if (current.begin != 0)
        fail(1, fmt::format("second ID line in the entry '{}': is its '//' missing?", record.name));
      current.begin = lines_.line();
      const std::size_t semicolon = text.rfind(';'); // the last semicolon, because some names contain one
      record.name = trimmed(text.substr(0, semicolon));
      current.kind = semicolon == std::string_view::npos
                         ? ""
                         : std::string(text_before(text.substr(semicolon + 1), '.'));
      if (record.name.empty()) fail(start + 1, "the ID line must name its entry");
      if (current.kind != "PATTERN" && current.kind != "MATRIX" && current.kind != "RULE")
        fail(start + 1 + std::min(semicolon, text.size()),
             "the ID line must end with '; PATTERN.', '; MATRIX.' or '; RULE.'");
    } else if (code == "AC") {
      if (record.accession.empty()) record.accession = text_before(text, ';');
    } else if (code == "DE") {
      require_memory_for(current, text, false);
      if (!record.description.empty()) record.description += ' ';
      record.description += text;
    } else if (code == "PA") {
      require_memory_for(current, text, true);
      add_pattern(record, std::string_view(line_).substr(start), lines_.line(), start + 1);
    } else if (code == "CC" && current.begin != 0) {
      record.skip_flag = record.skip_flag || line_.find("/SKIP-FLAG=TRUE") != std::string::npos;
    }
    if (current.begin == 0 && (code == "AC" || code == "PA"))
      fail(1, fmt::format("{} {} line outside an entry: its ID line is missing", code == "AC" ? "an" : "a",
                          code));
  }

  void finish(entry& current) {
    if (current.begin == 0) return; // a block of comments
    motif_record& record = current.record;
    if (current.kind == "MATRIX") {
      ++file_.matrix_entries;
    } else if (current.kind == "RULE") {
      ++file_.rule_entries;
    } else {
      if (record.accession.empty())
        fail(0, fmt::format("the entry '{}' has no AC line", record.name), current.begin);
      if (record.line == 0)
        fail(0, fmt::format("the PATTERN entry '{}' has no PA line", record.name), current.begin);
      drop_period(record);
      if (record.pattern.empty())
        fail(0, fmt::format("the PA line of the entry '{}' contains no pattern", record.name), record.line);
      has_pattern_ = true;
      take_(std::move(record));
    }
  }

  void require_memory_for(const entry& current, std::string_view text, bool has_positions) const {
    require_memory(current.record, text.size(), has_positions, memory_, file_.name, current.begin);
  }

  line_scanner lines_;
  const record_sink& take_;
  std::uint64_t memory_;
  bool has_pattern_ = false;
  std::string line_;
  motif_file file_;
};

// Reads a list, FASTA or FASTQ. The pattern of each record is its text without white space and without a
// closing period.
motif_file read_patterns(std::unique_ptr<byte_source> source, const record_sink& take, std::uint64_t memory) {
  motif_file file;
  file.name = source->name();
  pattern_reader reader(std::move(source), {.letters = true, .max_bytes = longest_line});
  for (pattern_chunk chunk; reader.read(chunk, longest_line);)
    for (std::uint64_t p = 0; p < chunk.count(); ++p) {
      motif_record record;
      if (reader.has_records()) {
        require_memory(record, chunk.pattern(p).size(), false, memory, file.name, 0);
        record.pattern = chunk.pattern(p);
      } else {
        const auto [line, column] = chunk.positions[p];
        require_memory(record, chunk.pattern(p).size(), true, memory, file.name, line);
        add_pattern(record, chunk.pattern(p), line, column);
      }
      drop_period(record);
      record.name = chunk.name_offsets[p] == chunk.name_offsets[p + 1] ? record.pattern : chunk.name(p);
      if (record.pattern.empty())
        throw error(errc::invalid_input, fmt::format("{}: the pattern has no letters", chunk.location(p)));
      take(std::move(record));
    }
  return file;
}

} // namespace

motif_file for_each_motif(byte_source& source, const record_sink& take, std::uint64_t memory) {
  peeked_bytes file = peek_text(std::make_unique<borrowed_source>(source), peeked_size);
  std::string_view start = file.start;
  start.remove_prefix(std::min(start.find_first_not_of(" \t\v\f\r\n"), start.size()));
  if (flat_reader::is_flat_file_start(start)) return flat_reader(std::move(file.source), take, memory).read();
  return read_patterns(std::move(file.source), take, memory);
}

motif_file read_motifs(byte_source& source, std::uint64_t memory) {
  std::vector<motif_record> records;
  std::uint64_t used_bytes = 0;
  const auto add = [&](motif_record&& record) {
    used_bytes += sizeof(record) + size_of(record); // the list needs as much memory again while it grows
    if (memory != 0 && used_bytes > memory)
      throw memory_error(fmt::format("{}: more than {} patterns need {} of memory, but only {} is allowed",
                                     source.name(), records.size(), format_size(used_bytes),
                                     format_size(memory)));
    records.push_back(std::move(record));
  };
  motif_file file = for_each_motif(source, add, memory);
  file.records = std::move(records);
  return file;
}

motif_file read_motifs(const std::string& path) {
  const std::unique_ptr<byte_source> source = open_bytes(path);
  return read_motifs(*source);
}

} // namespace weft::io
