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

void wait_for(const event& copied) { check(cudaEventSynchronize(copied.get()), "copy by way of the host"); }

} // namespace

// Hands out the pieces of an array in order, to several threads, until none is left or a thread has failed.
// The array is cut into at least two pieces for each thread, if it is large enough.
class staged_copy::piece_turns {
public:
  piece_turns(std::uint64_t bytes, std::uint64_t threads) : bytes_(bytes) {
    constexpr std::uint64_t page = 4096;
    const std::uint64_t fair = (bytes / (2 * threads) / page + 1) * page;
    piece_ = std::clamp(fair, min_piece, piece_bytes);
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
                      const std::function<void(piece_turns&, std::size_t)>& work) {
  const std::uint64_t most = std::min(static_cast<std::uint64_t>(thread_count(threads)), max_threads);
  piece_turns turns(bytes, most);
  const std::uint64_t members = std::min(turns.count(), most);
  while (slots_.size() < 2 * members) slots_.emplace_back();
  team_.run(static_cast<int>(members), [&](int member) {
    try {
      const device_scope scope(device_);
      work(turns, 2 * static_cast<std::size_t>(member));
    } catch (...) {
      turns.end();
      throw;
    }
  });
}

void staged_copy::to_device(void* d_to, const void* from, std::uint64_t bytes, cudaStream_t stream,
                            int threads, const std::function<void(std::uint64_t)>& read) {
  run(bytes, threads, [&](piece_turns& turns, std::size_t first) {
    std::size_t turn = 0;
    for (std::uint64_t at = turns.next(); at != turns.none(); at = turns.next(), turn ^= 1) {
      slot& place = slots_[first + turn];
      const std::uint64_t size = turns.size(at);
      wait_for(place.copied);
      std::memcpy(place.bytes.data(), static_cast<const std::byte*>(from) + at, size);
      copy(static_cast<std::byte*>(d_to) + at, place.bytes.data(), size, stream, "copy to it");
      place.copied.record(stream);
      read(size);
    }
  });
}

void staged_copy::from_device(const void* d_from, std::uint64_t bytes, cudaStream_t stream, int threads,
                              const taker& take) {
  run(bytes, threads, [&](piece_turns& turns, std::size_t first) {
    std::uint64_t held[2] = {turns.none(), turns.none()}; // offsets of the pieces in the two slots
    const auto ask = [&](std::size_t turn) {
      slot& place = slots_[first + turn];
      held[turn] = turns.next();
      if (held[turn] == turns.none()) return;
      wait_for(place.copied);
      copy(place.bytes.data(), static_cast<const std::byte*>(d_from) + held[turn], turns.size(held[turn]),
           stream, "copy from it");
      place.copied.record(stream);
    };
    ask(0);
    ask(1);
    for (std::size_t turn = 0; held[turn] != turns.none(); turn ^= 1) {
      const slot& place = slots_[first + turn];
      wait_for(place.copied);
      take(held[turn], {place.bytes.data(), turns.size(held[turn])});
      ask(turn);
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
