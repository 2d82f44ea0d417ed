#include <weft/files/lines/sort_inputs.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/io/npy.hpp>
#include <weft/sort/line_key.hpp>

namespace weft::files {

namespace {

constexpr std::size_t max_header = std::size_t{1} << 24;

// Returns whether a file that begins with these bytes is a zip archive of arrays, as NumPy writes it: one
// whose first member is an .npy file.
bool is_npz(std::string_view start, std::string_view path) {
  if (!start.starts_with("PK\3\4")) return start.starts_with("PK\5\6") && path.ends_with(".npz");
  constexpr std::size_t size_at = 26, name_at = 30;
  if (path.ends_with(".npz")) return true;
  if (start.size() < name_at) return false;
  const std::size_t size = static_cast<unsigned char>(start[size_at]) +
                           std::size_t{256} * static_cast<unsigned char>(start[size_at + 1]);
  return start.substr(name_at, size).ends_with(".npy");
}

// Passes on comma-separated values. Replaces each newline that ends a record by a zero byte.
class csv_records final : public io::byte_source {
public:
  csv_records(std::unique_ptr<io::byte_source> source, char separator)
      : source_(std::move(source)), separator_(separator) {}

  std::size_t read(std::span<char> out) override {
    const std::size_t got = source_->read(out);
    for (char& c : out.first(got)) take(c);
    if (got == 0 && state_ == quoted)
      throw parse_error(name(), quote_line_, 0, "the quoted field that begins in this line is not closed");
    return got;
  }
  const std::string& name() const noexcept override { return source_->name(); }
  io::compression kind() const noexcept override { return source_->kind(); }
  std::uint64_t position() const noexcept override { return source_->position(); }
  std::uint64_t size() const noexcept override { return source_->size(); }

private:
  enum { begin, unquoted, quoted, quote } state_ = begin; // quote: after a quote within a quoted field

  void take(char& c) {
    if (c == '\0')
      throw parse_error(name(), line_, 0,
                        "comma-separated values must not contain a zero "
                        "byte");
    if (c == '\n') ++line_;
    if (state_ == quoted) {
      if (c == '"') state_ = quote;
    } else if (c == separator_) {
      state_ = begin;
    } else if (c == '\n') {
      c = '\0';
      state_ = begin;
    } else if (c == '"' && state_ != unquoted) {
      if (state_ == begin) quote_line_ = line_;
      state_ = quoted;
    } else {
      state_ = unquoted;
    }
  }

  std::unique_ptr<io::byte_source> source_;
  char separator_;
  std::uint64_t line_ = 1, quote_line_ = 1;
};

// A source that gives the bytes that were read ahead, and then the rest of another source.
class resumed_source final : public io::byte_source {
public:
  resumed_source(std::string ahead, std::unique_ptr<io::byte_source> source)
      : ahead_(std::move(ahead)), source_(std::move(source)) {}

