// The formats of the occurrences of patterns in an index.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/bwt/fm_index.hpp>

namespace weft::files {

enum class hit_format { tsv, bed, sam, paf, gff3, jsonl };

// Returns the format of this name; tsv for any other name.
[[nodiscard]] hit_format parse_hit_format(std::string_view name);

// A pattern and the numbers of its occurrences.
struct found_pattern {
  std::string_view name, letters;
  std::uint64_t total = 0, listed = 0; // all occurrences, and those that are listed
};

// The records of an index, as the writer of their occurrences needs them.
class hit_records {
public:
  virtual ~hit_records() = default;
  [[nodiscard]] virtual fm_alphabet alphabet() const = 0;
  [[nodiscard]] virtual std::uint64_t num_records() const = 0;
  [[nodiscard]] virtual std::string_view name(std::uint64_t record) const = 0;
  [[nodiscard]] virtual std::uint64_t length(std::uint64_t record) const = 0;
};

// A hit_writer formats the occurrences of patterns, one pattern after another. Every thread has its own.
class hit_writer {
public:
  // Throws error(invalid_input) if the format is sam and the records are not DNA. `circular`: occurrences may
  // extend over the ends of records. In bed, sam and paf, whose rows must stay within a record, such an
  // occurrence has two rows.
  // `near`: the options of a search with differences, or null; they must not change while the writer exists.
  hit_writer(hit_format format, const hit_records& records, bool circular,
             const near_options* near = nullptr);
  hit_writer(const hit_writer&) = delete;
  hit_writer& operator=(const hit_writer&) = delete;

  // Returns the text before the first row. Throws error(invalid_input) if the format cannot represent the
  // records.
  [[nodiscard]] std::string header() const;
  // Returns the text before the first row of a table of counts.
  [[nodiscard]] static std::string count_header(hit_format format, const near_options* near = nullptr);

  // Begins a pattern. Its strings must not change until end(). `reverse_letters` is the reverse complement of
  // the pattern, or empty if only one strand is searched.
  void begin(const found_pattern& pattern, std::string_view reverse_letters);
  // Appends an occurrence.
  void append(std::string& out, const fm_hit& hit, bool reverse);
  // Returns whether the rows of a search with differences say something about the letters of the record.
  [[nodiscard]] bool needs_letters() const;
  // Appends hit h of a search with differences. `letters` are the letters of the record from the begin to the
  // end of the hit, which are read only if needs_letters().
  void append_near(std::string& out, const near_hits& hits, std::uint64_t h, std::string_view letters);
  // Ends the pattern. If occurrences are left out, appends a note on them.
  void end(std::string& out);
  // Appends the row of a pattern whose occurrences are only counted.
  void append_count(std::string& out, const found_pattern& pattern);
  // Does the same for a search with differences; totals[d] is how many hits have d of them.
  void append_count(std::string& out, const found_pattern& pattern, std::span<const std::uint64_t> totals);

private:
  // A stretch is the part of an occurrence that lies within the record without crossing its origin. It holds
  // the letters [from, to) of the occurrence as it reads along the record.
  struct stretch {
    std::uint64_t begin, from, to;
    bool second; // whether the stretch lies behind the origin
  };

  // The text of a record in each row: its name, escaped for the format, and its length.
  struct record_text {
    std::uint64_t record = ~std::uint64_t{0};
    std::string name = {};
    std::uint64_t length = 0;
  };
  // A hit of a search with differences.
  struct near_row {
    fm_hit hit;
    bool reverse;
    unsigned distance;
    std::string_view letters; // of the record
  };
  // The part of a hit with differences that lies within the record without crossing its origin.
  struct near_part {
    std::uint64_t begin; // in the record
    std::string letters; // of the record
    std::string cigar;
    std::uint64_t before, after; // letters of the pattern, as it reads along the record, of the other part
    bool second;                 // whether the part lies behind the origin
  };
  [[nodiscard]] bool with_errors() const { return near_ != nullptr && near_->metric == near_metric::errors; }
  [[nodiscard]] std::string cigar_of(const near_row& row) const;
  void set_name();
  void set_record(std::uint64_t record);
  [[nodiscard]] std::string record_name(std::string_view name) const;
  // Calls row(stretch) for each stretch of an occurrence. An occurrence that extends over the end of its
  // record has a second stretch at the begin of the record.
  template <class Row> void each_stretch(const fm_hit& hit, const Row& row) const;
  // Does the same for a hit with differences.
  template <class Row> void each_part(const near_row& row, const Row& part) const;
  void append_tsv(std::string& out, const fm_hit& hit, bool reverse) const;
  void append_bed(std::string& out, const fm_hit& hit, bool reverse) const;
  void append_sam(std::string& out, const stretch& part, bool reverse, std::uint64_t origin);
  void append_paf(std::string& out, const stretch& part, bool reverse) const;
  void append_gff3(std::string& out, const fm_hit& hit, bool reverse) const;
  void append_jsonl(std::string& out, const fm_hit& hit, bool reverse) const;
  void append_near_tsv(std::string& out, const near_row& row) const;
  void append_near_sam(std::string& out, const near_row& row) const;
  void append_near_paf(std::string& out, const near_row& row) const;

  hit_format format_;
  const hit_records& records_;
  bool circular_;
  const near_options* near_;
  found_pattern pattern_;
  std::string_view reverse_letters_;
  std::uint64_t size_ = 0;                   // letters of the record in the current row
  std::string name_;                         // name of the pattern, escaped for the format
  std::uint64_t rows_ = 0;                   // rows of the pattern so far
  std::vector<record_text> recent_{64};      // records of earlier rows, each at its number modulo the size
  std::uint64_t record_ = ~std::uint64_t{0}; // the record of the row; its name in recent_, and its length
  std::string_view record_name_;
  std::uint64_t record_length_ = 0;
};

} // namespace weft::files
