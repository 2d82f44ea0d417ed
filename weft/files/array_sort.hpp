// Reads, sorts and writes files of numbers: .npy files, and files that hold nothing but the numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <weft/io/byte_source.hpp>
#include <weft/io/mapped_file.hpp>
#include <weft/io/npy.hpp>
#include <weft/sort/core/number_key.hpp>
#include <weft/sort/sort_options.hpp>

namespace weft::files {

// An array of numbers in memory.
struct number_array {
  io::element_type type;
  std::uint64_t count = 0;
  std::string bytes; // the items
  bool npy = false;  // whether the file was a .npy file
};

// Reads an array. The file is a .npy file if its first bytes or its name say so, or if no type is given;
// otherwise its bytes are items of the given type. Throws parse_error if the file is not a whole number of
// items.
[[nodiscard]] number_array read_array(std::unique_ptr<io::byte_source> file, const std::string& path,
                                      const std::string& type, std::uint64_t limit);

// An array in a file that is mapped into memory.
struct mapped_array {
  io::mapped_file file;
  io::element_type type;
  std::uint64_t count = 0;
  std::string_view bytes; // the items
  bool npy = false;       // whether the file is a .npy file
};

// Maps an array; returns nothing if the file is compressed or not regular. Throws as read_array().
[[nodiscard]] std::optional<mapped_array> map_array(const std::string& path, const std::string& type);

// Returns the type and the direction as the engines of sort take them.
[[nodiscard]] number_type sort_type_of(io::element_type type, bool descends);

// An array_task says what is done with an array: its numbers are sorted, or the order of its numbers is
// found, or the values of another array are sorted by these numbers.
enum class array_task { sort, stable_sort, argsort, sort_values };

// Throws memory_error if the arrays and the task need more than `limit` bytes (0: no limit). Numbers alone
// are sorted in place, except by merges, which take more memory, also for the runs of a GPU. An order takes
// 16 bytes an item to find and 8 bytes to keep.
void require_sort_memory(const number_array& keys, const number_array* values, array_task task,
                         const sort_options& options, std::uint64_t limit);

// Does the task in ascending order, or in descending order if `descends`. `values` is an array with as many
// items as `keys` for array_task::sort_values, and otherwise null. Returns the order for array_task::argsort,
// and otherwise nothing. Throws the errors of sort().
std::vector<std::uint64_t> sort_array(number_array& keys, number_array* values, array_task task,
                                      bool descends, const sort_options& options);

// Sorts the numbers of a file into another one without an array of them in memory, and returns their number.
// This needs a GPU whose memory the numbers fit, and two regular files. Returns nothing, and leaves no file,
// if the options choose another engine or one of these is missing. Throws what sort(), map_array() and
// io::output_file throw.
[[nodiscard]] std::optional<std::uint64_t> sort_between_files(const std::string& input,
                                                              const std::string& type, bool descends,
                                                              const sort_options& options,
                                                              const std::string& output);

// Writes items of a type, with the header of a .npy file before them if `npy`. Throws io_error.
void write_array(const std::string& path, bool npy, io::element_type type, std::uint64_t count,
                 std::string_view bytes);

} // namespace weft::files
