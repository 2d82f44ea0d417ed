// The object that weft.FMIndex holds.
#pragma once

#include <cstdint>
#include <mutex>
#include <nanobind/nanobind.h>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <weft/bwt/fm_index.hpp>

#include "device_functions.hpp"

namespace weft::python {

namespace nb = nanobind;

// An index_object is an FM-index whose records can be named. It does not change, so threads can share it.
class index_object {
public:
  explicit index_object(fm_index index) : index_(std::move(index)) {}
  index_object(index_object&& other) noexcept : index_(other.index_) {}

  [[nodiscard]] const fm_index& index() const noexcept { return index_; }
  // Returns whether the index is of DNA, where U is the same as T.
  [[nodiscard]] bool is_dna() const noexcept { return index_.alphabet() == fm_alphabet::dna; }
  // Returns the number of the record that `record` names or is. Throws KeyError for a name that no record
  // has, ValueError for a name that several records have, IndexError for a number that no record has, and
  // TypeError for an object of another kind.
  [[nodiscard]] std::uint64_t record_of(nb::handle record) const;
  // Returns whether a record has the name.
  [[nodiscard]] bool has_name(nb::handle name) const;

  // Returns the copies of the index in the memory of GPUs. Calls with patterns in such memory use them, and
  // hold the GIL while a copy is made.
  [[nodiscard]] device_index_copies& copies() const noexcept { return copies_; }

private:
  // The first record of each name, and whether there are others.
  using name_map = std::unordered_map<std::string_view, std::pair<std::uint64_t, bool>>;
  // Returns the names, which the first call collects.
  const name_map& records_by_name() const;

  fm_index index_;
  mutable std::once_flag is_collected_;
  mutable name_map records_by_name_;
  mutable device_index_copies copies_;
};

// Adds the functions that search an index.
void bind_index_search(nb::class_<index_object>& index);

} // namespace weft::python
