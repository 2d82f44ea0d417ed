// Building: the text of all segments, each followed by a separator that is smaller than every code; its
// suffix array; then one pass over the suffix array for the transform, the marks and the
// samples.
//
// Why searching it is exact. A pattern holds no separator, so a suffix that begins with it begins within a
// segment, and the occurrence ends there. Rows are the suffixes of the text; as the text ends in a separator,
// every suffix that begins with a code c is c and another suffix, so that first_row[c] + rank(c, row) is a
// bijection from the rows before which c stands to those that begin with it. Rows before which a separator
// stands, or nothing, are the open ones: first suffixes of segments. They are in no rank, and walks end at
// them.
#include <weft/bwt/cpu/fm_build.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/core/dna_rank.hpp>
#include <weft/bwt/cpu/fm_code.hpp>
#include <weft/bwt/memory_need.hpp>
#include <weft/bwt/suffix_array.hpp>

namespace weft::detail {

namespace {

std::uint64_t code_at(const fm_coded_text& text, std::uint64_t i, std::uint64_t next_separator) {
  const auto low = static_cast<unsigned char>(text.symbols[i]);
  return low == 0 && i != next_separator ? 256 : low; // code 256 is kept as 0, where all bytes are in use
}

// Bytes suffice unless all 256 are in use beside the separator; what is wider is sorted on the CPU.
template <class Index>
std::vector<Index> suffix_array_of(const fm_coded_text& text, const fm_build_options& options) {
  if (options.used_gpu != nullptr) *options.used_gpu = -1;
  if (text.num_codes <= 256) {
    bwt_used used;
    std::vector<Index> sa = suffix_array<Index>(text.symbols, {.device = options.device,
                                                               .threads = options.threads,
                                                               .memory = options.memory,
                                                               .device_memory = options.device_memory,
                                                               .used = &used});
    if (options.used_gpu != nullptr) *options.used_gpu = used.gpu;
    return sa;
  }
  std::vector<std::uint16_t> wide(text.symbols.size());
  for (std::size_t s = 0; s < text.segments.size(); ++s) {
    const std::uint64_t end =
        (s + 1 < text.segments.size() ? text.segments[s + 1].start : text.symbols.size()) - 1;
    for (std::uint64_t i = text.segments[s].start; i <= end; ++i)
      wide[i] = static_cast<std::uint16_t>(code_at(text, i, end));
  }
  return suffix_array<Index>(std::span<const std::uint16_t>(wide),
                             {.threads = options.threads, .memory = options.memory});
}

std::vector<std::uint64_t> counts_of_groups(const std::vector<std::uint64_t>& words) {
  std::vector<std::uint64_t> counts;
  counts.reserve(words.size() / 8);
  std::uint64_t sum = 0;
  for (std::uint64_t w = 0; w < words.size(); ++w) {
    if (w % 8 == 0) counts.push_back(sum);
    sum += static_cast<std::uint64_t>(count_ones(words[w]));
  }
  return counts;
}

// Every row's code before it, 0 for the open ones.
template <class Index> class builder {
public:
  builder(const fm_coded_text& text, const fm_build_options& options)
      : text_(text), options_(options), n_(text.symbols.size()), sa_(suffix_array_of<Index>(text, options)) {}

  // packed: for DNA, the text in bases of two bits.
  void write_rows(fm_writer& writer, std::span<const std::uint64_t> packed) {
    write_positions(writer);
    if (options_.alphabet == fm_alphabet::dna)
      write_dna_ranks(writer, packed);
    else
      write_matrix(writer);
  }

private:
  // Rows whose position is kept, the positions, and the open rows: in chunks of rows, whose counts are summed
  // before positions find their places.
  void write_positions(fm_writer& writer) {
    constexpr std::uint64_t chunk = 1 << 16; // a multiple of 512
    const Index rate = static_cast<Index>(options_.sa_sample_rate);
    std::vector<std::uint64_t> marks((n_ / 512 + 1) * 8);
    std::vector<bool> first(n_ + 1);
    for (const fm_segment& segment : text_.segments) first[segment.start] = true;
    std::vector<std::vector<std::uint64_t>> open(n_ / chunk + 1);
    parallel_for(0, n_, chunk, options_.threads, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t row = begin; row < end; ++row) {
        marks[row / 64] |= static_cast<std::uint64_t>(sa_[row] % rate == 0) << (row % 64);
        if (first[sa_[row]]) open[begin / chunk].push_back(row);
      }
    });
    const std::span<const std::uint64_t> counts =
        writer.put(fm_section::mark_counts, counts_of_groups(marks));
    std::vector<Index> samples((n_ + rate - 1) / rate);
    parallel_for(0, n_, chunk, options_.threads, [&](std::uint64_t begin, std::uint64_t end) {
      std::uint64_t place = counts[begin / 512];
      for (std::uint64_t row = begin; row < end; ++row)
        if ((marks[row / 64] >> (row % 64) & 1) != 0) samples[place++] = sa_[row] / rate;
    });
    writer.put(fm_section::marks, std::move(marks));
    writer.put(fm_section::samples, std::move(samples));
    std::vector<std::uint64_t> positions;
    positions.reserve(text_.segments.size());
    open_.reserve(text_.segments.size());
    for (const std::vector<std::uint64_t>& rows : open)
      for (const std::uint64_t row : rows) {
        open_.push_back(row);
        positions.push_back(sa_[row]);
      }
    writer.put(fm_section::open_rows, open_);
    writer.put(fm_section::open_positions, std::move(positions));
  }

