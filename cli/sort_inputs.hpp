// Reads the inputs of weft sort: its files, their headers, and records of comma-separated values.
#pragma once

#include <cli/flags.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>
#include <weft/io/byte_source.hpp>

namespace weft::cli {

// The files to sort. The constructor opens the first file and looks at its first bytes. With --csv,
// open_text() ends each record with a zero byte, so that a newline within quotes ends no record.
class sort_inputs {
public:
  // Opens the inputs of the command line. Throws io_error if a file cannot be read, and error(invalid_input)
  // for an .npz archive or a bad list of files.
  explicit sort_inputs(const arguments& given);
  [[nodiscard]] bool begins_with_npy() const noexcept { return npy_; }
  [[nodiscard]] std::size_t count() const noexcept { return paths_.size(); }
  [[nodiscard]] const std::string& path(std::size_t i) const { return paths_[i]; }
  // Returns the byte that ends a line of text: a newline, or a zero byte with -z and --csv.
  [[nodiscard]] char terminator() const noexcept { return terminator_; }

  // Returns the header of the first file, each of its lines with its terminator; empty without --header and
  // --csv.
  [[nodiscard]] const std::string& header();
  // Returns the names of the columns: the fields of the last record of the header.
  [[nodiscard]] std::vector<std::string> column_names();
  // Returns the most memory that the decompression of one of the files takes if --memory is given, and 0
  // otherwise.
  [[nodiscard]] std::uint64_t decoder_memory() const;
  [[nodiscard]] std::uint64_t num_header_lines() const noexcept { return header_lines_; }

  // Opens a file and returns its bytes as they are. To be called once for each file.
  [[nodiscard]] std::unique_ptr<io::byte_source> open_array(std::size_t i);
  // Opens a file and returns its text behind the header. To be called once for each file. Throws
  // error(invalid_input) if the header differs from that of the first file.
  [[nodiscard]] std::unique_ptr<io::byte_source> open_text(std::size_t i);

private:
  std::unique_ptr<io::byte_source> open_bytes(std::size_t i, bool& npy) const;
  std::unique_ptr<io::byte_source> open_records(std::size_t i);
  std::unique_ptr<io::byte_source> behind_header(std::unique_ptr<io::byte_source> source,
                                                 std::string& header);

  std::vector<std::string> paths_;
  bool decompress_, as_sort_, csv_, npy_ = false, header_read_ = false;
  char separator_ = ',', terminator_ = '\n';
  std::uint64_t header_lines_ = 0, memory_; // memory_: the limit in bytes, or 0
  std::unique_ptr<io::byte_source> first_;
  std::string header_;
};

// Returns the byte that separates fields (-t). The default is a comma with --csv, and otherwise -1, which
// stands for blanks.
[[nodiscard]] int separator_of(const arguments& given);

// Returns keys of --csv (COLUMN[:OPTIONS], where COLUMN is the name or number of a column) as keys of a
// line_order.
[[nodiscard]] std::vector<std::string> csv_keys(const std::vector<std::string>& keys,
                                                const std::vector<std::string>& names);

} // namespace weft::cli
