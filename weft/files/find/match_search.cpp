#include <weft/files/find/match_search.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <weft/base/device.hpp>
#include <weft/base/engines.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/files/find/index_files.hpp>
#include <weft/files/find/patterns.hpp>
#include <weft/files/ranks/rank_input.hpp>
#include <weft/files/ranks/turn_writer.hpp>

namespace weft::files {

namespace {

constexpr std::uint64_t max_chunk_letters = std::uint64_t{1} << 25;
constexpr std::uint64_t large_chunk_letters = std::uint64_t{1}
                                              << 28;                // if there are as many and a GPU may run
constexpr std::uint64_t letters_of_thread = std::uint64_t{1} << 18; // in a chunk, if there are several ranks
constexpr std::uint64_t slice_matches = std::uint64_t{1} << 12;     // matches that a thread formats at a time
constexpr std::uint64_t max_text_bytes = std::uint64_t{1} << 28;    // that wait for the turn of the rank

// Formats a part of the matches on several threads, and writes it.
void write_part(const fm_index& index, const fm_matches& part, const sequences_view& queries,
                const match_search_options& options, turn_writer& out) {
  const int threads = options.match.run.threads;
  const std::uint64_t at_once = 4 * slice_matches * static_cast<std::uint64_t>(thread_count(threads));
  std::vector<std::string> texts(at_once / slice_matches);
  for (std::uint64_t begin = 0; begin < part.size(); begin += at_once) {
    const std::uint64_t end = std::min(part.size(), begin + at_once);
    parallel_for(begin, end, slice_matches, threads, [&](std::uint64_t first, std::uint64_t last) {
      // While a thread appends, its string shares no cache line with the strings of other threads.
      std::string& kept = texts[(first - begin) / slice_matches];
      std::string text = std::move(kept);
      text.clear();
      match_writer(options.format, index).append(text, part, first, last, queries);
      kept = std::move(text);
    });
    for (std::uint64_t first = begin; first < end; first += slice_matches)
      out.write(texts[(first - begin) / slice_matches]);
  }
}

// The limits on what one rank holds. Queries take a byte a letter, half as much again while they are read,
// and less than a byte when packed. With several ranks, rank 0 also holds chunks for the other ranks, and
// texts wait for their turn.
struct search_limits {
  std::uint64_t memory, max_record, chunk_letters, match_bytes, text_bytes;

  search_limits(const match_search_options& options, bool is_shared)
      : memory(memory_limit(options.memory)), max_record(std::max<std::uint64_t>(memory / 6, 1)),
        chunk_letters(
            std::min(max_record, is_for_gpu(options.match) ? large_chunk_letters : max_chunk_letters)),
        match_bytes(std::max<std::uint64_t>(memory / (is_shared ? 4 : 2), 1)),
        text_bytes(std::min(memory / 16, max_text_bytes)) {
    const auto threads = static_cast<std::uint64_t>(thread_count(options.match.run.threads));
    if (is_shared) chunk_letters = std::min(chunk_letters, letters_of_thread * threads);
  }
  static bool is_for_gpu(const match_options& match) {
    return match.kind == match_kind::mem && match.expected_letters >= large_chunk_letters &&
           base_detail::has_usable_gpu(match.run.device);
  }
};

bool is_ordinary_file(const std::string& path) {
  std::error_code ignored;
  return path != "-" && std::filesystem::is_regular_file(path, ignored);
}

// Returns the bytes of those files that are ordinary ones, which is about the number of letters in them.
std::uint64_t bytes_of_files(const std::vector<std::string>& paths) {
  std::uint64_t bytes = 0;
  for (const std::string& path : paths) {
    std::error_code failure;
    if (!is_ordinary_file(path)) continue;
    const std::uint64_t size = std::filesystem::file_size(path, failure);
    if (!failure) bytes += size;
  }
  return bytes;
}

// Returns the options with what the files tell. If the ranks of a job share the work, a GPU searches only if
// it is asked for.
match_search_options options_for(const std::vector<std::string>& paths, match_search_options options,
                                 bool is_shared) {
  match_options& match = options.match;
  match.expected_letters = bytes_of_files(paths) * (match.both_strands ? 2 : 1);
  if (is_shared && match.run.device.kind == device_kind::automatic) match.run.device = {device_kind::cpu};
  return options;
}

// Reads the first chunk on another thread; later, in read(), if no thread can be started.
class early_input final : public scan_input {
public:
  early_input(const std::vector<std::string>& paths, const search_limits& limits)
      : scan_input(paths, limits.memory, limits.max_record),
        first_(std::async(std::launch::async | std::launch::deferred, [this, letters = limits.chunk_letters] {
          io::sequence_chunk chunk;
          const bool any = scan_input::read(chunk, letters, 1);
          return any ? std::optional(std::move(chunk)) : std::nullopt;
        })) {}
  ~early_input() override {
    if (first_.valid()) first_.wait();
  }
  early_input(const early_input&) = delete;
  early_input& operator=(const early_input&) = delete;