  unsigned char symbol_before(std::uint64_t row) const {
    const std::uint64_t at = sa_[row];
    return at == 0 ? 0 : static_cast<unsigned char>(text_.symbols[at - 1]);
  }

  void write_dna_ranks(fm_writer& writer, std::span<const std::uint64_t> packed) {
    const std::uint64_t num_blocks = n_ / dna_block_rows + 1;
    std::vector<dna_block> blocks(num_blocks);
    std::vector<std::uint64_t> supers;
    parallel_for(0, num_blocks, 1024, options_.threads, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t b = first; b < last; ++b) fill_block(blocks[b], b * dna_block_rows, packed);
    });
    std::array<std::uint64_t, 4> sum{}, base{};
    for (std::uint64_t b = 0; b < num_blocks; ++b) {
      if ((b & ((std::uint64_t{1} << dna_superblock_shift) - 1)) == 0) {
        base = sum;
        supers.insert(supers.end(), sum.begin(), sum.end());
      }
      for (std::size_t c = 0; c < 4; ++c) {
        const std::uint32_t inside = blocks[b].counts[c];
        blocks[b].counts[c] = static_cast<std::uint32_t>(sum[c] - base[c]) | (inside & dna_exception_flag);
        sum[c] += inside & ~dna_exception_flag;
      }
    }
    writer.put(fm_section::ranks, std::move(blocks));
    writer.put(fm_section::rank_supers, std::move(supers));
  }

  // Counts are those of the block itself, for now. A separator is packed as A: what is there for open rows.
  void fill_block(dna_block& block, std::uint64_t first, std::span<const std::uint64_t> packed) const {
    constexpr std::uint64_t ahead = 32;
    const std::uint64_t last = std::min(n_, first + dna_block_rows);
    const auto before = [&](std::uint64_t row) { return sa_[row] == 0 ? n_ - 1 : sa_[row] - 1; };
    for (std::uint64_t row = first; row < last; ++row) {
      if (row + ahead < n_) __builtin_prefetch(&packed[before(row + ahead) / 32]);
      const std::uint64_t at = before(row), base = packed[at / 32] >> (2 * (at % 32)) & 3, i = row - first;
      block.low[i / 64] |= (base & 1) << (i % 64);
      block.high[i / 64] |= (base >> 1) << (i % 64);
    }
    for (unsigned base = 0; base < 4; ++base)
      block.counts[base] = count_in_block(block, base, static_cast<unsigned>(last - first));
    const auto open = std::lower_bound(open_.begin(), open_.end(), first);
    const auto inside = std::lower_bound(open, open_.end(), last) - open;
    block.counts[0] -= static_cast<std::uint32_t>(inside);
    if (inside > 0) block.counts[0] |= dna_exception_flag;
  }

  void write_matrix(fm_writer& writer) {
    std::vector<std::uint16_t> codes(n_);
    for (std::uint64_t row = 0; row < n_; ++row) codes[row] = symbol_before(row);
    sa_ = std::vector<Index>(); // what follows takes its place
    std::vector<std::uint16_t> sorted(n_);
    if (text_.num_codes > 256) { // 0 stands for 256 in all rows but the open ones
      for (std::uint16_t& code : codes)
        if (code == 0) code = 256;
      for (const std::uint64_t row : open_) codes[row] = 0;
    }
    const int levels = std::bit_width(text_.num_codes - 1);
    const std::uint64_t groups = n_ / 512 + 1;
    std::vector<std::uint64_t> words, counts;
    words.reserve(groups * 8 * static_cast<std::uint64_t>(levels));
    counts.reserve(groups * static_cast<std::uint64_t>(levels));
    for (int level = 0; level < levels; ++level) {
      std::vector<std::uint64_t> bits(groups * 8);
      const auto is_one = [&](std::uint16_t code) { return (code >> (levels - 1 - level) & 1) != 0; };
      for (std::uint64_t i = 0; i < n_; ++i)
        if (is_one(codes[i])) bits[i / 64] |= std::uint64_t{1} << (i % 64);
      const std::vector<std::uint64_t> before = counts_of_groups(bits);
      words.insert(words.end(), bits.begin(), bits.end());
      counts.insert(counts.end(), before.begin(), before.end());
      const auto middle = std::remove_copy_if(codes.begin(), codes.end(), sorted.begin(), is_one);
      std::copy_if(codes.begin(), codes.end(), middle, is_one);
      codes.swap(sorted);
    }
    writer.put(fm_section::ranks, std::move(words));
    writer.put(fm_section::rank_supers, std::move(counts));
  }

  const fm_coded_text& text_;
  const fm_build_options& options_;
  std::uint64_t n_;
  std::vector<Index> sa_;
  std::vector<std::uint64_t> open_;
};

