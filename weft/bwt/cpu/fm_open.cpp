#include <weft/bwt/cpu/fm_view.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/core/fm_build_steps.hpp>
#include <weft/bwt/core/near_context.hpp>

namespace weft::bwt_detail {

namespace {

[[noreturn]] void fail() {
  throw error(errc::invalid_input, "damaged index: its parts contradict each other");
}
void require(bool holds) {
  if (!holds) fail();
}

// Checks the sections of an index, and sets the pointers of a view to them. Of an index that has just been
// built, it does not check what takes time in proportion to the text.
class index_opener {
public:
  index_opener(std::span<const char> bytes, std::shared_ptr<const void> owner, bool is_built)
      : view_(std::make_shared<fm_index::view>()), is_built_(is_built) {
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % 8 != 0)
      throw std::invalid_argument("fm_index: the address of the bytes must be a multiple of 8");
    if (is_built)
      std::memcpy(&view_->header, bytes.data(), sizeof view_->header);
    else
      view_->header = checked_header(bytes);
    view_->bytes = bytes;
    view_->owner = std::move(owner);
  }

  std::shared_ptr<const fm_index::view> open() {
    const fm_header& header = view_->header;
    view_->num_rows = header.num_rows;
    view_->alphabet = header.alphabet;
    view_->sample_rate = header.sample_rate;
    view_->kmer_size = header.kmer_size;
    require(header.alphabet <= 2 && header.wide <= 1 && header.sample_rate >= 1 &&
            header.sample_rate <= 1024);
    require(header.num_codes >= 1 && header.num_codes <= 257 &&
            (header.alphabet != 0 || header.num_codes == 5));
    require(header.kmer_size <= 12 && (header.alphabet == 0 || header.kmer_size == 0));
    open_records();
    open_alphabet();
    open_segments();
    if (view_->dna())
      open_dna();
    else
      open_matrix();
    open_samples();
    if (has_contexts(header)) open_contexts();
    return view_;
  }

private:
  template <class T> std::span<const T> section(fm_section which) const {
    const auto s = static_cast<std::size_t>(which);
    require(view_->header.sizes[s] % sizeof(T) == 0);
    return {reinterpret_cast<const T*>(view_->bytes.data() + view_->header.offsets[s]),
            view_->header.sizes[s] / sizeof(T)};
  }
  index_array numbers(fm_section which, std::uint64_t count) const {
    const bool wide = view_->header.wide != 0;
    const auto s = static_cast<std::size_t>(which);
    require(count <= view_->bytes.size() && view_->header.sizes[s] == count * (wide ? 8 : 4));
    return {view_->bytes.data() + view_->header.offsets[s], wide};
  }
  static void require_ascending(std::span<const std::uint64_t> numbers, std::uint64_t last) {
    require(!numbers.empty() && numbers.front() == 0 && numbers.back() == last &&
            std::is_sorted(numbers.begin(), numbers.end()));
  }

