#include <weft/scan/cuda/nfa/nfa_engines.hpp>

#include <algorithm>
#include <limits>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/kernel_limits.hpp>

namespace weft::scan_detail {

namespace {

constexpr std::uint32_t default_threads = 256;
constexpr std::uint64_t default_scratch = std::uint64_t{256}
                                          << 20; // bytes for a launch, if one block does not need more

std::uint64_t count_multiprocessors() {
  int count = 0;
  gpu::check(base_detail::count_multiprocessors(count), "query the attributes of the GPU");
  return static_cast<std::uint64_t>(count);
}

// A class of motifs in device memory. The memory is not tied to a stream of the caller, because that stream
// may be destroyed before the engine.
class device_class {
public:
  device_class(const nfa_class& from, bool masks_in_shared, cudaStream_t stream)
      : shape_(from), masks_in_shared_(masks_in_shared), rows_(from.rows.size(), nullptr),
        fields_(from.fields.size(), nullptr), motifs_(from.motifs.size(), nullptr),
        longest_(from.longest.size(), nullptr) {
    gpu::check(cudaStreamSynchronize(nullptr), "wait for the GPU");
    const auto send = [&](auto& to, const auto& items) {
      gpu::copy(to.data(), items.data(), items.size(), stream, "copy motifs to the GPU");
    };
    send(rows_, from.rows);
    send(fields_, from.fields);
    send(motifs_, from.motifs);
    send(longest_, from.longest);
  }
  [[nodiscard]] nfa_class_view view() const {
    return {shape_, rows_.data(), fields_.data(), motifs_.data(), longest_.data()};
  }
  [[nodiscard]] bool masks_in_shared() const { return masks_in_shared_; }

private:
  nfa_class_shape shape_;
  bool masks_in_shared_;
  gpu::device_buffer<unsigned char> rows_, fields_;
  gpu::device_buffer<std::uint32_t> motifs_;
  gpu::device_buffer<std::uint64_t> longest_;
};

// The engine nfa-array or shift-and.
class nfa_searcher final : public gpu_searcher {
public:
  nfa_searcher(const motif_set::compiled& motifs, edge which, bool array, cudaStream_t stream,
               const nfa_options& options)
      : reversed_(which == edge::starts), block_residues_(options.block_residues),
        multiprocessors_(count_multiprocessors()), code_of_(256, nullptr) {
    const byte_codes codes(motifs.motifs);
    std::size_t shared = 0;
    gpu::check(base_detail::shared_memory_limit(shared), "query the attributes of the GPU");
    const std::size_t max_masks = shared - std::min(shared, sizeof(nfa_shared) + 1024);
    // By default, the masks of a block take at most a quarter of the shared memory, so that several blocks
    // run on a multiprocessor at the same time.
    const bool in_shared = options.placement == mask_placement::explicit_shared;
    const nfa_grouping grouping{reversed_, array, options.threads == 0 ? default_threads : options.threads,
                                !in_shared             ? 0
                                : options.threads == 0 ? shared / 4
                                                       : max_masks,
                                options.only};
    gpu::check(cudaStreamSynchronize(nullptr), "wait for the GPU");
    gpu::copy(code_of_.data(), codes.code_of.data(), codes.code_of.size(), stream, "copy motifs to the GPU");
    const std::vector<nfa_class> classes = nfa_classes(motifs.motifs, codes, grouping);
    for (const nfa_class& some : classes) {
      const std::size_t masks = nfa_shared_masks(some);
      classes_.emplace_back(some, in_shared && masks > 0 && masks <= max_masks, stream);
      for (const std::uint64_t longest : some.longest)
        if (longest != ~std::uint64_t{0}) longest_ = std::max(longest_, longest);
    }
    gpu::check(cudaStreamSynchronize(stream), "copy motifs to the GPU");
  }

  std::uint64_t limit_memory(std::uint64_t allowed) override {
    max_scratch_ = std::min(default_scratch, allowed / 16);
    // The maximum over the classes suffices, because their launches run one after another.
    std::uint64_t taken = 0;
    for (const device_class& some : classes_)
      if (const std::uint64_t scratch = nfa_scratch(some.view()); scratch != 0)
        taken = std::max(taken, std::max(scratch, max_scratch_));
    return taken;
  }

  void find(const device_text& text, std::uint64_t begin, std::uint64_t end, const code_buffer& to,
            cudaStream_t stream) override {
    end = std::min(end, text.size);
    if (begin >= end) return;
    for (const device_class& some : classes_) {
      nfa_job job{some.view(),
                  text,
                  code_of_.data(),
                  reversed_ ? text.size - end : begin,
                  reversed_ ? text.size - begin : end,
                  0,
                  reversed_,
                  to.codes,
                  to.capacity,
                  to.count,
                  nullptr};
      job.block =
          block_residues_ != 0 ? block_residues_ : default_block_residues(end - begin, job.motifs.groups);
      const std::uint64_t scratch = nfa_scratch(job.motifs);
      std::uint64_t blocks = std::min<std::uint64_t>(nfa_items(job), std::numeric_limits<int>::max());
      gpu::device_buffer<unsigned char> memory;
      if (scratch != 0) {
        blocks = std::min({blocks, multiprocessors_ * 8, std::max<std::uint64_t>(max_scratch_ / scratch, 1)});
        memory = gpu::device_buffer<unsigned char>(blocks * scratch, stream);
        job.scratch = memory.data();
      }
      gpu::check(launch_nfa(job, some.masks_in_shared(), static_cast<unsigned>(blocks), stream),
                 "start the search for motifs");
    }
  }

private:
  // Returns the block length for a text: about 64 items for each multiprocessor, so that eight run at a time
  // and little waiting remains at the end. The block must be much longer than the warm-up before it.
  [[nodiscard]] std::uint64_t default_block_residues(std::uint64_t residues, std::uint64_t groups) const {
    const std::uint64_t even = residues * groups / (multiprocessors_ * 64) + 1;
    const std::uint64_t block = std::clamp<std::uint64_t>(even, 4096, 32768);
    return (std::max(block, 8 * longest_) + tile_residues - 1) / tile_residues * tile_residues;
  }

  bool reversed_;
  // longest_: residues of the longest match of motifs whose matches are bounded.
  std::uint64_t block_residues_, multiprocessors_, longest_ = 0;
  std::uint64_t max_scratch_ = default_scratch;
  gpu::device_buffer<std::uint32_t> code_of_;
  std::vector<device_class> classes_;
};

} // namespace

std::unique_ptr<gpu_searcher> make_nfa_array(const motif_set::compiled& motifs, edge which,
                                             cudaStream_t stream, const nfa_options& options) {
  return std::make_unique<nfa_searcher>(motifs, which, true, stream, options);
}

std::unique_ptr<gpu_searcher> make_shift_and(const motif_set::compiled& motifs, edge which,
                                             cudaStream_t stream, const nfa_options& options) {
  return std::make_unique<nfa_searcher>(motifs, which, false, stream, options);
}

std::unique_ptr<gpu_searcher> make_nfa_array(const motif_set::compiled& motifs, edge which,
                                             cudaStream_t stream) {
  return make_nfa_array(motifs, which, stream, {});
}

std::unique_ptr<gpu_searcher> make_shift_and(const motif_set::compiled& motifs, edge which,
                                             cudaStream_t stream) {
  return make_shift_and(motifs, which, stream, {});
}

} // namespace weft::scan_detail
