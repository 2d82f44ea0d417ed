#include <weft/io/sequence_reader.hpp>

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/io/line_scanner.hpp>

namespace weft::io {

namespace {

constexpr std::size_t longest_header = std::size_t{1} << 20;

// Returns whether every byte is printable ASCII and no blank: 0x21..0x7e. Takes eight bytes at a time: in the
// highest bit of each byte, the two sums tell whether its lower bits are at least 0x21, and whether they are
// more than 0x7e. The last word overlaps the one before it.
//
//   for each byte c: if (c < 0x21 || c > 0x7e) return false
bool all_graphic(std::string_view text) {
  constexpr std::uint64_t each = 0x0101010101010101U, high = 0x80 * each;
  constexpr std::size_t size = sizeof(std::uint64_t);
  if (text.size() < size)
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x21 && c <= 0x7e; });
  std::uint64_t wrong = 0;
  const auto check = [&](const char* from) {
    std::uint64_t word;
    std::memcpy(&word, from, size);
    const std::uint64_t low = word & ~high;
    wrong |= word | ~(low + (0x80 - 0x21) * each) | (low + (0x80 - 0x7f) * each);
  };
  for (std::size_t i = 0; i + size < text.size(); i += size) check(text.data() + i);
  check(text.data() + (text.size() - size));
  return (wrong & high) == 0;
}

// Returns a name for a message: control characters become '?', and a very long name is cut.
std::string make_printable(std::string_view name) {
  constexpr std::size_t longest = 80;
  std::string result(name.substr(0, longest));
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return name.size() > longest ? result + "..." : result;
}

std::string make_printable(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7f ? fmt::format("'{}'", c) : fmt::format("byte 0x{:02x}", byte);
}

// Returns a hint for a message if `line` looks like the first line of a file of motifs or another flat file.
std::string_view flat_file_hint(std::string_view line) {
  for (const char* code : {"ID   ", "AC   ", "CC   "})
    if (line.starts_with(code)) return "; this looks like a PROSITE file of motifs or another flat file";
  return "";
}

} // namespace

void sequence_chunk::clear() {
  names.clear();
  descriptions.clear();
  residues.clear();
  offsets.assign(1, 0);
}

struct sequence_reader::state {
  state(std::unique_ptr<byte_source> source, std::uint64_t bound)
      : lines(std::move(source)), max_record(bound) {}

  line_scanner lines;
  line_scanner::piece piece;
  std::uint64_t record = 0;       // 1-based number of the record being read
  std::uint64_t header_bytes = 0; // approximate memory of the chunk's names and descriptions
  std::uint64_t max_record;       // most residues of one record; 0: no limit
  std::uint64_t max_chunk = 0;    // most residues of the chunk if records have a limit
  std::string header, scores;
  std::function<void()> on_long_record; // may be empty
  std::uint64_t long_record_size = 0;   // residues of a record after which `on_long_record` is called
  bool is_long_record = false;          // whether it has been called for the current record
  char marker = '\0';                   // '>' or '@', or '\0' before the first record

  [[noreturn]] void fail(std::uint64_t column, const std::string& message) const {
    const std::string where = record == 0
                                  ? std::string("before the first record")
                                  : fmt::format("record {} ('{}')", record, make_printable(name_of(header)));
    throw parse_error(lines.source().name(), lines.line(), column, fmt::format("{}: {}", where, message));
  }

  static std::string_view name_of(std::string_view line) {
    return line.substr(0, std::min(line.find_first_of(" \t"), line.size()));
  }

