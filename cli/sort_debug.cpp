// weft sort --debug: as GNU sort explains keys.
#include <algorithm>
#include <cli/sort_settings.hpp>
#include <cli/task.hpp>
#include <fmt/format.h>
#include <weft/sort/line_codes.hpp>

namespace weft::cli {

namespace {

// How many columns bytes take on a terminal in the C locale.
std::size_t width_of(std::string_view bytes) {
  return static_cast<std::size_t>(std::count_if(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\t' || (byte >= ' ' && byte != 0x7F);
  }));
}

// Returns where the part of a line that `key` names would end, also if that is before its begin.
std::size_t end_of(line_key key, std::string_view line, int separator) {
  key.begin_field = line_key::unlimited;
  key.begin_char = 0;
  key.begin_blanks = false;
  return key.find(line, separator).size();
}

// Returns the part of a line that a key compares: of numbers and months only what belongs to them. An empty
// part stands where GNU sort marks it: behind blanks if the key ends before it begins.
std::string_view compared_part(const line_key& key, std::string_view line, int separator) {
  std::string_view part = key.find(line, separator);
  if (!key.is_number() && !key.month && !(key.begin_blanks && key.begin_field == line_key::unlimited))
    return part;
  const auto begin = static_cast<std::size_t>(part.data() - line.data());
  const bool ends_before = part.empty() && end_of(key, line, separator) < begin;
  if (ends_before) part = line.substr(begin);
  while (!part.empty() && detail::is_blank(part.front())) part.remove_prefix(1);
  if (ends_before) return part.substr(0, 0);
  if (key.month) return part.substr(0, detail::month_size(part));
  if (key.general_numeric) return part.substr(0, detail::general_number_size(part));
  if (key.is_number()) return part.substr(0, detail::number_size(part, key.human_numeric));
  return part;
}

void append_mark(std::string_view line, std::string_view part, std::string& out) {
  out.append(width_of(line.substr(0, static_cast<std::size_t>(part.data() - line.data()))), ' ');
  const std::size_t width = width_of(part);
  if (width == 0)
    out += "^ no match for key\n";
  else
    out.append(width, '_') += '\n';
}

void append_annotated(std::string_view line, const line_order& order, std::string& out) {
  const std::size_t begin = out.size();
  out += line;
  std::replace(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), '\t', '>');
  out += '\n';
  for (const line_key& key : order.keys())
    append_mark(line, compared_part(key, line, order.options().separator), out);
  if (order.plain() || order.last_resort()) append_mark(line, line, out);
}

// As GNU sort shows an obsolete key, and what it has in its place.
std::string obsolete_warning(const line_key& key) {
  const std::uint64_t begin = key.begin_field == line_key::unlimited ? 0 : key.begin_field;
  std::string old = fmt::format("+{}", begin), instead = fmt::format("-k {}", begin + 1);
  if (key.end_field != line_key::unlimited) {
    old += fmt::format(" -{}", key.end_field + 1);
    instead += fmt::format(",{}", key.end_field + 1);
  }
  return fmt::format("obsolescent key '{}' used; consider '{}' instead", old, instead);
}

// Field numbers as a user counts them; 0 for the whole line or its end.
std::uint64_t field_number(std::uint64_t field) { return field == line_key::unlimited ? 0 : field + 1; }

class key_warnings {
public:
  key_warnings(std::string name, const line_order& order, bool with_keys)
      : name_(std::move(name)), order_(order), with_keys_(with_keys) {}

  void say_all() {
    std::uint64_t number = 0;
    for (const line_key& key : order_.keys()) warn_of(key, ++number);
    warn_of_numbers();
    warn_of_ignored();
  }

private:
  void warn(const std::string& text) const { say(fmt::format("{}: {}\n", name_, text)); }

