// The algorithm in its plain form (core/suffix_types.hpp defines which suffixes rise, core/induced_slots.hpp
// the slots of suffixes):
//     sort the suffixes that rise and whose next one does not; put them in their slots
//     for slots from the last to the first, of suffixes i that rise:
//         if suffix i - 1 rises: put it in the last free slot of its first two symbols
//     for slots from the first to the last:
//         if suffix i - 1 does not rise: put it in the first free slot of its first symbol
//
// This implementation proceeds letter by letter instead of slot by slot. When the letters above c (in the
// second loop: below c) are done, all suffixes that begin with c are complete, except those that begin with c
// c. These follow from the suffixes at the last c of each run, by adding one more c each time; long runs are
// extended by as many symbols at once as the shortest run has left, or by about a million suffixes. Then
// every suffix that begins with c induces the suffix that is one symbol longer: this is one pass of a radix
// sort by the byte before. That byte is read once for each suffix; these bytes are the transform.
//
// Sources: Itoh & Tanaka, SPIRE 1999; Mori, libdivsufsort.
#include <weft/bwt/cuda/induced_sort/induced_sort.hpp>

#include <algorithm>
#include <weft/base/cuda/two_phases.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/cuda/byte_ranks.hpp>
#include <weft/bwt/cuda/induced_sort/induced_kernels.hpp>
#include <weft/bwt/cuda/suffix_sort/suffix_kernels.hpp>