  // Reads the rest of a header line, whose marker has not been consumed yet, and opens a record in the chunk.
  void read_header(sequence_chunk& chunk) {
    header.clear();
    ++record;
    std::uint64_t skip = 1;
    do {
      if (!lines.next(piece)) break;
      header += piece.text.substr(std::min<std::size_t>(skip, piece.text.size()));
      skip = 0;
      if (header.size() > longest_header) fail(0, "the header line is longer than 1 MiB");
    } while (!piece.ends_line);
    while (!header.empty() && is_blank(header.back())) header.pop_back();
    if (const std::size_t zero = header.find('\0'); zero != std::string::npos)
      fail(zero + 2, "NUL byte in the header line: this is not a text file");
    const std::string_view name = name_of(header);
    std::string_view rest = std::string_view(header).substr(name.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    chunk.names.emplace_back(name);
    chunk.descriptions.emplace_back(rest);
    header_bytes += header.size() + 2 * sizeof(std::string) + sizeof(std::uint64_t);
  }

  // Grows the capacity of `symbols` for `more` symbols, at least by doubling. For a long record of a plain
  // file, grows four times as much at once, and a record of 16 MiB for all bytes that are left, if the file
  // has that many, because each move of a long record costs a copy and the first touch of new pages.
  void grow(std::string& symbols, std::size_t more) const {
    const byte_source& bytes = lines.source();
    constexpr std::uint64_t long_size = std::uint64_t{1} << 24;
    const std::uint64_t needed = symbols.size() + more;
    std::uint64_t wanted = needed;
    if (bytes.kind() == compression::none && bytes.size() > bytes.position()) {
      const std::uint64_t all = needed + (bytes.size() - bytes.position());
      wanted = needed < long_size ? std::min<std::uint64_t>(4 * needed, all) : all;
    }
    if (max_record != 0) wanted = std::min(wanted, std::max(needed, max_chunk / 2));
    reserve_within(symbols, wanted, max_record == 0 ? 0 : max_chunk);
    prefer_large_pages(symbols.data(), symbols.capacity());
  }

  // Throws memory_error for a record of which `size` residues have been read. Looks for the end of the record
  // first, to report its size, but reads at most 64 times max_record residues.
  [[noreturn]] void throw_too_long(std::uint64_t size) {
    constexpr std::uint64_t max_factor = 64;
    const auto ends = [&] { return lines.at_end() || lines.peek() == (marker == '@' ? '+' : '>'); };
    while (size / max_factor < max_record && !(piece.ends_line && ends()) && lines.next(piece))
      size += piece.text.size() - (piece.text.ends_with('\r') ? 1 : 0);
    throw memory_error(
        fmt::format("{}: record {} ('{}') has {}{} residues, but the memory limit allows only {} in one "
                    "record",
                    lines.source().name(), record, make_printable(name_of(header)),
                    size / max_factor < max_record ? "" : "at least ", size, max_record));
  }

  // Appends a piece of a line to the residues of the record that begins at `begin`.
  void append_residues(std::string& residues, std::size_t begin) {
    append(residues, "residue");
    const std::uint64_t size = residues.size() - begin;
    if (max_record != 0 && size > max_record) throw_too_long(size);
    if (size > long_record_size && !is_long_record && on_long_record) {
      is_long_record = true;
      on_long_record();
    }
  }

  // Appends a piece of a line of residues or scores, without blanks.
  void append(std::string& symbols, const char* symbol) {
    std::string_view text = piece.text;
    if (piece.ends_line && !text.empty() && text.back() == '\r') text.remove_suffix(1);
    if (symbols.capacity() - symbols.size() < text.size()) grow(symbols, text.size());
    if (all_graphic(text)) {
      symbols.append(text);
      return;
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (is_blank(text[i])) continue;
      if (!all_graphic(text.substr(i, 1)))
        fail(lines.column() + i, fmt::format("{} is not a valid {}", make_printable(text[i]), symbol));
      symbols += text[i];
    }
  }

  void read_fasta_body(sequence_chunk& chunk) {
    const std::size_t begin = chunk.residues.size();
    while (!lines.at_end() && lines.peek() != '>') do {
        if (!lines.next(piece)) return;
        append_residues(chunk.residues, begin);
      } while (!piece.ends_line);
  }

  // Reads sequence lines up to the '+' line, then quality lines with as many symbols.
  void read_fastq_body(sequence_chunk& chunk) {
    const std::size_t begin = chunk.residues.size();
    while (!lines.at_end() && lines.peek() != '+' && lines.peek() != '@') do {
        if (!lines.next(piece)) break;
        append_residues(chunk.residues, begin);
      } while (!piece.ends_line);
    if (lines.at_end()) fail(0, "the file ends before the '+' line");
    // A record without residues: if '@' were accepted here, a lost '+' line would join two records.
    if (lines.peek() == '@') {
      (void)lines.next(piece);
      fail(1, "expected the '+' line, but found '@'");
    }
    do {
      if (!lines.next(piece)) break;
    } while (!piece.ends_line);
    read_quality(chunk.residues.size() - begin);
  }

  void read_quality(std::size_t expected) {
    std::size_t quality = 0;
    bool first = true; // an empty record still has its (empty) quality line
    while ((quality < expected || (first && expected == 0)) && !lines.at_end()) {
      if (first && expected == 0 && lines.peek() == '@') return;
      first = false;
      do {
        if (!lines.next(piece)) break;
        scores.clear();
        append(scores, "quality score");
        quality += scores.size();
      } while (!piece.ends_line);
    }
    if (quality != expected)
      fail(0, fmt::format("{} residues but {} quality scores{}", expected, quality,
                          lines.at_end() && quality < expected ? " before the file ends" : ""));
  }

  // Skips blank lines, and comments (';') before the first record. Returns false at the end of the data.
  bool find_record() {
    while (!lines.at_end()) {
      const char c = lines.peek();
      if (marker == '\0' && (c == '>' || c == '@')) marker = c;
      if (c == marker && marker != '\0') return true;
      const bool comment = marker == '\0' && c == ';';
      do {
        if (!lines.next(piece)) return false;
        for (std::size_t i = 0; i < piece.text.size() && !comment; ++i)
          if (!is_blank(piece.text[i]))
            fail(lines.column() + i,
                 marker == '\0'
                     ? fmt::format("a record must start with '>' (FASTA) or '@' (FASTQ), not with {}{}",
                                   make_printable(piece.text[i]), flat_file_hint(piece.text.substr(i)))
                     : fmt::format("the next record must start with '{1}', not with {0}",
                                   make_printable(piece.text[i]), marker));
      } while (!piece.ends_line);
    }
    return false;
  }
};

sequence_reader::sequence_reader(std::unique_ptr<byte_source> source, std::uint64_t max_record)
    : state_(std::make_unique<state>(std::move(source), max_record)) {}
sequence_reader::~sequence_reader() = default;
sequence_reader::sequence_reader(sequence_reader&&) noexcept = default;
sequence_reader& sequence_reader::operator=(sequence_reader&&) noexcept = default;

void sequence_reader::before_long_records(std::uint64_t residues, std::function<void()> wait) {
  state_->long_record_size = residues;
  state_->on_long_record = std::move(wait);
}

bool sequence_reader::read(sequence_chunk& chunk, std::uint64_t residues) {
  chunk.clear();
  const byte_source& bytes = source();
  if (bytes.kind() == compression::none &&
      // Reserves at once, because growing by doubling would copy long records many times.
      bytes.size() > 0)
    chunk.residues.reserve(std::min(bytes.size(), residues));
  state_->max_chunk = residues + std::min(state_->max_record, ~std::uint64_t{0} - residues);
  state_->header_bytes = 0; // headers count, too, so that millions of empty records do not make one chunk
  while ((chunk.count() == 0 || std::max(chunk.residues.size(), state_->header_bytes) < residues) &&
         state_->find_record()) {
    state_->read_header(chunk);
    state_->is_long_record = false;
    if (state_->marker == '>')
      state_->read_fasta_body(chunk);
    else
      state_->read_fastq_body(chunk);
    chunk.offsets.push_back(chunk.residues.size());
  }
  return chunk.count() > 0;
}

const byte_source& sequence_reader::source() const noexcept { return state_->lines.source(); }

sequence_chunk read_sequences(const std::string& path) {
  sequence_chunk chunk;
  (void)sequence_reader(open_bytes(path)).read(chunk, ~std::uint64_t{0});
  return chunk;
}

} // namespace weft::io
