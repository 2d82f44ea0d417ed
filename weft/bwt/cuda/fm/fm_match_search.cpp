// entry/find_matches.cpp is the search on the CPU. On a GPU:
// - A block of the queries (entry/match_blocks.hpp) is searched at a time. It has as many seeds as the buffer
//   of anchors holds. The rows of all seeds are found, then their matches; then, for the seeds that windows
//   replace, the same of the windows, as many at a time as the buffer holds.
// - Matches are counted while they are appended to their buffer. If they are too many, the block is cut into
//   two; the matches of a single position are found for one part of the text after another. So a search that
//   has begun needs no more memory.
// - The matches of a block are sorted, and copied to the host in parts.
#include <algorithm>
#include <bit>
#include <weft/base/cuda/two_phases.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/cuda/fm/fm_match_kernels.hpp>
#include <weft/bwt/cuda/fm/fm_search.hpp>
#include <weft/bwt/engines.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/match_blocks.hpp>
#include <weft/bwt/entry/match_queries.hpp>

namespace weft::bwt_detail {

namespace {

using gpu::device_buffer;

constexpr std::uint64_t min_items = std::uint64_t{1} << 10; // of each buffer
constexpr std::uint64_t max_anchors = std::uint64_t{1} << 22, max_matches = std::uint64_t{1} << 23;
constexpr std::uint64_t max_part = std::uint64_t{1} << 20;          // matches that are copied at once
constexpr std::uint64_t max_block_letters = std::uint64_t{1} << 28; // between two reports of progress
constexpr std::uint64_t max_rows = std::uint64_t{1} << 28; // between two checks of the number of matches
constexpr std::uint64_t letters_of_thread = std::uint64_t{1} << 12; // compared before a block continues

// The numbers of items that the buffers hold.
struct buffer_sizes {
  std::uint64_t anchors, matches, part;

