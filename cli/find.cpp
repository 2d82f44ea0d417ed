// weft find.
#include <algorithm>
#include <cli/program.hpp>
#include <cli/rna.hpp>
#include <cli/task.hpp>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <span>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/io/line_scanner.hpp>
#include <weft/io/mapped_file.hpp>
#include <weft/io/output_file.hpp>
#include <weft/io/sequence_reader.hpp>

namespace weft::cli {

namespace {

constexpr std::uint64_t chunk_residues = std::uint64_t{1} << 22;

struct patterns {
  std::vector<std::string> names;
  std::string text;
  std::vector<std::uint64_t> offsets{0};
  void add(std::string name, std::string_view pattern) {
    names.push_back(std::move(name));
    text += pattern;
    offsets.push_back(text.size());
  }
};

// Whether the first line that is neither empty nor a comment is a record's.
bool begins_with_record(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of("\r\n"), text.size()));
    if (text.empty() || text[0] != ';') return !text.empty() && (text[0] == '>' || text[0] == '@');
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

// A pattern as its own name in a column: what would break the line as \t, \n, \r, a backslash twice.
std::string as_name(std::string_view pattern) {
  std::string result;
  for (const char c : pattern) {
    const std::size_t at = std::string_view("\t\n\r\\").find(c);
    if (at == std::string_view::npos)
      result += c;
    else
      (result += '\\') += "tnr\\"[at];
  }
  return result;
}

// Patterns in chunks: of the command line, FASTA or FASTQ, or one a line (its own name; empty lines are left
// out). The first line tells them apart.
class pattern_source {
public:
  // letters: blanks around patterns do not count, and none begins with '>'.
  pattern_source(const std::vector<std::string>& words, const std::string& path, bool letters)
      : words_(words), letters_(letters) {
    if (path.empty()) return;
    io::peeked_bytes file = io::peek(io::open_bytes(path), 4096);
    name_ = file.source->name();
    if (begins_with_record(file.start))
      records_ = std::make_unique<io::sequence_reader>(std::move(file.source));
    else
      lines_ = std::make_unique<io::line_scanner>(std::move(file.source));
  }

  bool next(patterns& chunk) {
    chunk = {};
    if (records_) {
      io::sequence_chunk read;
      if (!records_->read(read, chunk_residues)) return false;
      chunk.names = std::move(read.names);
      chunk.text = std::move(read.residues);
      chunk.offsets = std::move(read.offsets);
      return true;
    }
    if (!lines_) {
      if (done_) return false;
      for (const std::string& word : words_) chunk.add(as_name(word), word);
      return done_ = true;
    }
    std::string line;
    io::line_scanner::piece piece;
    while (chunk.text.size() < chunk_residues && lines_->next(piece)) {
      line += piece.text;
      if (!piece.ends_line) continue;
      ++line_number_;
      if (const std::string_view pattern = trimmed(line); !pattern.empty())
        chunk.add(as_name(pattern), pattern);
      line.clear();
    }
    return !chunk.names.empty();
  }

private:
  [[nodiscard]] std::string_view trimmed(std::string_view line) const {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!letters_) return line;
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    line = line.substr(0, line.find_last_not_of(" \t") + 1);
    if (line.starts_with('>'))
      throw parse_error(name_, line_number_, 1, "a FASTA header in a list of patterns, one a line");
    return line;
  }

  const std::vector<std::string> words_;
  bool letters_;
  std::string name_;
  std::unique_ptr<io::line_scanner> lines_;
  std::uint64_t line_number_ = 0;
  std::unique_ptr<io::sequence_reader> records_;
  bool done_ = false;
};

// IUPAC letters other than the bases match nothing on either strand.
std::string reverse_complement(std::string_view pattern) {
  std::string result(pattern.rbegin(), pattern.rend());
  for (char& c : result) {
    constexpr std::string_view from = "ACGTacgt", to = "TGCAtgca";
    if (const std::size_t at = from.find(c); at != std::string_view::npos) c = to[at];
  }
  return result;
}

struct placed_hit {
  fm_hit at;
  char strand;
  friend bool operator<(const placed_hit& a, const placed_hit& b) {
    return std::pair(a.at, a.strand) < std::pair(b.at, b.strand);
  }
};

class finder {
public:
  finder(const arguments& given, const fm_search_options& options, const fm_index& index,
         io::output_file& out)
      : given_(given), index_(index), out_(out), both_(given.has("both-strands")), count_(given.has("count")),
        bed_(given.has("bed")), options_(options) {
    options_.used_gpu = &used_gpu_;
    memory_ = memory_limit(given.size("memory"));
    if (given.has("max-hits")) most_ = parse_count(given.value("max-hits"), "--max-hits");
    if (count_ && bed_) throw error(errc::invalid_input, "--count counts, --bed lists: only one of them");
    if (count_ && given.has("max-hits"))
      throw error(errc::invalid_input, "--count counts all: it goes without --max-hits");
    if (both_ && index.alphabet() != fm_alphabet::dna)
      throw error(errc::invalid_input, "--both-strands is for indexes of DNA");
    if (count_)
      out_.write("pattern\tcount\n");
    else if (!bed_)
      out_.write("pattern\treference\tbegin\tend\tstrand\n");
  }

