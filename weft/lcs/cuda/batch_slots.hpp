// The slots in which the pieces of a batch (batch_plan.hpp) are computed, a few at a time, so that the host
// stores the values of a piece while the GPU computes the next ones. Piece `index` uses slot index % count().
// A slot has a stream, a ticket by which blocks or warps take tasks, memory for the values of a piece on the
// device and in page-locked memory, and memory (links) in which blocks keep what passes between the parts of
// a table.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/lcs/cuda/batch_plan.hpp>
#include <weft/lcs/entry/call.hpp>

namespace weft::lcs_detail {

// An engine needs this much device memory: `fixed_bytes`, and links for each of at most max_link_blocks
// blocks. With fewer than min_link_blocks of them the batch is slow.
struct batch_needs {
  std::string_view engine;
  std::uint64_t fixed_bytes, link_block_bytes;
  std::int64_t max_link_blocks, min_link_blocks;
  std::int64_t max_values; // of a piece that has more than one row
};

// The slots of a batch. Its plan must outlive the object.
class batch_slots {
public:
  explicit batch_slots(const batch_plan& plan) : plan_(plan) {}

  // Chooses the number of slots and the sizes of their memory, which is at most `allowed` bytes with
  // fixed_bytes. Throws memory_error if the smallest memory does not fit.
  void plan_memory(const batch_needs& needs, std::uint64_t allowed);
  // Allocates the memory in the order of the stream; page-locked memory only if `on_host`.
  void allocate(cudaStream_t stream, bool on_host);

  [[nodiscard]] std::size_t count() const { return to_size(count_); }
  [[nodiscard]] std::int64_t capacity() const { return capacity_; }       // values of a slot
  [[nodiscard]] std::int64_t link_blocks() const { return link_blocks_; } // blocks of a slot that have links

  // Return the parts of the slot of piece `index`.
  [[nodiscard]] cudaStream_t stream(std::size_t index) const { return streams_[index % count()].get(); }
  [[nodiscard]] unsigned* ticket(std::size_t index) const { return tickets_.data() + index % count(); }
  [[nodiscard]] std::uint32_t* values(std::size_t index) const {
    return values_.data() + index % count() * to_size(capacity_);
  }
  [[nodiscard]] std::uint32_t* links(std::size_t index) const {
    return links_.data() + index % count() * link_words();
  }

  // Copies the values of piece `index` to the host, in the order of its stream.
  void download(std::size_t index, const batch_piece& piece) const;
  void wait(std::size_t index) const { streams_[index % count()].wait(); }
  // Stores the downloaded values of piece `index`, multiplied by `unit`, among the values of all pairs.
  void store(std::size_t index, const batch_piece& piece, std::uint64_t unit, int threads,
             std::vector<std::uint64_t>& all) const;

private:
  static constexpr int max_slots = 4;

  [[nodiscard]] std::size_t link_words() const { return to_size(link_blocks_) * link_block_bytes_ / 4; }
  // Returns page-locked memory for the values of slot `slot`. A thread keeps the memory, because allocating
  // it is expensive.
  [[nodiscard]] std::uint32_t* pinned_values(std::size_t slot) const;

  const batch_plan& plan_;
  int count_ = max_slots;
  std::int64_t capacity_ = 0, link_blocks_ = 0;
  std::uint64_t link_block_bytes_ = 0;
  gpu::device_buffer<std::uint32_t> values_, links_;
  gpu::device_buffer<unsigned> tickets_;
  // Declared last, because their destructors wait for the work that uses everything else.
  std::array<gpu::stream, max_slots> streams_;
};

// Does values.resize(pairs). The expensive part is the first touch of each page, which all threads do
// before.
void resize_values(std::vector<std::uint64_t>& values, std::uint64_t pairs, int threads);

// Computes the pieces, with as many of them at a time as there are slots. Calls prepare() while the GPU is
// busy with the first ones. Run: slots(), pieces(); launch(index), which launches a piece in its slot;
// collect(index, values), which waits for a piece, stores its values and returns its number of cells; stop(),
// which makes the pieces that are running end soon, with void values.
template <class Run, class Prepare>
void run_batch(Run& run, std::vector<std::uint64_t>& values, cell_counter& work, const Prepare& prepare) try {
  const std::size_t pieces = run.pieces().size();
  std::size_t launched = 0;
  while (launched < std::min(run.slots().count(), pieces)) run.launch(launched++);
  prepare();
  for (std::size_t done = 0; done < pieces; ++done) {
    work.check();
    const std::uint64_t cells = run.collect(done, values);
    if (launched < pieces) run.launch(launched++);
    work.add(cells);
  }
} catch (...) {
  run.stop();
  throw;
}

} // namespace weft::lcs_detail
