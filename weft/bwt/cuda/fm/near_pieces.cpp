// Search with differences on a GPU, piece by piece of the patterns. What the number of a piece's strings,
// rows and hits is follows from counts: a piece that takes too much memory is searched again in halves, and a
// single pattern that does is left to the CPU.
#include <algorithm>
#include <array>
#include <future>
#include <span>
#include <utility>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/bwt/cuda/fm/fm_search.hpp>
#include <weft/bwt/cuda/fm/near_kernels.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/near_plans.hpp>

namespace weft::bwt_detail {

using gpu::device_buffer;

namespace {

// Upper limits of a piece; less if the GPU has little memory.
constexpr std::uint64_t max_piece_bytes = std::uint64_t{1} << 28, max_piece_strings = 1 << 24,
                        max_piece_strands = 1 << 20, max_listed_rows = 1 << 23, max_first_hits = 1 << 22;

// Bytes of device memory: of a strand beside its words, of 32 letters, of a string, of a row in a list, of a
// hit with what sorting takes, and of a region likewise with its task.
constexpr std::uint64_t strand_bytes = 32, word_bytes = sizeof(near_word),
                        string_bytes = sizeof(near_string) + sizeof(fm_interval) + 8, listed_row_bytes = 12,
                        hit_bytes = 24, region_bytes = 24 + sizeof(near_region_task);
constexpr std::string_view searching = "searching a pattern, besides the index,";

// The inputs of all pieces, in device memory.
struct batch_inputs {
  batch_inputs(const near_device_problem& problem, device_session& session, cudaStream_t stream)
      : records(problem.record_offsets.size(), stream), sets(256, stream),
        plans(problem.plans.plans.size(), stream) {
    std::array<std::uint8_t, 256> table{};
    for (unsigned letter = 0; letter < 256; ++letter)
      table[letter] = near_letter_set(static_cast<char>(letter), problem.options.iupac);
    session.upload(records.data(), problem.record_offsets.data(), records.bytes(), stream);
    session.upload(sets.data(), table.data(), sets.bytes(), stream);
    session.upload(plans.data(), problem.plans.plans.data(), plans.bytes(), stream);
  }
  [[nodiscard]] std::uint64_t bytes() const { return records.bytes() + sets.bytes() + plans.bytes(); }

  device_buffer<std::uint64_t> records;
  device_buffer<std::uint8_t> sets;
  device_buffer<near_plan> plans;
};

// Counts that kernels set: of hits, of listed rows and of merged regions.
struct piece_counts {
  unsigned long long hits = 0, listed = 0, tasks = 0;
};

// The hits of a piece in order, and which of its patterns are left to the CPU.
struct piece_hits {
  unwritten_vector<std::uint64_t> keys;
  std::vector<std::uint8_t> is_left;
};

// A piece_search searches patterns [first, end) of a batch.
class piece_search {
public:
  piece_search(const near_device_problem& problem, device_session& session, const batch_inputs& inputs,
               std::uint64_t memory, std::uint64_t first, std::uint64_t end, cudaStream_t stream)
      : problem_(problem), session_(session), memory_(memory), stream_(stream), first_(first),
        num_patterns_(end - first), num_strands_(problem.options.both_strands ? 2 : 1) {
    const std::span<const std::uint64_t> offsets = problem.patterns.offsets;
    const std::uint64_t letters = offsets[end] - offsets[first], strands = num_patterns_ * num_strands_,
                        words = near_batch::num_words(letters, num_patterns_, num_strands_);
    take(letters + 17 * (num_patterns_ + 1) + strand_bytes * (strands + 1) + word_bytes * words);
    letters_ = device_buffer<unsigned char>(letters, stream);
    offsets_ = device_buffer<std::uint64_t>(num_patterns_ + 1, stream);
    plan_of_ = device_buffer<std::uint32_t>(strands, stream);
    words_ = device_buffer<near_word>(words, stream);
    first_string_ = device_buffer<std::uint64_t>(strands + 1, stream);
    is_left_ = device_buffer<std::uint8_t>(num_patterns_, stream);
    counts_ = device_buffer<piece_counts>(1, stream);
    damaged_ = device_buffer<std::uint32_t>(1, stream);
    session.upload(letters_.data(), problem.patterns.data.data() + offsets[first], letters, stream);
    session.upload(offsets_.data(), offsets.data() + first, offsets_.bytes(), stream);
    session.upload(plan_of_.data(), problem.plans.plan_of.data() + first * num_strands_, plan_of_.bytes(),
                   stream);
    clear(is_left_);
    clear(counts_);
    clear(damaged_);
    describe(inputs);
    write_strand_words(batch_, stream);
  }

