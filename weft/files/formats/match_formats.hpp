// Formats exact matches between queries and an index.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <weft/base/sequences.hpp>
#include <weft/bwt/fm_index.hpp>

namespace weft::files {

enum class match_format { tsv, paf, jsonl };

// Returns the format of this name; tsv for any other name.
[[nodiscard]] match_format parse_match_format(std::string_view name);

// A match_writer formats matches. Every thread has its own.
class match_writer {
public:
  match_writer(match_format format, const fm_index& index) : format_(format), index_(index) {}

  // Returns the text before the first row.
  [[nodiscard]] static std::string_view header(match_format format);
  // Appends the rows of matches [first, last). `queries` are the queries that were searched, with names.
  void append(std::string& out, const fm_matches& matches, std::uint64_t first, std::uint64_t last,
              const sequences_view& queries);

private:
  [[nodiscard]] std::string escaped_name(std::string_view name) const;
  void append_tsv(std::string& out, const fm_matches& matches, std::uint64_t i) const;
  void append_paf(std::string& out, const fm_matches& matches, std::uint64_t i) const;
  void append_jsonl(std::string& out, const fm_matches& matches, std::uint64_t i) const;

  match_format format_;
  const fm_index& index_;
  // The query and the record of the last row, with their names as the format writes them and their lengths.
  std::uint64_t query_ = ~std::uint64_t{0}, record_ = ~std::uint64_t{0};
  std::string query_name_, record_name_;
  std::uint64_t query_length_ = 0, record_length_ = 0;
};

} // namespace weft::files
