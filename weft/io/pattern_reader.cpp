#include <weft/io/pattern_reader.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/io/line_scanner.hpp>
#include <weft/io/sequence_reader.hpp>

namespace weft::io {

namespace {

constexpr std::size_t peeked_size = 4096;

// Returns whether `text` has a control character other than white space. One pass without branches, which
// compilers vectorise.
bool has_control(std::string_view text) {
  unsigned char wrong = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    wrong |=
        static_cast<unsigned char>((byte < 0x20) & (static_cast<unsigned char>(byte - '\t') > '\r' - '\t'));
  }
  return wrong != 0;
}

// Removes blanks from both ends and returns how many were at the front.
std::size_t trim(std::string_view& text) {
  std::size_t front = 0;
  while (front < text.size() && is_blank(text[front])) ++front;
  text.remove_prefix(front);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return front;
}

} // namespace

bool begins_with_record(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\v\f\r\n"), text.size()));
    if (text.empty() || text[0] != ';') return !text.empty() && (text[0] == '>' || text[0] == '@');
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

std::string pattern_chunk::location(std::uint64_t p, std::uint64_t i) const {
  if (!positions.empty()) return fmt::format("{}:{}:{}", source, positions[p].line, positions[p].column + i);
  constexpr std::size_t max_shown = 80;
  const std::string_view shown = name(p).substr(0, max_shown);
  return fmt::format("{}: record {} ('{}{}')", source, first_record + p, shown,
                     shown.size() < name(p).size() ? "..." : "");
}

void pattern_chunk::add(std::string_view name, std::string_view pattern) {
  names += name;
  name_offsets.push_back(names.size());
  text += pattern;
  offsets.push_back(text.size());
}

void pattern_chunk::clear() {
  text.clear();
  names.clear();
  offsets.assign(1, 0);
  name_offsets.assign(1, 0);
  positions.clear();
}

struct pattern_reader::state {
  state(std::unique_ptr<byte_source> bytes, const pattern_list_options& given) : options(given) {
    peeked_bytes file = peek_text(std::move(bytes), peeked_size);
    if (begins_with_record(file.start))
      records.emplace(std::move(file.source), options.max_bytes);
    else
      lines.emplace(std::move(file.source));
  }

  bool read_records(pattern_chunk& chunk, std::uint64_t bytes) {
    if (!records->read(sequences, bytes)) return false;
    chunk.text.swap(sequences.residues);
    chunk.offsets.swap(sequences.offsets);
    for (const std::string& name : sequences.names) {
      chunk.names += name;
      chunk.name_offsets.push_back(chunk.names.size());
    }
    chunk.first_record = num_records + 1;
    num_records += chunk.count();
    return true;
  }

  bool read_list(pattern_chunk& chunk, std::uint64_t bytes) {
    constexpr std::uint64_t bytes_per_pattern = 2 * sizeof(std::uint64_t) + sizeof(pattern_chunk::position);
    while (chunk.text.size() + chunk.names.size() + bytes_per_pattern * chunk.count() < bytes && next_line())
      add_line(chunk);
    return chunk.count() > 0;
  }

  // Sets `line` to the next line, without its end. A line that lies within the scanner's buffer is not
  // copied.
  bool next_line() {
    line_scanner::piece piece;
    if (!lines->next(piece)) return false;
    line = piece.text;
    if (!piece.ends_line) {
      const bool comment = line.starts_with('#');
      for (joined = line; !piece.ends_line && lines->next(piece);)
        if (!comment) check_size(joined.append(piece.text).size());
      line = joined;
    }
    check_size(line.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    return true;
  }

  void check_size(std::uint64_t size) const {
    if (options.max_bytes != 0 && size > options.max_bytes)
      throw memory_error(fmt::format("{}:{}: the line is longer than the {} that is allowed",
                                     lines->source().name(), lines->line(), format_size(options.max_bytes)));
  }

  [[noreturn]] void fail(std::size_t column, const std::string& message) const {
    throw parse_error(lines->source().name(), lines->line(), column, message);
  }

  void add_line(pattern_chunk& chunk) const {
    if (line.empty() || line.front() == '#') return;
    if (options.letters && has_control(line)) fail_at_control();
    std::string_view name, pattern = line;
    std::size_t column = 1;
    if (const std::size_t tab = line.find('\t'); tab != std::string_view::npos) {
      name = line.substr(0, tab);
      trim(name);
      if (!name.empty()) {
        pattern = line.substr(tab + 1);
        column = tab + 2;
      }
    }
    if (options.letters) {
      column += trim(pattern);
      if (pattern.starts_with('>'))
        fail(column, "a list of patterns (one per line) must not contain a "
                     "FASTA header");
    }
    if (pattern.empty() && !name.empty())
      fail(name.size() + 1, fmt::format("'{}' has no pattern after the tab", name));
    if (pattern.empty()) return;
    chunk.add(name, pattern);
    chunk.positions.push_back({lines->line(), column});
  }

  [[noreturn]] void fail_at_control() const {
    std::size_t at = 0;
    while (!has_control(line.substr(at, 1))) ++at;
    fail(at + 1, fmt::format("byte 0x{:02x}: this is not a text file", static_cast<unsigned char>(line[at])));
  }

  pattern_list_options options;
  std::optional<sequence_reader> records; // for FASTA and FASTQ
  std::optional<line_scanner> lines;      // for a list
  sequence_chunk sequences;
  std::uint64_t num_records = 0;
  std::string_view line;
  std::string joined; // holds a line of several pieces
};

pattern_reader::pattern_reader(std::unique_ptr<byte_source> source, const pattern_list_options& options)
    : state_(std::make_unique<state>(std::move(source), options)) {}
pattern_reader::~pattern_reader() = default;
pattern_reader::pattern_reader(pattern_reader&&) noexcept = default;
pattern_reader& pattern_reader::operator=(pattern_reader&&) noexcept = default;

bool pattern_reader::read(pattern_chunk& chunk, std::uint64_t bytes) {
  chunk.clear();
  chunk.source = source().name();
  return has_records() ? state_->read_records(chunk, bytes) : state_->read_list(chunk, bytes);
}

bool pattern_reader::has_records() const noexcept { return state_->records.has_value(); }

const byte_source& pattern_reader::source() const noexcept {
  return has_records() ? state_->records->source() : state_->lines->source();
}

} // namespace weft::io