  [[nodiscard]] std::uint64_t bytes() const {
    constexpr std::uint64_t bytes_of_anchor = 2 * sizeof(match_anchor) + 3 * 8; // a seed, a window
    constexpr std::uint64_t bytes_of_match = 24 + 18;                           // found; to sort it
    constexpr std::uint64_t bytes_of_row = 41;                                  // of the columns
    constexpr std::uint64_t slack = std::uint64_t{1} << 22; // counts, workspace of sums and small sorts
    return anchors * bytes_of_anchor + matches * bytes_of_match + part * bytes_of_row + slack;
  }
  [[nodiscard]] bool can_shrink() const { return anchors > min_items || matches > min_items; }
  void shrink() {
    anchors = std::max(anchors / 2, min_items);
    matches = std::max(matches / 2, min_items);
    part = std::min(part, matches);
  }
};

// Returns the sizes for a search of some letters on each strand, which takes `bytes` bytes at most.
buffer_sizes sizes_for(std::uint64_t letters, const match_plan& plan, std::uint64_t host_memory,
                       std::uint64_t bytes) {
  const std::uint64_t seeds = std::min(letters / plan.step + 2, max_anchors);
  const std::uint64_t anchors = std::max(std::bit_ceil(seeds), min_items);
  const std::uint64_t part = std::clamp(memory_limit(host_memory) / 256, min_items, max_part);
  buffer_sizes sizes{anchors, std::clamp(2 * anchors, std::uint64_t{1} << 16, max_matches), part};
  sizes.part = std::min(sizes.part, sizes.matches);
  while (sizes.bytes() > bytes && sizes.can_shrink()) sizes.shrink();
  return sizes;
}

// The queries in device memory.
struct device_queries {
  device_queries(const match_queries& queries, bool both_strands, device_session& session,
                 cudaStream_t stream)
      : stretches(queries.strand(false).num_stretches, stream),
        offsets(queries.records().offsets.size(), stream) {
    for (const bool reverse : {false, true}) {
      if (reverse && !both_strands) break;
      words[reverse] = device_buffer<std::uint64_t>(num_words(queries.num_letters()), stream);
      session.upload(words[reverse].data(), queries.words(reverse), words[reverse].bytes(), stream);
    }
    session.upload(stretches.data(), queries.strand(false).stretches, stretches.bytes(), stream);
    session.upload(offsets.data(), queries.records().offsets.data(), offsets.bytes(), stream);
  }
  static std::uint64_t num_words(std::uint64_t letters) { return letters / 32 + 2; }
  static std::uint64_t bytes_of(const match_queries& queries, bool both_strands) {
    return num_words(queries.num_letters()) * (both_strands ? 16 : 8) +
           queries.strand(false).num_stretches * sizeof(query_stretch) +
           queries.records().offsets.size_bytes();
  }
  device_buffer<std::uint64_t> words[2];
  device_buffer<query_stretch> stretches;
  device_buffer<std::uint64_t> offsets;
};

// The buffers of a search, all made before it begins.
struct search_buffers {
  search_buffers(const buffer_sizes& sizes, cudaStream_t stream)
      : seeds(sizes.anchors, stream), windows(sizes.anchors, stream), seed_rows(sizes.anchors + 1, stream),
        window_rows(sizes.anchors + 1, stream), window_starts(sizes.anchors + 1, stream),
        keys(sizes.matches, stream), lengths(sizes.matches, stream), unfinished(sizes.matches, stream),
        counts(1, stream), reverse(sizes.part, stream) {
    for (auto& column : columns) column = device_buffer<std::uint64_t>(sizes.part, stream);
  }
  device_buffer<match_anchor> seeds, windows;
  device_buffer<std::uint64_t> seed_rows, window_rows, window_starts;
  device_buffer<std::uint64_t> keys, lengths, unfinished;
  device_buffer<match_counts> counts;
  device_buffer<std::uint64_t> columns[5];
  device_buffer<std::uint8_t> reverse;
  device_buffer<std::byte> temp; // of sums and sorts
};

class device_match_search {
public:
  device_match_search(const fm_match_problem& problem, const match_queries& queries, device_session& session)
      : problem_(problem), options_(problem.options), queries_(queries), session_(session),
        stream_(session.device_copy().work[0].get()), index_(session.device_copy().index->view().parts),
        plan_(index_.num_rows, options_.min_length, 1, false),
        text_bits_(std::max(1, static_cast<int>(std::bit_width(index_.num_rows)))) {
    const std::uint64_t taken = device_queries::bytes_of(queries, options_.both_strands);
    sizes_ = sizes_for(queries.num_letters(), plan_, options_.run.memory,
                       session.memory() - std::min(session.memory(), taken));
    require_device_memory(taken + sizes_.bytes(), session.memory(), "finding matches, besides the index,");
  }

  void run() {
    const device_queries on_device(queries_, options_.both_strands, session_, stream_);
    search_buffers buffers(sizes_, stream_);
    d_queries_ = &on_device;
    buffers_ = &buffers;
    reserve_temp();
    match_blocks blocks(queries_.records(), options_.both_strands, block_letters());
    while (!blocks.empty()) {
      const match_block block = blocks[0];
      if (!search(blocks, block, 0, index_.num_rows)) {
        if (blocks.cut_first()) continue;
        search_halves(blocks, block, 0, index_.num_rows);
      }
      blocks.drop_first(1);
      session_.advance(blocks.letters_of(block));
    }
  }

  // Returns whether matches have been passed on.
  [[nodiscard]] bool has_passed_on() const noexcept { return has_passed_on_; }

private:
  // Returns how many letters of a strand a block may have: their seeds fit the buffer, and their order
  // numbers fit the keys.
  [[nodiscard]] std::uint64_t block_letters() const {
    const std::uint64_t limit = std::min(max_block_letters, std::uint64_t{1} << (62 - text_bits_));
    const std::uint64_t seeds = sizes_.anchors - 2;
    return plan_.step > limit / seeds ? limit : seeds * plan_.step;
  }

