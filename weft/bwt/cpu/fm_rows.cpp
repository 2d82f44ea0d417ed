// Writes the sections that follow from the order of the suffixes, batch by batch of rows: one pass for the
// marks, and one for the samples, the open rows and, for DNA, the ranks; for other alphabets, one more for
// the transform. Sums over all rows and the table of k-mers are written at the end.
#include <weft/bwt/cpu/fm_build.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/bwt/cpu/fm_rows.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/solve.hpp>

namespace weft::bwt_detail {

namespace {

// Replaces each number by the sum of those before it and `sum`. Returns the sum of all.
std::uint64_t make_sums(std::span<std::uint64_t> numbers, std::uint64_t sum = 0) {
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

} // namespace

template <class Index> void row_sections<Index>::scan(const fm_row_batch<Index>& batch) {
  const run_options& run = task_.options.run;
  const row_scan<Index> scan{batch.suffixes,
                             exact_divisor<Index>(static_cast<Index>(task_.options.sa_sample_rate)),
                             starts_,
                             task_.marks,
                             task_.mark_counts,
                             task_.samples,
                             task_.dna() ? task_.packed_text.data() : nullptr,
                             task_.blocks,
                             batch.first_row};
  const std::uint64_t first_group = batch.first_row / 512,
                      end_group = batch.is_last ? task_.mark_counts.size() : scan.end() / 512;
  parallel_for(first_group, end_group, scan_chunk / 512, run,
               [&](std::uint64_t first, std::uint64_t last) { scan.mark_groups(first, last); });
  num_marks_ = make_sums(task_.mark_counts.subspan(first_group, end_group - first_group), num_marks_);
  const std::uint64_t end_chunk = batch.is_last ? chunks_.size() : scan.end() / scan_chunk;
  parallel_for(batch.first_row / scan_chunk, end_chunk, 1, run, [&](std::uint64_t c, std::uint64_t) {
    chunks_[c] = scan.scan(c * scan_chunk, std::min(scan.end(), (c + 1) * scan_chunk));
  });
}

template <class Index> base_counts row_sections<Index>::counts() const {
  base_counts all;
  for (const auto& chunk : chunks_) all = all + chunk.counts;
  return all;
}

template <class Index>
void row_sections<Index>::write_supers(std::uint64_t first_block, const base_counts& before) const {
  constexpr std::uint64_t super_blocks = std::uint64_t{1} << dna_superblock_shift;
  base_counts sum = before; // of all rows before chunk c
  for (std::uint64_t c = 0; c < chunks_.size(); ++c) {
    const std::uint64_t begin = c * chunk_blocks, end = std::min(task_.blocks.size(), begin + chunk_blocks);
    const std::uint64_t super = (first_block + begin + super_blocks - 1) / super_blocks;
    if (super * super_blocks < first_block + end) {
      base_counts counts = sum;
      for (std::uint64_t b = begin; b < super * super_blocks - first_block; ++b)
        counts = counts + counts_of(task_.blocks[b]);
      std::copy_n(std::begin(counts.of), 4, task_.supers.begin() + static_cast<std::ptrdiff_t>(super * 4));
    }
    sum = sum + chunks_[c].counts;
  }
}

template <class Index>
void row_sections<Index>::sum_blocks(std::uint64_t first_block, const base_counts& before) const {
  std::vector<base_counts> sums(chunks_.size() + 1, before); // of all rows before each chunk
  for (std::uint64_t c = 0; c < chunks_.size(); ++c) sums[c + 1] = sums[c] + chunks_[c].counts;
  const auto add = [&](std::uint64_t first, std::uint64_t last) {
    base_counts sum = sums[first / chunk_blocks], super;
    for (std::uint64_t b = first; b < last; ++b) {
      std::copy_n(task_.supers.data() + ((first_block + b) >> dna_superblock_shift) * 4, 4,
                  std::begin(super.of));
      const base_counts own = counts_of(task_.blocks[b]);
      set_counts(task_.blocks[b], sum, super);
      sum = sum + own;
    }
  };
  parallel_for(0, task_.blocks.size(), chunk_blocks, task_.options.run, add);
}

template class row_sections<std::uint32_t>;
template class row_sections<std::uint64_t>;

template <class Code>
std::uint64_t write_level(std::span<const Code> codes, int shift, std::span<std::uint64_t> words,
                          std::span<std::uint64_t> counts, const run_options& run) {
  const std::uint64_t n = codes.size();
  parallel_for(0, words.size(), 1 << 12, run, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t w = first; w < last; ++w) {
      const std::uint64_t at = std::min(n, w * 64);
      words[w] = word_of(codes.data() + at, std::min<std::uint64_t>(n - at, 64), shift);
    }
    for (std::uint64_t g = first / 8; g < last / 8; ++g) counts[g] = ones_of_group(words.data() + g * 8);
  });
  return make_sums(counts);
}

