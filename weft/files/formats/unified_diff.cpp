#include <weft/files/formats/lcs_formats.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <weft/files/lines/token_text.hpp>

namespace weft::files {

namespace {

// Lines [begin, end), counted from 0.
struct line_range {
  std::uint64_t begin = 0, end = 0;
};

// Returns a range as the header of a hunk shows it: its first line, counted from 1, and its length if it is
// not 1. An empty range is shown by the line before it.
std::string header_of(line_range lines) {
  const std::uint64_t count = lines.end - lines.begin;
  if (count == 1) return fmt::format("{}", lines.begin + 1);
  return fmt::format("{},{}", count == 0 ? lines.begin : lines.begin + 1, count);
}

// A line_writer goes through the lines of a text in order, and skips or writes each of them.
class line_writer {
public:
  line_writer(io::output_file& out, std::string_view bytes)
      : out_(out), end_(bytes.data() + bytes.size()), lines_(bytes, token_kind::line) {}

  void skip_to(std::uint64_t line) {
    for (std::string_view skipped; line_ < line && lines_.next(skipped);) ++line_;
  }
  void write(std::uint64_t count, char mark) {
    for (std::string_view line; count > 0 && lines_.next(line); --count, ++line_) {
      out_.write({&mark, 1});
      out_.write(line);
      out_.write(line.data() + line.size() == end_ ? "\n\\ No newline at end of file\n" : "\n");
    }
  }

private:
  io::output_file& out_;
  const char* end_;
  token_cursor lines_;
  std::uint64_t line_ = 0;
};

// Consecutive runs, of which the first and the last are changes, and their lines in A and B.
struct hunk {
  std::span<const edit_run> runs;
  line_range a, b;
};

// Returns the hunk that begins with the change runs[first] and ends before the first run of more than 2 *
// `context` matches.
hunk next_hunk(std::span<const edit_run> runs, std::size_t first, std::uint64_t a, std::uint64_t b,
               std::uint64_t context) {
  hunk found{{}, {a, a}, {b, b}};
  std::size_t past = first; // index behind the last change
  for (std::size_t at = first; at < runs.size(); ++at) {
    const edit_run& run = runs[at];
    if (run.op == edit_op::match && (run.length > 2 * context || at + 1 == runs.size())) break;
    if (run.op != edit_op::insert) found.a.end += run.length;
    if (run.op != edit_op::remove) found.b.end += run.length;
    past = at + 1;
  }
  found.runs = runs.subspan(first, past - first);
  return found;
}

void write_hunk(io::output_file& out, line_writer& a, line_writer& b, const hunk& changes,
                std::uint64_t before, std::uint64_t after) {
  const line_range in_a{changes.a.begin - before, changes.a.end + after},
      in_b{changes.b.begin - before, changes.b.end + after};
  out.write(fmt::format("@@ -{} +{} @@\n", header_of(in_a), header_of(in_b)));
  a.skip_to(in_a.begin);
  a.write(before, ' ');
  b.skip_to(changes.b.begin);
  std::uint64_t b_line = changes.b.begin;
  for (const edit_run& run : changes.runs) {
    if (run.op == edit_op::insert)
      b.write(run.length, '+');
    else
      a.write(run.length, run.op == edit_op::match ? ' ' : '-');
    if (run.op != edit_op::remove) b.skip_to(b_line += run.length);
  }
  a.write(after, ' ');
}

} // namespace

void write_unified(io::output_file& out, const unified_text& a, const unified_text& b,
                   std::span<const edit_run> runs, std::uint64_t context) {
  if (std::all_of(runs.begin(), runs.end(), [](const edit_run& run) { return run.op == edit_op::match; }))
    return;
  out.write(fmt::format("--- {}\n+++ {}\n", quoted_name(a.name), quoted_name(b.name)));
  line_writer a_lines(out, a.bytes), b_lines(out, b.bytes);
  std::uint64_t a_line = 0, b_line = 0;
  for (std::size_t at = 0; at < runs.size();) {
    if (runs[at].op == edit_op::match) {
      a_line += runs[at].length, b_line += runs[at].length;
      ++at;
      continue;
    }
    const hunk changes = next_hunk(runs, at, a_line, b_line, context);
    const std::size_t past = at + changes.runs.size();
    write_hunk(out, a_lines, b_lines, changes, at == 0 ? 0 : std::min(context, runs[at - 1].length),
               past == runs.size() ? 0 : std::min(context, runs[past].length));
    a_line = changes.a.end, b_line = changes.b.end;
    at = past;
  }
}

std::string quoted_name(std::string_view name) {
  std::string text;
  bool quote = false;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const std::size_t letter = std::string_view("\a\b\t\n\v\f\r\"\\").find(c);
    if (letter != std::string_view::npos)
      (text += '\\') += "abtnvfr\"\\"[letter];
    else if (byte < ' ' || byte >= 127)
      text += fmt::format("\\{:03o}", byte);
    else
      text += c;
    quote |= byte <= ' ' || byte >= 127 || letter != std::string_view::npos;
  }
  return quote ? '"' + text + '"' : text;
}

} // namespace weft::files