  // Calls call(d_temp, bytes), a function with two phases. Later calls use the same memory.
  template <class Call> void with_temp(std::string_view what, const Call& call) {
    std::size_t bytes = 0;
    gpu::check(call(nullptr, bytes), what);
    if (bytes > buffers_->temp.size()) buffers_->temp = device_buffer<std::byte>(bytes, stream_);
    gpu::check(call(buffers_->temp.data(), bytes), what);
  }
  void sum_rows(device_buffer<std::uint64_t>& items, std::uint64_t count) {
    with_temp("sum numbers", [&](void* d_temp, std::size_t& bytes) {
      return sum_before(d_temp, bytes, items.data(), count, stream_);
    });
  }
  // Makes the memory for sums and sorts of full buffers.
  void reserve_temp() {
    std::size_t to_sum = 0, to_sort = 0;
    gpu::check(sum_before(nullptr, to_sum, buffers_->seed_rows.data(), sizes_.anchors + 1, stream_),
               "sum numbers");
    gpu::check(sort_matches(nullptr, to_sort, buffers_->keys.data(), buffers_->lengths.data(), sizes_.matches,
                            stream_),
               "sort matches");
    buffers_->temp = device_buffer<std::byte>(std::max(to_sum, to_sort), stream_);
  }

  // Finds the matches of a block that begin at text positions [first, last), and passes them on. Returns
  // false, and passes on nothing, if they do not fit the buffer.
  bool search(const match_blocks& blocks, const match_block& block, std::uint64_t first, std::uint64_t last) {
    gpu::check(cudaMemsetAsync(buffers_->counts.data(), 0, buffers_->counts.bytes(), stream_),
               "clear memory");
    const auto& offsets = queries_.records().offsets;
    const match_records on_host{offsets.data(), offsets.size() - 1};
    const match_keys keys{{d_queries_->offsets.data(), on_host.count},
                          block.last_record != 0 ? 2 * offsets[block.first_record]
                                                 : on_host.order_of(block.range.reverse, block.range.first),
                          text_bits_};
    bool fit = true;
    blocks.for_each_range(block, [&](const match_range& range) {
      const match_strand strand{d_queries_->words[range.reverse].data(), d_queries_->stretches.data(),
                                queries_.strand(false).num_stretches, queries_.num_letters(), range.reverse};
      fit = fit && search_range({index_, strand, plan_, range, first, last,
                                 std::max(letters_of_thread, plan_.min_length)},
                                keys);
    });
    if (fit) pass_on(keys);
    return fit;
  }
  void search_halves(const match_blocks& blocks, const match_block& block, std::uint64_t first,
                     std::uint64_t last) {
    const std::uint64_t middle = first + (last - first) / 2;
    if (!search(blocks, block, first, middle)) search_halves(blocks, block, first, middle);
    if (!search(blocks, block, middle, last)) search_halves(blocks, block, middle, last);
  }

  bool search_range(const match_row_job& job, const match_keys& keys) {
    const anchor_list seeds{buffers_->seeds.data(), buffers_->seed_rows.data(),
                            num_seeds_of(plan_, job.range)};
    std::uint64_t* const d_windows = buffers_->window_starts.data();
    make_seeds(job, first_seed_of(plan_, job.range), seeds, d_windows, stream_);
    sum_rows(buffers_->seed_rows, seeds.num_anchors + 1);
    sum_rows(buffers_->window_starts, seeds.num_anchors + 1);
    const std::uint64_t num_windows = read(d_windows + seeds.num_anchors);
    if (!look_up(job, keys, seeds)) return false;
    for (std::uint64_t first = 0; first < num_windows; first += sizes_.anchors) {
      const anchor_list windows{buffers_->windows.data(), buffers_->window_rows.data(),
                                std::min(sizes_.anchors, num_windows - first)};
      make_windows(job, seeds, d_windows, first, windows, stream_);
      sum_rows(buffers_->window_rows, windows.num_anchors + 1);
      if (!look_up(job, keys, windows)) return false;
    }
    const match_counts found = read(buffers_->counts.data());
    if (found.damaged != 0) refuse_damaged_index();
    if (found.matches > sizes_.matches) return false;
    if (found.unfinished > 0) {
      extend_matches(job, keys, found_matches(), found.unfinished, stream_);
      gpu::check(cudaMemsetAsync(&buffers_->counts.data()->unfinished, 0, sizeof found.unfinished, stream_),
                 "clear memory");
    }
    return true;
  }

