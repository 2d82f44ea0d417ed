#include <weft/bwt/cuda/fm/fm_pieces.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/cuda/fm/fm_search.hpp>

namespace weft::detail {

bwt_cuda::fm_place& fm_device_copies::at(int device) {
  const std::lock_guard lock(mutex_);
  for (const auto& place : places_)
    if (place->device == device) return *place;
  places_.push_back(std::make_unique<bwt_cuda::fm_place>(device));
  return *places_.back();
}

int fm_device_copies::first_with_index() const {
  const std::lock_guard lock(mutex_);
  return with_index_;
}

void fm_device_copies::note_index(int device) {
  const std::lock_guard lock(mutex_);
  if (with_index_ < 0) with_index_ = device;
}

} // namespace weft::detail

namespace weft::bwt_cuda {

using gpu::device_buffer;

// Also at the end of the process, when there may be no device any more.
fm_place::~fm_place() {
  try {
    const gpu::device_scope scope(device);
    for (const gpu::stream& each : work) (void)cudaStreamSynchronize(each.get());
    index.reset();
  } catch (const error&) {
    index.reset();
  }
}

std::uint64_t end_of_piece(std::span<const std::uint64_t> offsets, std::uint64_t first, std::uint64_t bytes,
                           std::uint64_t of_pattern) {
  std::uint64_t fits = first + 1, behind = offsets.size(); // whether pieces end there
  while (behind - fits > 1) {
    const std::uint64_t end = fits + (behind - fits) / 2;
    const bool enough = offsets[end] - offsets[first] <= bytes &&
                        (end - first) <= (bytes - (offsets[end] - offsets[first])) / of_pattern;
    (enough ? fits : behind) = end;
  }
  return fits;
}

namespace {

constexpr std::uint64_t max_of_piece = std::uint64_t{64} << 20; // bytes that go to the device

// The device's part in a call: the place is held, the index there.
class visit {
public:
  visit(const fm_index& index, detail::fm_device_copies& places, int gpu, const fm_search_options& options)
      : scope_(gpu), place_(places.at(gpu)), lock_(place_.busy), options_(options) {
    const std::uint64_t size = gpu::device_fm_index::bytes_of(index), asked = options.device_memory;
    const std::uint64_t there = place_.index ? size : 0;
    const std::uint64_t allowed = asked != 0 ? asked : gpu::device_memory_allowed(0) + there;
    if (allowed < size)
      throw memory_error(fmt::format("an index of {} does not fit {} of device memory", format_size(size),
                                     format_size(allowed)));
    if (!place_.index) place_.index = std::make_unique<gpu::device_fm_index>(index, place_.work[0].get());
    places.note_index(gpu);
    left_ = allowed - size;
  }
  [[nodiscard]] fm_place& place() { return place_; }
  [[nodiscard]] std::uint64_t memory() const { return left_; } // beside the index
  void upload(void* d_to, const void* from, std::uint64_t bytes, cudaStream_t stream) {
    place_.staging.to_device(d_to, from, bytes, stream, options_.threads);
  }
  void download(void* to, const void* d_from, std::uint64_t bytes, cudaStream_t stream) {
    place_.staging.from_device(to, d_from, bytes, stream, options_.threads);
  }
  void advance(std::uint64_t patterns) const {
    if (options_.monitor == nullptr) return;
    options_.monitor->add(patterns);
    options_.monitor->check();
  }

private:
  gpu::device_scope scope_;
  fm_place& place_;
  std::lock_guard<std::mutex> lock_;
  const fm_search_options& options_;
  std::uint64_t left_ = 0;
};

// Patterns [first, end) of a batch on the device.
struct piece {
  piece(visit& of, std::string_view patterns, std::span<const std::uint64_t> offsets, std::uint64_t from,
        std::uint64_t to, cudaStream_t stream)
      : first(from), end(to), letters(offsets[end] - offsets[first], stream),
        numbers(end - first + 1, stream) {
    of.upload(letters.data(), patterns.data() + offsets[first], letters.size(), stream);
    of.upload(numbers.data(), offsets.data() + first, numbers.bytes(), stream);
    job = {of.place().index->view().parts,
           {letters.data(), letters.data() + letters.size()},
           numbers.data(),
           offsets[first],
           end - first};
  }
  std::uint64_t first, end;
  device_buffer<unsigned char> letters;
  device_buffer<std::uint64_t> numbers;
  fm_job job;
};

void need_room(std::span<const std::uint64_t> offsets, std::uint64_t first, std::uint64_t end,
               std::uint64_t of_pattern, std::uint64_t room) {
  const std::uint64_t need = offsets[end] - offsets[first] + (end - first) * of_pattern;
  if (need > room)
    throw memory_error(fmt::format("a pattern needs {} of device memory, {} is left beside the index",
                                   format_size(need), format_size(room)));
}

// Counting a piece: enqueued when made, and waited for by finish().
struct counted_piece {
  counted_piece(visit& of, std::string_view patterns, std::span<const std::uint64_t> offsets,
                std::uint64_t first, std::uint64_t end, cudaStream_t on)
      : stream(on), patterns_there(of, patterns, offsets, first, end, on), counts(end - first, on),
        damaged(1, on) {
    gpu::check(cudaMemsetAsync(damaged.data(), 0, damaged.bytes(), stream), "clear memory");
    count(patterns_there.job, counts.data(), damaged.data(), stream);
  }
  void finish(visit& of, std::span<std::uint64_t> totals) const {
    std::uint32_t bad = 0;
    of.download(totals.data() + patterns_there.first, counts.data(), counts.bytes(), stream);
    of.download(&bad, damaged.data(), sizeof bad, stream);
    if (bad != 0) fail_of_damage();
    of.advance(counts.size());
  }
  cudaStream_t stream;
  piece patterns_there;
  device_buffer<std::uint64_t> counts;
  device_buffer<std::uint32_t> damaged;
};

} // namespace

std::vector<std::uint64_t> count_in_pieces(const fm_index& index, detail::fm_device_copies& places, int gpu,
                                           std::string_view patterns, std::span<const std::uint64_t> offsets,
                                           const fm_search_options& options) {
  constexpr std::uint64_t of_pattern = 8 + 24 + 8; // offset, interval, count
  std::vector<std::uint64_t> totals(offsets.size() - 1);
  visit there(index, places, gpu, options);
  const gpu::quiet_at_end quiet[] = {gpu::quiet_at_end(there.place().work[0].get()),
                                     gpu::quiet_at_end(there.place().work[1].get())};
  const std::uint64_t room = there.memory() / 2; // two at a time: one is copied while the other is counted
  std::unique_ptr<counted_piece> before;
  int turn = 0;
  for (std::uint64_t first = 0, end = 0; first < totals.size(); first = end, turn ^= 1) {
    end = end_of_piece(offsets, first, std::min(room, max_of_piece), of_pattern);
    need_room(offsets, first, end, of_pattern, room);
    auto next =
        std::make_unique<counted_piece>(there, patterns, offsets, first, end, there.place().work[turn].get());
    if (before) before->finish(there, totals);
    before = std::move(next);
  }
  if (before) before->finish(there, totals);
  return totals;
}

namespace {

void append(visit& of, const gpu::fm_device_hits& found, fm_hits& to, cudaStream_t stream) {
  const std::size_t hits = to.hits.size(), patterns = to.totals.size();
  to.hits.resize(hits + found.hits.size());
  to.totals.resize(patterns + found.totals.size());
  to.offsets.resize(patterns + found.totals.size() + 1);
  of.download(to.hits.data() + hits, found.hits.data(), found.hits.bytes(), stream);
  of.download(to.totals.data() + patterns, found.totals.data(), found.totals.bytes(), stream);
  of.download(to.offsets.data() + patterns, found.offsets.data(), found.offsets.bytes(), stream);
  for (std::size_t p = patterns; p < to.offsets.size(); ++p) to.offsets[p] += hits;
}

} // namespace

// A piece whose occurrences do not fit is searched for again in halves.
fm_hits locate_in_pieces(const fm_index& index, detail::fm_device_copies& places, int gpu,
                         std::string_view patterns, std::span<const std::uint64_t> offsets,
                         const fm_search_options& options) {
  constexpr std::uint64_t of_pattern = 8;
  fm_hits result;
  visit there(index, places, gpu, options);
  const cudaStream_t stream = there.place().work[0].get();
  const gpu::quiet_at_end quiet(stream);
  const std::uint64_t room = there.memory(), patterns_in_all = offsets.size() - 1;
  result.totals.reserve(patterns_in_all);
  result.offsets.reserve(patterns_in_all + 1);
  std::uint64_t size = std::min(room / 8, max_of_piece);
  for (std::uint64_t first = 0; first < patterns_in_all;) {
    std::uint64_t end = end_of_piece(offsets, first, size, of_pattern);
    need_room(offsets, first, end, of_pattern, room);
    std::optional<gpu::fm_device_hits> found;
    while (!found) {
      const piece some(there, patterns, offsets, first, end, stream);
      const std::uint64_t taken = some.letters.bytes() + some.numbers.bytes(),
                          left = room - std::min(room, taken);
      try {
        found = locate(some.job, {options.max_hits, std::max<std::uint64_t>(left, 1)}, stream);
      } catch (const memory_error&) {
        if (end - first == 1) throw;
        end = first + (end - first) / 2;
        size = std::max<std::uint64_t>(size / 2, 1);
      }
    }
    append(there, *found, result, stream);
    there.advance(end - first);
    first = end;
  }
  return result;
}

} // namespace weft::bwt_cuda