  void warn_of(const line_key& key, std::uint64_t number) {
    (key.general_numeric ? general_ : basic_) |= key.is_number();
    if (key.obsolete) warn(obsolete_warning(key));
    const bool empty = key.begin_field != line_key::unlimited && key.end_field < key.begin_field;
    if (empty) warn(fmt::format("key {} has zero width and will be ignored", number));
    const bool within_first = key.end_field == 0 && key.end_char != 0;
    const bool blanks = (!key.begin_blanks && !key.is_number() && !key.month) ||
                        (!key.begin_blanks && key.begin_char > 0) || (!key.end_blanks && key.end_char > 0);
    if (!empty && with_keys_ && order_.options().separator < 0 && !within_first && blanks)
      warn(fmt::format("leading blanks are significant in key {}; consider also specifying 'b'", number));
    const std::uint64_t begin = std::max<std::uint64_t>(field_number(key.begin_field), 1),
                        end = field_number(key.end_field);
    if (with_keys_ && key.is_number() && (end == 0 || begin < end)) {
      warn(fmt::format("key {} is numeric and spans multiple fields", number));
      (key.general_numeric ? general_spans_ : basic_spans_) = true;
    }
  }

  // How a separator may be read as part of a number.
  void warn_of_numbers() const {
    const int separator = order_.options().separator;
    const bool spans = basic_spans_ || general_spans_;
    const auto treated = [&](const char* as) {
      warn(fmt::format("field separator '{}' is treated as a {} in numbers", static_cast<char>(separator),
                       as));
    };
    if (spans && separator == '.') return treated("decimal point");
    if (spans && separator == '-')
      treated("minus sign");
    else if (general_spans_ && separator == '+')
      treated("plus sign");
    if (basic_ || general_)
      warn(fmt::format("{}numbers use '.' as a decimal point in this locale",
                       separator == '.' ? "" : "note "));
  }

  // Global options that no key takes.
  void warn_of_ignored() const {
    const line_order_options& all = order_.options();
    if (order_.plain()) return;
    line_key left;
    left.begin_blanks = left.end_blanks = all.ignore_blanks;
    left.dictionary = all.dictionary;
    left.printable = all.printable;
    left.fold_case = all.fold_case;
    left.numeric = all.numeric;
    left.general_numeric = all.general_numeric;
    left.human_numeric = all.human_numeric;
    left.month = all.month;
    left.random = all.random;
    left.version = all.version;
    left.reverse = all.reverse;
    for (const line_key& key : order_.keys()) {
      left.begin_blanks &= !key.begin_blanks;
      left.end_blanks &= !key.end_blanks;
      if (left.dictionary == key.dictionary && (key.dictionary || left.printable == key.printable))
        left.dictionary = left.printable = false;
      left.fold_case &= !key.fold_case;
      left.numeric &= !key.numeric;
      left.general_numeric &= !key.general_numeric;
      left.human_numeric &= !key.human_numeric;
      left.month &= !key.month;
      left.random &= !key.random;
      left.version &= !key.version;
      left.reverse &= !key.reverse;
    }
    const bool last_resort = left.reverse && order_.last_resort();
    if (last_resort) left.reverse = false;
    if (const std::string letters = left.letters(); !letters.empty())
      warn(fmt::format("option{} '-{}' {} ignored", letters.size() == 1 ? "" : "s", letters,
                       letters.size() == 1 ? "is" : "are"));
    if (last_resort) warn("option '-r' only applies to last-resort comparison");
  }

  std::string name_;
  const line_order& order_;
  bool with_keys_; // and not the whole line as a key
  bool basic_ = false, general_ = false, basic_spans_ = false, general_spans_ = false;
};

} // namespace

void warn_of_keys(const arguments& given, const line_order& order) {
  say(fmt::format("{}: text ordering performed using simple byte comparison{}\n", program_name(given),
                  given.as_sort ? "" : ", as in the C locale"));
  key_warnings(program_name(given), order, given.has("key")).say_all();
}

std::string annotated(std::string_view lines, char terminator, const line_order& order) {
  std::string out;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find(terminator), lines.size());
    append_annotated(lines.substr(0, end), order, out);
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return out;
}

} // namespace weft::cli
