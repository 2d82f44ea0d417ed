#include <weft/scan/cuda/piece_scanner.hpp>

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <weft/base/cuda/two_phases.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/scan/cuda/resolve/sort_occurrences.hpp>

namespace weft::scan_detail {

namespace {

// Device memory for a piece, apart from the searcher. residue_bytes is 8 for each residue: 1 for the residue
// itself, 1/8 for its start bit, and about 2 for occurrences at the expected density. The rest is for what an
// engine keeps beside the text, and for texts with more occurrences.
// fixed_bytes covers the smallest buffer of occurrences, padding, and temporary storage of the sort.
constexpr std::uint64_t fixed_bytes = std::uint64_t{4} << 20;
// load() counts searched_bytes of the 8 for each residue of a text; the remaining memory may be used for
// occurrences.
constexpr std::uint64_t residue_bytes = 8, sequence_bytes = 8, searched_bytes = 6;

} // namespace

piece_scanner::piece_scanner(const motif_set::compiled& motifs, const searcher_key& key,
                             const piece_scanner_options& options)
    : scope_(options.device), context_(motifs.gpu_searchers->at(key)), options_(options),
      key_bits_(position_bits + std::bit_width(motifs.motifs.size() - 1)) {
  const std::lock_guard lock(context_.busy);
  const cudaStream_t stream = context_.work.get();
  if (!context_.searcher) context_.searcher = key.make(motifs, key.which, stream);
  allowed_ = gpu::device_memory_allowed(options.device_memory);
  searcher_bytes_ = context_.searcher->limit_memory(allowed_);
  search_.emplace(context_, allowed_, stream);
}

piece_limits piece_scanner::limits() const {
  return {allowed_, fixed_bytes + searcher_bytes_, residue_bytes, sequence_bytes};
}

void piece_scanner::load(const sequences_view& text) {
  const std::lock_guard lock(context_.busy);
  const std::uint64_t taken = fixed_bytes + searcher_bytes_ + text.data.size() * searched_bytes +
                              text.offsets.size() * sequence_bytes;
  search_->set_max_found(std::min(
      max_codes_at_once, min_code_capacity + (allowed_ - std::min(allowed_, taken)) / bytes_per_code));
  text_.reset();
  text_.emplace(text, context_.work.get());
  // The text may be freed when load() returns.
  context_.work.wait();
  step_ = ~std::uint64_t{0};
}

piece_searcher::part piece_scanner::find(std::uint64_t begin, std::uint64_t end) {
  const std::lock_guard lock(context_.busy);
  for (;;) {
    const std::uint64_t stop = begin + std::min(step_, end - begin), size = stop - begin;
    const std::uint64_t count = (*search_)(text_->text(), begin, stop);
    if (count <= search_->capacity()) return {stop, sort_and_download(count)};
    if (count <= search_->max_codes()) continue; // repeats the search with a larger buffer
    if (size == 1)
      throw memory_error(fmt::format("a residue with {} occurrences does not fit in {} of device memory",
                                     count, format_size(allowed_)));
    const double fits = 0.75 * static_cast<double>(search_->max_codes()) / static_cast<double>(count);
    step_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(size) * fits));
  }
}

// Sorts the occurrences on the device, removes duplicates, and copies them to the host.
std::span<const std::uint64_t> piece_scanner::sort_and_download(std::uint64_t count) {
  if (count == 0) return {};
  const cudaStream_t stream = context_.work.get();
  const gpu::device_buffer<std::uint64_t> other(count, stream);
  std::uint64_t* result = nullptr;
  gpu::in_two_phases(stream, "sort the occurrences", [&](void* temp, std::size_t& bytes) {
    return sort_occurrences(temp, bytes, search_->codes(), other.data(), count, key_bits_, search_->count(),
                            result, stream);
  });
  const std::uint64_t left = search_->read_count();
  if (left > host_capacity_) {
    host_codes_.reset();
    host_codes_ = std::make_unique_for_overwrite<std::uint64_t[]>(left);
    host_capacity_ = left;
  }
  std::uint64_t* const to = host_codes_.get();
  if (left * sizeof(std::uint64_t) < gpu::staged_copy::piece_bytes) {
    gpu::copy(to, result, left, stream, "copy occurrences from the GPU");
    context_.work.wait();
  } else {
    context_.staging.from_device(to, result, left * sizeof(std::uint64_t), stream, options_.threads);
  }
  return {to, left};
}

} // namespace weft::scan_detail
