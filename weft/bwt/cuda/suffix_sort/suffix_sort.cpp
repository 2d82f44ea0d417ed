// The algorithm in its plain form:
//     sort the suffixes by the first bits of their symbols' codes: 64, or for a transform, which keeps the
//         symbol before the suffix in the key, 64 less the bits of one symbol
//     sort suffixes with equal keys by the next 63 bits, and so on
//     sort suffixes that agree in 128 symbols by the ranks of a difference cover
//
// - Blocks: a block takes the suffixes whose first key is in a certain range. A sample gives the ranges, and
//   blocks are processed one after another, so that only one block is in memory at a time. Each block reads
//   the whole text, which is cheap because the text is a string of bits. A range with more suffixes than
//   memory can hold is halved, down to a single key.
// - Groups: suffixes with equal keys are adjacent and form a group. A bit marks where each group begins
//   (core/bits.hpp), and the remaining work is listed from these bits. Nearly all groups are small: one
//   thread sorts two suffixes, lanes of a warp or a block sort more, straight from the text and key after
//   key. Large groups are sorted together, as segments of (key, suffix) items.
// - Difference cover: its ranks are computed when a block first needs them. The suffixes of the cover are
//   sorted by the same steps; groups that are left are sorted by the ranks of the suffixes 128, 256, 512, ...
//   symbols further on, which are in the cover as well (prefix doubling).
//
// Sources: Karkkainen, Theor. Comput. Sci. 387 (2007) 249-257 (blocks and the difference cover); Manber &
// Myers, SIAM J. Comput. 22 (1993) 935-948 (doubling).
#include <weft/bwt/cuda/suffix_sort/suffix_sort.hpp>

#include <algorithm>
#include <bit>
#include <optional>
#include <type_traits>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/two_phases.hpp>
#include <weft/base/error.hpp>
#include <weft/bwt/cuda/suffix_sort/group_state.hpp>
#include <weft/bwt/cuda/suffix_sort/suffix_kernels.hpp>
#include <weft/bwt/entry/argument_checks.hpp>

