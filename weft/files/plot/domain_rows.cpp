#include <weft/files/plot/domain_rows.hpp>

#include <algorithm>

namespace weft::files {

namespace {

// The maximum rows of a figure: first sequences with matches for one page, chosen sequences as many as a user
// may want.
constexpr std::size_t max_first_rows = 20, max_chosen_rows = 200;
constexpr std::uint64_t max_domains = 20'000; // domains of all rows together

// A figure has fewer columns than this that a reader can distinguish.
constexpr std::uint64_t num_columns = 1000;

} // namespace

void domain_collector::add(const io::sequence_chunk& chunk, std::span<const scan_match> matches) {
  for (const scan_match& match : matches) {
    if (match.sequence >= next_sequence_) {
      begin_rows(chunk, match.sequence);
      has_row_ = begin_row(chunk, next_sequence_++);
    }
    if (has_row_) add_domain(match);
  }
}

void domain_collector::end_chunk(const io::sequence_chunk& chunk) {
  begin_rows(chunk, chunk.count());
  next_sequence_ = 0;
  has_row_ = false;
}

// Begins the rows of chosen sequences before `sequence`, which have no matches.
void domain_collector::begin_rows(const io::sequence_chunk& chunk, std::uint64_t sequence) {
  for (; next_sequence_ < sequence; ++next_sequence_)
    if (!names_.empty()) begin_row(chunk, next_sequence_);
}

// Begins the row of a sequence. Returns false if the sequence is not chosen or there are enough rows.
bool domain_collector::begin_row(const io::sequence_chunk& chunk, std::uint64_t sequence) {
  const std::string& name = chunk.names[sequence];
  if (!is_chosen(name)) return false;
  if (!names_.empty()) found_.insert(name);
  if (result_.rows.size() == (names_.empty() ? max_first_rows : max_chosen_rows)) {
    ++result_.sequences_left_out;
    return false;
  }
  result_.rows.push_back({name, chunk.sequence(sequence).size(), {}});
  return true;
}

// Adds a match to the current row. A match that is at most a column wide, and at most a column away from the
// previous one of its motif and strand, extends that domain.
void domain_collector::add_domain(const scan_match& match) {
  domain_row& row = result_.rows.back();
  const std::uint64_t column = row.length / num_columns;
  const auto before = std::find_if(row.domains.rbegin(), row.domains.rend(), [&](const domain& each) {
    return each.motif != match.motif || each.strand == match.strand;
  });
  if (before != row.domains.rend() && before->motif == match.motif && before->strand == match.strand &&
      match.end - match.begin <= column && match.begin <= before->end + column &&
      (before->matches > 1 || before->end - before->begin <= column)) {
    before->end = std::max(before->end, match.end);
    ++before->matches;
    return;
  }
  if (num_domains_ == max_domains) {
    ++result_.matches_left_out;
    return;
  }
  ++num_domains_;
  row.domains.push_back({match.motif, match.strand, match.begin, match.end, 1});
}

std::vector<std::string> domain_collector::missing() const {
  std::vector<std::string> names;
  std::set_difference(names_.begin(), names_.end(), found_.begin(), found_.end(), std::back_inserter(names));
  return names;
}

} // namespace weft::files
