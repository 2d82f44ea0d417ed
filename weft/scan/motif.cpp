// The parser of motifs. Its grammar, in which blanks may stand anywhere:
//
//   motif   = [ "<" ] element { [ "-" ] element } [ ">" ] [ "." ]
//   element = ( letter | "[" set "]" | "{" letters "}" ) [ "(" n [ "," m ] ")" | "*" ]
//   set     = letters, one of them may be "<" or ">"
//
// The text that an element accepts beside the letters written, as in ps_scan.pl 1.90 (protein):
//   Letters and sets: B stands for N, D and B. Without B, N or D also accepts B. Z, Q and E behave likewise.
//     Every letter and set accepts X if unknown_in_sets, and each such X is counted against max_x.
//   Negated sets: B excludes N, D and B; Z excludes Q, E and Z; X is accepted.
//   A set that contains x is the same as x, and '<' or '>' in it has no effect.
//   The case of letters in the text does not matter. Symbols other than letters match only x.
#include <weft/scan/motif.hpp>

#include <algorithm>
#include <charconv>
#include <weft/base/error.hpp>

namespace weft {

namespace {

constexpr std::uint32_t largest_repeat = 65534;

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
bool is_letter(char c) { return upper(c) >= 'A' && upper(c) <= 'Z'; }
unsigned index_of(char c) { return static_cast<unsigned char>(c); }

void accept_both_cases(residue_set& set, char letter) {
  set.set(index_of(upper(letter)));
  if (is_letter(letter)) set.set(index_of(static_cast<char>(upper(letter) - 'A' + 'a')));
}

residue_set all_letters() {
  residue_set set;
  for (char c = 'A'; c <= 'Z'; ++c) accept_both_cases(set, c);
  return set;
}

// Returns the bases of an IUPAC nucleotide code as bits A, C, G and T; 0 if `c` is no code.
unsigned bases_of(char c) {
  switch (upper(c)) {
  case 'A':
    return 1;
  case 'C':
    return 2;
  case 'G':
    return 4;
  case 'T':
  case 'U':
    return 8;
  case 'R':
    return 1 | 4;
  case 'Y':
    return 2 | 8;
  case 'S':
    return 2 | 4;
  case 'W':
    return 1 | 8;
  case 'K':
    return 4 | 8;
  case 'M':
    return 1 | 2;
  case 'B':
    return 2 | 4 | 8;
  case 'D':
    return 1 | 4 | 8;
  case 'H':
    return 1 | 2 | 8;
  case 'V':
    return 1 | 2 | 4;
  case 'N':
    return 15;
  default:
    return 0;
  }
}

// Returns the text letters that stand for no base outside `bases`: all bases of an ambiguous letter of the
// text must be accepted.
residue_set accepted_bases(unsigned bases) {
  residue_set set;
  for (char c = 'A'; c <= 'Z'; ++c)
    if (const unsigned code = bases_of(c); code != 0 && (code & ~bases) == 0) accept_both_cases(set, c);
  return set;
}

residue_set protein_set(std::string_view letters, bool negated, bool unknown) {
  residue_set set;
  for (const char c : letters) accept_both_cases(set, c);
  const auto ambiguous = [&](char code, char one, char two) {
    const bool has_code = set[index_of(code)], has_part = set[index_of(one)] || set[index_of(two)];
    if (has_code) {
      accept_both_cases(set, one);
      accept_both_cases(set, two);
    } else if (has_part && !negated) {
      accept_both_cases(set, code);
    }
  };
  ambiguous('B', 'N', 'D');
  ambiguous('Z', 'Q', 'E');
  if (negated) return all_letters() & ~set;
  if (unknown) accept_both_cases(set, 'X');
  return set;
}

class parser {
public:
  parser(std::string_view pattern, const motif_syntax& syntax, motif& result, motif_fault& fault)
      : pattern_(pattern), syntax_(syntax), result_(result), fault_(fault) {
    while (!pattern_.empty() && is_blank(pattern_.back())) pattern_.remove_suffix(1);
  }

