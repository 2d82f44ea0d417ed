// Writes the sections that follow from the suffix array: one pass for the marks, the samples and the open
// rows, and one for the transform.
#include <weft/bwt/cpu/fm_build.hpp>

#include <algorithm>
#include <array>
#include <vector>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/solve.hpp>
#include <weft/bwt/suffix_array.hpp>

namespace weft::bwt_detail {

namespace {

template <class T> using unwritten = std::vector<T, unwritten_allocator<T>>;

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

// Sets counts[g] to the number of ones before group g of 8 words. Returns the number of all ones.
std::uint64_t sum_groups(std::span<const std::uint64_t> words, std::span<std::uint64_t> counts) {
  std::uint64_t sum = 0;
  for (std::uint64_t g = 0; g < counts.size(); ++g) {
    counts[g] = sum;
    sum += ones_of_group(words.data() + g * 8);
  }
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
    write_positions();
    if (task_.dna()) {
      const std::span<const std::uint64_t> packed = write_text();
      write_dna_ranks(packed);
      write_kmers();
      write_contexts<Index>(task_, sa_);
    } else {
      task_.write_first_rows(task_.code_counts);
      if (task_.num_codes > 256)
        write_matrix<std::uint16_t>();
      else
        write_matrix<unsigned char>();
    }
  }

private:
  // Works in chunks of rows. First finds the rows whose positions are stored, and the open rows; then writes
  // the positions to the offsets given by the counts.
  void write_positions() {
    constexpr std::uint64_t chunk = 1 << 16; // a multiple of the 512 rows that a count covers
    const Index rate = static_cast<Index>(task_.options.sa_sample_rate);
    const std::span<std::uint64_t> marks = task_.marks, counts = task_.mark_counts;
    std::vector<bool> first(n_ + 1);
    for (const fm_segment& segment : task_.segments) first[segment.start] = true;
    std::vector<std::vector<std::uint64_t>> open(n_ / chunk + 1);
    parallel_for(0, marks.size() * 64, chunk, run_, [&](std::uint64_t begin, std::uint64_t end) {
      std::fill(marks.begin() + static_cast<std::ptrdiff_t>(begin / 64),
                marks.begin() + static_cast<std::ptrdiff_t>(end / 64), 0);
      for (std::uint64_t row = begin; row < std::min(end, n_); ++row) {
        marks[row / 64] |= static_cast<std::uint64_t>(sa_[row] % rate == 0) << (row % 64);
        if (first[sa_[row]]) open[begin / chunk].push_back(row);
      }
    });
    (void)sum_groups(marks, counts);
    parallel_for(0, n_, chunk, run_, [&](std::uint64_t begin, std::uint64_t end) {
      std::uint64_t sample = counts[begin / 512];
      for (std::uint64_t row = begin; row < end; ++row)
        if ((marks[row / 64] >> (row % 64) & 1) != 0) task_.samples[sample++] = sa_[row] / rate;
    });
    std::uint64_t* to_row = open_rows_.data();
    std::uint64_t* to_position = task_.open_positions.data();
    for (const std::vector<std::uint64_t>& rows : open)
      for (const std::uint64_t row : rows) {
        *to_row++ = row;
        *to_position++ = sa_[row];
      }
  }

  // Writes the bases of DNA, 32 a word. One more word allows unaligned reads.
  std::span<const std::uint64_t> write_text() {
    const auto packed = task_.packed_text;
    parallel_for(0, packed.size(), 1 << 12, run_, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t w = first; w < last; ++w) {
        const std::uint64_t at = std::min(n_, w * 32);
        packed[w] = packed_codes(task_.symbols.data() + at,
                                 static_cast<unsigned>(std::min<std::uint64_t>(n_ - at, 32)));
      }
    });
    return packed;
  }

  void write_dna_ranks(std::span<const std::uint64_t> packed) {
    const std::span<dna_block> blocks = task_.blocks;
    parallel_for(0, blocks.size(), 1024, run_, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t b = first; b < last; ++b) blocks[b] = make_block(b * dna_block_rows, packed);
    });
    base_counts sum, super;
    for (std::uint64_t b = 0; b < blocks.size(); ++b) {
      if (b % (std::uint64_t{1} << dna_superblock_shift) == 0) {
        super = sum;
        std::copy(std::begin(sum.of), std::end(sum.of),
                  task_.supers.begin() + static_cast<std::ptrdiff_t>((b >> dna_superblock_shift) * 4));
      }
      const base_counts own = counts_of(blocks[b]);
      set_counts(blocks[b], sum, super);
      sum = sum + own;
    }
    task_.write_first_rows(std::array{open_rows_.size(), sum.of[0], sum.of[1], sum.of[2], sum.of[3]});
  }

  // Returns a block of ranks without the counts before it. Bases are read from the packed text, because more
  // of it fits in the cache than of the codes. The packed text has A for a separator.
  dna_block make_block(std::uint64_t first, std::span<const std::uint64_t> packed) const {
    constexpr std::uint64_t ahead = 32;
    const std::uint64_t last = std::min(n_, first + dna_block_rows);
    const auto before = [&](std::uint64_t row) { return sa_[row] == 0 ? n_ - 1 : sa_[row] - 1; };
    std::array<unsigned char, dna_block_rows> codes; // codes of the rows up to `last`
    for (std::uint64_t row = first; row < last; ++row) {
      if (row + ahead < n_) __builtin_prefetch(&packed[before(row + ahead) / 32]);
      const std::uint64_t at = before(row);
      codes[row - first] = static_cast<unsigned char>((packed[at / 32] >> (2 * (at % 32)) & 3) + 1);
    }
    for (auto open = std::lower_bound(open_rows_.begin(), open_rows_.end(), first);
         open != open_rows_.end() && *open < last; ++open)
      codes[*open - first] = 0;
    return block_of_codes(codes.data(), static_cast<unsigned>(last - first));
  }

  void write_kmers() {
    if (task_.kmer_size == 0) return;
    const std::span<Index> table = task_.kmers;
    const fm_parts parts = task_.parts();
    parallel_for(0, table.size() / 2, 1 << 12, run_, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t kmer = first; kmer < last; ++kmer) {
        const kmer_rows rows(parts, task_.kmer_size, kmer);
        table[2 * kmer] = static_cast<Index>(rows.low);
        table[2 * kmer + 1] = static_cast<Index>(rows.high);
      }
    });
  }

  // Returns the codes before the rows; 0 before open rows. Frees the suffix array.
  template <class Code> unwritten<Code> transform() {
    unwritten<Code> codes(n_);
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
    unwritten<Code> codes = transform<Code>(), sorted(n_);
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
      });
      const std::uint64_t zeros = n_ - sum_groups(words, counts);
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