  // Looks up the rows of anchors. Returns false if the matches were found not to fit before the last row.
  bool look_up(const match_row_job& job, const match_keys& keys, const anchor_list& anchors) {
    const std::uint64_t rows = read(anchors.row_starts + anchors.num_anchors);
    for (std::uint64_t first = 0; first < rows; first += max_rows) {
      if (first > 0 && read(buffers_->counts.data()).matches > sizes_.matches) return false;
      base_detail::check_cancelled(options_.run);
      match_rows(job, keys, anchors, first, std::min(max_rows, rows - first), found_matches(), stream_);
    }
    return true;
  }

  void pass_on(const match_keys& keys) {
    const std::uint64_t count = read(buffers_->counts.data()).matches;
    if (count == 0) return;
    with_temp("sort matches", [&](void* d_temp, std::size_t& bytes) {
      return sort_matches(d_temp, bytes, buffers_->keys.data(), buffers_->lengths.data(), count, stream_);
    });
    auto& [query, query_begin, record, begin, length] = buffers_->columns;
    const match_columns columns{query.data(), query_begin.data(), record.data(),
                                begin.data(), length.data(),      buffers_->reverse.data()};
    for (std::uint64_t first = 0; first < count; first += sizes_.part) {
      const std::uint64_t size = std::min(sizes_.part, count - first);
      write_columns(index_, keys, buffers_->keys.data() + first, buffers_->lengths.data() + first, size,
                    columns, stream_);
      download(part_.query, columns.query, size);
      download(part_.query_begin, columns.query_begin, size);
      download(part_.record, columns.record, size);
      download(part_.begin, columns.begin, size);
      download(part_.length, columns.length, size);
      download(part_.reverse, columns.reverse, size);
      has_passed_on_ = true;
      problem_.take(part_);
    }
  }

  template <class T> [[nodiscard]] T read(const T* d_item) const {
    return gpu::downloaded(d_item, stream_, "find matches");
  }
  template <class T> void download(unwritten_vector<T>& to, const T* d_from, std::uint64_t count) {
    to.resize(count);
    session_.download(to.data(), d_from, count * sizeof(T), stream_);
  }
  [[nodiscard]] match_buffers found_matches() const {
    return {buffers_->keys.data(), buffers_->lengths.data(), buffers_->unfinished.data(), sizes_.matches,
            buffers_->counts.data()};
  }

  const fm_match_problem& problem_;
  const match_options& options_;
  const match_queries& queries_;
  device_session& session_;
  cudaStream_t stream_;
  const fm_parts index_; // in device memory
  const match_plan plan_;
  const int text_bits_;
  buffer_sizes sizes_{};
  const device_queries* d_queries_ = nullptr; // while run() runs
  search_buffers* buffers_ = nullptr;         // likewise
  fm_matches part_;                           // the last one; its columns keep their memory
  bool has_passed_on_ = false;
};

} // namespace

void find_matches_on_device(const fm_match_problem& problem, fm_device_copies& copies, int gpu) {
  const match_options& options = problem.options;
  const match_queries queries(problem.queries, options.both_strands, options.run);
  device_session session(problem.index, copies, gpu, options.run);
  const gpu::quiet_at_end quiet(session.device_copy().work[0].get());
  device_match_search search(problem, queries, session);
  try {
    search.run();
  } catch (const memory_error& fault) {
    if (!search.has_passed_on()) throw;
    // After a memory_error, the CPU would pass on all matches again.
    throw error(errc::out_of_memory, fault.what());
  }
}

} // namespace weft::bwt_detail
