// weft find.
#include <algorithm>
#include <cli/run.hpp>
#include <cli/task.hpp>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <span>
#include <weft/base/error.hpp>
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

// A byte source whose first byte has been looked at.
class looked_at_bytes final : public io::byte_source {
public:
  explicit looked_at_bytes(std::unique_ptr<io::byte_source> source)
      : source_(std::move(source)), waiting_(source_->read({&first_, 1})) {}
  [[nodiscard]] char first() const noexcept { return first_; } // '\0' if there is none
  [[nodiscard]] std::size_t read(std::span<char> out) override {
    if (waiting_ == 0 || out.empty()) return source_->read(out);
    out[0] = first_;
    waiting_ = 0;
    return 1 + source_->read(out.subspan(1));
  }
  [[nodiscard]] const std::string& name() const noexcept override { return source_->name(); }
  [[nodiscard]] io::compression kind() const noexcept override { return source_->kind(); }
  [[nodiscard]] std::uint64_t position() const noexcept override { return source_->position(); }
  [[nodiscard]] std::uint64_t size() const noexcept override { return source_->size(); }

private:
  std::unique_ptr<io::byte_source> source_;
  char first_ = '\0';
  std::size_t waiting_;
};

// Patterns in chunks: of the command line, FASTA or FASTQ, or one a line (its own name; empty lines are left
// out). The first byte tells them apart.
class pattern_source {
public:
  pattern_source(const std::vector<std::string>& words, const std::string& path) : words_(words) {
    if (path.empty()) return;
    auto bytes = std::make_unique<looked_at_bytes>(io::open_bytes(path));
    if (bytes->first() == '>' || bytes->first() == '@')
      records_ = std::make_unique<io::sequence_reader>(std::move(bytes));
    else
      lines_ = std::make_unique<io::line_scanner>(std::move(bytes));
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
      for (const std::string& word : words_) chunk.add(word, word);
      return done_ = true;
    }
    std::string line;
    io::line_scanner::piece piece;
    while (chunk.text.size() < chunk_residues && lines_->next(piece)) {
      line += piece.text;
      if (!piece.ends_line) continue;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (!line.empty()) chunk.add(line, line);
      line.clear();
    }
    return !chunk.names.empty();
  }

private:
  const std::vector<std::string> words_;
  std::unique_ptr<io::line_scanner> lines_;
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
  finder(const arguments& given, const fm_index& index, io::output_file& out)
      : given_(given), index_(index), out_(out), both_(given.has("both-strands")), count_(given.has("count")),
        bed_(given.has("bed")) {
    options_.threads = static_cast<int>(given.number("threads", 0));
    options_.monitor = &monitor();
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
  }
  [[nodiscard]] std::uint64_t found() const noexcept { return found_; }
  [[nodiscard]] std::uint64_t searched() const noexcept { return patterns_; }
  [[nodiscard]] std::uint64_t cut() const noexcept { return cut_; }