  bool read(io::sequence_chunk& chunk, std::uint64_t residues, std::uint64_t strands) override {
    if (!first_.valid()) return scan_input::read(chunk, residues, strands);
    std::optional<io::sequence_chunk> first = first_.get();
    if (!first) return false;
    chunk = *std::move(first);
    return true;
  }

private:
  std::future<std::optional<io::sequence_chunk>> first_;
};

// Reads chunks of queries, and writes the matches of each.
match_totals search_chunks(const fm_index& index, scan_input& input, const search_limits& limits,
                           const match_search_options& options, turn_writer& out) {
  match_options match = options.match;
  run_info used;
  match.run.memory = limits.match_bytes;
  match.run.info = &used;
  match_totals totals;
  for (io::sequence_chunk chunk; input.read(chunk, limits.chunk_letters, 1); out.end_turn()) {
    if (chunk.count() == 0) continue;
    if (has_u(chunk.residues)) replace_u_by_t(chunk.residues, match.run.threads);
    const sequences_view queries{chunk.residues, chunk.offsets, chunk.names};
    if (options.on_queries) options.on_queries(queries);
    index.visit_matches(queries, match, [&](const fm_matches& part) {
      if (options.on_matches) options.on_matches(part);
      totals.matches += part.size();
      write_part(index, part, queries, options, out);
    });
    if (used.on_gpu()) totals.device = used.device;
    totals.queries += chunk.count();
    totals.letters += chunk.residues.size();
  }
  out.finish();
  return totals;
}

fm_index build_index(const std::string& path, fm_build_options options, std::uint64_t memory) {
  const bool on_gpu = base_detail::has_usable_gpu(options.run.device);
  reference_set references = read_references({path}, memory_limit(memory), on_gpu);
  if (!references.text.empty() && guess_alphabet(references.text, options.run.threads) != fm_alphabet::dna)
    throw error(errc::invalid_input, fmt::format("{}: the references are not DNA", path));
  replace_u_by_t(references.text, options.run.threads);
  options.run.memory = memory_left(memory, references.size_in_memory());
  return fm_index::build(references, options);
}

// Returns the index of rank 0, which is null on the other ranks, on all ranks: they hold copies of its bytes.
fm_index copy_to_all_ranks(multi::communicator& ranks, std::optional<fm_index> index, std::uint64_t memory) {
  const std::uint64_t size =
      multi::reduce_number(ranks, index ? index->bytes().size() : 0, multi::reduction::max);
  std::shared_ptr<char> copy;
  multi::run_together(ranks, [&] {
    if (index) return;
    if (size > memory_limit(memory))
      throw memory_error(
          fmt::format("the index of the references takes {}, which does not fit in {} of memory",
                      format_size(size), format_size(memory_limit(memory))));
    copy = {static_cast<char*>(base_detail::map_memory(size)),
            [size](char* bytes) { base_detail::unmap_memory(bytes, size); }};
  });
  // The root's bytes are only read.
  char* const bytes = index ? const_cast<char*>(index->bytes().data()) : copy.get();
  ranks.broadcast(std::as_writable_bytes(std::span(bytes, size)), 0);
  return index ? *std::move(index) : fm_index::from_bytes({bytes, size}, copy);
}

} // namespace

reference_index open_or_build_index(multi::communicator& ranks, const std::string& path,
                                    const fm_build_options& options, std::uint64_t memory) {
  bool is_file = false;
  std::optional<fm_index> built;
  multi::run_together(ranks, [&] {
    if (ranks.rank() != 0) return;
    is_file = is_index(path);
    if (!is_file) built = build_index(path, options, memory);
  });
  if (multi::reduce_number(ranks, is_file ? 1 : 0, multi::reduction::max) == 1)
    return {open_index(path), false};
  return {copy_to_all_ranks(ranks, std::move(built), memory), true};
}

early_queries read_queries_early(const multi::communicator& ranks, const std::vector<std::string>& paths,
                                 const match_search_options& options) {
  constexpr std::uint64_t min_bytes = std::uint64_t{1} << 24; // worth a thread
  const std::uint64_t size = bytes_of_files(paths);
  if (ranks.size() > 1 || size < min_bytes || !std::ranges::all_of(paths, is_ordinary_file)) return {};
  const bool is_plain = std::ranges::all_of(
      paths, [](const std::string& path) { return io::open_bytes(path)->kind() == io::compression::none; });
  const std::uint64_t bytes_of_byte = is_plain ? 2 : 12; // compressed files have several letters a byte
  if (size > memory_limit(options.memory) / 4 / bytes_of_byte) return {};
  const search_limits limits(options_for(paths, options, false), false);
  return {std::make_unique<early_input>(paths, limits), size * bytes_of_byte};
}

match_totals find_matches(multi::communicator& ranks, const fm_index& index,
                          const std::vector<std::string>& paths, const match_search_options& given,
                          rank_output& out, early_queries early) {
  const bool is_shared = ranks.size() > 1;
  const match_search_options options = options_for(paths, given, is_shared);
  const search_limits limits(options, is_shared);
  const std::unique_ptr<scan_input> input =
      early.input ? std::move(early.input)
      : is_shared ? std::make_unique<rank_input>(ranks, paths, limits.memory, limits.max_record, nullptr)
                  : std::make_unique<scan_input>(paths, limits.memory, limits.max_record);
  out.write_header(match_writer::header(options.format));
  turn_writer writer(out, is_shared, limits.text_bytes);
  match_totals totals;
  try {
    try {
      totals = search_chunks(index, *input, limits, options, writer);
    } catch (const error& fault) {
      // An error in the queries comes after the chunks before it, and after their errors on other ranks.
      if (fault.code() != errc::invalid_input) throw;
      writer.finish();
      out.wait_to_fail();
      throw;
    }
    out.wait_for_turns();
  } catch (...) {
    out.fail(std::current_exception());
    throw;
  }
  std::array sums = {totals.queries, totals.letters, totals.matches};
  ranks.all_reduce(sums, multi::reduction::sum);
  return {sums[0], sums[1], sums[2], totals.device};
}

} // namespace weft::files
