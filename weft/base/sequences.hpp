// Batches of sequences: many texts end to end, with the offsets between them. Every function that takes many
// texts takes a sequences_view.
//
//   weft::sequences batch;
//   batch.add("GATTACA", "first");
//   batch.add("TTA", "second");
//   const weft::sequences_view view = batch;
//   view.count();                                   // == 2
//   view[1];                                        // == "TTA"
//   view.name(0);                                   // == "first"
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

// A view of concatenated sequences, which owns nothing: sequence i is data[offsets[i], offsets[i + 1]).
// `offsets` ascends from 0 to data.size() and has one entry more than there are sequences; without sequences
// it may also be empty. `names` has an entry for each sequence, or none.
struct sequences_view {
  // The sequences end to end, where each begins, and their names.
  std::string_view data;
  std::span<const std::uint64_t> offsets;
  std::span<const std::string> names = {};

  // Returns the number of sequences.
  [[nodiscard]] std::uint64_t count() const noexcept { return offsets.empty() ? 0 : offsets.size() - 1; }
  // Return sequence i, and its size. Undefined unless i < count().
  [[nodiscard]] std::string_view operator[](std::uint64_t i) const noexcept {
    return data.substr(offsets[i], offsets[i + 1] - offsets[i]);
  }
  [[nodiscard]] std::uint64_t size(std::uint64_t i) const noexcept { return offsets[i + 1] - offsets[i]; }
  // Returns the name of sequence i; empty without names.
  [[nodiscard]] std::string_view name(std::uint64_t i) const noexcept {
    return names.empty() ? std::string_view() : std::string_view(names[i]);
  }
};

// Throws std::invalid_argument, with `function` in the message, unless the offsets ascend from 0 to the size
// of the data (or are empty, if the data are) and there are no names or as many as sequences. O(count).
void check_sequences(const sequences_view& batch, std::string_view function);

// An owning batch of sequences. Views of it are valid until the next change.
class sequences {
public:
  sequences() = default;
  // Takes ownership of the parts of a view. Throws std::invalid_argument as check_sequences().
  sequences(std::string data, std::vector<std::uint64_t> offsets, std::vector<std::string> names = {});

  // Appends a sequence. Either all sequences have a name that is not empty, or none: throws
  // std::invalid_argument otherwise. Amortised O(size).
  void add(std::string_view sequence, std::string_view name = {});
  // Removes all sequences and keeps the memory.
  void clear() noexcept;

  // Return the number of sequences, sequence i, and a view of all.
  [[nodiscard]] std::uint64_t count() const noexcept { return offsets_.size() - 1; }
  [[nodiscard]] std::string_view operator[](std::uint64_t i) const noexcept { return view()[i]; }
  [[nodiscard]] sequences_view view() const noexcept { return {data_, offsets_, names_}; }
  operator sequences_view() const noexcept { return view(); } // NOLINT: a batch is its view

private:
  std::string data_;
  std::vector<std::uint64_t> offsets_{0};
  std::vector<std::string> names_;
};

} // namespace weft

namespace weft::gpu {

// A view of concatenated sequences in the memory of a GPU: sequence i is d_data[d_offsets[i], d_offsets[i +
// 1]). d_offsets has count + 1 entries. The sizes are known to the host.
struct sequences_view {
  const char* d_data = nullptr;             // `size` bytes
  const std::uint64_t* d_offsets = nullptr; // ascending from 0 to `size`
  std::uint64_t count = 0;                  // number of sequences
  std::uint64_t size = 0;                   // number of bytes
};

} // namespace weft::gpu
