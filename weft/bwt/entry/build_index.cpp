// Builds an FM-index. The text consists of all segments, each followed by a separator that is smaller than
// every code. The text is sorted to a suffix array, and the rest follows from that: the transform, the marks,
// the samples and so on. The work that needs the order of the suffixes is done by a GPU
// (cuda/fm/fm_build.cpp) or by the CPU (cpu/fm_rows.cpp); both write the same bytes.
//
// Why searching is exact: a pattern contains no separator, so a suffix that begins with the pattern begins
// within a segment, and the occurrence ends within the same segment. Rows are the suffixes of the text. The
// text ends in a separator, so every suffix that begins with a code c is c followed by another suffix.
// Therefore first_row[c] + rank(c, row) is a bijection from the rows that are preceded by c to the rows that
// begin with c. The open rows are those that are preceded by a separator or by nothing: the first suffixes of
// segments. They count in no rank, and walks end at them.
#include <weft/bwt/entry/build_index.hpp>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>
#include <weft/base/memory.hpp>
#include <weft/bwt/core/near_context.hpp>
#include <weft/bwt/cpu/fm_build.hpp>
#include <weft/bwt/cpu/fm_view.hpp>
#include <weft/bwt/engines.hpp>
#include <weft/bwt/entry/argument_checks.hpp>