namespace weft::bwt_detail {

namespace {

using gpu::device_buffer;

// Sorts the suffixes of one text block by block. Text: bit_text or part_text.
template <class Index, class Text> class suffix_sorter {
public:
  suffix_sorter(const Text& text, const unsigned char* d_bytes, const suffix_sort_options& options,
                cudaStream_t stream)
      : options_(options), stream_(stream), text_(text), d_byte_of_code_(d_bytes),
        num_suffixes_(options.d_chosen != nullptr ? options.chosen : text_.size) {
    // Asking for the free memory takes longer than sorting this number of suffixes.
    constexpr std::uint64_t min_limited_size = 1U << 20;
    if (num_suffixes_ > min_limited_size || options.memory != 0)
      allowed_bytes_ = gpu::device_memory_allowed(options.memory);
    text_.omits_symbol_before = std::is_same_v<Text, bit_text> && !options.bytes_before;
    while (text_.depth(end_round_large_ - 1) < cover_period * text_.bits) ++end_round_large_;
    end_round_small_ = std::max(end_round_large_, options.text_rounds);
  }

  void run(const row_sink<Index>& sink) {
    if (num_suffixes_ == 0) return;
    const std::vector<std::uint64_t> lows = choose_ranges();
    std::uint64_t first_row = 0;
    for (std::size_t i = 0; i < lows.size(); ++i) {
      const std::uint64_t high = i + 1 < lows.size() ? lows[i + 1] - 1 : ~std::uint64_t{0};
      first_row += sort_block(lows[i], high, num_suffixes_ / lows.size(), first_row, sink);
    }
  }

private:
  // bytes_each: device memory for each suffix of a set while it is sorted. bytes_kept: how much of that a
  // block still holds while the cover is ranked.
  static constexpr std::uint64_t bytes_each = sort_bytes_each<Index>, bytes_kept = 12 + sizeof(Index);

  // Returns the bytes that are held independently of the current set: the ranks of the cover.
  std::uint64_t held_bytes() const { return cover_ ? cover_->bytes() : 0; }

  // Returns the maximal number of suffixes that one sort has memory and slots for.
  std::uint64_t max_suffixes() const {
    return std::min((allowed_bytes_ - std::min(allowed_bytes_, held_bytes())) / bytes_each, max_slots - 1);
  }

  std::uint64_t default_block_size() const {
    constexpr std::uint64_t large_text = std::uint64_t{1} << 26, max_count = std::uint64_t{1} << 30;
    std::uint64_t min_count = std::uint64_t{1} << 25; // each block takes at least some hundred launches
    // Of most texts, about a third of the suffixes are sorted. This size divides them into two blocks.
    if (text_.size >= large_text) min_count = std::min(min_count, text_.size / 11 * 2);
    const std::uint64_t min_size = std::min(num_suffixes_, min_block), fit = max_suffixes();
    require_device_memory(held_bytes() + min_size * bytes_each, allowed_bytes_,
                          "sorting suffixes, besides the text and the result,");
    return std::min(fit, std::clamp(text_.size / 12, min_count, max_count));
  }

  // Returns the smallest first key of each block.
  std::vector<std::uint64_t> choose_ranges() {
    const std::uint64_t n = num_suffixes_,
                        block = options_.block != 0 ? options_.block : default_block_size();
    if (n <= block) return {0};
    const auto samples = static_cast<std::uint32_t>(std::min<std::uint64_t>(n, 1U << 16));
    const device_buffer<std::uint64_t> d_keys(samples, stream_);
    const device_buffer<std::uint32_t> d_numbers(samples, stream_); // values for sort_pairs(), not used
    sample_keys(text_, options_.d_chosen, d_keys.data(), samples, stream_);
    number_slots(d_numbers.data(), samples, stream_);
    sort_pairs(d_keys.data(), d_numbers.data(), samples);
    const std::uint64_t blocks = std::min<std::uint64_t>((n + block - 1) / block, samples);
    std::vector<std::uint64_t> lows(blocks);
    for (std::uint64_t i = 1; i < blocks; ++i)
      gpu::copy(&lows[i], d_keys.data() + i * samples / blocks, 1, stream_, "read keys");
    gpu::check(cudaStreamSynchronize(stream_), "sort suffixes");
    lows.erase(std::unique(lows.begin(), lows.end()), lows.end());
    return lows;
  }

  // Sorts the suffixes whose first key is in [low, high], about `expected` of them, passes them to the sink,
  // and returns their number. The bounds of a range ignore the bits of the symbol before the suffix, so that
  // suffixes with equal keys are never divided.
  std::uint64_t sort_block(std::uint64_t low, std::uint64_t high, std::uint64_t expected,
                           std::uint64_t first_row, const row_sink<Index>& sink) {
    if (options_.monitor != nullptr) options_.monitor->check();
    const std::uint64_t max_count = max_suffixes();
    const device_buffer<unsigned long long> d_count(1, stream_);
    for (std::uint64_t capacity = std::min({num_suffixes_, max_count, expected + expected / 16 + 4096});;) {
      device_buffer<std::uint64_t> keys(capacity, stream_);
      const device_buffer<Index> suffixes(capacity, stream_);
      select_suffixes(text_, options_.d_chosen, low, high, keys.data(), suffixes.data(), capacity,
                      d_count.data(), stream_);
      const std::uint64_t count = gpu::downloaded(d_count.data(), stream_, "sort suffixes");
      if (count > max_count && (low | text_.mask_of_symbol()) < high) break;
      if (count > capacity) {
        check_equal_keys(count, max_count);
        capacity = count;
        continue;
      }
      if (count == 0) return 0;
      const device_buffer<unsigned char> before(options_.bytes_before ? count : 0, stream_);
      sort_set(std::move(keys), suffixes.data(), count, options_.bytes_before ? before.data() : nullptr);
      sink({first_row, count, suffixes.data(), options_.bytes_before ? before.data() : nullptr});
      if (options_.monitor != nullptr) options_.monitor->add(count);
      return count;
    }
    const std::uint64_t middle = (low + (high - low) / 2) | text_.mask_of_symbol(),
                        first = sort_block(low, middle, max_count, first_row, sink);
    return first + sort_block(middle + 1, high, max_count, first_row + first, sink);
  }

  // Throws memory_error if `count` suffixes with the same first key, which cannot be sorted separately, are
  // too many.
  void check_equal_keys(std::uint64_t count, std::uint64_t max_count) const {
    if (count >= max_slots)
      throw memory_error(
          "more than 2^31 suffixes of the text begin with the same 64 bits, which only the CPU can sort");
    if (count > max_count) require_memory(held_bytes() + count * bytes_each);
  }
  void require_memory(std::uint64_t bytes) const {
    if (options_.memory != 0)
      require_device_memory(bytes, options_.memory, "sorting the suffixes of a text with long repeats");
  }

  // Sorts one set of suffixes, given with their first keys. d_before: null, or becomes the bytes before the
  // suffixes.
  void sort_set(device_buffer<std::uint64_t> keys, Index* d_suffixes, std::uint64_t count,
                unsigned char* d_before) {
    sort_by_first_keys(keys.data(), d_suffixes, count);
    group_state state(count, stream_);
    mark_groups(text_, keys.data(), state.heads, stream_);
    if (d_before != nullptr) unpack_before(text_, d_byte_of_code_, keys.data(), count, d_before, stream_);
    keys = {};
    if (!state.update_lists()) return;
    // The marks of the groups before they are refined: the suffixes in these groups will move.
    device_buffer<std::uint64_t> moved;
    if (d_before != nullptr) {
      moved = {head_bits::words(count, 0), stream_};
      gpu::copy(moved.data(), state.heads.level[0], moved.size(), stream_, "copy marks");
    }
    if (refine_by_text(state, d_suffixes)) {
      if (!cover_) rank_cover(count * bytes_kept);
      sort_by_cover_ranks(state, d_suffixes);
    }
    if (d_before != nullptr)
      read_before(text_, d_byte_of_code_, d_suffixes, {{moved.data()}, count}, d_before, stream_);
  }

  void sort_pairs(std::uint64_t* d_keys, std::uint32_t* d_values, std::uint64_t count) {
    gpu::in_two_phases(stream_, "sort suffixes", [&](void* d_temp, std::size_t& bytes) {
      return sort_by_keys(d_temp, bytes, d_keys, d_values, count, stream_);
    });
  }
  void sort_by_first_keys(std::uint64_t* d_keys, Index* d_suffixes, std::uint64_t count) {
    if constexpr (sizeof(Index) == 4) {
      sort_pairs(d_keys, d_suffixes, count);
    } else { // sorts 32-bit slots: fewer bytes to move, and only one sort to compile
      const device_buffer<std::uint32_t> slots(count, stream_);
      number_slots(slots.data(), count, stream_);
      sort_pairs(d_keys, slots.data(), count);
      const device_buffer<Index> sorted(count, stream_);
      permute(d_suffixes, slots.data(), sorted.data(), count, stream_);
      gpu::copy(d_suffixes, sorted.data(), count, stream_, "copy suffixes");
    }
  }

  // Refines the groups by keys of the text. The lists of the state must be up to date. Returns whether groups
  // are left, which the lists then contain. If only a small number of suffixes is left, in small groups,
  // comparing many more keys is cheaper than ranking a cover.
  bool refine_by_text(group_state& state, Index* d_suffixes) {
    const keys_of<Text> keys{text_};
    for (std::uint32_t round = 1; state.count(large_groups) > 0 && round < end_round_large_; ++round) {
      const item_offsets at = compute_offsets(state);
      refine_large(state, at, d_suffixes, keys, round);
      if (!state.update_lists_of_large(at.offsets.data(), at.items)) return false;
    }
    // For a small set, the time goes into kernel launches, not into comparing keys.
    const bool is_small = state.heads.size <= (1U << 18);
    const std::uint32_t end = is_small ? std::max(end_round_small_, options_.deep_rounds) : end_round_small_;
    refine_small(state, d_suffixes, keys, 1, end, is_small ? end : end_round_large_);
    if (!state.update_lists()) return false;
    if (is_small || cover_ || state.count(large_groups) > 0 ||
        state.max_in_small_groups() > state.heads.size / 32)
      return true;
    refine_small(state, d_suffixes, keys, end_round_large_, options_.deep_rounds, options_.deep_rounds);
    return state.update_lists();
  }

  // Refines all groups but large ones. A warp gets most of a suffix's keys from one read of memory, so deep
  // rounds are cheap for warps. A block takes as long for every further round as for the first, so it stops
  // earlier and leaves to the cover what need not be sorted by the text.
  template <class Keys>
  void refine_small(group_state& state, Index* d_suffixes, const Keys& keys, std::uint32_t first,
                    std::uint32_t end_of_warps, std::uint32_t end_of_blocks) {
    for (int kind = 0; kind < large_groups; ++kind)
      refine_groups(kind, state.lists.items[kind], state.count(kind), d_suffixes, keys, first,
                    kind < block_groups ? end_of_warps : end_of_blocks, state.heads, stream_);
    mark_levels(state.heads, stream_);
  }

  // The index at which the items of each large group begin in the sequence of all items, and the number of
  // all items.
  struct item_offsets {
    device_buffer<std::uint64_t> offsets;
    std::uint64_t items = 0;
  };
  item_offsets compute_offsets(const group_state& state) {
    const std::uint32_t groups = state.count(large_groups);
    item_offsets result{{std::size_t{groups} + 1, stream_}, 0};
    gpu::in_two_phases(stream_, "sum sizes", [&](void* d_temp, std::size_t& bytes) {
      return sum_sizes(d_temp, bytes, state.lists.items[large_groups], groups, result.offsets.data(),
                       stream_);
    });
    result.items = gpu::downloaded(result.offsets.data() + groups, stream_, "sort suffixes");
    return result;
  }

  template <class Keys>
  void refine_large(group_state& state, const item_offsets& at, Index* d_suffixes, const Keys& keys,
                    std::uint32_t round) {
    const group* const d_groups = state.lists.items[large_groups];
    const auto groups = static_cast<std::uint32_t>(at.offsets.size() - 1);
    const device_buffer<std::uint64_t> items(2 * at.items, stream_);
    make_items(d_groups, at.offsets.data(), groups, at.items, d_suffixes, keys, round, items.data(), stream_);
    gpu::in_two_phases(stream_, "sort suffixes", [&](void* d_temp, std::size_t& bytes) {
      return sort_items(d_temp, bytes, items.data(), at.items, at.offsets.data(), groups, stream_);
    });
    take_items(d_groups, at.offsets.data(), groups, at.items, items.data(), d_suffixes, state.heads, stream_);
    mark_levels(state.heads, stream_);
  }

  // Ranks the suffixes of the difference cover. kept: bytes that the waiting block holds.
  void rank_cover(std::uint64_t kept) {
    const std::uint64_t count = bwt_detail::cover_number(text_.size);
    if (count >= max_slots)
      throw memory_error(
          "the text has long repeats and too many symbols for a GPU: only the CPU can sort it");
    require_memory(held_bytes() + kept + count * (bytes_each + sizeof(std::uint32_t)));
    device_buffer<std::uint64_t> keys(count, stream_);
    const device_buffer<Index> suffixes(count, stream_);
    select_cover(text_, keys.data(), suffixes.data(), count, stream_);
    sort_by_first_keys(keys.data(), suffixes.data(), count);
    group_state state(count, stream_);
    mark_groups(text_, keys.data(), state.heads, stream_);
    keys = {};
    cover_.emplace(count, stream_);
    bool left = state.update_lists() && refine_by_text(state, suffixes.data());
    write_ranks(suffixes.data(), state.heads, cover_->data(), stream_);
    for (std::uint64_t step = cover_period; left; step *= 2) {
      if (options_.monitor != nullptr) options_.monitor->check();
      const further_ranks further{cover_->data(), text_.size, step};
      refine_small(state, suffixes.data(), further, 0, 1, 1);
      item_offsets large{};
      if (state.count(large_groups) > 0) {
        large = compute_offsets(state);
        refine_large(state, large, suffixes.data(), further, 0);
      }
      for (int kind = 0; kind < large_groups; ++kind)
        write_ranks_of_groups(kind, state.lists.items[kind], state.count(kind), suffixes.data(), state.heads,
                              cover_->data(), stream_);
      write_ranks_of_items(state.lists.items[large_groups], large.offsets.data(), state.count(large_groups),
                           large.items, suffixes.data(), state.heads, cover_->data(), stream_);
      left = state.update_lists();
    }
  }

  // Sorts the remaining groups by the ranks of the cover.
  void sort_by_cover_ranks(group_state& state, Index* d_suffixes) {
    const cover_ranks ranks{cover_->data()};
    for (int kind = 0; kind < large_groups; ++kind)
      finish_groups(kind, state.lists.items[kind], state.count(kind), d_suffixes, ranks, stream_);
    const std::uint32_t groups = state.count(large_groups);
    if (groups == 0) return;
    const item_offsets at = compute_offsets(state);
    const group* const d_groups = state.lists.items[large_groups];
    const device_buffer<grouped_suffix<Index>> items(at.items, stream_);
    make_grouped(d_groups, at.offsets.data(), groups, at.items, d_suffixes, items.data(), stream_);
    gpu::in_two_phases(stream_, "sort suffixes", [&](void* d_temp, std::size_t& bytes) {
      return sort_by_cover(d_temp, bytes, items.data(), at.items, ranks, stream_);
    });
    take_grouped(d_groups, at.offsets.data(), groups, at.items, items.data(), d_suffixes, stream_);
  }

  static constexpr std::uint64_t max_slots = std::uint64_t{1} << 31;
  suffix_sort_options options_;
  cudaStream_t stream_;
  std::uint64_t allowed_bytes_ = ~std::uint64_t{0}; // bytes that the call may take
  Text text_;
  const unsigned char* d_byte_of_code_;                     // the byte for each code
  std::uint64_t num_suffixes_;                              // suffixes to sort
  std::uint32_t end_round_large_ = 2, end_round_small_ = 2; // first round that no longer compares the text
  std::optional<device_buffer<std::uint32_t>> cover_;
};

} // namespace

template <class Index>
void sort_suffixes_in_blocks(const packed_text& text, const row_sink<Index>& sink,
                             const suffix_sort_options& options, cudaStream_t stream) {
  suffix_sorter<Index, bit_text>(text.view(), text.bytes(), options, stream).run(sink);
}

template <class Index>
void sort_suffixes_in_blocks(const packed_text& text, const part_text& parts, const row_sink<Index>& sink,
                             const suffix_sort_options& options, cudaStream_t stream) {
  suffix_sorter<Index, part_text>(parts, text.bytes(), options, stream).run(sink);
}

template void sort_suffixes_in_blocks(const packed_text&, const row_sink<std::uint32_t>&,
                                      const suffix_sort_options&, cudaStream_t);
template void sort_suffixes_in_blocks(const packed_text&, const row_sink<std::uint64_t>&,
                                      const suffix_sort_options&, cudaStream_t);
template void sort_suffixes_in_blocks(const packed_text&, const part_text&, const row_sink<std::uint32_t>&,
                                      const suffix_sort_options&, cudaStream_t);
template void sort_suffixes_in_blocks(const packed_text&, const part_text&, const row_sink<std::uint64_t>&,
                                      const suffix_sort_options&, cudaStream_t);

} // namespace weft::bwt_detail