  // Calls each(i) for i < count, on several threads if count is large.
  template <class Each> static void for_each(std::uint64_t count, const Each& each) {
    parallel_for(0, count, 1 << 16, 0, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) each(i);
    });
  }
  // Returns the number of ones in `words`, which are in groups of 8. Fails unless counts[g] is the number of
  // ones before group g, for all g.
  std::uint64_t count_and_check_ones(std::span<const std::uint64_t> words,
                                     std::span<const std::uint64_t> counts) const {
    const auto ones_through = [&](std::uint64_t g) {
      return counts[g] + ones_of_group(words.data() + g * 8);
    };
    require(counts.front() == 0);
    if (!is_built_)
      for_each(counts.size() - 1, [&](std::uint64_t g) { require(ones_through(g) == counts[g + 1]); });
    return ones_through(counts.size() - 1);
  }

  void open_records() {
    fm_index::view& v = *view_;
    v.names = section<char>(fm_section::names);
    v.name_offsets = section<std::uint64_t>(fm_section::name_offsets);
    v.record_offsets = section<std::uint64_t>(fm_section::record_offsets);
    require(v.name_offsets.size() == v.header.num_records + 1 &&
            v.record_offsets.size() == v.name_offsets.size());
    require_ascending(v.name_offsets, v.names.size());
    require_ascending(v.record_offsets, v.record_offsets.back());
  }

  void open_alphabet() {
    fm_index::view& v = *view_;
    v.code_of_byte = section<std::uint16_t>(fm_section::code_of_byte);
    v.first_row = section<std::uint64_t>(fm_section::first_row);
    require(v.code_of_byte.size() == 256 && v.first_row.size() == v.header.num_codes + 1U);
    for (const std::uint16_t code : v.code_of_byte) require(code < v.header.num_codes);
    require_ascending(v.first_row, v.header.num_rows);
  }

  // Checks that segments are in order, lie in the text and in their records, and have one separator between
  // any two.
  void open_segments() {
    fm_index::view& v = *view_;
    v.segments = section<fm_segment>(fm_section::segments);
    v.other_letters = section<fm_run>(fm_section::other_letters);
    v.open_rows = section<std::uint64_t>(fm_section::open_rows);
    v.open_positions = section<std::uint64_t>(fm_section::open_positions);
    std::uint64_t end_in_records = 0;
    for (std::size_t s = 0; s < v.segments.size(); ++s) {
      const fm_segment& segment = v.segments[s];
      const std::uint64_t end = s + 1 < v.segments.size() ? v.segments[s + 1].start : v.header.num_rows;
      require((s > 0 || segment.start == 0) && segment.start + 1 < end && end <= v.header.num_rows);
      require(segment.record < v.header.num_records);
      const std::uint64_t record = v.record_offsets[segment.record],
                          next = v.record_offsets[segment.record + 1];
      require(segment.begin <= next - record && end - 1 - segment.start <= next - record - segment.begin);
      require(record + segment.begin >= end_in_records);
      end_in_records = record + segment.begin + (end - 1 - segment.start);
    }
    require(v.segments.empty() == (v.header.num_rows == 0));
    std::uint64_t symbols = v.header.num_rows - v.segments.size();
    for (const fm_run& run : v.other_letters) {
      const std::uint64_t all = v.record_offsets.back();
      require(run.length >= 1 && run.position <= all && run.length <= all - run.position &&
              run.letter <= 255);
      symbols += run.length;
    }
    require(std::adjacent_find(v.other_letters.begin(), v.other_letters.end(),
                               [](const fm_run& a, const fm_run& b) {
                                 return a.position + a.length > b.position;
                               }) == v.other_letters.end()); // runs are ascending and do not overlap
    require(symbols == v.record_offsets.back());
    require(v.open_rows.size() == v.segments.size() && v.open_positions.size() == v.segments.size());
    require(v.first_row[1] == v.segments.size()); // there are as many separators as segments
    require(std::adjacent_find(v.open_rows.begin(), v.open_rows.end(), std::greater_equal<>()) ==
            v.open_rows.end()); // ascending, without duplicates
    require(v.open_rows.empty() || v.open_rows.back() < v.header.num_rows);
    for (const std::uint64_t position : v.open_positions) require(position < v.header.num_rows);
  }

  void open_dna() {
    fm_index::view& v = *view_;
    const std::span<const dna_block> blocks = section<dna_block>(fm_section::ranks);
    const std::span<const std::uint64_t> supers = section<std::uint64_t>(fm_section::rank_supers);
    const std::uint64_t rows = v.header.num_rows;
    require(reinterpret_cast<std::uintptr_t>(blocks.data()) % 8 == 0 &&
            blocks.size() == rows / dna_block_rows + 1);
    require(supers.size() == (((blocks.size() - 1) >> dna_superblock_shift) + 1) * 4);
    v.blocks = blocks.data();
    v.supers = supers.data();
    if (!is_built_) check_blocks(blocks, supers);
    const std::span<const std::uint64_t> text = section<std::uint64_t>(fm_section::text);
    require(text.size() == rows / 32 + 2);
    v.packed_text = text.data();
    const std::uint64_t kmers = v.header.kmer_size == 0 ? 0 : std::uint64_t{2} << (2 * v.header.kmer_size);
    v.kmers = numbers(fm_section::kmers, kmers);
    v.long_kmers = std::make_unique<fm_long_kmers>();
    for (std::uint64_t i = 0; i < kmers && !is_built_; i += 2)
      require(v.kmers[i] <= v.kmers[i + 1] && v.kmers[i + 1] <= rows);
  }

  // Checks all counts of the blocks, so that ranks are right: those of the first block, and from each block
  // those of the next.
  void check_blocks(std::span<const dna_block> blocks, std::span<const std::uint64_t> supers) const {
    const fm_index::view& v = *view_;
    const std::uint64_t rows = v.header.num_rows;
    const auto counts_before = [&](std::uint64_t b) {
      base_counts sum = counts_of(blocks[b]);
      for (unsigned base = 0; base < 4; ++base)
        sum.of[base] += supers[(b >> dna_superblock_shift) * 4 + base];
      return sum;
    };
    const auto counts_after = [&](std::uint64_t b) {
      const std::uint64_t first = b * dna_block_rows, last = std::min(rows, first + dna_block_rows);
      std::uint64_t inside = 0;
      for (auto open = std::lower_bound(v.open_rows.begin(), v.open_rows.end(), first);
           open != v.open_rows.end() && *open < last; ++open, ++inside)
        require(base_in_block(blocks[b], static_cast<unsigned>(*open - first)) == 0);
      require(((blocks[b].counts[0] & dna_exception_flag) != 0) == (inside > 0));
      base_counts sum = counts_before(b);
      for (unsigned base = 0; base < 4; ++base)
        sum.of[base] += count_in_block(blocks[b], base, static_cast<unsigned>(last - first));
      sum.of[0] -= inside;
      return sum;
    };
    require(counts_before(0) == base_counts());
    for_each(blocks.size() - 1, [&](std::uint64_t b) { require(counts_after(b) == counts_before(b + 1)); });
    for (std::uint64_t row = rows % dna_block_rows; row < dna_block_rows; ++row)
      require(base_in_block(blocks.back(), static_cast<unsigned>(row)) == 0);
    const base_counts sum = counts_after(blocks.size() - 1);
    for (unsigned base = 0; base < 4; ++base)
      require(v.first_row[base + 2] - v.first_row[base + 1] == sum.of[base]);
  }

  // The contexts are the last bytes. They only say which rows are looked up, so that nothing else relies on
  // them.
  void open_contexts() {
    fm_index::view& v = *view_;
    require(v.dna() && v.kmer_size >= min_kmer_size_with_contexts);
    v.contexts = reinterpret_cast<const std::uint64_t*>(v.bytes.data() + v.bytes.size() -
                                                        bytes_of_contexts(v.num_rows));
  }

  void open_matrix() {
    fm_index::view& v = *view_;
    const std::span<const std::uint64_t> words = section<std::uint64_t>(fm_section::ranks),
                                         counts = section<std::uint64_t>(fm_section::rank_supers);
    const std::uint64_t rows = v.header.num_rows, groups = rows / 512 + 1;
    const int levels = std::bit_width(v.header.num_codes - 1U);
    require(words.size() == groups * 8 * static_cast<std::uint64_t>(levels) &&
            counts.size() == words.size() / 8);
    v.matrix = {words.data(), counts.data(), nullptr, groups, levels};
    for (int level = 0; level < levels; ++level) {
      const std::uint64_t first = static_cast<std::uint64_t>(level) * groups;
      const std::uint64_t ones =
          count_and_check_ones(words.subspan(first * 8, groups * 8), counts.subspan(first, groups));
      for (std::uint64_t w = rows / 64; w < groups * 8; ++w)
        require(words[first * 8 + w] >> (w == rows / 64 ? rows % 64 : 0) == 0);
      v.matrix_zeros.push_back(rows - ones);
    }
    v.matrix.zeros = v.matrix_zeros.data();
    for (unsigned code = 0; code < v.header.num_codes; ++code) {
      v.matrix_begins.push_back(v.matrix.end_of(code, 0));
      require(v.matrix.end_of(code, rows) - v.matrix_begins[code] ==
              v.first_row[code + 1] - v.first_row[code]);
    }
    v.code_begin = v.matrix_begins.data();
    for (std::uint64_t row : v.open_rows)
      require(v.matrix.access(row) == 0); // no other row has code 0: there are as many
    const std::span<const char> text = section<char>(fm_section::text);
    require(text.size() == rows && v.other_letters.empty());
    v.byte_text = text.data();
    (void)numbers(fm_section::kmers, 0);
  }

  void open_samples() {
    fm_index::view& v = *view_;
    const std::span<const std::uint64_t> marks = section<std::uint64_t>(fm_section::marks),
                                         counts = section<std::uint64_t>(fm_section::mark_counts);
    const std::uint64_t rows = v.header.num_rows, groups = rows / 512 + 1;
    require(marks.size() == groups * 8 && counts.size() == groups);
    const std::uint64_t ones = count_and_check_ones(marks, counts);
    v.marks = marks.data();
    v.mark_counts = counts.data();
    v.samples = numbers(fm_section::samples, ones);
  }

  std::shared_ptr<fm_index::view> view_;
  bool is_built_;
};

} // namespace

std::shared_ptr<const fm_index::view> open_fm_index(std::span<const char> bytes,
                                                    std::shared_ptr<const void> owner) {
  return index_opener(bytes, std::move(owner), false).open();
}

std::shared_ptr<const fm_index::view> open_built_fm_index(std::span<const char> bytes,
                                                          std::shared_ptr<const void> owner) {
  return index_opener(bytes, std::move(owner), true).open();
}

} // namespace weft::bwt_detail
