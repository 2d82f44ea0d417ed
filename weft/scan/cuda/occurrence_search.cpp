#include <weft/scan/cuda/occurrence_search.hpp>

#include <algorithm>
#include <weft/base/error.hpp>

namespace weft::scan_detail {

namespace {

// Only texts of at least this many residues update the density that later searches start from, because the
// density of a shorter text says little about the next text.
constexpr std::uint64_t min_sample_residues = std::uint64_t{1} << 20;

} // namespace

occurrence_search::occurrence_search(searcher_context& context, std::uint64_t allowed, cudaStream_t stream)
    : context_(context), allowed_(allowed), stream_(stream), density_(context.density), count_(1, stream) {}

void occurrence_search::set_max_found(std::uint64_t max_codes) {
  max_ = max_codes;
  if (codes_.size() > max_) codes_ = {};
}

std::uint64_t occurrence_search::operator()(const device_text& text, std::uint64_t begin, std::uint64_t end,
                                            const addition& more) {
  const auto residues = static_cast<double>(end - begin);
  const double guess = residues * density_ + static_cast<double>(min_code_capacity);
  reserve(static_cast<std::uint64_t>(std::min(guess, static_cast<double>(max_))));
  gpu::check(cudaMemsetAsync(count_.data(), 0, count_.bytes(), stream_), "clear a counter");
  // The limit is state of the searcher, which scans share: another scan may have changed it.
  (void)context_.searcher->limit_memory(allowed_);
  const code_buffer to{codes_.data(), codes_.size(), count_.data()};
  context_.searcher->find(text, begin, end, to, stream_);
  if (more) more(to);
  const std::uint64_t count = read_count();
  density_ = std::max(density_, 1.1 * static_cast<double>(count) / residues);
  if (end - begin >= min_sample_residues) context_.density = std::max(context_.density, density_);
  return count;
}

// If the device does not have the memory, halves the capacity until an allocation succeeds, because the guess
// may stem from a text with more occurrences than this one. Throws memory_error if even min_code_capacity
// occurrences do not fit.
void occurrence_search::reserve(std::uint64_t capacity) {
  while (codes_.size() < capacity) {
    codes_ = {};
    try {
      codes_ = {capacity, stream_};
    } catch (const memory_error&) {
      if (capacity <= min_code_capacity) throw;
      max_ = capacity = std::max(capacity / 2, min_code_capacity);
    }
  }
}

std::uint64_t occurrence_search::read_count() const {
  return gpu::downloaded(count_.data(), stream_, "wait for the GPU");
}

} // namespace weft::scan_detail
