// Writes the sections that follow from the suffix array: one pass for the marks, and one for the samples, the
// open rows and, for DNA, the ranks; for other alphabets, one more for the transform.
#include <weft/bwt/cpu/fm_build.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/bwt/cpu/fm_row_scan.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/solve.hpp>
#include <weft/bwt/suffix_array.hpp>

namespace weft::bwt_detail {

namespace {

// Returns the suffix array of the coded text. Symbols of one byte suffice unless all 256 bytes are in use
// beside the separator.
template <class Index> std::vector<Index> sort_symbols(const fm_row_task<Index>& task) {
  const std::span<const unsigned char> symbols = task.symbols;
  bwt_options options = {task.options.run};
  options.run.engine = "auto";
  options.run.device = {device_kind::cpu};
  options.run.info = nullptr;
  if (task.num_codes <= 256)
    return suffix_array<Index>({reinterpret_cast<const char*>(symbols.data()), symbols.size()}, options);
  std::vector<std::uint16_t> wide(symbols.begin(), symbols.end());
  for (std::uint16_t& code : wide)
    if (code == 0) code = 256;
  for (const fm_segment& segment : task.segments)
    if (segment.start > 0) wide[segment.start - 1] = 0;
  if (!wide.empty()) wide.back() = 0;
  options.run.memory = memory_left(options.run.memory, 2 * wide.size());
  return suffix_array<Index>(std::span<const std::uint16_t>(wide), options);
}

// Replaces each number by the sum of those before it. Returns the sum of all.
std::uint64_t make_sums(std::span<std::uint64_t> numbers) {
  std::uint64_t sum = 0;
  for (std::uint64_t& each : numbers) sum += std::exchange(each, sum);
  return sum;
}

std::uint64_t word_of(const std::uint16_t* codes, std::uint64_t rows, int shift) {
  std::uint64_t word = 0;
  for (std::uint64_t i = 0; i < rows; ++i) word |= static_cast<std::uint64_t>(codes[i] >> shift & 1) << i;
  return word;
}
std::uint64_t word_of(const unsigned char* codes, std::uint64_t rows, int shift) {
  return level_word(codes, static_cast<unsigned>(rows), shift);
}

template <class Index> class row_writer {
public:
  explicit row_writer(const fm_row_task<Index>& task)
      : task_(task), n_(task.symbols.size()), run_(task.options.run), sa_(sort_symbols<Index>(task)),
        open_rows_(task.open_rows) {}

  void run() {
    if (task_.dna()) {
      parallel_for(0, task_.packed_text.size(), 1 << 12, run_, [&](std::uint64_t first, std::uint64_t last) {
        pack_codes(task_.symbols, task_.packed_text, first, last);
      });
      scan_rows();
      write_kmers();
      write_contexts<Index>(task_, sa_);
    } else {
      scan_rows();
      task_.write_first_rows(task_.code_counts);
      if (task_.num_codes > 256)
        write_matrix<std::uint16_t>();
      else
        write_matrix<unsigned char>();
    }
  }

private:
  // Marks rows, and then scans them (fm_row_scan.hpp).
  void scan_rows() {
    const segment_starts starts(task_.segments, n_);
    const row_scan<Index> scan{sa_,
                               exact_divisor<Index>(static_cast<Index>(task_.options.sa_sample_rate)),
                               starts,
                               task_.marks,
                               task_.mark_counts,
                               task_.samples,
                               task_.dna() ? task_.packed_text.data() : nullptr,
                               task_.blocks};
    parallel_for(0, task_.mark_counts.size(), scan_chunk / 512, run_,
                 [&](std::uint64_t first, std::uint64_t last) { scan.mark_groups(first, last); });
    (void)make_sums(task_.mark_counts);
    std::vector<typename row_scan<Index>::chunk_result> found(n_ / scan_chunk + 1);
    parallel_for(0, found.size(), 1, run_, [&](std::uint64_t c, std::uint64_t) {
      found[c] = scan.scan(c * scan_chunk, std::min(n_, (c + 1) * scan_chunk));
    });
    std::uint64_t* to_row = open_rows_.data();
    std::uint64_t* to_position = task_.open_positions.data();
    for (const auto& each : found)
      for (const std::uint64_t row : each.open_rows) {
        *to_row++ = row;
        *to_position++ = sa_[row];
      }
    if (task_.dna()) sum_blocks(found);
  }

  // Adds to the counts of each block those of all blocks before it.
  void sum_blocks(std::span<const typename row_scan<Index>::chunk_result> chunks) {
    constexpr std::uint64_t chunk_blocks = scan_chunk / dna_block_rows;
    std::vector<base_counts> before(chunks.size() + 1); // the counts of all chunks before each chunk
    for (std::uint64_t c = 0; c < chunks.size(); ++c) {
      before[c + 1] = before[c] + chunks[c].counts;
      const std::uint64_t first = c * chunk_blocks;
      if (first % (std::uint64_t{1} << dna_superblock_shift) == 0)
        std::copy(std::begin(before[c].of), std::end(before[c].of),
                  task_.supers.begin() + static_cast<std::ptrdiff_t>((first >> dna_superblock_shift) * 4));
    }
    parallel_for(0, task_.blocks.size(), chunk_blocks, run_, [&](std::uint64_t first, std::uint64_t last) {
      base_counts sum = before[first / chunk_blocks];
      const base_counts super =
          before[(first >> dna_superblock_shift << dna_superblock_shift) / chunk_blocks];
      for (std::uint64_t b = first; b < last; ++b) {
        const base_counts own = counts_of(task_.blocks[b]);
        set_counts(task_.blocks[b], sum, super);
        sum = sum + own;
      }
    });
    const base_counts& all = before.back();
    task_.write_first_rows(std::array{open_rows_.size(), all.of[0], all.of[1], all.of[2], all.of[3]});
  }

  // Writes the rows of all k-mers, which all end in one of the strings of `size` letters. These are shared by
  // the threads.
  void write_kmers() {
    if (task_.kmer_size == 0) return;
    const fm_parts parts = task_.parts();
    const std::uint32_t size = std::min<std::uint32_t>(task_.kmer_size, 4);
    parallel_for(0, std::uint64_t{1} << (2 * size), 1, run_, [&](std::uint64_t last_letters, std::uint64_t) {
      const kmer_rows rows(parts, size, last_letters);
      write_kmers_ending_in(parts, last_letters, size, rows.low, rows.high);
    });
  }
  // Writes the rows of the k-mers whose last `size` letters are `letters`, which have rows [low, high). So a
  // string of letters is searched once for all k-mers that end in it.
  void write_kmers_ending_in(const fm_parts& parts, std::uint64_t letters, std::uint32_t size,
                             std::uint64_t low, std::uint64_t high) {
    if (size == task_.kmer_size) {
      task_.kmers[2 * letters] = static_cast<Index>(low);
      task_.kmers[2 * letters + 1] = static_cast<Index>(high);
      return;
    }
    for (unsigned base = 0; base < 4; ++base) {
      std::uint64_t base_low = low, base_high = high;
      parts.narrow<true>(base + 1, base_low, base_high);
      write_kmers_ending_in(parts, letters | std::uint64_t{base} << (2 * size), size + 1, base_low,
                            base_high);
    }
  }

  // Returns the codes before the rows; 0 before open rows. Frees the suffix array.
  template <class Code> unwritten_vector<Code> transform() {
    unwritten_vector<Code> codes(n_);
    parallel_for(0, n_, 1 << 16, run_, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t row = first; row < last; ++row)
        codes[row] = sa_[row] == 0 ? 0 : task_.symbols[sa_[row] - 1];
    });
    sa_ = std::vector<Index>();       // frees the memory for what follows
    if constexpr (sizeof(Code) > 1) { // 0 stands for 256 in all rows except the open ones
      std::replace(codes.begin(), codes.end(), Code{0}, Code{256});
      for (const std::uint64_t row : open_rows_) codes[row] = 0;
    }
    return codes;
  }

