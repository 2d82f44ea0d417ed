#include <weft/files/lcs/residues.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/io/alphabet_guess.hpp>

namespace weft::files {

namespace {

bool is_gap(char c) { return c == '-' || c == '.'; }

// Converts letters from `begin` on to upper case and removes gaps. Returns the number of gaps.
std::uint64_t clean(std::string& letters, std::size_t begin = 0) {
  std::size_t kept = begin;
  for (std::size_t i = begin; i < letters.size(); ++i) {
    const char c = letters[i];
    letters[kept] = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    kept += is_gap(c) ? 0 : 1;
  }
  const std::uint64_t gaps = letters.size() - kept;
  letters.resize(kept);
  return gaps;
}

std::uint64_t count_of(std::string_view letters, std::string_view text) {
  return static_cast<std::uint64_t>(std::count_if(
      text.begin(), text.end(), [&](char c) { return letters.find(c) != std::string_view::npos; }));
}

bool guess_is_dna(std::string_view a, std::string_view b) {
  io::alphabet_guess guess;
  guess.add(a);
  guess.add(b);
  return guess.is_dna();
}

std::string_view name_of(unknown_rule rule) {
  return rule == unknown_rule::match ? "match" : rule == unknown_rule::skip ? "skip" : "mismatch";
}

// Sets the options under which the engines compare unknown letters by the rule.
void set_unknown_letters(unknown_rule rule, bool is_dna, lcs_options& options) {
  if (rule == unknown_rule::mismatch) options.unmatched = unknown_letters(is_dna);
  if (rule == unknown_rule::match) options.wildcards = unknown_letters(is_dna);
}

// A gap_collector builds a path from single steps, and puts deletions before insertions between two diagonal
// steps.
class gap_collector {
public:
  void add(edit_op op) {
    if (op == edit_op::remove) {
      ++path_.deletions;
      ++deleted_;
    } else if (op == edit_op::insert) {
      ++path_.insertions;
      ++inserted_;
    } else {
      close_gap();
      ++(op == edit_op::match ? path_.matches : path_.substitutions);
      append(op, 1);
    }
  }
  [[nodiscard]] edit_script finish() {
    close_gap();
    return std::move(path_);
  }

private:
  void close_gap() {
    append(edit_op::remove, deleted_);
    append(edit_op::insert, inserted_);
    deleted_ = inserted_ = 0;
  }
  void append(edit_op op, std::uint64_t length) {
    if (length == 0) return;
    if (!path_.runs.empty() && path_.runs.back().op == op)
      path_.runs.back().length += length;
    else
      path_.runs.push_back({op, length});
  }