  piece_hits run() {
    const std::uint64_t first_hits = std::clamp<std::uint64_t>(memory_ / 8 / hit_bytes, 1, max_first_hits);
    std::uint64_t found = search(first_hits);
    if (found > first_hits) { // now it is known how many there are
      clear(is_left_);
      found = search(found);
    }
    if (gpu::downloaded(damaged_.data(), stream_, "wait for the GPU") != 0) refuse_damaged_index();
    piece_hits result{unwritten_vector<std::uint64_t>(found), std::vector<std::uint8_t>(num_patterns_)};
    if (found > 0) {
      sort_keys(hits_.data(), found, stream_);
      session_.download(result.keys.data(), hits_.data(), found * sizeof(std::uint64_t), stream_);
    }
    session_.download(result.is_left.data(), is_left_.data(), is_left_.bytes(), stream_);
    return result;
  }

private:
  // Counts bytes that the piece takes. Throws memory_error if they are too many.
  void take(std::uint64_t bytes) {
    taken_ += bytes;
    require_device_memory(taken_, memory_, searching);
  }
  template <class T> void clear(const device_buffer<T>& buffer) {
    gpu::check(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), stream_), "clear memory");
  }

  [[nodiscard]] std::uint64_t last_of(const device_buffer<std::uint64_t>& numbers) const {
    return gpu::downloaded(numbers.data() + numbers.size() - 1, stream_, "wait for the GPU");
  }

  void describe(const batch_inputs& inputs) {
    batch_.index = session_.device_copy().index->view().parts;
    batch_.record_offsets = inputs.records.data();
    batch_.num_records = inputs.records.size() - 1;
    batch_.text = {letters_.data(), letters_.data() + letters_.size()};
    batch_.offsets = offsets_.data();
    batch_.base = problem_.patterns.offsets[first_];
    batch_.num_patterns = num_patterns_;
    batch_.num_strands = num_strands_;
    batch_.max_distance = problem_.options.max_distance;
    batch_.all_ends = problem_.options.all_ends;
    batch_.sets = inputs.sets.data();
    batch_.plans = inputs.plans.data();
    batch_.plan_of = plan_of_.data();
    batch_.words = words_.data();
    batch_.keys = problem_.keys;
  }

  // Searches all strands, and stores up to `max_hits` hits. Returns how many hits there are.
  std::uint64_t search(std::uint64_t max_hits) {
    const std::uint64_t taken = taken_;
    take(max_hits * hit_bytes);
    hits_ = {};
    hits_ = device_buffer<std::uint64_t>(max_hits, stream_);
    clear(counts_);
    for (const bool with_changes : {false, true}) search_class(with_changes);
    taken_ = taken;
    return gpu::downloaded(&counts_.data()->hits, stream_, "wait for the GPU");
  }

  // Searches the strands whose plans have changes, or the others.
  void search_class(bool with_changes) {
    unsigned max_windows = 0; // of a strand
    for (const near_plan& plan : problem_.plans.plans)
      if (plan.has_changes == with_changes) max_windows = std::max(max_windows, plan.num_windows);
    if (max_windows == 0) return;
    count_strings(batch_, with_changes, first_string_.data(), stream_);
    sum_before(first_string_, stream_);
    const std::uint64_t num_strings = last_of(first_string_);
    if (num_strings == 0) return;
    const std::uint64_t taken = taken_;
    take(num_strings * string_bytes);
    const device_buffer<near_string> strings(num_strings, stream_);
    const device_buffer<fm_interval> intervals(num_strings, stream_);
    device_buffer<std::uint64_t> starts(num_strings + 1, stream_);
    const near_strings rows{strings.data(), intervals.data(), starts.data(), num_strings};
    find_string_rows(batch_, first_string_.data(), rows, stream_);
    count_candidates(intervals.data(), num_strings, ~std::uint64_t{0}, starts.data(), stream_);
    sum_before(starts, stream_);
    const std::uint64_t num_rows = last_of(starts);
    if (num_rows > 0 && problem_.options.metric == near_metric::errors)
      search_with_errors(rows, num_rows);
    else if (num_rows > 0)
      search_with_mismatches(rows, num_rows, with_changes ? max_windows : 0);
    taken_ = taken;
  }

