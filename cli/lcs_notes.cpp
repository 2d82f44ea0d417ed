#include <cli/lcs_notes.hpp>

#include <cli/task.hpp>
#include <fmt/format.h>
#include <weft/files/lcs/sequence_checks.hpp>

namespace weft::cli {

namespace {

void say_note(const arguments& given, const std::string& text) {
  if (!given.has("quiet")) say(fmt::format("weft: note: {}\n", text));
}

void note_gaps(const arguments& given, const std::string& path, std::uint64_t gaps) {
  if (gaps > 0)
    say_note(given,
             fmt::format("{}: gaps of an alignment ('-' and '.') were removed ({} in all); positions count "
                         "only letters",
                         path, gaps));
}

void note_unknown(const arguments& given, bool is_dna, const std::string& counts, files::unknown_rule rule) {
  const std::string_view letters =
      is_dna ? "N and X are unknown letters in DNA" : "X is an unknown letter in proteins";
  const std::string_view meaning = rule == files::unknown_rule::match ? "they match any letter"
                                   : rule == files::unknown_rule::skip
                                       ? "they are left out, but positions count them"
                                       : "they match no letter, so a sequence that contains them differs "
                                         "from itself (to change this, use --unknown match or skip)";
  say_note(given, fmt::format("{}, {}: {}", letters, counts, meaning));
}

} // namespace

void note_reading(const arguments& given, const std::string& path, const files::named_sequence& sequence) {
  if (sequence.records > 1)
    say_note(given, fmt::format("{}: the {} records are joined to one sequence", path, sequence.records));
  note_gaps(given, path, sequence.removed_gaps);
}

void note_records(const arguments& given, const std::string& path, const files::record_set& set) {
  note_gaps(given, path, set.removed_gaps);
  if (set.unknown > 0)
    note_unknown(
        given, set.is_dna,
        fmt::format("{} in {} of {} records", set.unknown, set.records_with_unknown, set.records.count()),
        set.rule);
}

void note_unknown(const arguments& given, const files::residue_pair& pair, files::unknown_rule rule) {
  if (pair.a_unknown() + pair.b_unknown() > 0)
    note_unknown(given, pair.is_dna(), fmt::format("{} in A and {} in B", pair.a_unknown(), pair.b_unknown()),
                 rule);
}

void note_strand(const arguments& given, std::string_view a, std::string_view b) {
  if (given.has("quiet")) return;
  const files::strand_matches found = files::match_strands(a, b);
  if (found.fits_better_reversed())
    say_note(given,
             fmt::format("the reverse complement of B fits A better: of {} {}-mers, it shares {} with A, and "
                         "B itself shares {}; the sequences are still compared as given",
                         found.sampled, found.k, found.opposite, found.same));
}

std::string unrelated_note(std::string_view a, std::string_view b, std::uint64_t length,
                           const lcs_options& options) {
  const auto shares = files::find_unrelated(a, b, length, options);
  if (!shares) return "";
  return fmt::format(
      "weft: note: the LCS is no longer than that of unrelated sequences: it has {:.1f} % of the length "
      "of the shorter sequence; the mean of five shuffles of the same letters is {:.1f} %\n",
      100 * shares->found, 100 * shares->unrelated);
}

} // namespace weft::cli
