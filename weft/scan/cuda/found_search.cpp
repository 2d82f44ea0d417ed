#include <weft/scan/cuda/found_search.hpp>

#include <algorithm>
#include <weft/base/error.hpp>

namespace weft::scan_cuda {

namespace {

// From so many residues the density of a text says something of the next.
constexpr std::uint64_t telling = std::uint64_t{1} << 20;

} // namespace

found_search::found_search(engine_place& place, std::uint64_t allowed, cudaStream_t stream)
    : place_(place), allowed_(allowed), stream_(stream), density_(place.density), count_(1, stream) {}

void found_search::set_most(std::uint64_t most) {
  max_ = most;
  if (found_.size() > max_) found_ = {};
}

std::uint64_t found_search::operator()(const device_text& text, std::uint64_t begin, std::uint64_t end,
                                       const addition& more) {
  const auto residues = static_cast<double>(end - begin);
  const double guess = residues * density_ + static_cast<double>(few_found);
  make_room(static_cast<std::uint64_t>(std::min(guess, static_cast<double>(max_))));
  gpu::check(cudaMemsetAsync(count_.data(), 0, count_.bytes(), stream_), "clear a number");
  (void)place_.engine->bound_memory(allowed_); // another scan of these motifs may have more
  const found_buffer to{found_.data(), found_.size(), count_.data()};
  place_.engine->find(text, begin, end, to, stream_);
  if (more) more(to);
  const std::uint64_t count = read_count();
  density_ = std::max(density_, 1.1 * static_cast<double>(count) / residues);
  if (end - begin >= telling) place_.density = std::max(place_.density, density_);
  return count;
}

// The guess may be by a text that has more: less will do, where there is not so much memory.
void found_search::make_room(std::uint64_t room) {
  while (found_.size() < room) {
    found_ = {};
    try {
      found_ = {room, stream_};
    } catch (const memory_error&) {
      if (room <= few_found) throw;
      max_ = room = std::max(room / 2, few_found);
    }
  }
}

std::uint64_t found_search::read_count() const {
  return gpu::downloaded(count_.data(), stream_, "wait for the GPU");
}

} // namespace weft::scan_cuda
