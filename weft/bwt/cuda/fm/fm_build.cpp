// cpu/fm_rows.cpp is the plain version of this algorithm. On a GPU:
// - The suffix sort returns rows together with the codes before them: block by block, or all at once if
//   suffixes are induced (sort_all_suffixes()). Of these rows the builder keeps the codes, which are the
//   transform, the samples, and the open rows with their positions; it also sets the marks of sampled rows.
//   It does not keep the suffix array.
// - Sections that depend on the transform only (ranks or matrix, sums) are made after the sort, when the
//   memory of the sort is free.
// - The text of DNA is packed before the sort, because its codes are not needed after the sort.
// - Each section is copied to its position in the index as soon as it is complete, through page-locked
//   memory.
#include <weft/bwt/cuda/fm/fm_build.hpp>

#include <algorithm>
#include <array>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/two_phases.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/cuda/api_steps.hpp>
#include <weft/bwt/cuda/suffix_sort/suffix_sort.hpp>

namespace weft::bwt_detail {

namespace {

using gpu::device_buffer;

// The device memory that building takes: `kept` during the whole build, `sorting` during the suffix sort
// besides, and `after_sorting` after the sort.
template <class Index> struct memory_plan {
  explicit memory_plan(const fm_row_task<Index>& task)
      : symbols(task.num_rows), samples(task.samples.size()), segments(task.segments.size()) {
    const std::uint64_t n = symbols, groups = bwt_detail::groups_for(n),
                        blocks = bwt_detail::dna_blocks_for(n);
    kept = n + groups * 64 + samples * sizeof(Index) + segments * 16;
    const auto bits = static_cast<std::uint64_t>(std::max(1, task.levels()));
    sorting = n + bits * (n / 8 + 64) + std::min(n, min_block) * sort_bytes_each<Index>;
    after_sorting = task.dna() ? blocks * (sizeof(dna_block) + sizeof(base_counts)) + task.kmers.size_bytes()
                               : n + groups * 72;
  }
  [[nodiscard]] std::uint64_t min_bytes() const {
    constexpr std::uint64_t slack = std::uint64_t{1} << 21; // counts, workspace of sums and selections
    return kept + std::max(sorting, after_sorting + bwt_detail::groups_for(symbols) * 8) + symbols / 256 +
           slack;
  }
  std::uint64_t symbols, samples, segments;               // numbers of items
  std::uint64_t kept = 0, sorting = 0, after_sorting = 0; // bytes
};

template <class Index> class index_writer {
public:
  index_writer(const fm_row_task<Index>& task, host_context& context)
      : task_(task), context_(context), stream_(context.work.get()), n_(task.num_rows), plan_(task) {}

  void run() {
    const std::uint64_t allowed = gpu::device_memory_allowed(task_.options.run.device_memory);
    require_device_memory(plan_.min_bytes(), allowed, "building the index");
    device_buffer<unsigned char> codes(n_, stream_);
    context_.staging.to_device(codes.data(), task_.symbols.data(), n_, stream_, task_.options.run.threads);
    if (task_.dna()) write_text(codes.data());
    sort_rows(codes.data());
    codes = {};
    (void)write_sums(marks_, task_.marks, task_.mark_counts);
    download(samples_, task_.samples);
    download(open_rows_, task_.open_rows);
    download(open_positions_, task_.open_positions);
    if (task_.dna())
      write_dna_ranks();
    else
      write_matrix();
  }

private:
  template <class T> device_buffer<T> make_buffer(std::uint64_t items) const { return {items, stream_}; }
  template <class T> device_buffer<T> make_zeroed_buffer(std::uint64_t items) const {
    device_buffer<T> made(items, stream_);
    gpu::check(cudaMemsetAsync(made.data(), 0, made.bytes(), stream_), "clear memory");
    return made;
  }

  template <class T> void download(const device_buffer<T>& from, std::span<T> to) {
    if (to.empty()) return;
    context_.staging.from_device(to.data(), from.data(), to.size_bytes(), stream_, task_.options.run.threads);
  }

  void write_text(const unsigned char* d_codes) {
    const auto words = make_buffer<std::uint64_t>(n_ / 32 + 2);
    pack_bases(d_codes, n_, words.data(), stream_);
    download(words, task_.packed_text);
  }

  // Sorts the suffixes, and sets the members that are kept of their order.
  void sort_rows(const unsigned char* d_codes) {
    transform_ = make_buffer<unsigned char>(n_);
    marks_ = make_zeroed_buffer<std::uint64_t>(bwt_detail::groups_for(n_) * 8);
    samples_ = make_buffer<Index>(plan_.samples);
    open_rows_ = make_buffer<std::uint64_t>(plan_.segments);
    open_positions_ = make_buffer<std::uint64_t>(plan_.segments);
    found_ = make_buffer<std::array<std::uint64_t, 2>>(1);
    const suffix_sort_options options = {.monitor = task_.options.run.monitor,
                                         .memory =
                                             memory_left(task_.options.run.device_memory, plan_.kept + n_),
                                         .bytes_before = true};
    sort_all_suffixes<Index>(
        d_codes, n_, nullptr, [&](const row_block<Index>& rows) { take_rows(rows); }, options, stream_);
  }

  void take_rows(const row_block<Index>& block) {
    const suffix_rows<Index> rows{block.first, block.count, block.d_suffixes};
    const std::uint32_t rate = task_.options.sa_sample_rate;
    gpu::copy(transform_.data() + rows.first, block.d_before, rows.count, stream_, "copy codes");
    mark_rows(rows, rate, marks_.data(), stream_);
    std::uint64_t* const d_found = found_.data()->data();
    gpu::in_two_phases(stream_, "select samples", [&](void* d_temp, std::size_t& bytes) {
      return select_samples(d_temp, bytes, rows, rate, samples_.data() + sampled_, d_found, stream_);
    });
    gpu::in_two_phases(stream_, "select rows", [&](void* d_temp, std::size_t& bytes) {
      return select_open_rows(d_temp, bytes, block.d_before, rows.first, rows.count,
                              open_rows_.data() + opened_, d_found + 1, stream_);
    });
    const auto [sampled, opened] = gpu::downloaded(found_.data(), stream_, "build the index");
    read_positions(rows, open_rows_.data() + opened_, opened, open_positions_.data() + opened_, stream_);
    sampled_ += sampled;
    opened_ += opened;
  }

  // Writes words of bits to the index, and for each group of 8 words the number of ones before it. Returns
  // these numbers in device memory.
  device_buffer<std::uint64_t> write_sums(const device_buffer<std::uint64_t>& words,
                                          std::span<std::uint64_t> to_words,
                                          std::span<std::uint64_t> to_counts) {
    auto counts = make_buffer<std::uint64_t>(to_counts.size());
    gpu::in_two_phases(stream_, "count ones", [&](void* d_temp, std::size_t& bytes) {
      return sum_ones(d_temp, bytes, words.data(), counts.size(), counts.data(), stream_);
    });
    download(words, to_words);
    download(counts, to_counts);
    return counts;
  }

  void write_dna_ranks() {
    const std::uint64_t count = bwt_detail::dna_blocks_for(n_);
    const auto blocks = make_buffer<dna_block>(count);
    const auto supers = make_buffer<std::uint64_t>(bwt_detail::dna_supers_for(n_) * 4);
    write_blocks(transform_.data(), n_, blocks.data(), stream_);
    auto sums = make_buffer<base_counts>(count);
    gpu::in_two_phases(stream_, "sum counts", [&](void* d_temp, std::size_t& bytes) {
      return sum_blocks(d_temp, bytes, blocks.data(), count, sums.data(), stream_);
    });
    set_block_counts(sums.data(), count, blocks.data(), supers.data(), stream_);
    const base_counts all = gpu::downloaded(sums.data() + count - 1, stream_, "build the index");
    sums = {};
    task_.write_first_rows(std::array{plan_.segments, all.of[0], all.of[1], all.of[2], all.of[3]});
    download(blocks, task_.blocks);
    download(supers, task_.supers);
    if (task_.kmer_size == 0) return;
    fm_parts parts = task_.parts();
    const auto first_rows =
        gpu::uploaded(std::span(parts.first_row.items, parts.first_row.count), stream_, "copy first rows");
    parts.first_row.items = first_rows.data();
    parts.open_rows.items = open_rows_.data();
    parts.blocks = blocks.data();
    parts.supers = supers.data();
    const auto table = make_buffer<Index>(std::uint64_t{2} << (2 * task_.kmer_size));
    write_kmers(parts, task_.kmer_size, table.data(), stream_);
    download(table, task_.kmers);
  }

  // Returns the number of codes whose bit `shift` is 0, from the number of occurrences of each code in the
  // text. This is the number of zeros of a level of the matrix.
  std::uint64_t count_zeros(int shift) const {
    std::uint64_t sum = 0;
    for (std::size_t code = 0; code < task_.code_counts.size(); ++code)
      if ((code >> shift & 1) == 0) sum += task_.code_counts[code];
    return sum;
  }

  void write_matrix() {
    task_.write_first_rows(task_.code_counts);
    const int levels = task_.levels();
    const std::uint64_t groups = bwt_detail::groups_for(n_);
    auto sorted = make_buffer<unsigned char>(n_);
    const auto words = make_buffer<std::uint64_t>(groups * 8);
    for (int level = 0; level < levels; ++level) {
      const int shift = levels - 1 - level;
      write_level(transform_.data(), n_, shift, words.data(), stream_);
      const std::uint64_t first = static_cast<std::uint64_t>(level) * groups;
      const auto counts =
          write_sums(words, task_.words.subspan(first * 8, groups * 8), task_.supers.subspan(first, groups));
      if (shift == 0) break;
      move_codes({words.data(), counts.data(), nullptr, groups, 1}, 0, count_zeros(shift), transform_.data(),
                 n_, sorted.data(), stream_);
      std::swap(transform_, sorted);
    }
  }

  const fm_row_task<Index>& task_;
  host_context& context_;
  cudaStream_t stream_;
  std::uint64_t n_;
  memory_plan<Index> plan_;
  device_buffer<unsigned char> transform_; // code before each row: the transform
  device_buffer<std::uint64_t> marks_, open_rows_, open_positions_;
  device_buffer<Index> samples_;
  device_buffer<std::array<std::uint64_t, 2>> found_; // numbers of samples and open rows in a block
  std::uint64_t sampled_ = 0, opened_ = 0;            // in all blocks so far
};

} // namespace

template <class Index> void write_rows(const fm_row_task<Index>& task, int gpu) {
  const gpu::device_scope scope(gpu);
  auto& context = gpu::context_of<host_context>(gpu);
  const gpu::quiet_at_end quiet(context.work.get());
  index_writer<Index>(task, context).run();
}

template void write_rows(const fm_row_task<std::uint32_t>&, int);
template void write_rows(const fm_row_task<std::uint64_t>&, int);

} // namespace weft::bwt_detail