template <class Code>
void sort_by_bit(std::span<const Code> codes, int shift, std::span<const std::uint64_t> counts,
                 std::uint64_t num_ones, std::span<Code> sorted, const run_options& run) {
  const std::uint64_t zeros = codes.size() - num_ones;
  parallel_for(0, codes.size(), 1 << 16, run, [&](std::uint64_t first, std::uint64_t last) {
    std::uint64_t one = zeros + counts[first / 512], zero = first - counts[first / 512];
    for (std::uint64_t i = first; i < last; ++i)
      sorted[(codes[i] >> shift & 1) != 0 ? one++ : zero++] = codes[i];
  });
}

template std::uint64_t write_level(std::span<const unsigned char>, int, std::span<std::uint64_t>,
                                   std::span<std::uint64_t>, const run_options&);
template std::uint64_t write_level(std::span<const std::uint16_t>, int, std::span<std::uint64_t>,
                                   std::span<std::uint64_t>, const run_options&);
template void sort_by_bit(std::span<const unsigned char>, int, std::span<const std::uint64_t>, std::uint64_t,
                          std::span<unsigned char>, const run_options&);
template void sort_by_bit(std::span<const std::uint16_t>, int, std::span<const std::uint64_t>, std::uint64_t,
                          std::span<std::uint16_t>, const run_options&);

namespace {

template <class Index> class row_writer {
public:
  explicit row_writer(const fm_row_task<Index>& task)
      : task_(task), n_(task.num_rows), run_(task.options.run), sections_(task, n_) {}

  void run() {
    if (task_.dna()) {
      parallel_for(0, task_.packed_text.size(), 1 << 12, run_, [&](std::uint64_t first, std::uint64_t last) {
        pack_codes(task_.symbols, task_.packed_text, first, last);
      });
      visit_rows<Index>(task_, [&](const fm_row_batch<Index>& batch) {
        sections_.scan(batch);
        write_contexts<Index>(task_, n_, batch.first_row, batch.suffixes);
      });
      write_open_rows();
      write_blocks();
      write_kmers();
    } else if (task_.num_codes > 256) {
      write_wavelet_rows<std::uint16_t>();
    } else {
      write_wavelet_rows<unsigned char>();
    }
  }

private:
  void write_open_rows() {
    std::uint64_t at = 0;
    sections_.visit_open_rows([&](std::uint64_t row, std::uint64_t position) {
      task_.open_rows[at] = row;
      task_.open_positions[at++] = position;
    });
  }

  void write_blocks() {
    sections_.write_supers(0, {});
    sections_.sum_blocks(0, {});
    const base_counts all = sections_.counts();
    task_.write_first_rows(std::array{task_.open_rows.size(), all.of[0], all.of[1], all.of[2], all.of[3]});
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

  // Scans the rows and writes the wavelet matrix of the codes before them.
  template <class Code> void write_wavelet_rows() {
    unwritten_vector<Code> codes;
    allocate(codes, n_);
    visit_rows<Index>(task_, [&](const fm_row_batch<Index>& batch) {
      sections_.scan(batch);
      write_codes<Code>(batch, codes);
    });
    write_open_rows();
    if constexpr (sizeof(Code) > 1) { // 0 stands for 256 in all rows except the open ones
      std::replace(codes.begin(), codes.end(), Code{0}, Code{256});
      for (const std::uint64_t row : task_.open_rows) codes[row] = 0;
    }
    task_.write_first_rows(task_.code_counts);
    write_matrix(std::move(codes));
  }

  // Writes the codes before the rows; 0 before open rows.
  template <class Code> void write_codes(const fm_row_batch<Index>& batch, std::span<Code> codes) {
    parallel_for(0, batch.suffixes.size(), 1 << 16, run_, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t k = first; k < last; ++k) {
        const Index position = batch.suffixes[k];
        codes[batch.first_row + k] = position == 0 ? 0 : task_.symbols[position - 1];
      }
    });
  }

  template <class Code> void write_matrix(unwritten_vector<Code> codes) {
    unwritten_vector<Code> sorted(n_);
    const int levels = task_.levels();
    const std::uint64_t groups = groups_for(n_);
    for (int level = 0; level < levels; ++level) {
      const std::uint64_t begin = static_cast<std::uint64_t>(level) * groups;
      const auto words = task_.words.subspan(begin * 8, groups * 8),
                 counts = task_.supers.subspan(begin, groups);
      const int shift = levels - 1 - level;
      const std::uint64_t num_ones = write_level<Code>(codes, shift, words, counts, run_);
      sort_by_bit<Code>(codes, shift, counts, num_ones, sorted, run_);
      codes.swap(sorted);
    }
  }

  const fm_row_task<Index>& task_;
  std::uint64_t n_;
  const run_options& run_;
  row_sections<Index> sections_;
};

} // namespace

template <class Index> void write_rows(const fm_row_task<Index>& task) { row_writer<Index>(task).run(); }

template void write_rows(const fm_row_task<std::uint32_t>&);
template void write_rows(const fm_row_task<std::uint64_t>&);

void write_rows(fm_build_problem& problem) {
  require_memory(problem.memory_of_cpu, problem.run.memory, building_the_index);
  if (const auto* const narrow = std::get_if<const fm_row_task<std::uint32_t>*>(&problem.rows))
    write_rows(**narrow);
  else
    write_rows(*std::get<const fm_row_task<std::uint64_t>*>(problem.rows));
  problem.has_contexts = true;
}

} // namespace weft::bwt_detail