  void search(const patterns& chunk) {
    patterns reversed;
    if (both_)
      for (std::size_t p = 0; p < chunk.names.size(); ++p)
        reversed.add("", reverse_complement(pattern(chunk, p)));
    if (count_) {
      std::vector<std::uint64_t> counts = index_.count(chunk.text, chunk.offsets, options_);
      if (both_) {
        const std::vector<std::uint64_t> other = index_.count(reversed.text, reversed.offsets, options_);
        for (std::size_t p = 0; p < counts.size(); ++p) counts[p] += other[p];
      }
      std::string text;
      for (std::size_t p = 0; p < counts.size(); ++p) {
        found_ += counts[p];
        fmt::format_to(std::back_inserter(text), "{}\t{}\n", chunk.names[p], counts[p]);
      }
      out_.write(text);
    } else {
      list(chunk, reversed);
    }
    patterns_ += chunk.names.size();
    if (index_.alphabet() != fm_alphabet::dna) return;
    for (std::size_t p = 0; p < chunk.names.size(); ++p)
      if (pattern(chunk, p).find_first_not_of("ACGTacgt") != std::string_view::npos) ++without_match_;
  }
  [[nodiscard]] std::uint64_t found() const noexcept { return found_; }
  [[nodiscard]] std::uint64_t searched() const noexcept { return patterns_; }
  [[nodiscard]] int used_gpu() const noexcept { return used_gpu_; } // by the last search, or -1
  // What one should know about the result.
  [[nodiscard]] std::string remarks() const {
    std::string text;
    if (patterns_ == 0) text += "weft: there are no patterns to look for\n";
    if (cut_ > 0)
      text += fmt::format("weft: patterns with more than {} occurrences, of which the rest is left out: {}\n",
                          most_, cut_);
    if (without_match_ > 0)
      text += fmt::format("weft: patterns with letters other than A, C, G and T, which match nothing in an "
                          "index of DNA: {}\n",
                          without_match_);
    return text;
  }

private:
  static std::string_view pattern(const patterns& chunk, std::size_t p) {
    return std::string_view(chunk.text).substr(chunk.offsets[p], chunk.offsets[p + 1] - chunk.offsets[p]);
  }

  static constexpr std::uint64_t bytes_of_hit = 2 * sizeof(placed_hit) + sizeof(fm_hit); // at most at a time

  // Hits of patterns [first, first + ...) on both strands.
  struct located {
    std::size_t first = 0;
    fm_hits forward, backward; // the latter is empty if it is not asked for
  };

  // Many patterns at a time, of which few hits are asked for at first, so that those with very many do not
  // fill the memory together: these are looked up again, as many together as have not too many hits.
  void list(const patterns& chunk, const patterns& reversed) {
    constexpr std::size_t step = 1 << 12;
    constexpr std::uint64_t few = 64;
    const std::uint64_t together = std::min<std::uint64_t>(1 << 20, memory_ / bytes_of_hit);
    std::string text;
    for (std::size_t first = 0; first < chunk.names.size(); first += step) {
      const std::size_t last = std::min(chunk.names.size(), first + step);
      const located some = locate(chunk, reversed, first, last, std::min(few, most_));
      for (std::size_t p = first; p < last;) {
        if (complete(some, p)) {
          emit(text, chunk, some, p++);
          continue;
        }
        std::uint64_t hits = kept(some, p);
        std::size_t end = p + 1;
        while (end < last && !complete(some, end) && hits + kept(some, end) <= together)
          hits += kept(some, end++);
        check_memory(chunk, p, hits);
        for (const located all = locate(chunk, reversed, p, end, most_); p < end; ++p)
          emit(text, chunk, all, p);
      }
    }
    out_.write(text);
  }

  located locate(const patterns& chunk, const patterns& reversed, std::size_t first, std::size_t last,
                 std::uint64_t most) {
    options_.max_hits = most;
    const auto hits = [&](const patterns& of) {
      std::vector<std::uint64_t> offsets;
      for (std::size_t p = first; p <= last; ++p) offsets.push_back(of.offsets[p] - of.offsets[first]);
      return index_.locate(
          std::string_view(of.text).substr(of.offsets[first], of.offsets[last] - of.offsets[first]), offsets,
          options_);
    };
    return {first, hits(chunk), both_ ? hits(reversed) : fm_hits()};
  }
  // How many hits of a strand are wanted, and whether they are there.
  [[nodiscard]] std::uint64_t wanted(const fm_hits& hits, std::size_t i) const {
    return std::min(hits.totals[i], most_);
  }
  [[nodiscard]] bool complete(const located& of, std::size_t p) const {
    const auto all = [&](const fm_hits& hits) {
      return hits.offsets[p - of.first + 1] - hits.offsets[p - of.first] == wanted(hits, p - of.first);
    };
    return all(of.forward) && (!both_ || all(of.backward));
  }
  [[nodiscard]] std::uint64_t kept(const located& of, std::size_t p) const {
    return wanted(of.forward, p - of.first) + (both_ ? wanted(of.backward, p - of.first) : 0);
  }
  void check_memory(const patterns& chunk, std::size_t p, std::uint64_t hits) const {
    if (hits > memory_ / bytes_of_hit)
      throw memory_error(
          fmt::format("the {} occurrences of '{}' do not fit {} of memory: --count counts them, "
                      "--max-hits lists some, --memory gives more",
                      hits, chunk.names[p], format_size(memory_)));
  }