// Returns the bases of DNA, 32 a word.
std::span<const std::uint64_t> write_text(fm_writer& writer, fm_coded_text& text,
                                          const fm_build_options& options) {
  if (options.alphabet != fm_alphabet::dna) {
    writer.put(fm_section::text, std::move(text.letters));
    return {};
  }
  const std::uint64_t n = text.symbols.size();
  std::vector<std::uint64_t> packed(n / 32 + 2); // one word more, for unaligned reads
  parallel_for(0, n, 1 << 16, options.threads, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) {
      const auto code = static_cast<unsigned char>(text.symbols[i]);
      packed[i / 32] |= static_cast<std::uint64_t>(code == 0 ? 0 : code - 1) << (2 * (i % 32));
    }
  });
  return writer.put(fm_section::text, std::move(packed));
}

void write_references(fm_writer& writer, const fm_references& references) {
  std::vector<char> names;
  std::vector<std::uint64_t> name_offsets = {0};
  for (const std::string& name : references.names) {
    names.insert(names.end(), name.begin(), name.end());
    name_offsets.push_back(names.size());
  }
  writer.put(fm_section::names, std::move(names));
  writer.put(fm_section::name_offsets, std::move(name_offsets));
  writer.put(fm_section::record_offsets,
             std::vector<std::uint64_t>(references.offsets.begin(), references.offsets.end()));
}

std::vector<std::uint64_t> first_rows(const fm_coded_text& text) {
  std::vector<std::uint64_t> counts(text.num_codes + 1);
  std::array<std::uint64_t, 256> seen{};
  for (const char c : text.symbols) ++seen[static_cast<unsigned char>(c)];
  for (unsigned code = 0; code < text.num_codes; ++code) counts[code + 1] = code < 256 ? seen[code] : 0;
  if (text.num_codes > 256) { // code 256 is kept as 0
    counts[1] = text.segments.size();
    counts[257] = seen[0] - text.segments.size();
  }
  for (unsigned code = 0; code < text.num_codes; ++code) counts[code + 1] += counts[code];
  return counts;
}

