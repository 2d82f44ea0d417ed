#include <weft/files/formats/match_formats.hpp>

#include <charconv>
#include <weft/io/escape.hpp>
#include <weft/io/json.hpp>

namespace weft::files {

namespace {

void append_number(std::string& out, std::uint64_t value) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// Appends each value and a tab before it.
template <class... Values> void append_columns(std::string& out, Values... values) {
  ((out += '\t', append_number(out, values)), ...);
}

char sign(const fm_matches& matches, std::uint64_t i) { return matches.reverse[i] != 0 ? '-' : '+'; }

} // namespace

match_format parse_match_format(std::string_view name) {
  return name == "paf" ? match_format::paf : name == "jsonl" ? match_format::jsonl : match_format::tsv;
}

std::string_view match_writer::header(match_format format) {
  return format == match_format::tsv
             ? "query\tquery_begin\tquery_end\tstrand\treference\tbegin\tend\tlength\n"
             : "";
}

std::string match_writer::escaped_name(std::string_view name) const {
  return format_ == match_format::jsonl ? io::json_string(name) : io::escaped(name);
}

void match_writer::append(std::string& out, const fm_matches& matches, std::uint64_t first,
                          std::uint64_t last, const sequences_view& queries) {
  query_ = ~std::uint64_t{0}; // the queries may be others than those of the call before
  for (std::uint64_t i = first; i < last; ++i) {
    if (matches.query[i] != query_) {
      query_ = matches.query[i];
      query_name_ = escaped_name(queries.name(query_));
      query_length_ = queries.size(query_);
    }
    if (matches.record[i] != record_) {
      record_ = matches.record[i];
      record_name_ = escaped_name(index_.name(record_));
      record_length_ = index_.length(record_);
    }
    if (format_ == match_format::paf)
      append_paf(out, matches, i);
    else if (format_ == match_format::jsonl)
      append_jsonl(out, matches, i);
    else
      append_tsv(out, matches, i);
  }
}

void match_writer::append_tsv(std::string& out, const fm_matches& matches, std::uint64_t i) const {
  const std::uint64_t length = matches.length[i];
  out += query_name_;
  append_columns(out, matches.query_begin[i] + 1, matches.query_begin[i] + length);
  out += '\t';
  out += sign(matches, i);
  out += '\t';
  out += record_name_;
  append_columns(out, matches.begin[i] + 1, matches.begin[i] + length, length);
  out += '\n';
}

void match_writer::append_paf(std::string& out, const fm_matches& matches, std::uint64_t i) const {
  const std::uint64_t length = matches.length[i];
  out += query_name_;
  append_columns(out, query_length_, matches.query_begin[i], matches.query_begin[i] + length);
  out += '\t';
  out += sign(matches, i);
  out += '\t';
  out += record_name_;
  append_columns(out, record_length_, matches.begin[i], matches.begin[i] + length, length, length);
  out += "\t255\tNM:i:0\tcg:Z:";
  append_number(out, length);
  out += "=\n";
}

void match_writer::append_jsonl(std::string& out, const fm_matches& matches, std::uint64_t i) const {
  const std::uint64_t length = matches.length[i];
  const auto append_field = [&out](std::string_view name, std::uint64_t value) {
    out += name;
    append_number(out, value);
  };
  out += R"({"query":)";
  out += query_name_;
  append_field(R"(,"query_begin":)", matches.query_begin[i] + 1);
  append_field(R"(,"query_end":)", matches.query_begin[i] + length);
  out += R"(,"strand":")";
  out += sign(matches, i);
  out += R"(","reference":)";
  out += record_name_;
  append_field(R"(,"begin":)", matches.begin[i] + 1);
  append_field(R"(,"end":)", matches.begin[i] + length);
  append_field(R"(,"length":)", length);
  out += "}\n";
}

} // namespace weft::files
