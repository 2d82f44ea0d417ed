#include <weft/files/formats/match_formats.hpp>

#include <weft/files/formats/line_text.hpp>
#include <weft/io/escape.hpp>
#include <weft/io/json.hpp>

namespace weft::files {

namespace {

// The most bytes of all columns of a row but names: nine numbers, and words of the format.
constexpr std::size_t max_columns = 9 * line_text::max_digits + 96;

// Appends each value and a tab before it.
template <class... Values> void add_columns(line_text& text, Values... values) {
  (text.add('\t').add_number(values), ...);
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
  line_text text(out, query_name_.size() + record_name_.size() + max_columns);
  text.add(query_name_);
  add_columns(text, matches.query_begin[i] + 1, matches.query_begin[i] + length);
  text.add('\t').add(sign(matches, i)).add('\t').add(record_name_);
  add_columns(text, matches.begin[i] + 1, matches.begin[i] + length, length);
  text.add('\n');
}

void match_writer::append_paf(std::string& out, const fm_matches& matches, std::uint64_t i) const {
  const std::uint64_t length = matches.length[i];
  line_text text(out, query_name_.size() + record_name_.size() + max_columns);
  text.add(query_name_);
  add_columns(text, query_length_, matches.query_begin[i], matches.query_begin[i] + length);
  text.add('\t').add(sign(matches, i)).add('\t').add(record_name_);
  add_columns(text, record_length_, matches.begin[i], matches.begin[i] + length, length, length);
  text.add("\t255\tNM:i:0\tcg:Z:").add_number(length).add("=\n");
}

void match_writer::append_jsonl(std::string& out, const fm_matches& matches, std::uint64_t i) const {
  const std::uint64_t length = matches.length[i];
  line_text text(out, query_name_.size() + record_name_.size() + max_columns);
  text.add(R"({"query":)").add(query_name_);
  text.add(R"(,"query_begin":)").add_number(matches.query_begin[i] + 1);
  text.add(R"(,"query_end":)").add_number(matches.query_begin[i] + length);
  text.add(R"(,"strand":")").add(sign(matches, i)).add(R"(","reference":)").add(record_name_);
  text.add(R"(,"begin":)").add_number(matches.begin[i] + 1);
  text.add(R"(,"end":)").add_number(matches.begin[i] + length);
  text.add(R"(,"length":)").add_number(length).add("}\n");
}

} // namespace weft::files