  // Writes the hits of pattern p, and a word if there are more.
  void emit(std::string& text, const patterns& chunk, const located& from, std::size_t p) {
    std::vector<placed_hit> hits;
    std::uint64_t total = 0;
    const auto take = [&](const fm_hits& of, char strand) {
      const std::size_t i = p - from.first;
      total += of.totals[i];
      for (std::uint64_t h = of.offsets[i]; h < of.offsets[i + 1]; ++h) hits.push_back({of.hits[h], strand});
    };
    take(from.forward, '+');
    const auto forward = static_cast<std::ptrdiff_t>(hits.size());
    if (both_) take(from.backward, '-');
    std::inplace_merge(hits.begin(), hits.begin() + forward, hits.end());
    if (hits.size() > most_) hits.resize(most_);
    found_ += total;
    for (const placed_hit& hit : hits) {
      write(text, chunk, p, hit);
      if (text.size() <= std::size_t{1} << 22) continue;
      out_.write(text);
      text.clear();
    }
    if (total == hits.size()) return;
    ++cut_;
    if (!bed_)
      fmt::format_to(std::back_inserter(text), "{}\t*\t{}\t{}\t*\n", chunk.names[p], hits.size(), total);
  }

  void write(std::string& text, const patterns& chunk, std::size_t p, const placed_hit& hit) const {
    const std::uint64_t size = chunk.offsets[p + 1] - chunk.offsets[p];
    const std::string_view record = index_.name(hit.at.record);
    if (bed_)
      fmt::format_to(std::back_inserter(text), "{}\t{}\t{}\t{}\t0\t{}\n", record, hit.at.begin,
                     hit.at.begin + size, chunk.names[p], hit.strand);
    else
      fmt::format_to(std::back_inserter(text), "{}\t{}\t{}\t{}\t{}\n", chunk.names[p], record,
                     hit.at.begin + 1, hit.at.begin + size, hit.strand);
  }

  const arguments& given_;
  const fm_index& index_;
  io::output_file& out_;
  bool both_, count_, bed_;
  fm_search_options options_;
  std::uint64_t memory_ = 0, most_ = ~std::uint64_t{0}, found_ = 0, patterns_ = 0, cut_ = 0,
                without_match_ = 0;
  int used_gpu_ = -1;
};

fm_search_options options_of(const arguments& given) {
  fm_search_options options;
  set_common_options(given, options);
  require_device(options.device);
  return options;
}

fm_index open_index(const std::string& path) {
  if (path == "-")
    throw error(errc::invalid_input,
                "an index cannot be read from standard input: it is mapped, and has to be a file");
  const io::mapped_file file = io::map_file(path);
  try {
    return fm_index::from_bytes(file.bytes, file.owner);
  } catch (const error& failure) {
    throw error(failure.code(), fmt::format("{}: {}", path, failure.what()));
  }
}

} // namespace

int run_find(const arguments& given) {
  const fm_search_options options = options_of(given);
  if (given.has("pattern") ? given.inputs.size() != 1 : given.inputs.size() != 2)
    throw error(errc::invalid_input,
                "weft find takes an index and a file of patterns (or an index and -e PATTERN)");
  require_engine(given, "batch");
  const stopwatch time;
  const fm_index index = open_index(given.inputs[0]);
  io::output_file out(given.value("output"));
  finder search(given, options, index, out);
  {
    const progress_line progress(given, "weft find", 1, "patterns");
    pattern_source source(given.values("pattern"), given.has("pattern") ? "" : given.inputs[1],
                          index.alphabet() != fm_alphabet::bytes);
    for (patterns chunk; source.next(chunk); search.search(chunk))
      if (index.alphabet() == fm_alphabet::dna) take_u_as_t(chunk.text, 1);
  }
  out.commit();
  if (!given.has("quiet")) say(search.remarks());
  closing_line(given, time.seconds(),
               with_prefix(static_cast<double>(search.searched()) / time.seconds()) + "patterns/s", "batch",
               search.used_gpu());
  return search.found() == 0 && given.has("fail-if-none") ? 1 : 0;
}

} // namespace weft::cli
