// Reads the files that are sorted: their headers, their lines, and records of comma-separated values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>
#include <weft/io/byte_source.hpp>

namespace weft::files {

// A sort_input_options holds what the user says about the files to sort.
struct sort_input_options {
  std::vector<std::string> paths; // at least one; "-" is standard input
  bool decompress = true;         // whether compressed files are decompressed
  bool finds_arrays = true;       // whether arrays are told from text by their first bytes
  bool csv = false;               // whether the text is comma-separated values
  bool zero_terminated = false;   // whether lines end with zero bytes
  char separator = ',';           // of the fields, if `csv`
  std::uint64_t header_lines = 0; // lines, or records if `csv`, before the text of each file
  std::uint64_t memory = 0;       // the limit in bytes; 0: none
  // The name of the option by which the user says that there is a header, for messages.
  std::string_view header_option = "header";
};

// The files to sort. The constructor opens the first file and looks at its first bytes. With `csv`,
// open_text() ends each record with a zero byte, so that a newline within quotes ends no record.
class sort_inputs {
public:
  // Throws io_error if a file cannot be read, and error(invalid_input) for an .npz archive.
  explicit sort_inputs(sort_input_options options);
  [[nodiscard]] bool begins_with_npy() const noexcept { return npy_; }
  [[nodiscard]] std::size_t count() const noexcept { return options_.paths.size(); }
  [[nodiscard]] const std::string& path(std::size_t i) const { return options_.paths[i]; }
  // Returns the byte that ends a line of text: a newline, or a zero byte with `zero_terminated` or
  // `csv`.
  [[nodiscard]] char terminator() const noexcept { return terminator_; }

  // Returns the header of the first file, each of its lines with its terminator; empty without
  // `header_lines`.
  [[nodiscard]] const std::string& header();
  // Returns the names of the columns: the fields of the last record of the header.
  [[nodiscard]] std::vector<std::string> column_names();
  // Returns the most memory that the decompression of one of the files takes if there is a limit, and 0
  // otherwise.
  [[nodiscard]] std::uint64_t decoder_memory() const;
  [[nodiscard]] bool is_csv() const noexcept { return options_.csv; }
  [[nodiscard]] std::uint64_t num_header_lines() const noexcept { return options_.header_lines; }

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

  sort_input_options options_;
  char terminator_;
  bool npy_ = false, header_read_ = false;
  std::unique_ptr<io::byte_source> first_;
  std::string header_;
};

} // namespace weft::files