namespace weft::bwt_detail {

using gpu::device_buffer;

induced_sort::induced_sort(const packed_text& text, const suffix_sort_options& options, cudaStream_t stream)
    : text_(text), options_(options), stream_(stream), row_(1, stream),
      letters_(gpu::downloaded(text.bytes(), text.letters(), stream, "induce suffixes")) {
  find_last_letter();
  const std::uint64_t n = text_.view().size, words = head_bits::words(n, 0);
  heads_.size = n;
  for (int i = 0; i < head_levels; ++i) {
    levels_[i] = {head_bits::words(n, i), stream_};
    heads_.level[i] = levels_[i].data();
  }
  const device_buffer<std::uint64_t> types(words, stream_); // at first the result of compare_symbols()
  compare_symbols(text_.view(), types.data(), heads_, stream_);
  mark_levels(heads_, stream_);
  find_types(types);
  sort_last_rising(types);
  if (!has_long_runs())
    for (auto& level : levels_) level = {};
}

bool induced_sort::has_long_runs() const {
  for (unsigned letter = 0; letter < letters_.size(); ++letter)
    for (const bool rise : {false, true})
      if (slots_->runs(letter, rise, run_lengths + 1) > 0) return true;
  return false;
}

void induced_sort::find_last_letter() {
  const device_buffer<unsigned char> last(1, stream_); // the last byte of the text
  gpu::check(cudaMemsetAsync(row_.data(), 0, row_.bytes(), stream_), "clear a row");
  set_last_byte(text_.view(), text_.bytes(), row_.data(), last.data(), stream_);
  const unsigned char byte = gpu::downloaded(last.data(), stream_, "induce suffixes");
  last_letter_ = static_cast<unsigned>(std::find(letters_.begin(), letters_.end(), byte) - letters_.begin());
}

void induced_sort::find_types(const device_buffer<std::uint64_t>& types) {
  const auto letters = static_cast<unsigned>(text_.letters());
  const device_buffer<rise> behind(types.size(), stream_);
  find_first_rises(types.data(), heads_, behind.data(), stream_);
  gpu::in_two_phases(stream_, "find types", [&](void* d_temp, std::size_t& bytes) {
    return scan_rises(d_temp, bytes, behind.data(), types.size(), stream_);
  });
  const device_buffer<std::uint32_t> counts(std::size_t{letters} * bwt_detail::counts_of_letter(letters),
                                            stream_);
  gpu::check(cudaMemsetAsync(counts.data(), 0, counts.bytes(), stream_), "clear counts");
  count_suffix_kinds(text_.view(), letters, types.data(), heads_, behind.data(), counts.data(), stream_);
  mark_last_rising(types.data(), heads_, behind.data(), stream_);
  slots_.emplace(letters, last_letter_,
                 gpu::downloaded(counts.data(), counts.size(), stream_, "induce suffixes"));
}

void induced_sort::sort_last_rising(const device_buffer<std::uint64_t>& last) {
  suffix_sort_options options = options_;
  options.bytes_before = false;
  options.d_chosen = last.data();
  options.chosen = slots_->sorted();
  std::uint64_t held = last.bytes() + slots_->sorted() * sizeof(std::uint32_t);
  for (const auto& level : levels_) held += level.bytes();
  options.memory = memory_left(options_.memory, held);
  sort_suffixes_in_blocks<std::uint32_t>(
      text_,
      [&](const row_block<std::uint32_t>& rows) {
        sorted_.push_back({rows.first, {rows.count, stream_}});
        gpu::copy(sorted_.back().suffixes.data(), rows.d_suffixes, rows.count, stream_, "copy suffixes");
      },
      options, stream_);
}

void induced_sort::write_sorted(std::uint32_t* d_sa) {
  d_sa_ = d_sa;
  const auto group_ranks =
      gpu::uploaded(std::span<const std::uint32_t>(slots_->group_ranks()), stream_, "upload slots");
  const auto group_slots =
      gpu::uploaded(std::span<const std::uint32_t>(slots_->group_slots()), stream_, "upload slots");
  for (const piece& part : sorted_)
    write_to_slots(part.suffixes.data(), part.suffixes.size(), part.first, group_ranks.data(),
                   group_slots.data(), static_cast<std::uint32_t>(group_ranks.size()), d_sa_, stream_);
  sorted_.clear();
}

void induced_sort::induce(unsigned char* d_before) {
  d_before_ = d_before;
  const auto letters = static_cast<unsigned>(text_.letters());
  std::vector<std::uint32_t> table(std::size_t{letters} * 256);
  for (unsigned a = 0; a < letters; ++a)
    for (unsigned b = 0; b < letters; ++b)
      if (a != b) table[a * 256 + letters_[b]] = slots_->slot(b, a);
  table_ = gpu::uploaded(std::span<const std::uint32_t>(table), stream_, "upload slots");
  for (unsigned letter = letters; letter-- > 0;) induce_from_rising(letter);
  const auto last = static_cast<std::uint32_t>(text_.view().size - 1); // the suffix of length 1
  gpu::copy(d_sa_ + slots_->begin(last_letter_), &last, 1, stream_, "induce suffixes");
  for (unsigned letter = 0; letter < letters; ++letter) induce_from_all(letter);
  set_last_byte(text_.view(), text_.bytes(), row_.data(), d_before, stream_);
  gpu::check(cudaStreamSynchronize(stream_), "induce suffixes"); // the uploaded tables are local
  if (options_.monitor != nullptr) options_.monitor->add(text_.view().size - slots_->sorted());
}

void induced_sort::induce_from_rising(unsigned letter) {
  if (options_.monitor != nullptr) options_.monitor->check();
  const std::uint64_t single = slots_->single_rising(letter), end = slots_->begin(letter + 1);
  read_bytes(letter, single, end);
  add_runs(letter, true, single, end);
  move_suffixes(letter, true, slots_->rising(letter), end);
}

void induced_sort::induce_from_all(unsigned letter) {
  if (options_.monitor != nullptr) options_.monitor->check();
  const std::uint64_t begin = slots_->begin(letter), single_end = slots_->single_falling_end(letter);
  read_bytes(letter, begin, single_end);
  add_runs(letter, false, begin, single_end);
  move_suffixes(letter, false, begin, slots_->begin(letter + 1));
}

void induced_sort::read_bytes(unsigned letter, std::uint64_t begin, std::uint64_t end) {
  read_bytes_before(text_.view(), text_.bytes(), d_sa_ + begin, end - begin, letters_[letter], begin,
                    d_before_ + begin, row_.data(), stream_);
}

// The slots [begin, end) hold the suffixes at the last symbol of each run of `letter`. Writes the suffixes
// that begin with two and more of the letter: to the slots before `begin` if they rise, to those behind `end`
// if not.
void induced_sort::add_runs(unsigned letter, bool rise, std::uint64_t begin, std::uint64_t end) {
  const device_buffer<std::uint32_t> number(1, stream_);
  for (std::uint32_t length = 2; length <= run_lengths + 1; ++length) {
    const std::uint32_t count = slots_->runs(letter, rise, length);
    if (count == 0) return;
    const std::uint64_t next = rise ? begin - count : end;
    gpu::in_two_phases(stream_, "induce suffixes", [&](void* d_temp, std::size_t& bytes) {
      return select_longer(d_temp, bytes, d_sa_ + begin, d_before_ + begin, end - begin, letters_[letter],
                           d_sa_ + next, number.data(), stream_);
    });
    begin = next;
    end = next + count;
    read_bytes(letter, begin, end);
  }
  const std::uint64_t long_begin = rise ? slots_->rising(letter) : end,
                      long_end = rise ? begin : slots_->rising(letter);
  add_long_runs(rise, begin, end);
  read_bytes(letter, long_begin, long_end);
}

// Does the same for runs longer than run_lengths, of which there are few. Each round extends all runs by as
// many symbols as the shortest of them has left, or by enough for a million suffixes.
void induced_sort::add_long_runs(bool rise, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t count = end - begin;
  device_buffer<run_suffix> runs(count, stream_), left(count, stream_);
  // The number of runs that are left, the smallest number of symbols that any of them has left, and the
  // number of suffixes that the last round wrote.
  const device_buffer<std::uint32_t> numbers(3, stream_);
  gpu::check(cudaMemsetAsync(numbers.data(), 0, numbers.bytes(), stream_), "clear counts");
  measure_runs(d_sa_ + begin, count, heads_, runs.data(), stream_);
  for (;;) {
    if (options_.monitor != nullptr) options_.monitor->check();
    gpu::in_two_phases(stream_, "induce suffixes", [&](void* d_temp, std::size_t& bytes) {
      return select_runs(d_temp, bytes, runs.data(), count, left.data(), numbers.data(), stream_);
    });
    gpu::check(cudaMemsetAsync(numbers.data() + 1, 0xff, sizeof(std::uint32_t), stream_), "clear counts");
    min_run(left.data(), numbers.data(), count, numbers.data() + 1, stream_);
    const std::vector<std::uint32_t> found =
        gpu::downloaded(numbers.data(), numbers.size(), stream_, "induce suffixes");
    count = found[0];
    begin -= rise ? found[2] : 0;
    end += rise ? 0 : found[2];
    std::uint32_t* const slots = d_sa_ + (rise ? begin : end);
    if (count == 0) return;
    if (count <= max_remaining_runs) {
      const device_buffer<run_segment> segments(count, stream_);
      return write_remaining_runs(left.data(), static_cast<std::uint32_t>(count), rise, segments.data(),
                                  slots, stream_);
    }
    const auto levels = std::max(found[1], static_cast<std::uint32_t>((1U << 20) / count));
    gpu::in_two_phases(stream_, "induce suffixes", [&](void* d_temp, std::size_t& bytes) {
      return write_levels(d_temp, bytes, left.data(), count, levels, rise, slots, numbers.data() + 2,
                          stream_);
    });
    shorten_runs(left.data(), count, levels, stream_);
    std::swap(runs, left);
  }
}

void induced_sort::move_suffixes(unsigned letter, bool rise, std::uint64_t begin, std::uint64_t end) {
  if (begin == end) return;
  const std::uint64_t count = end - begin, tiles = rank_tiles(count);
  const device_buffer<std::uint32_t> counts(256 * tiles, stream_);
  count_tiles(d_before_ + begin, count, tiles, counts.data(), stream_);
  gpu::in_two_phases(stream_, "induce suffixes", [&](void* d_temp, std::size_t& bytes) {
    return sum_counts(d_temp, bytes, counts.data(), tiles, stream_);
  });
  move_longer(d_sa_ + begin, d_before_ + begin, count, counts.data(), tiles,
              table_.data() + std::size_t{letter} * 256, letters_[letter], !rise, d_sa_, stream_);
}

} // namespace weft::bwt_detail