private:
  static std::string_view pattern(const patterns& chunk, std::size_t p) {
    return std::string_view(chunk.text).substr(chunk.offsets[p], chunk.offsets[p + 1] - chunk.offsets[p]);
  }

  // Many patterns at a time, of which few occurrences are asked for at first, so that those with very many
  // do not fill the memory together: these are looked up again, one by one.
  void list(const patterns& chunk, const patterns& reversed) {
    constexpr std::size_t step = 1 << 12;
    constexpr std::uint64_t few = 1 << 10;
    for (std::size_t first = 0; first < chunk.names.size(); first += step) {
      const std::size_t last = std::min(chunk.names.size(), first + step);
      const fm_hits forward = locate(chunk, first, last, few),
                    backward = both_ ? locate(reversed, first, last, few) : fm_hits();
      std::string text;
      for (std::size_t p = first; p < last; ++p) {
        std::vector<placed_hit> hits;
        std::uint64_t total = take(forward, chunk, p, p - first, '+', hits);
        if (both_) total += take(backward, reversed, p, p - first, '-', hits);
        if (both_) std::inplace_merge(hits.begin(), first_backward(hits), hits.end());
        if (hits.size() > most_) hits.resize(most_);
        found_ += total;
        for (const placed_hit& hit : hits) {
          write(text, chunk, p, hit);
          if (text.size() <= std::size_t{1} << 22) continue;
          out_.write(text);
          text.clear();
        }
        if (total == hits.size()) continue;
        ++cut_;
        if (!bed_)
          fmt::format_to(std::back_inserter(text), "{}\t*\t{}\t{}\t*\n", chunk.names[p], hits.size(), total);
      }
      out_.write(text);
    }
  }

  fm_hits locate(const patterns& chunk, std::size_t first, std::size_t last, std::uint64_t most) {
    std::vector<std::uint64_t> offsets;
    for (std::size_t p = first; p <= last; ++p) offsets.push_back(chunk.offsets[p] - chunk.offsets[first]);
    const std::string_view text =
        std::string_view(chunk.text).substr(chunk.offsets[first], chunk.offsets[last] - chunk.offsets[first]);
    options_.max_hits = std::min(most, most_);
    return index_.locate(text, offsets, options_);
  }

  // Adds the occurrences of pattern p, which is number i of `from`; says how many there are in all.
  std::uint64_t take(const fm_hits& from, const patterns& chunk, std::size_t p, std::size_t i, char strand,
                     std::vector<placed_hit>& hits) {
    const auto add = [&](const fm_hits& found, std::size_t number) {
      for (std::uint64_t h = found.offsets[number]; h < found.offsets[number + 1]; ++h)
        hits.push_back({found.hits[h], strand});
    };
    if (from.offsets[i + 1] - from.offsets[i] < std::min(from.totals[i], most_))
      add(locate(chunk, p, p + 1, most_), 0);
    else
      add(from, i);
    return from.totals[i];
  }
  static std::vector<placed_hit>::iterator first_backward(std::vector<placed_hit>& hits) {
    return std::find_if(hits.begin(), hits.end(), [](const placed_hit& hit) { return hit.strand == '-'; });
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
  std::uint64_t most_ = ~std::uint64_t{0}, found_ = 0, patterns_ = 0, cut_ = 0;
};

fm_index open_index(const std::string& path) {
  const io::mapped_file file = io::map_file(path);
  try {
    return fm_index::from_bytes(file.bytes, file.owner);
  } catch (const error& failure) {
    throw error(failure.code(), fmt::format("{}: {}", path, failure.what()));
  }
}

} // namespace

int run_find(const arguments& given) {
  require_cpu(given);
  if (given.has("pattern") ? given.inputs.size() != 1 : given.inputs.size() != 2)
    throw error(errc::invalid_input,
                "weft find takes an index and a file of patterns (or an index and -e PATTERN)");
  if (given.value("engine") != "auto" && given.value("engine") != "batch")
    throw error(errc::invalid_input,
                fmt::format("find has no engine '{}' (auto, batch)", given.value("engine")));
  const stopwatch time;
  const fm_index index = open_index(given.inputs[0]);
  io::output_file out(given.value("output"));
  finder search(given, index, out);
  {
    const progress_line progress(given, "weft find", 1, "patterns");
    pattern_source source(given.values("pattern"), given.has("pattern") ? "" : given.inputs[1]);
    for (patterns chunk; source.next(chunk);) search.search(chunk);
  }
  out.commit();
  if (search.cut() > 0 && !given.has("quiet"))
    fmt::print(stderr, "weft: {} patterns have more than {} occurrences: the rest is left out\n",
               search.cut(), given.value("max-hits"));
  closing_line(given, time.seconds(),
               with_prefix(static_cast<double>(search.searched()) / time.seconds()) + "patterns/s", "batch");
  return search.found() == 0 && given.has("fail-if-none") ? 1 : 0;
}

} // namespace weft::cli