  // Calls each(first, last, list) for lists of all rows, part by part.
  template <class Each> void for_each_part(std::uint64_t num_rows, const Each& each) {
    const std::uint64_t left = memory_ - taken_,
                        part = std::min({num_rows, max_listed_rows,
                                         std::max<std::uint64_t>(left / 2 / listed_row_bytes, 1)});
    take(part * listed_row_bytes);
    const device_buffer<std::uint64_t> rows(part, stream_);
    const device_buffer<std::uint32_t> strings(part, stream_);
    const near_row_list list{rows.data(), strings.data(), &counts_.data()->listed};
    for (std::uint64_t first = 0; first < num_rows; first += part) {
      session_.advance(0); // throws if the call is cancelled
      each(first, std::min(num_rows, first + part), list);
    }
  }

  [[nodiscard]] near_hit_list hit_list() const { return {hits_.data(), &counts_.data()->hits, hits_.size()}; }

  // max_windows: of a strand; 0 if contexts are not read.
  void search_with_mismatches(const near_strings& strings, std::uint64_t num_rows, unsigned max_windows) {
    batch_.contexts = max_windows > 0 ? contexts(num_rows) : nullptr;
    device_buffer<near_row_filter> filters;
    if (batch_.contexts != nullptr) {
      const std::uint64_t count = num_patterns_ * num_strands_ * max_windows;
      take(count * sizeof(near_row_filter));
      filters = device_buffer<near_row_filter>(count, stream_);
      make_row_filters(batch_, max_windows, filters.data(), stream_);
    }
    for_each_part(num_rows, [&](std::uint64_t first, std::uint64_t last, const near_row_list& list) {
      if (batch_.contexts != nullptr)
        filter_rows(batch_, strings, filters.data(), max_windows, first, last, list, stream_);
      else
        list_rows(strings, first, last, list, stream_);
      compare_rows(batch_, strings, list, hit_list(), damaged_.data(), stream_);
    });
  }

  void search_with_errors(const near_strings& strings, std::uint64_t num_rows) {
    take(num_rows * region_bytes);
    const device_buffer<std::uint64_t> regions(num_rows, stream_);
    const device_buffer<near_region_task> tasks(num_rows, stream_);
    for_each_part(num_rows, [&](std::uint64_t first, std::uint64_t last, const near_row_list& list) {
      list_rows(strings, first, last, list, stream_);
      find_regions(batch_, strings, list, last - first, regions.data() + first, damaged_.data(), stream_);
    });
    sort_keys(regions.data(), num_rows, stream_);
    unsigned long long* const d_num_tasks = &counts_.data()->tasks;
    merge_regions(batch_, regions.data(), num_rows, tasks.data(), d_num_tasks, is_left_.data(), stream_);
    const std::span<const std::uint64_t> offsets = problem_.patterns.offsets.subspan(first_);
    std::uint64_t max_letters = 0; // of strands that are searched
    for (std::uint64_t p = 0; p < num_patterns_; ++p)
      if (offsets[p + 1] - offsets[p] <= max_error_letters)
        max_letters = std::max(max_letters, offsets[p + 1] - offsets[p]);
    search_regions(batch_, max_letters, tasks.data(), d_num_tasks, hit_list(), is_left_.data(), stream_);
  }

  // Returns the contexts of all rows, or null. They are made once so many rows have been looked up without
  // them that making them would have taken less time, and if there is the memory.
  [[nodiscard]] const std::uint64_t* contexts(std::uint64_t num_rows) {
    fm_device_copy& copy = session_.device_copy();
    const std::uint64_t index_rows = batch_.index.num_rows;
    copy.rows_without_contexts += num_rows;
    if (copy.contexts.size() == 0 && copy.rows_without_contexts >= index_rows &&
        index_rows * sizeof(std::uint64_t) <= (memory_ - taken_) / 2) {
      device_buffer<std::uint64_t> made(index_rows, stream_);
      write_row_contexts(batch_.index, made.data(), damaged_.data(), stream_);
      copy.contexts = std::move(made);
      take(copy.contexts.bytes()); // as long as this piece lasts; later ones find less memory
    }
    return copy.contexts.size() > 0 ? copy.contexts.data() : nullptr;
  }

