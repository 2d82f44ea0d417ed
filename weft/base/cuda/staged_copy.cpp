// Each thread has two slots of page-locked memory, so that the device copies one while the thread copies the
// other.
#include <weft/base/cuda/staged_copy.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <weft/base/parallel.hpp>

namespace weft::gpu {

namespace {

constexpr std::uint64_t max_threads = 8; // enough for the fastest bus
constexpr std::uint64_t min_piece = std::uint64_t{1} << 18;

void wait_for(const event& copied) { check(cudaEventSynchronize(copied.get()), "wait for a copy"); }

} // namespace

// Hands out the pieces of an array in order, to several threads, until none is left or a thread has failed.
// The array is cut into at least two pieces for each thread, if it is large enough.
class staged_copy::piece_queue {
public:
  piece_queue(std::uint64_t bytes, std::uint64_t threads) : bytes_(bytes) {
    constexpr std::uint64_t page = 4096;
    const std::uint64_t fair_size = (bytes / (2 * threads) / page + 1) * page;
    piece_ = std::clamp(fair_size, min_piece, piece_bytes);
  }
  [[nodiscard]] std::uint64_t count() const { return (bytes_ + piece_ - 1) / piece_; }
  // Returns the offset of the next piece, or none() if no piece is left.
  [[nodiscard]] std::uint64_t next() { return std::min(next_.fetch_add(piece_), bytes_); }
  [[nodiscard]] std::uint64_t none() const { return bytes_; }
  [[nodiscard]] std::uint64_t size(std::uint64_t at) const { return std::min(bytes_ - at, piece_); }
  void end() { next_ = bytes_; }

private:
  std::uint64_t bytes_, piece_ = 0;
  std::atomic<std::uint64_t> next_{0};
};

void staged_copy::run(std::uint64_t bytes, int threads,
                      const std::function<void(piece_queue&, std::size_t)>& work) {
  const std::uint64_t max_members = std::min(static_cast<std::uint64_t>(thread_count(threads)), max_threads);
  piece_queue pieces(bytes, max_members);
  const std::uint64_t members = std::min(pieces.count(), max_members);
  while (slots_.size() < 2 * members) slots_.emplace_back();
  team_.run(static_cast<int>(members), [&](int member) {
    try {
      const device_scope scope(device_);
      work(pieces, 2 * static_cast<std::size_t>(member));
    } catch (...) {
      pieces.end();
      throw;
    }
  });
}

void staged_copy::to_device(void* d_to, const void* from, std::uint64_t bytes, cudaStream_t stream,
                            int threads, const std::function<void(std::uint64_t)>& read) {
  run(bytes, threads, [&](piece_queue& pieces, std::size_t first) {
    std::size_t turn = 0;
    for (std::uint64_t at = pieces.next(); at != pieces.none(); at = pieces.next(), turn ^= 1) {
      slot& current = slots_[first + turn];
      const std::uint64_t size = pieces.size(at);
      wait_for(current.copied);
      std::memcpy(current.bytes.data(), static_cast<const std::byte*>(from) + at, size);
      copy(static_cast<std::byte*>(d_to) + at, current.bytes.data(), size, stream, "copy data to the GPU");
      current.copied.record(stream);
      read(size);
    }
  });
}

void staged_copy::from_device(const void* d_from, std::uint64_t bytes, cudaStream_t stream, int threads,
                              const taker& take) {
  run(bytes, threads, [&](piece_queue& pieces, std::size_t first) {
    std::uint64_t piece_offsets[2] = {pieces.none(), pieces.none()}; // offsets of the pieces in the two slots
    const auto request_piece = [&](std::size_t turn) {
      slot& current = slots_[first + turn];
      piece_offsets[turn] = pieces.next();
      if (piece_offsets[turn] == pieces.none()) return;
      wait_for(current.copied);
      copy(current.bytes.data(), static_cast<const std::byte*>(d_from) + piece_offsets[turn],
           pieces.size(piece_offsets[turn]), stream, "copy data from the GPU");
      current.copied.record(stream);
    };
    request_piece(0);
    request_piece(1);
    for (std::size_t turn = 0; piece_offsets[turn] != pieces.none(); turn ^= 1) {
      const slot& current = slots_[first + turn];
      wait_for(current.copied);
      take(piece_offsets[turn], {current.bytes.data(), pieces.size(piece_offsets[turn])});
      request_piece(turn);
    }
  });
}

void staged_copy::from_device(void* to, const void* d_from, std::uint64_t bytes, cudaStream_t stream,
                              int threads) {
  from_device(d_from, bytes, stream, threads, [to](std::uint64_t at, std::span<const std::byte> piece) {
    std::memcpy(static_cast<std::byte*>(to) + at, piece.data(), piece.size());
  });
}

} // namespace weft::gpu
