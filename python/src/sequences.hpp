// Batches of sequences that Python passes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include <weft/base/sequences.hpp>

#include "arrays.hpp"

namespace weft::python {

// A batch of sequences, on the host or on a GPU. Owns what it had to copy, and keeps alive what it refers to.
struct sequences_argument {
  // The bytes and the offsets. On a GPU, both are in its memory.
  array_argument data, offsets;
  std::vector<std::string> names; // empty if there are none
  bool on_gpu = false;

  // Returns a view of a batch on the host, valid as long as this object.
  [[nodiscard]] sequences_view view() const {
    return {{static_cast<const char*>(data.data), static_cast<std::size_t>(data.size)},
            {static_cast<const std::uint64_t*>(offsets.data), static_cast<std::size_t>(offsets.size)},
            names};
  }
  // Returns the number of sequences.
  [[nodiscard]] std::uint64_t count() const noexcept { return offsets.size == 0 ? 0 : offsets.size - 1; }
};

// Returns whether `value` is a pair (data, offsets) in the memory of a GPU.
[[nodiscard]] bool is_device_batch(nb::handle value);

// Returns the batch that `value` is:
//   an object with the attributes data, offsets and names, such as weft.Sequences; (data, offsets), with data
//   as for read_text() and offsets an array of uint64 or int64 (other integers are copied); an object with
//   __arrow_c_stream__ or __arrow_c_array__ whose items are strings or bytes (large_string and large_binary
//   are not copied; offsets of 32 bits, views and several chunks are); a list, tuple or other sequence of
//   str, bytes or arrays of bytes, which are copied.
// Throws TypeError for other objects, and ValueError for offsets that do not ascend from 0 to the size of the
// data and for missing items (null).
[[nodiscard]] sequences_argument read_sequences(nb::handle value, const char* name, const call& started);

} // namespace weft::python