  template <class Code> void write_matrix() {
    unwritten_vector<Code> codes = transform<Code>(), sorted(n_);
    const int levels = task_.levels();
    const std::uint64_t groups = groups_for(n_);
    for (int level = 0; level < levels; ++level) {
      const std::uint64_t begin = static_cast<std::uint64_t>(level) * groups;
      const auto words = task_.words.subspan(begin * 8, groups * 8),
                 counts = task_.supers.subspan(begin, groups);
      const int shift = levels - 1 - level;
      parallel_for(0, words.size(), 1 << 12, run_, [&](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t w = first; w < last; ++w) {
          const std::uint64_t at = std::min(n_, w * 64);
          words[w] = word_of(codes.data() + at, std::min<std::uint64_t>(n_ - at, 64), shift);
        }
        for (std::uint64_t g = first / 8; g < last / 8; ++g) counts[g] = ones_of_group(words.data() + g * 8);
      });
      const std::uint64_t zeros = n_ - make_sums(counts);
      parallel_for(0, n_, 1 << 16, run_, [&](std::uint64_t first, std::uint64_t last) {
        std::uint64_t one = zeros + counts[first / 512], zero = first - counts[first / 512];
        for (std::uint64_t i = first; i < last; ++i)
          sorted[(codes[i] >> shift & 1) != 0 ? one++ : zero++] = codes[i];
      });
      codes.swap(sorted);
    }
  }

  const fm_row_task<Index>& task_;
  std::uint64_t n_;
  const run_options& run_;
  std::vector<Index> sa_;
  std::span<std::uint64_t> open_rows_;
};

} // namespace

template <class Index> void write_rows(const fm_row_task<Index>& task) { row_writer<Index>(task).run(); }

template void write_rows(const fm_row_task<std::uint32_t>&);
template void write_rows(const fm_row_task<std::uint64_t>&);

void write_rows(fm_build_problem& problem) {
  if (!problem.is_checked) require_memory(problem.memory_of_cpu, problem.run.memory, "building the index");
  if (const auto* const narrow = std::get_if<const fm_row_task<std::uint32_t>*>(&problem.rows))
    write_rows(**narrow);
  else
    write_rows(*std::get<const fm_row_task<std::uint64_t>*>(problem.rows));
  problem.has_contexts = true;
}

} // namespace weft::bwt_detail