  std::size_t read(std::span<char> out) override {
    const std::size_t from_ahead = ahead_.copy(out.data(), out.size(), at_);
    at_ += from_ahead;
    return from_ahead + (from_ahead < out.size() ? source_->read(out.subspan(from_ahead)) : 0);
  }
  const std::string& name() const noexcept override { return source_->name(); }
  io::compression kind() const noexcept override { return source_->kind(); }
  std::uint64_t position() const noexcept override { return source_->position(); }
  std::uint64_t size() const noexcept override { return source_->size(); }

private:
  std::string ahead_;
  std::size_t at_ = 0;
  std::unique_ptr<io::byte_source> source_;
};

} // namespace

sort_inputs::sort_inputs(sort_input_options options)
    : options_(std::move(options)), terminator_(options_.csv || options_.zero_terminated ? '\0' : '\n') {
  for (const std::string& path : options_.paths)
    if (path != "-" && ::access(path.c_str(), R_OK) != 0)
      throw io_error(fmt::format("cannot read: {}: {}", path, std::strerror(errno)));
  first_ = open_bytes(0, npy_);
}

std::unique_ptr<io::byte_source> sort_inputs::open_bytes(std::size_t i, bool& npy) const {
  std::unique_ptr<io::byte_source> source =
      io::open_bytes(options_.paths[i], options_.decompress, options_.memory);
  if (!options_.finds_arrays) return source;
  constexpr std::size_t enough = 30 + 255; // bytes, to see the name of an archive's first member
  io::peeked_bytes peeked = io::peek(std::move(source), enough);
  if (is_npz(peeked.start, options_.paths[i]))
    throw error(errc::invalid_input,
                fmt::format("{} is an .npz archive of arrays, which weft cannot sort: extract its .npy files "
                            "(for example with unzip) and sort them one at a time",
                            options_.paths[i]));
  npy = peeked.start.starts_with(io::npy_magic);
  return std::move(peeked.source);
}

std::unique_ptr<io::byte_source> sort_inputs::open_array(std::size_t i) {
  return i == 0 && first_ ? std::move(first_)
                          : io::open_bytes(options_.paths[i], options_.decompress, options_.memory);
}

std::uint64_t sort_inputs::decoder_memory() const {
  if (options_.memory == 0 || !options_.decompress) return 0;
  std::uint64_t largest = first_ ? io::decoder_memory(first_->kind(), options_.memory) : 0;
  std::error_code none;
  for (std::size_t i = 1; i < options_.paths.size(); ++i)
    if (std::filesystem::is_regular_file(options_.paths[i], none))
      largest =
          std::max(largest, io::decoder_memory(io::open_bytes(options_.paths[i])->kind(), options_.memory));
  return largest;
}

std::unique_ptr<io::byte_source> sort_inputs::open_records(std::size_t i) {
  bool npy = false;
  std::unique_ptr<io::byte_source> source = i == 0 ? std::move(first_) : open_bytes(i, npy);
  if (npy)
    throw error(errc::invalid_input,
                fmt::format("{} is an .npy array, but the other input is text: sort the array separately",
                            options_.paths[i]));
  if (options_.csv) source = std::make_unique<csv_records>(std::move(source), options_.separator);
  return source;
}

// Reads the header of a source. Returns a source of the text behind it.
std::unique_ptr<io::byte_source> sort_inputs::behind_header(std::unique_ptr<io::byte_source> source,
                                                            std::string& header) {
  std::string ahead;
  std::uint64_t lines = 0;
  std::size_t searched = 0;
  while (lines < options_.header_lines) {
    const std::size_t end = ahead.find(terminator_, searched);
    if (end != std::string::npos) {
      searched = end + 1;
      ++lines;
      continue;
    }
    if (ahead.size() > max_header)
      throw error(errc::invalid_input,
                  fmt::format("{}: the header is longer than {}", source->name(), format_size(max_header)));
    constexpr std::size_t piece = std::size_t{1} << 16;
    const std::size_t before = ahead.size();
    ahead.resize(before + piece);
    const std::size_t got = source->read({ahead.data() + before, piece});
    ahead.resize(before + got);
    if (got > 0) continue;
    if (searched < ahead.size()) ahead += terminator_; // the last line lacks its terminator
    searched = ahead.size();
    break;
  }
  header = ahead.substr(0, searched);
  return std::make_unique<resumed_source>(ahead.substr(searched), std::move(source));
}

const std::string& sort_inputs::header() {
  if (options_.header_lines > 0 && !header_read_) {
    first_ = behind_header(open_records(0), header_);
    header_read_ = true;
  }
  return header_;
}

std::unique_ptr<io::byte_source> sort_inputs::open_text(std::size_t i) {
  if (options_.header_lines == 0) return open_records(i);
  (void)header();
  if (i == 0) return std::move(first_);
  std::string other;
  std::unique_ptr<io::byte_source> rest = behind_header(open_records(i), other);
  if (!other.empty() && other != header_)
    throw error(
        errc::invalid_input,
        fmt::format("the header of {} differs from the header of {}: with {}, all files must have the same "
                    "header",
                    options_.paths[i], options_.paths[0], options_.header_option));
  return rest;
}

std::vector<std::string> sort_inputs::column_names() {
  std::string_view record = header();
  if (record.empty()) return {};
  record.remove_suffix(1);
  record.remove_prefix(record.rfind(terminator_) + 1); // npos + 1 is 0
  if (record.starts_with("\xEF\xBB\xBF")) record.remove_prefix(3);
  std::vector<std::string> names;
  const line_key first;
  for (std::size_t at = 0; at <= record.size();) {
    std::size_t end = at;
    bool quoted = end < record.size() && record[end] == '"';
    for (end += quoted ? 1 : 0; end < record.size() && (quoted || record[end] != options_.separator); ++end)
      if (quoted && record[end] == '"') {
        if (end + 1 < record.size() && record[end + 1] == '"')
          ++end;
        else
          quoted = false;
      }
    std::string unquoted;
    names.emplace_back(first.find_csv(record.substr(at, end - at), options_.separator, unquoted));
    at = end + 1;
  }
  return names;
}

} // namespace weft::files
