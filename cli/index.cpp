// The command `weft index`.
#include <algorithm>
#include <array>
#include <cli/program.hpp>
#include <cli/rna.hpp>
#include <cli/task.hpp>
#include <fmt/format.h>
#include <weft/base/byte_counts.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/io/output_file.hpp>
#include <weft/io/sequence_reader.hpp>

namespace weft::cli {

namespace {

// The references: concatenated records, their offsets and their names.
struct collection {
  std::string text;
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::string> names;
  std::uint64_t name_bytes = 0;

  // Returns the bytes of everything except the text.
  [[nodiscard]] std::uint64_t size_of_names() const {
    return 8 * offsets.capacity() + sizeof(std::string) * names.capacity() + name_bytes;
  }
  [[nodiscard]] std::uint64_t size_in_memory() const { return text.size() + size_of_names(); }
};

// The limits on references while they are read. They follow from the memory that building the index takes at
// least: on the CPU, each letter takes its own byte, a byte of code and a position of 4 bytes; on a GPU, it
// takes no position in host memory. So reading stops as soon as it is clear that the index cannot be built,
// and reading takes less memory than building.
struct reading_limits {
  std::uint64_t memory, letters, chunk;

  reading_limits(std::uint64_t limit, bool on_gpu)
      : memory(limit), letters(std::max<std::uint64_t>(on_gpu ? limit / 5 * 2 : limit / 6, 1)),
        chunk(std::clamp<std::uint64_t>(limit / 32, std::uint64_t{1} << 16, std::uint64_t{1} << 24)) {}

  void check(const std::string& path, const collection& read) const {
    if (read.text.size() > letters || read.size_of_names() > memory / 2)
      throw memory_error(
          fmt::format("{}: the references do not fit in {} of memory: the index of the {} residues and "
                      "{} records read so far needs at least {}",
                      path, format_size(memory), read.text.size(), read.names.size(),
                      format_size(read.text.size() * memory / letters + 2 * read.size_of_names())));
  }
};

collection read_references(const std::vector<std::string>& paths, const reading_limits& limits) {
  collection result;
  io::sequence_chunk chunk;
  for (const std::string& path : paths) {
    io::sequence_reader reader(io::open_bytes(path, true, limits.memory), limits.letters);
    const io::byte_source& bytes = reader.source();
    if (bytes.kind() == io::compression::none) { // reserved memory that is not used costs nothing
      result.text.reserve(std::min(result.text.size() + bytes.size(), limits.letters));
      prefer_large_pages(result.text.data(), result.text.capacity());
    }
    while (reader.read(chunk, limits.chunk)) {
      reserve_within(result.text, result.text.size() + chunk.residues.size(), limits.letters);
      for (std::uint64_t i = 0; i < chunk.count(); ++i) {
        result.name_bytes += chunk.names[i].size();
        result.names.push_back(std::move(chunk.names[i]));
        result.offsets.push_back(result.text.size() + chunk.offsets[i + 1]);
      }
      result.text += chunk.residues;
      limits.check(path, result);
    }
  }
  return result;
}

// Returns dna if at least nine in ten symbols are IUPAC codes of nucleotides, X or gaps, and at least half of
// the symbols other than N, X and gaps are A, C, G, T or U; otherwise protein. (A third of the residues of
// proteins are not in the first group.)
fm_alphabet guess_alphabet(const std::string& text, int threads) {
  const std::array<std::uint64_t, 256> counts = count_bytes(text, threads);
  const auto count = [&](std::string_view symbols) {
    std::uint64_t sum = 0;
    for (const char c : symbols) sum += counts[static_cast<unsigned char>(c)];
    return sum;
  };
  const std::uint64_t bases = count("ACGTUacgtu"), unknown = count("NXnx-"),
                      several = count("RYSWKMBDHVryswkmbdhv");
  const bool nucleotides = bases + unknown + several >= text.size() - text.size() / 10;
  return nucleotides && bases >= (text.size() - unknown) / 2 ? fm_alphabet::dna : fm_alphabet::protein;
}

std::string remarks(const collection& references) {
  std::vector<std::string_view> names(references.names.begin(), references.names.end());
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  std::string text;
  if (twice != names.end()) text += fmt::format("weft: several records have the name '{}'\n", *twice);
  if (references.text.empty()) text += "weft: the references have no letters\n";
  return text;
}

std::string_view name_of(fm_alphabet alphabet) {
  return alphabet == fm_alphabet::dna ? "dna" : alphabet == fm_alphabet::protein ? "protein" : "bytes";
}

} // namespace

int run_index(const arguments& given) {
  require_device(parse_device(given.value("device")));
  require_engine(given, "suffix-sort");
  require_no_terminal(given);
  const stopwatch time;
  const std::uint64_t limit = memory_limit(given.size("memory"));
  fm_build_options options;
  options.sa_sample_rate = static_cast<std::uint32_t>(given.number("sa-sample-rate", 0));
  if (options.sa_sample_rate > 1024)
    throw error(errc::invalid_input, "--sa-sample-rate must be at most 1024");
  set_common_options(given, options);
  weft::run_info used;
  options.run.info = &used;
  const bool on_gpu = options.run.device.kind != device_kind::cpu && !known_gpus().devices.empty();
  collection references = read_references(given.inputs, reading_limits(limit, on_gpu));
  options.run.memory = memory_left(given.size("memory"), references.size_in_memory());
  const std::string alphabet = given.value("alphabet");
  options.alphabet = alphabet == "dna"       ? fm_alphabet::dna
                     : alphabet == "protein" ? fm_alphabet::protein
                     : alphabet == "bytes"   ? fm_alphabet::bytes
                                             : guess_alphabet(references.text, options.run.threads);
  if (options.alphabet == fm_alphabet::dna) replace_u_by_t(references.text, options.run.threads);
  {
    const progress_line progress(given, "weft index", 1, "residues");
    const fm_index index = fm_index::build({references.text, references.offsets, references.names}, options);
    io::output_file out(given.value("output"));
    out.write({index.bytes().data(), index.bytes().size()});
    out.commit();
  }
  if (!given.has("quiet")) say(remarks(references));
  closing_line(given, time.seconds(),
               with_prefix(static_cast<double>(references.text.size()) / time.seconds()) + "residues/s",
               fmt::format("suffix-sort, alphabet {}", name_of(options.alphabet)), gpu_of(used));
  return 0;
}

} // namespace weft::cli