  bool parse() {
    result_.elements.clear();
    result_.anchor_n = take('<');
    result_.anchor_c = false;
    bool dash = false;
    while (!at_end()) {
      if (peek() == '.' && at_ + 1 == pattern_.size() && !result_.elements.empty() && !dash) return finish();
      if (peek() == '>' && !result_.elements.empty() && !dash) {
        ++at_;
        result_.anchor_c = true;
        (void)take('.');
        return at_end() ? finish() : expected("the end of the pattern after '>'");
      }
      if (!element()) return false;
      dash = take('-');
    }
    return dash || result_.elements.empty() ? expected("an element: a letter, [..], {..} or x") : finish();
  }

private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
  void skip_blanks() {
    while (at_ < pattern_.size() && is_blank(pattern_[at_])) ++at_;
  }
  bool at_end() {
    skip_blanks();
    return at_ >= pattern_.size();
  }
  char peek() {
    skip_blanks();
    return at_ < pattern_.size() ? pattern_[at_] : '\0';
  }
  bool take(char c) {
    if (at_end() || pattern_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool expected_at(std::size_t at, std::string what) {
    fault_ = {at + 1, std::move(what)};
    return false;
  }
  bool expected(std::string what) {
    skip_blanks();
    return expected_at(at_, std::move(what));
  }
  bool finish() { return true; }

  bool valid_letter(char c) const {
    switch (syntax_.alphabet) {
    case alphabet::protein:
      return is_letter(c);
    case alphabet::dna:
      return bases_of(c) != 0 || upper(c) == 'X';
    case alphabet::bytes:
      return static_cast<unsigned char>(c) > ' ';
    }
    return false;
  }
  const char* letter_name() const {
    return syntax_.alphabet == alphabet::protein ? "an amino acid letter"
           : syntax_.alphabet == alphabet::dna   ? "an IUPAC nucleotide code or x"
                                                 : "a character";
  }
  bool is_any(char c) const { return upper(c) == 'X'; }

  bool element() {
    motif_element next;
    next.lazy = !syntax_.greedy;
    const std::size_t start = at_;
    const char c = peek();
    if (c == '[' || c == '{') {
      if (!set(next)) return false;
    } else if (c != '-' && c != '(' && c != ')' && c != ']' && c != '}' && c != '<' && c != '>' && c != '*' &&
               valid_letter(c)) {
      ++at_;
      accept(next, std::string_view(&c, 1));
    } else {
      return expected_at(std::max(start, at_), "an element: a letter, [..], {..} or x");
    }
    if (!repeat(next)) return false;
    if (next.min == next.max) next.lazy = false; // only an element with a choice of counts can be lazy
    result_.elements.push_back(next);
    return true;
  }

  void accept(motif_element& next, std::string_view letters) {
    next.any = std::any_of(letters.begin(), letters.end(), [&](char c) { return is_any(c); });
    if (next.any) {
      next.or_sequence_start = next.or_sequence_end = false;
      next.accepts.set();
      return;
    }
    if (syntax_.alphabet == alphabet::protein) {
      next.accepts = protein_set(letters, next.negated, syntax_.unknown_in_sets);
    } else if (syntax_.alphabet == alphabet::dna) {
      unsigned bases = 0;
      for (const char c : letters) bases |= bases_of(c);
      next.accepts = accepted_bases(next.negated ? ~bases & 15U : bases);
    } else {
      for (const char c : letters) next.accepts.set(index_of(c));
      if (next.negated) next.accepts.flip();
    }
  }

  bool set(motif_element& next) {
    const std::size_t start = at_;
    next.negated = pattern_[at_++] == '{';
    const char close = next.negated ? '}' : ']';
    std::string letters;
    while (!take(close)) {
      if (at_end()) return expected_at(start, std::string("a '") + close + "' that closes this bracket");
      const char c = pattern_[at_];
      if (!next.negated && (c == '<' || c == '>')) {
        (c == '<' ? next.or_sequence_start : next.or_sequence_end) = true;
      } else if (c == '[' || c == '{' || c == ']' || c == '}' || c == '(' || c == ')' ||
                 (c == '-' && syntax_.alphabet != alphabet::bytes) || !valid_letter(c)) {
        return expected(std::string(letter_name()) + " or '" + close + "'");
      } else {
        letters += c;
      }
      ++at_;
    }
    if (letters.empty()) return expected_at(start, std::string("at least one letter between the brackets"));
    if (next.or_sequence_start && next.or_sequence_end)
      return expected_at(start, "one of '<' and '>' in a set, not both");
    accept(next, letters);
    if (next.any && next.negated) return expected_at(start, "a set other than {x}, which nothing can match");
    if (next.accepts.none()) return expected_at(start, "a set that something can match");
    return true;
  }

  bool number(std::uint32_t& value) {
    skip_blanks();
    const char* first = pattern_.data() + at_;
    const auto [rest, status] = std::from_chars(first, pattern_.data() + pattern_.size(), value);
    if (status != std::errc() || rest == first || value > largest_repeat)
      return expected("a count from 0 to " + std::to_string(largest_repeat));
    at_ += static_cast<std::size_t>(rest - first);
    return true;
  }

  bool repeat(motif_element& next) {
    if (take('*')) {
      next.min = 0;
      next.max = motif_element::unbounded;
      next.lazy = false; // as in ps_scan, whose option -g does not apply to '*'
      return true;
    }
    if (!take('(')) return true;
    const std::size_t start = at_;
    if (!number(next.min)) return false;
    next.max = next.min;
    if (take(',') && !number(next.max)) return false;
    if (!take(')')) return expected("',' or ')'");
    if (next.max < next.min) return expected_at(start, "a range (n,m) with n <= m");
    if (next.max == 0) return expected_at(start, "a count of at least 1");
    return true;
  }

  std::string_view pattern_;
  const motif_syntax& syntax_;
  motif& result_;
  motif_fault& fault_;
  std::size_t at_ = 0;
};

} // namespace

std::uint64_t motif::min_length() const noexcept {
  std::uint64_t length = 0;
  for (const motif_element& element : elements)
    if (!element.or_sequence_start && !element.or_sequence_end) length += element.min;
  return length;
}

std::uint64_t motif::max_length() const noexcept {
  std::uint64_t length = 0;
  for (const motif_element& element : elements) {
    if (element.max == motif_element::unbounded) return motif_element::unbounded;
    length += element.max;
  }
  return std::min<std::uint64_t>(length, motif_element::unbounded - 1);
}

bool parse_motif(std::string_view pattern, const motif_syntax& syntax, motif& result, motif_fault& fault) {
  result.pattern = pattern;
  while (!result.pattern.empty() && (result.pattern.back() == '.' || result.pattern.back() == ' '))
    result.pattern.pop_back();
  return parser(pattern, syntax, result, fault).parse();
}

motif parse_motif(std::string_view pattern, const motif_syntax& syntax) {
  motif result;
  motif_fault fault;
  if (!parse_motif(pattern, syntax, result, fault))
    throw parse_error("pattern", 1, fault.column, "expected " + fault.expected);
  result.name = result.pattern;
  return result;
}

} // namespace weft