  edit_script path_;
  std::uint64_t deleted_ = 0, inserted_ = 0;
};

// Removes the gaps of the records of a set in place, converts their letters, finds their alphabet, and
// counts.
void clean_records(record_set& set) {
  io::sequence_chunk& records = set.records;
  io::alphabet_guess guess;
  guess.add(records.residues);
  set.is_dna = guess.is_dna();
  std::uint64_t begin = 0;
  std::size_t kept = 0;
  for (std::uint64_t r = 0; r < records.count(); ++r) {
    const std::uint64_t end = records.offsets[r + 1], before = set.unknown;
    for (; begin < end; ++begin) {
      char c = records.residues[begin];
      if (is_gap(c)) {
        ++set.removed_gaps;
        continue;
      }
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
      if (set.is_dna && c == 'U') c = 'T';
      const bool unknown = unknown_letters(set.is_dna).find(c) != std::string_view::npos;
      set.unknown += unknown ? 1 : 0;
      if (!unknown || set.rule != unknown_rule::skip) records.residues[kept++] = c;
    }
    records.offsets[r + 1] = kept;
    set.records_with_unknown += set.unknown > before ? 1 : 0;
  }
  records.residues.resize(kept);
}

// Copies the letters as the engines compare them to `copy`, if they differ from `letters`. Returns true if it
// has made a copy.
bool copy_symbols(const std::string& letters, bool is_dna, std::string_view skipped, memory_budget& memory,
                  std::string& copy) {
  const bool is_rna = is_dna && letters.find('U') != std::string::npos;
  if (!is_rna && skipped.empty()) return false;
  memory.hold(letters.size(), "copies of the letters");
  copy.reserve(letters.size());
  for (const char c : letters)
    if (skipped.find(c) == std::string_view::npos) copy += is_rna && c == 'U' ? 'T' : c;
  return true;
}

// Throws memory_error because the memory does not suffice for the records. Reads on for a while, so that the
// message can give the number of residues.
[[noreturn]] void refuse_records(const std::string& path, const record_set& set, io::sequence_reader& reader,
                                 io::sequence_chunk& more, std::uint64_t part) {
  constexpr std::uint64_t patience = 64;
  std::uint64_t size = set.records.residues.size();
  bool ended = false;
  for (; !ended && size / patience < part; ended = !reader.read(more, part)) size += more.residues.size();
  throw memory_error(fmt::format("{}: the records have {}{} residues, but the memory limit allows only "
                                 "{} in all records together",
                                 path, ended ? "" : "at least ", size, 2 * part));
}

} // namespace

named_sequence read_sequence(const std::string& path, const record_choice& choice, memory_budget& memory) {
  io::sequence_reader reader(io::open_bytes(path, true, memory.left()), memory.max_text());
  io::sequence_chunk chunk;
  named_sequence result{path};
  bool found = choice.name.empty();
  while (reader.read(chunk, 1)) {
    const std::string& name = chunk.names.front();
    if (!choice.name.empty() && name != choice.name) continue;
    if (++result.records > 1 && !choice.join)
      throw error(errc::invalid_input, fmt::format("{} has more than one record (the second is '{}'): {}",
                                                   path, name, choice.advice));
    found = true;
    if (result.records == 1) {
      if (!name.empty()) result.name = name;
      result.letters = std::move(chunk.residues);
    } else {
      reserve_within(result.letters, result.letters.size() + chunk.residues.size(), memory.max_text());
      result.letters += chunk.residues;
    }
    memory.require(4 * result.letters.size(), fmt::format("the sequences of {} and the engines", path));
    if (!choice.name.empty()) break;
  }
  if (!found) throw error(errc::invalid_input, fmt::format("{}: there is no record '{}'", path, choice.name));
  if (result.records > 1) result.name = path;
  result.removed_gaps = clean(result.letters);
  memory.hold(result.letters.capacity(), fmt::format("the sequences of {}", path));
  return result;
}

residue_pair::residue_pair(named_sequence a, named_sequence b, unknown_rule rule, memory_budget& memory)
    : a_(std::move(a)), b_(std::move(b)), rule_(rule), is_dna_(guess_is_dna(a_.letters, b_.letters)),
      a_unknown_(count_of(unknown_letters(is_dna_), a_.letters)),
      b_unknown_(count_of(unknown_letters(is_dna_), b_.letters)) {
  const bool skips = rule == unknown_rule::skip;
  const auto skipped = [&](std::uint64_t unknown) {
    return skips && unknown > 0 ? unknown_letters(is_dna_) : std::string_view();
  };
  a_copied_ = copy_symbols(a_.letters, is_dna_, skipped(a_unknown_), memory, a_copy_);
  b_copied_ = copy_symbols(b_.letters, is_dna_, skipped(b_unknown_), memory, b_copy_);
}

compared residue_pair::texts() const {
  compared texts{a_.name, b_.name, a_.letters.size(), b_.letters.size()};
  if (a_unknown_ + b_unknown_ == 0) return texts;
  texts.unknown = {name_of(rule_), a_unknown_, b_unknown_, {}, {}, {}};
  if (rule_ == unknown_rule::skip) {
    texts.unknown.skipped = unknown_letters(is_dna_);
    texts.unknown.a_letters = a_.letters;
    texts.unknown.b_letters = b_.letters;
  }
  return texts;
}

void residue_pair::set_unknown_letter_options(lcs_options& options) const {
  if (a_unknown_ + b_unknown_ > 0) set_unknown_letters(rule_, is_dna_, options);
}

edit_script residue_pair::path_of_letters(edit_script path) const {
  if (rule_ != unknown_rule::skip || a_unknown_ + b_unknown_ == 0) return path;
  const std::string_view unknown = unknown_letters(is_dna_), a = a_.letters, b = b_.letters;
  const auto is_skipped = [&](char c) { return unknown.find(c) != std::string_view::npos; };
  gap_collector result;
  std::size_t i = 0, j = 0;
  for (const edit_run& run : path.runs)
    for (std::uint64_t step = 0; step < run.length; ++step) {
      if (run.op != edit_op::insert)
        for (; is_skipped(a[i]); ++i) result.add(edit_op::remove);
      if (run.op != edit_op::remove)
        for (; is_skipped(b[j]); ++j) result.add(edit_op::insert);
      result.add(run.op);
      i += run.op != edit_op::insert ? 1 : 0;
      j += run.op != edit_op::remove ? 1 : 0;
    }
  for (; i < a.size(); ++i) result.add(edit_op::remove);
  for (; j < b.size(); ++j) result.add(edit_op::insert);
  return result.finish();
}

void record_set::set_unknown_letter_options(lcs_options& options) const {
  if (unknown > 0) set_unknown_letters(rule, is_dna, options);
}

record_set read_record_set(std::unique_ptr<io::byte_source> source, const std::string& path,
                           unknown_rule rule, memory_budget& memory) {
  const std::uint64_t part = (memory.max_text() + 1) / 2; // a chunk may exceed its size by one record
  io::sequence_reader reader(std::move(source), part);
  record_set set;
  set.rule = rule;
  (void)reader.read(set.records, part == 0 ? ~std::uint64_t{0} : part);
  if (io::sequence_chunk more; part != 0 && reader.read(more, part))
    refuse_records(path, set, reader, more, part);
  memory.hold(set.records.residues.capacity(), fmt::format("the sequences of {}", path));
  clean_records(set);
  return set;
}

} // namespace weft::files
