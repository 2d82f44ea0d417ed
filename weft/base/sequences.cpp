#include <weft/base/sequences.hpp>

#include <fmt/format.h>
#include <stdexcept>
#include <utility>

namespace weft {

void check_sequences(const sequences_view& batch, std::string_view function) {
  const auto fail = [&](std::string_view what) {
    throw std::invalid_argument(fmt::format("{}: {}", function, what));
  };
  if (batch.offsets.empty()) {
    if (!batch.data.empty()) fail("the data is not empty, but there are no offsets");
  } else {
    if (batch.offsets.front() != 0 || batch.offsets.back() != batch.data.size())
      fail("offsets must start at 0 and end at the size of the data");
    for (std::size_t i = 1; i < batch.offsets.size(); ++i)
      if (batch.offsets[i] < batch.offsets[i - 1]) fail("offsets must not decrease");
  }
  if (!batch.names.empty() && batch.names.size() != batch.count())
    fail("names must be empty or have one entry for each sequence");
}

sequences::sequences(std::string data, std::vector<std::uint64_t> offsets, std::vector<std::string> names)
    : data_(std::move(data)), offsets_(std::move(offsets)), names_(std::move(names)) {
  if (offsets_.empty()) offsets_.push_back(0);
  check_sequences(view(), "sequences");
}

void sequences::add(std::string_view sequence, std::string_view name) {
  if (count() > 0 && name.empty() != names_.empty())
    throw std::invalid_argument("sequences: either all sequences must have names, or none");
  data_ += sequence;
  offsets_.push_back(data_.size());
  if (!name.empty()) names_.emplace_back(name);
}

void sequences::clear() noexcept {
  data_.clear();
  offsets_.resize(1);
  names_.clear();
}

} // namespace weft