  const near_device_problem& problem_;
  device_session& session_;
  const std::uint64_t memory_;
  const cudaStream_t stream_;
  const std::uint64_t first_, num_patterns_;
  const unsigned num_strands_;
  std::uint64_t taken_ = 0;
  near_batch batch_;
  device_buffer<unsigned char> letters_;
  device_buffer<std::uint64_t> offsets_, first_string_, hits_;
  device_buffer<std::uint32_t> plan_of_, damaged_;
  device_buffer<near_word> words_;
  device_buffer<std::uint8_t> is_left_;
  device_buffer<piece_counts> counts_;
};

// Returns the end of a piece that begins with pattern `first`: of at least one pattern, and otherwise of at
// most `max_patterns` patterns, and of strings and letters within the limits and a quarter of the memory.
std::uint64_t end_of_patterns(const near_device_problem& problem, std::uint64_t first,
                              std::uint64_t max_patterns, std::uint64_t memory) {
  const std::uint64_t strands = problem.options.both_strands ? 2 : 1;
  std::uint64_t max_strings = 1; // of a strand
  for (const near_plan& plan : problem.plans.plans)
    max_strings = std::max<std::uint64_t>(max_strings, plan.num_strings);
  // A letter takes a byte, and a byte in the words of each strand.
  const std::uint64_t letter_bytes = 1 + strands,
                      pattern_bytes = 17 + strands * (strand_bytes + word_bytes + max_strings * string_bytes);
  const std::uint64_t end =
      end_of_piece(problem.patterns.offsets, first, std::min(memory / 4 / letter_bytes, max_piece_bytes),
                   pattern_bytes / letter_bytes + 1);
  return std::min({end, first + max_patterns,
                   first + std::max<std::uint64_t>(max_piece_strings / (strands * max_strings), 1)});
}

} // namespace

void search_near_in_pieces(const near_device_problem& problem, fm_device_copies& copies, int gpu) {
  const run_options& run = problem.options.run;
  device_session session(problem.index, copies, gpu, run);
  const cudaStream_t stream = session.device_copy().work[0].get();
  const gpu::quiet_at_end quiet(stream);
  const batch_inputs inputs(problem, session, stream);
  const unsigned strands = problem.options.both_strands ? 2 : 1,
                 pattern_bits = 64 - near_key_layout::tail_bits - problem.keys.symbol_bits;
  const std::uint64_t initial_max =
      std::min(max_piece_strands / strands, (std::uint64_t{1} << std::min(pattern_bits, 32U)) - 1);
  std::uint64_t max_patterns = initial_max;
  // The memory of the session includes contexts, unless they were there before and it is all that is free.
  device_buffer<std::uint64_t>& contexts = session.device_copy().contexts;
  if (run.device_memory != 0 && contexts.bytes() > session.memory() / 2) contexts = {};
  const std::uint64_t not_included = run.device_memory != 0 ? 0 : contexts.bytes();
  std::future<void> taken; // the hits of a piece are taken while the next piece is searched
  for (std::uint64_t first = 0, end = 0; first < problem.patterns.count(); first = end) {
    const std::uint64_t besides = inputs.bytes() + contexts.bytes() - not_included;
    require_device_memory(besides, session.memory(), searching);
    const std::uint64_t memory = session.memory() - besides;
    end = end_of_patterns(problem, first, max_patterns, memory);
    piece_hits found;
    for (bool searched = false; !searched;) {
      try {
        found = piece_search(problem, session, inputs, memory, first, end, stream).run();
        searched = true;
      } catch (const memory_error&) {
        found = {{}, {1}};
        searched = end - first == 1; // it is left to the CPU
        end = searched ? end : first + (end - first) / 2;
        max_patterns = std::max<std::uint64_t>(end - first, 1);
      }
    }
    max_patterns = std::min(2 * max_patterns, initial_max); // the next patterns may need less memory
    if (taken.valid()) taken.get();
    taken =
        std::async(std::launch::async | std::launch::deferred, [&problem, first, piece = std::move(found)] {
          problem.take(first, piece.keys, piece.is_left);
        });
    session.advance(end - first);
  }
  if (taken.valid()) taken.get();
}

} // namespace weft::bwt_detail