// The rows of every k-mer of bases, so many bases that the table takes at most 0.25 bits a base. A suffix is
// counted by its first k symbols as a number to the base 5, those behind a separator taken as separators:
// numbers rise with suffixes, so that the sum of the counts before a k-mer is its first row.
template <class Index> std::uint32_t write_kmers(fm_writer& writer, const fm_coded_text& text) {
  std::uint32_t k = 0;
  while (k < 12 && (std::uint64_t{2} * sizeof(Index) << (2 * (k + 1))) <= text.symbols.size() / 32) ++k;
  if (k == 0) return 0;
  std::uint64_t top = 1; // 5^(k - 1)
  for (std::uint32_t i = 1; i < k; ++i) top *= 5;
  std::vector<Index> rows(5 * top);
  std::uint64_t window = 0;
  for (std::uint64_t i = text.symbols.size(); i-- > 0;) {
    const auto code = static_cast<unsigned char>(text.symbols[i]);
    window = code == 0 ? 0 : code * top + window / 5;
    ++rows[window];
  }
  std::vector<Index> table(std::uint64_t{2} << (2 * k));
  Index row = 0;
  for (std::uint64_t number = 0; number < rows.size(); ++number) {
    const Index first = row;
    row = static_cast<Index>(row + rows[number]);
    std::uint64_t kmer = 0, rest = number, place = 0;
    for (std::uint32_t i = 0; i < k && rest % 5 != 0; ++i, rest /= 5, ++place)
      kmer |= (rest % 5 - 1) << (2 * i);
    if (place < k) continue;
    table[2 * kmer] = first;
    table[2 * kmer + 1] = row;
  }
  writer.put(fm_section::kmers, std::move(table));
  return k;
}

// Bytes that building takes at most, to within a few pages: the coded text and the sections beside what comes
// one after the other, the suffix array, the matrix, and the sections once more as one block.
template <class Index>
std::uint64_t build_memory(const fm_extent& extent, const fm_references& references,
                           const fm_build_options& options) {
  const std::uint64_t n = extent.symbols, wide = sizeof(Index);
  const bool dna = options.alphabet == fm_alphabet::dna;
  const auto levels = static_cast<std::uint64_t>(std::bit_width(extent.num_codes - 1));
  std::uint64_t sections = 64 * extent.segments + 24 * extent.runs + 16 * references.names.size();
  for (const std::string& name : references.names) sections += name.size();
  sections += wide * (n / options.sa_sample_rate) + n / 64 * 9;       // samples, marks
  sections += dna ? n / 3 + n / 4 + n / 32 : n + n / 64 * 9 * levels; // ranks, text, k-mers
  const std::uint64_t matrix = dna ? 0 : std::max((wide + 2) * n, 4 * n + n / 8);
  const std::uint64_t sorting =
      extent.num_codes > 256 ? 50 * n : wide * n + n / 4; // marks of open rows, k-mers
  return n + sections + std::max({sorting, matrix, sections}) + (std::uint64_t{1} << 20);
}

} // namespace

template <class Index>
fm_writer::block build_fm_index_of(const fm_references& references, fm_build_options options) {
  if (options.sa_sample_rate == 0)
    options.sa_sample_rate = references.text.size() < std::uint64_t{1} << 28 ? 4 : 8;
  const bool dna = options.alphabet == fm_alphabet::dna;
  const fm_extent extent = extent_of(references, options.alphabet);
  need_memory(build_memory<Index>(extent, references, options), options.memory, "building the index");
  fm_coded_text text = code_references(references, options.alphabet, extent);
  fm_writer writer;
  write_references(writer, references);
  writer.put(fm_section::segments, text.segments);
  writer.put(fm_section::other_letters, std::move(text.other_letters));
  writer.put(fm_section::code_of_byte, extent.code_of_byte);
  writer.put(fm_section::first_row, first_rows(text));
  const std::span<const std::uint64_t> packed = write_text(writer, text, options);
  builder<Index>(text, options).write_rows(writer, packed);
  fm_header header{};
  header.alphabet = static_cast<std::uint32_t>(options.alphabet);
  header.num_rows = text.symbols.size();
  header.num_records = references.names.size();
  header.sample_rate = options.sa_sample_rate;
  header.num_codes = text.num_codes;
  header.wide = sizeof(Index) == 8 ? 1 : 0;
  if (dna) header.kmer_size = write_kmers<Index>(writer, text);
  return writer.finish(header);
}

template fm_writer::block build_fm_index_of<std::uint32_t>(const fm_references&, fm_build_options);
template fm_writer::block build_fm_index_of<std::uint64_t>(const fm_references&, fm_build_options);

fm_writer::block build_fm_index(const fm_references& references, const fm_build_options& options) {
  // There is a row for each symbol and at most one more for each record.
  const bool wide = references.text.size() + references.names.size() >= std::uint64_t{1} << 31;
  return wide ? build_fm_index_of<std::uint64_t>(references, options)
              : build_fm_index_of<std::uint32_t>(references, options);
}

} // namespace weft::detail
