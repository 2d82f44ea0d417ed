#include <weft/bwt/cuda/text/text_circle.hpp>

namespace weft::bwt_detail {

namespace {

std::uint64_t windows_of(std::uint64_t n) { return (n + rotation_window - 1) / rotation_window; }

} // namespace

text_circle::text_circle(const unsigned char* d_text, std::uint64_t n, cudaStream_t stream)
    : stream_(stream), size_(n), words_(circular_text::words_for(n), stream) {
  gpu::copy(reinterpret_cast<unsigned char*>(words_.data()), d_text, n, stream, "copy the text");
  close_circle(words_.data(), n, stream);
}

std::uint64_t text_circle::shortest_root() const {
  const gpu::device_buffer<unsigned> d_differs(1, stream_);
  return bwt_detail::root_length(size_, [&](std::uint64_t root, std::uint64_t part) {
    find_period({words_.data(), root}, part, d_differs.data(), stream_);
    return gpu::downloaded(d_differs.data(), stream_, "look for the least rotation") == 0;
  });
}

std::uint64_t text_circle::min_rotation(std::uint64_t root) const {
  const circular_text text{words_.data(), root};
  tournament_round round{windows_of(root)};
  const gpu::device_buffer<std::uint64_t> candidates(round.windows, stream_);
  const gpu::device_buffer<unsigned long long> differences(round.pairs(), stream_);
  static_assert(no_difference == ~std::uint64_t{0});
  gpu::check(cudaMemsetAsync(differences.data(), 0xff, differences.bytes(), stream_), "clear differences");
  choose_candidates(text, candidates.data(), stream_);
  for (; round.windows > 1; round = round.next()) {
    compare_candidates(text, round, candidates.data(), differences.data(), stream_);
    keep_candidates(text, round, candidates.data(), differences.data(), stream_);
  }
  return gpu::downloaded(candidates.data(), stream_, "look for the least rotation");
}

std::uint64_t text_circle::memory(std::uint64_t n) noexcept {
  return sizeof(std::uint64_t) * (circular_text::words_for(n) + windows_of(n) + windows_of(n) / 2);
}

} // namespace weft::bwt_detail
