#include <weft/bwt/cuda/fm/fm_search.hpp>

#include <algorithm>
#include <optional>
#include <weft/base/error.hpp>
#include <weft/bwt/entry/argument_checks.hpp>

namespace weft::bwt_detail {

using gpu::device_buffer;

fm_device_copy& fm_device_copies::at(int device) {
  const std::lock_guard lock(mutex_);
  for (const auto& device_copy : copies_)
    if (device_copy->device == device) return *device_copy;
  copies_.push_back(std::make_unique<fm_device_copy>(device));
  return *copies_.back();
}

int fm_device_copies::device_with_index() const {
  const std::lock_guard lock(mutex_);
  return with_index_;
}

void fm_device_copies::set_device_with_index(int device) {
  const std::lock_guard lock(mutex_);
  if (with_index_ < 0) with_index_ = device;
}

// May run at the end of the process, when the device may no longer be available.
fm_device_copy::~fm_device_copy() {
  try {
    const gpu::device_scope scope(device);
    for (const gpu::stream& each : work) (void)cudaStreamSynchronize(each.get());
    contexts = {};
    index.reset();
  } catch (const error&) {
    contexts = {};
    index.reset();
  }
}

device_session::device_session(const fm_index& index, fm_device_copies& copies, int gpu,
                               const run_options& options)
    : scope_(gpu), device_copy_(copies.at(gpu)), lock_(device_copy_.busy), options_(options) {
  const std::uint64_t size = gpu::device_fm_index::bytes_of(index), requested = options.device_memory;
  const std::uint64_t present_bytes = device_copy_.index ? size : 0;
  const std::uint64_t allowed = requested != 0 ? requested : gpu::device_memory_allowed(0) + present_bytes;
  require_device_memory(size, allowed, "the index");
  if (!device_copy_.index)
    device_copy_.index = std::make_unique<gpu::device_fm_index>(index, device_copy_.work[0].get());
  copies.set_device_with_index(gpu);
  memory_ = allowed - size;
}

void device_session::upload(void* d_to, const void* from, std::uint64_t bytes, cudaStream_t stream) {
  device_copy_.staging.to_device(d_to, from, bytes, stream, options_.threads);
}

void device_session::download(void* to, const void* d_from, std::uint64_t bytes, cudaStream_t stream) {
  device_copy_.staging.from_device(to, d_from, bytes, stream, options_.threads);
}

void device_session::advance(std::uint64_t work) const {
  base_detail::add_work(options_, work);
  base_detail::check_cancelled(options_);
}

std::uint64_t end_of_piece(std::span<const std::uint64_t> offsets, std::uint64_t first, std::uint64_t bytes,
                           std::uint64_t bytes_per_pattern) {
  std::uint64_t fits = first + 1, behind = offsets.size(); // a piece may end at `fits`, not at `behind`
  while (behind - fits > 1) {
    const std::uint64_t end = fits + (behind - fits) / 2;
    const bool enough = offsets[end] - offsets[first] <= bytes &&
                        (end - first) <= (bytes - (offsets[end] - offsets[first])) / bytes_per_pattern;
    (enough ? fits : behind) = end;
  }
  return fits;
}

namespace {

constexpr std::uint64_t max_piece_bytes = std::uint64_t{64} << 20; // bytes of a piece

// Patterns [first, end) of a batch, in device memory.
struct piece_on_device {
  piece_on_device(device_session& session, std::string_view patterns, std::span<const std::uint64_t> offsets,
                  std::uint64_t from, std::uint64_t to, cudaStream_t stream)
      : first(from), end(to), d_letters(offsets[end] - offsets[first], stream),
        d_offsets(end - first + 1, stream) {
    session.upload(d_letters.data(), patterns.data() + offsets[first], d_letters.size(), stream);
    session.upload(d_offsets.data(), offsets.data() + first, d_offsets.bytes(), stream);
    job = {session.device_copy().index->view().parts,
           {d_letters.data(), d_letters.data() + d_letters.size()},
           d_offsets.data(),
           offsets[first],
           end - first};
  }
  std::uint64_t first, end;
  device_buffer<unsigned char> d_letters;
  device_buffer<std::uint64_t> d_offsets;
  fm_job job;
};

// Throws memory_error if patterns [first, end) need more than `memory`, the bytes that are left besides the
// index.
void check_memory(std::span<const std::uint64_t> offsets, std::uint64_t first, std::uint64_t end,
                  std::uint64_t bytes_per_pattern, std::uint64_t memory) {
  require_device_memory(offsets[end] - offsets[first] + (end - first) * bytes_per_pattern, memory,
                        "a pattern, besides the index,");
}

// The counts of a piece of patterns. The constructor enqueues the work; finish() waits for it.
struct counted_piece {
  counted_piece(device_session& session, std::string_view patterns, std::span<const std::uint64_t> offsets,
                std::uint64_t first, std::uint64_t end, cudaStream_t on)
      : stream(on), piece(session, patterns, offsets, first, end, on), counts(end - first, on),
        damaged(1, on) {
    gpu::check(cudaMemsetAsync(damaged.data(), 0, damaged.bytes(), stream), "clear memory");
    count(piece.job, counts.data(), damaged.data(), stream);
  }
  void finish(device_session& session, std::span<std::uint64_t> totals) const {
    std::uint32_t bad = 0;
    session.download(totals.data() + piece.first, counts.data(), counts.bytes(), stream);
    session.download(&bad, damaged.data(), sizeof bad, stream);
    if (bad != 0) refuse_damaged_index();
    session.advance(counts.size());
  }
  cudaStream_t stream;
  piece_on_device piece;
  device_buffer<std::uint64_t> counts;
  device_buffer<std::uint32_t> damaged;
};

} // namespace

std::vector<std::uint64_t> count_in_pieces(const fm_index& index, fm_device_copies& copies, int gpu,
                                           std::string_view patterns, std::span<const std::uint64_t> offsets,
                                           const fm_search_options& options) {
  constexpr std::uint64_t bytes_per_pattern = 8 + 24 + 8; // offset, interval, count
  std::vector<std::uint64_t> totals(offsets.size() - 1);
  device_session session(index, copies, gpu, options.run);
  const gpu::quiet_at_end quiet[] = {gpu::quiet_at_end(session.device_copy().work[0].get()),
                                     gpu::quiet_at_end(session.device_copy().work[1].get())};
  // Two pieces at a time: one is copied while the other is counted.
  const std::uint64_t memory = session.memory() / 2;
  std::unique_ptr<counted_piece> previous;
  int stream_index = 0;
  for (std::uint64_t first = 0, end = 0; first < totals.size(); first = end, stream_index ^= 1) {
    end = end_of_piece(offsets, first, std::min(memory, max_piece_bytes), bytes_per_pattern);
    check_memory(offsets, first, end, bytes_per_pattern, memory);
    auto next = std::make_unique<counted_piece>(session, patterns, offsets, first, end,
                                                session.device_copy().work[stream_index].get());
    if (previous) previous->finish(session, totals);
    previous = std::move(next);
  }
  if (previous) previous->finish(session, totals);
  return totals;
}

namespace {

void append(device_session& session, const gpu::fm_device_hits& found, fm_hits& to, cudaStream_t stream) {
  const std::size_t hits = to.hits.size(), patterns = to.totals.size();
  to.hits.resize(hits + found.hits.size());
  to.totals.resize(patterns + found.totals.size());
  to.offsets.resize(patterns + found.totals.size() + 1);
  session.download(to.hits.data() + hits, found.hits.data(), found.hits.bytes(), stream);
  session.download(to.totals.data() + patterns, found.totals.data(), found.totals.bytes(), stream);
  session.download(to.offsets.data() + patterns, found.offsets.data(), found.offsets.bytes(), stream);
  for (std::size_t p = patterns; p < to.offsets.size(); ++p) to.offsets[p] += hits;
}

} // namespace

// If the occurrences of a piece do not fit in memory, the search is repeated with half the piece.
fm_hits locate_in_pieces(const fm_index& index, fm_device_copies& copies, int gpu, std::string_view patterns,
                         std::span<const std::uint64_t> offsets, const fm_search_options& options) {
  constexpr std::uint64_t bytes_per_pattern = 8;
  fm_hits result;
  device_session session(index, copies, gpu, options.run);
  const cudaStream_t stream = session.device_copy().work[0].get();
  const gpu::quiet_at_end quiet(stream);
  const std::uint64_t memory = session.memory(), patterns_in_all = offsets.size() - 1;
  result.totals.reserve(patterns_in_all);
  result.offsets.reserve(patterns_in_all + 1);
  std::uint64_t piece_bytes = std::min(memory / 8, max_piece_bytes);
  for (std::uint64_t first = 0; first < patterns_in_all;) {
    std::uint64_t end = end_of_piece(offsets, first, piece_bytes, bytes_per_pattern);
    check_memory(offsets, first, end, bytes_per_pattern, memory);
    std::optional<gpu::fm_device_hits> found;
    while (!found) {
      const piece_on_device piece(session, patterns, offsets, first, end, stream);
      const std::uint64_t taken = piece.d_letters.bytes() + piece.d_offsets.bytes(),
                          left = memory - std::min(memory, taken);
      try {
        found =
            locate(piece.job,
                   {.max_hits = options.max_hits, .run = {.device_memory = std::max<std::uint64_t>(left, 1)}},
                   stream);
      } catch (const memory_error&) {
        if (end - first == 1) throw;
        end = first + (end - first) / 2;
        piece_bytes = std::max<std::uint64_t>(piece_bytes / 2, 1);
      }
    }
    append(session, *found, result, stream);
    session.advance(end - first);
    first = end;
  }
  return result;
}

} // namespace weft::bwt_detail