namespace weft::bwt_detail {

namespace {

// Returns k for the table of k-mers, which takes at most 0.25 bits a base. With contexts, which serve
// stretches of at most k letters, it takes at most a byte a base, but k is at least 8.
template <class Index> std::uint32_t kmer_size(std::uint64_t symbols, bool contexts) {
  std::uint32_t k = contexts ? min_kmer_size_with_contexts : 0;
  const std::uint64_t max_bytes = contexts ? symbols : symbols / 32;
  while (k < 12 && (std::uint64_t{2} * sizeof(Index) << (2 * (k + 1))) <= max_bytes) ++k;
  return k;
}

template <class Index>
section_sizes section_sizes_for(const sequences_view& references, const fm_extent& extent,
                                const fm_build_options& options) {
  const std::uint64_t n = extent.symbols, word = sizeof(std::uint64_t), groups = groups_for(n);
  const std::uint64_t levels = static_cast<std::uint64_t>(std::bit_width(extent.num_codes - 1));
  const bool dna = options.alphabet == fm_alphabet::dna;
  section_sizes sizes{};
  const auto set = [&](fm_section which, std::uint64_t bytes) {
    sizes[static_cast<std::size_t>(which)] = bytes;
  };
  std::uint64_t letters = 0;
  for (const std::string& name : references.names) letters += name.size();
  set(fm_section::names, letters);
  set(fm_section::name_offsets, references.offsets.size() * word);
  set(fm_section::record_offsets, references.offsets.size() * word);
  set(fm_section::segments, extent.segments * sizeof(fm_segment));
  set(fm_section::other_letters, extent.runs * sizeof(fm_run));
  set(fm_section::code_of_byte, extent.code_of_byte.size() * sizeof(std::uint16_t));
  set(fm_section::first_row, (extent.num_codes + 1) * word);
  set(fm_section::ranks, dna ? dna_blocks_for(n) * sizeof(dna_block) : levels * groups * 8 * word);
  set(fm_section::rank_supers, dna ? dna_supers_for(n) * 4 * word : levels * groups * word);
  set(fm_section::open_rows, extent.segments * word);
  set(fm_section::open_positions, extent.segments * word);
  if (const std::uint32_t k = dna ? kmer_size<Index>(n, options.contexts) : 0; k > 0)
    set(fm_section::kmers, std::uint64_t{2} * sizeof(Index) << (2 * k));
  set(fm_section::marks, groups * 8 * word);
  set(fm_section::mark_counts, groups * word);
  set(fm_section::samples, (n + options.sa_sample_rate - 1) / options.sa_sample_rate * sizeof(Index));
  set(fm_section::text, dna ? (n / 32 + 2) * word : n);
  return sizes;
}

void write_records(const fm_writer& writer, const sequences_view& references) {
  char* letters = writer.section<char>(fm_section::names).data();
  const auto ends = writer.section<std::uint64_t>(fm_section::name_offsets);
  ends[0] = 0;
  for (std::uint64_t r = 0; r < references.count(); ++r) {
    const std::string_view name = references.name(r);
    letters = std::copy(name.begin(), name.end(), letters);
    ends[r + 1] = ends[r] + name.size();
  }
  writer.put(fm_section::record_offsets, references.offsets);
}

template <class Index>
fm_row_task<Index> make_row_task(fm_symbols& symbols, const fm_plan& plan, const fm_build_options& options,
                                 const fm_writer& to) {
  const fm_extent& extent = plan.extent;
  const auto words = [&](fm_section which) { return to.section<std::uint64_t>(which); };
  const bool dna = options.alphabet == fm_alphabet::dna;
  return {.symbols = symbols,
          .num_rows = extent.symbols,
          .segments = to.section<fm_segment>(fm_section::segments),
          .code_counts = extent.code_counts,
          .num_codes = extent.num_codes,
          .kmer_size = plan.header.kmer_size,
          .options = options,
          .first_row = words(fm_section::first_row),
          .open_rows = words(fm_section::open_rows),
          .open_positions = words(fm_section::open_positions),
          .marks = words(fm_section::marks),
          .mark_counts = words(fm_section::mark_counts),
          .samples = to.section<Index>(fm_section::samples),
          .blocks = dna ? to.section<dna_block>(fm_section::ranks) : std::span<dna_block>(),
          .words = dna ? std::span<std::uint64_t>() : words(fm_section::ranks),
          .supers = words(fm_section::rank_supers),
          .kmers = to.section<Index>(fm_section::kmers),
          .packed_text = dna ? words(fm_section::text) : std::span<std::uint64_t>(),
          .contexts = to.contexts()};
}

} // namespace

template <class Index> fm_plan plan_index(const sequences_view& references, fm_build_options options) {
  if (options.sa_sample_rate == 0)
    options.sa_sample_rate = references.data.size() < std::uint64_t{1} << 28 ? 4 : 8;
  const bool dna = options.alphabet == fm_alphabet::dna;
  options.contexts = options.contexts && dna;
  const fm_extent extent = extent_of(references, options.alphabet, options.run);
  const section_sizes sizes = section_sizes_for<Index>(references, extent, options);
  fm_header header{};
  header.alphabet = static_cast<std::uint32_t>(options.alphabet);
  header.num_rows = extent.symbols;
  header.num_records = references.count();
  header.sample_rate = options.sa_sample_rate;
  header.num_codes = extent.num_codes;
  header.wide = sizeof(Index) == 8 ? 1 : 0;
  header.kmer_size = dna ? kmer_size<Index>(extent.symbols, options.contexts) : 0;
  return {options, extent, sizes, options.contexts ? extent.symbols : 0, header};
}

template fm_plan plan_index<std::uint32_t>(const sequences_view&, fm_build_options);
template fm_plan plan_index<std::uint64_t>(const sequences_view&, fm_build_options);

void write_references(const fm_plan& plan, const sequences_view& references, const fm_writer& writer,
                      fm_symbols& symbols) {
  const bool dna = plan.options.alphabet == fm_alphabet::dna;
  write_records(writer, references);
  writer.put(fm_section::code_of_byte, plan.extent.code_of_byte);
  allocate(symbols, plan.extent.symbols);
  code_references(references, plan.options.alphabet, plan.extent,
                  {symbols, dna ? std::span<char>() : writer.section<char>(fm_section::text),
                   writer.section<fm_segment>(fm_section::segments),
                   writer.section<fm_run>(fm_section::other_letters)},
                  plan.options.run);
}

template <class Index>
fm_writer::block build_fm_index_of(const sequences_view& references, const fm_build_options& wanted,
                                   base_detail::run_record& record) {
  const fm_plan plan = plan_index<Index>(references, wanted);
  const fm_extent& extent = plan.extent;
  fm_build_options options = plan.options;
  std::uint64_t kept_bytes = extent.symbols + (std::uint64_t{1} << 20);
  for (const std::uint64_t size : plan.sizes) kept_bytes += size;
  kept_bytes += bytes_of_contexts(plan.num_contexts);
  const bool dna = options.alphabet == fm_alphabet::dna;
  const std::uint64_t rows_bytes =
      memory_for_rows<Index>(extent.symbols, extent.num_codes, dna, extent.segments).min_bytes();
  run_options run = options.run;         // of the engine
  run.memory = memory_limit(run.memory); // of what is free now, before any of it is taken
  if (extent.symbols == 0 || extent.num_codes > 256) {
    require_device(run.device);
    run.device = {device_kind::cpu}; // GPUs have codes of one byte, and need a symbol
  }
  fm_build_problem problem{extent.symbols, run, kept_bytes + rows_bytes};
  const bool on_gpu = fm_build_engine_list().choose(problem, run).on_gpu();
  require_memory(kept_bytes + (on_gpu ? 0 : rows_bytes), run.memory, building_the_index);
  options.run.memory = memory_left(run.memory, kept_bytes); // for the rows on the CPU

  const fm_writer writer(plan.sizes, plan.num_contexts);
  fm_symbols symbols;
  write_references(plan, references, writer, symbols);
  const fm_row_task<Index> rows = make_row_task<Index>(symbols, plan, options, writer);
  problem.rows = &rows;
  solve(fm_build_engine_list(), problem, run, false, record);
  base_detail::check_cancelled(options.run);
  fm_writer::block block = writer.finish(plan.header, options.run.threads);
  if (!options.contexts) return block;
  if (!problem.has_contexts)
    write_contexts(*open_built_fm_index(block.bytes, block.owner), writer.contexts(), options.run);
  return writer.finish_contexts(options.run.threads);
}

template fm_writer::block build_fm_index_of<std::uint32_t>(const sequences_view&, const fm_build_options&,
                                                           base_detail::run_record&);
template fm_writer::block build_fm_index_of<std::uint64_t>(const sequences_view&, const fm_build_options&,
                                                           base_detail::run_record&);

fm_writer::block build_fm_index(const sequences_view& references, const fm_build_options& options,
                                base_detail::run_record& record) {
  // There is a row for each symbol, and at most one separator for each record.
  const bool wide = references.data.size() + references.count() >= index_32_limit;
  return wide ? build_fm_index_of<std::uint64_t>(references, options, record)
              : build_fm_index_of<std::uint32_t>(references, options, record);
}

} // namespace weft::bwt_detail
