#include <weft/bwt/cuda/text/packed_text.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <weft/base/cuda/two_phases.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/cuda/suffix_sort/suffix_kernels.hpp>
#include <weft/bwt/cuda/text/text_kernels.hpp>

namespace weft::bwt_detail {

namespace {

// Returns the bits of a code for this number of letters.
std::uint32_t bits_for(std::uint64_t letters) {
  return static_cast<std::uint32_t>(std::max(1, static_cast<int>(std::bit_width(letters - 1))));
}

void require_memory(std::uint64_t bytes, std::uint64_t memory) {
  if (memory != 0) base_detail::require_device_memory(bytes, memory, "numbering the symbols");
}

template <class Symbol>
std::uint64_t greatest_symbol(const Symbol* d_text, std::uint64_t n, cudaStream_t stream) {
  const gpu::device_buffer<Symbol> d_greatest(1, stream);
  gpu::in_two_phases(stream, "look for the greatest symbol", [&](void* d_temp, std::size_t& bytes) {
    return find_greatest(d_temp, bytes, d_text, n, d_greatest.data(), stream);
  });
  return gpu::downloaded(d_greatest.data(), stream, "look for the greatest symbol");
}

} // namespace

packed_text::packed_text(const unsigned char* d_text, std::uint64_t n, cudaStream_t stream)
    : bytes_(2 * 256, stream) { // the bytes of codes, then the codes of bytes
  const gpu::device_buffer<unsigned long long> d_counts(256, stream);
  const gpu::device_buffer<std::uint32_t> d_letters(1, stream);
  gpu::check(cudaMemsetAsync(d_counts.data(), 0, d_counts.bytes(), stream), "clear counts");
  count_bytes(d_text, n, d_counts.data(), stream);
  unsigned char* const d_codes = bytes_.data() + 256;
  number_bytes(d_counts.data(), d_codes, bytes_.data(), d_letters.data(), stream);
  letters_ = gpu::downloaded(d_letters.data(), stream, "count letters");
  words_ = {bwt_detail::words_of_text(n, bits_for(letters_)), stream};
  view_ = {words_.data(), n, bits_for(letters_)};
  pack_text(d_text, d_codes, words_.data(), view_, stream);
}

template <class Symbol>
packed_text::packed_text(const Symbol* d_text, std::uint64_t n, std::uint64_t memory, cudaStream_t stream) {
  constexpr std::uint64_t words = symbol_group_words;
  const std::uint64_t greatest = greatest_symbol(d_text, n, stream), groups = greatest / symbol_group + 1;
  const std::uint64_t table = groups * (words * sizeof(std::uint64_t) + sizeof(std::uint32_t));
  require_memory(table, memory);
  const gpu::device_buffer<std::uint64_t> in_use(groups * words, stream);
  const gpu::device_buffer<std::uint32_t> before(groups, stream);
  gpu::check(cudaMemsetAsync(in_use.data(), 0, in_use.bytes(), stream), "clear marks");
  mark_symbols(d_text, n, in_use.data(), stream);
  gpu::in_two_phases(stream, "number symbols", [&](void* d_temp, std::size_t& bytes) {
    return sum_symbols(d_temp, bytes, in_use.data(), before.data(), groups, stream);
  });
  std::array<std::uint64_t, words> last{}; // the last group
  std::uint32_t before_last = 0;
  gpu::copy(last.data(), in_use.data() + (groups - 1) * words, words, stream, "read marks");
  gpu::copy(&before_last, before.data() + groups - 1, 1, stream, "read sums");
  gpu::check(cudaStreamSynchronize(stream), "number symbols");
  letters_ = std::uint64_t{before_last} + bwt_detail::symbols_of_group(last.data(), 0);
  const std::uint32_t bits = bits_for(letters_);
  require_memory(table + bwt_detail::words_of_text(n, bits) * sizeof(std::uint64_t), memory);
  words_ = {bwt_detail::words_of_text(n, bits), stream};
  view_ = {words_.data(), n, bits};
  const bool codes_are_symbols = bits_for(greatest + 1) == bits;
  pack_symbols(d_text, {codes_are_symbols ? nullptr : in_use.data(), before.data()}, words_.data(), view_,
               stream);
  gpu::check(cudaStreamSynchronize(stream), "pack the text");
}

template packed_text::packed_text(const std::uint16_t*, std::uint64_t, std::uint64_t, cudaStream_t);
template packed_text::packed_text(const std::uint32_t*, std::uint64_t, std::uint64_t, cudaStream_t);

text_parts::text_parts(std::span<const std::uint64_t> begins, cudaStream_t stream)
    : size_(begins.back()), begins_(gpu::uploaded(begins, stream, "upload parts")),
      blocks_(bwt_detail::part_blocks(size_), stream) {
  make_part_blocks(begins_.data(), count(), size_, blocks_.data(), stream);
  gpu::check(cudaStreamSynchronize(stream), "upload parts");
}

part_text text_parts::batch(const packed_text& text) const {
  return {text.view(), layout().marks, static_cast<std::uint32_t>(std::bit_width(count() - 1))};
}

part_text text_parts::collection(const packed_text& text) const { return {text.view(), layout().marks, 0}; }

} // namespace weft::bwt_detail
