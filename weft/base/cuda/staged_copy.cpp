// Each thread has two slots, so that one is copied by the device while the other is by the thread.
#include <weft/base/cuda/staged_copy.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <weft/base/parallel.hpp>

namespace weft::gpu {

namespace {

constexpr std::uint64_t most_threads = 8; // are enough for the fastest bus

void wait_for(const event& copied) { check(cudaEventSynchronize(copied.get()), "copy by way of the host"); }

// Pieces of an array in turn, until there is none or a thread has failed.
class piece_turns {
public:
  explicit piece_turns(std::uint64_t bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t next() { return next_.fetch_add(staged_copy::piece_bytes); } // >= bytes: none
  [[nodiscard]] std::uint64_t size(std::uint64_t at) const {
    return std::min(bytes_ - at, staged_copy::piece_bytes);
  }
  void end() { next_ = bytes_; }

private:
  std::uint64_t bytes_;
  std::atomic<std::uint64_t> next_{0};
};

} // namespace

void staged_copy::run(std::uint64_t bytes, int threads, const std::function<void(std::size_t)>& work) {
  const std::uint64_t pieces = (bytes + piece_bytes - 1) / piece_bytes;
  const std::uint64_t members =
      std::min({pieces, static_cast<std::uint64_t>(thread_count(threads)), most_threads});
  while (slots_.size() < 2 * members) slots_.emplace_back();
  run_team(static_cast<int>(members), [&](int member) {
    const device_scope scope(device_);
    work(2 * static_cast<std::size_t>(member));
  });
}

void staged_copy::to_device(void* d_to, const void* from, std::uint64_t bytes, cudaStream_t stream,
                            int threads, const std::function<void(std::uint64_t)>& read) {
  piece_turns turns(bytes);
  run(bytes, threads, [&](std::size_t first) {
    try {
      std::size_t turn = 0;
      for (std::uint64_t at = turns.next(); at < bytes; at = turns.next(), turn ^= 1) {
        slot& place = slots_[first + turn];
        const std::uint64_t size = turns.size(at);
        wait_for(place.copied);
        std::memcpy(place.bytes.data(), static_cast<const std::byte*>(from) + at, size);
        copy(static_cast<std::byte*>(d_to) + at, place.bytes.data(), size, stream, "copy to it");
        place.copied.record(stream);
        read(size);
      }
    } catch (...) {
      turns.end();
      throw;
    }
  });
}

void staged_copy::from_device(const void* d_from, std::uint64_t bytes, cudaStream_t stream, int threads,
                              const taker& take) {
  piece_turns turns(bytes);
  run(bytes, threads, [&](std::size_t first) {
    try {
      std::uint64_t held[2] = {bytes, bytes}; // places of the pieces in the slots; bytes: none
      const auto ask = [&](std::size_t turn) {
        slot& place = slots_[first + turn];
        held[turn] = std::min(turns.next(), bytes);
        if (held[turn] == bytes) return;
        wait_for(place.copied);
        copy(place.bytes.data(), static_cast<const std::byte*>(d_from) + held[turn], turns.size(held[turn]),
             stream, "copy from it");
        place.copied.record(stream);
      };
      ask(0);
      ask(1);
      for (std::size_t turn = 0; held[turn] < bytes; turn ^= 1) {
        const slot& place = slots_[first + turn];
        wait_for(place.copied);
        take(held[turn], {place.bytes.data(), turns.size(held[turn])});
        ask(turn);
      }
    } catch (...) {
      turns.end();
      throw;
    }
  });
}

} // namespace weft::gpu
