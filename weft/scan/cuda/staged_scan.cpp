#include <weft/scan/cuda/staged_scan.hpp>

#include <algorithm>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>
#include <weft/base/stages.hpp>
#include <weft/scan/core/match_keys.hpp>
#include <weft/scan/core/pieces.hpp>
#include <weft/scan/cuda/resident_scan.hpp>
#include <weft/scan/entry/match_list.hpp>

namespace weft::scan_cuda {

using namespace scan_detail;

namespace {

// Of sixteen parts of the device's memory a text gets one and a scan four, its matches among them. In stages
// there are three texts at most (one comes, one waits, one is being scanned) and what three scans have (one
// is at work, the matches of one wait, those of one are being appended): fifteen parts. Where nothing is at
// the same time there are one text and one scan, which may have twelve.
constexpr std::uint64_t parts = 16, scan_parts = 4, alone_parts = 12;

// A scan takes 4 MiB, and what the engine has beside the text, less than that where memory is little. By a
// residue it takes 2.4 bytes for the text, and 10 for occurrences and their matches where there are 0.1 of
// them: 16 leave something over.
constexpr std::uint64_t fixed_bytes = std::uint64_t{8} << 20, residue_bytes = 16;
constexpr std::uint64_t min_piece = std::uint64_t{1} << 16;

struct text_there {
  sequence_range which;
  gpu::device_buffer<unsigned char> residues;
  gpu::device_buffer<std::uint64_t> offsets;
};

struct matches_there {
  std::uint64_t residues; // that they are of
  gpu::scan_matches matches;
};

class piece_stages {
public:
  piece_stages(const motif_set::compiled& motifs, engine_place& place, const sequence_batch& sequences,
               const scan_options& options)
      : motifs_(motifs), place_(place), sequences_(sequences), options_(options),
        all_(sequences.residues.size(), options.threads) {}

  // limit: bytes of a scan.
  void run(const std::vector<sequence_range>& pieces, bool at_once, std::uint64_t limit);
  [[nodiscard]] match_vector take() { return all_.take(); }
  [[nodiscard]] std::uint64_t told() const { return told_; } // the monitor

private:
  [[nodiscard]] text_there upload(const sequence_range& which);
  [[nodiscard]] matches_there scan(const text_there& text);
  void append(const matches_there& found);
  void check() const {
    if (options_.monitor != nullptr) options_.monitor->check();
  }

  const motif_set::compiled& motifs_;
  engine_place& place_;
  const sequence_batch& sequences_;
  const scan_options& options_;
  gpu::scan_device_options device_options_;
  match_list all_;
  std::uint64_t told_ = 0;
};

void piece_stages::run(const std::vector<sequence_range>& pieces, bool at_once, std::uint64_t limit) {
  check();
  place_.make_ready(motifs_);
  device_options_ = {.rule = options_.rule,
                     .overlap = options_.overlap,
                     .included = options_.included,
                     .max_x = options_.max_x,
                     .strands = options_.strands,
                     .engine = options_.engine,
                     .device_memory = limit};
  if (!at_once) {
    for (const sequence_range& piece : pieces) append(scan(upload(piece)));
    return;
  }
  // The threads of the first two stages end with them: the device stays, also for what they free.
  const auto on_device = [this] { gpu::check(cudaSetDevice(place_.key.device), "choose the GPU"); };
  const auto upload_piece = [&](std::uint64_t i) {
    on_device();
    return upload(pieces[i]);
  };
  const auto scan_piece = [&](const text_there& text) {
    on_device();
    return scan(text);
  };
  run_stages(pieces.size(), upload_piece, scan_piece, [this](const matches_there& found) { append(found); });
}

// Returns when it is there.
text_there piece_stages::upload(const sequence_range& which) {
  const cudaStream_t stream = place_.upload.get();
  const std::span<const std::uint64_t> all = sequences_.offsets;
  const std::uint64_t begin = all[which.first], size = all[which.last] - begin;
  std::vector<std::uint64_t> offsets(all.begin() + static_cast<std::ptrdiff_t>(which.first),
                                     all.begin() + static_cast<std::ptrdiff_t>(which.last) + 1);
  for (std::uint64_t& offset : offsets) offset -= begin;
  text_there text{which, {size, stream}, {offsets.size(), stream}};
  const auto copy = [&](void* d_to, const void* from, std::uint64_t bytes) {
    if (bytes < gpu::staged_copy::piece_bytes)
      return gpu::copy(static_cast<std::byte*>(d_to), static_cast<const std::byte*>(from), bytes, stream,
                       "copy sequences to the GPU");
    place_.uploading.to_device(d_to, from, bytes, stream, options_.threads);
  };
  copy(text.residues.data(), sequences_.residues.data() + begin, size);
  copy(text.offsets.data(), offsets.data(), offsets.size() * sizeof(std::uint64_t));
  place_.upload.wait();
  return text;
}

matches_there piece_stages::scan(const text_there& text) {
  const cudaStream_t stream = place_.work.get();
  const gpu::quiet_at_end quiet(stream); // the text is not read any more
  const gpu::scan_text there{text.residues.data(), text.residues.size(), text.offsets.data(),
                             text.which.last - text.which.first};
  return {there.size, resident_scan(motifs_, place_, there, device_options_, stream,
                                    static_cast<std::uint32_t>(text.which.first))
                          .run()};
}

void piece_stages::append(const matches_there& found) {
  check();
  const cudaStream_t stream = place_.download.get();
  const gpu::quiet_at_end quiet(stream); // the matches are not read any more
  const std::span<scan_match> to = all_.append(found.residues, found.matches.count());
  if (to.size_bytes() < gpu::staged_copy::piece_bytes)
    gpu::copy(to.data(), found.matches.data(), to.size(), stream, "copy matches from the GPU");
  else
    place_.staging.from_device(to.data(), found.matches.data(), to.size_bytes(), stream, options_.threads);
  place_.download.wait();
  const std::uint64_t strands = options_.strands == strand_choice::both ? 2 : 1;
  if (options_.monitor != nullptr) options_.monitor->add(found.residues * strands);
  told_ += found.residues * strands;
}

} // namespace

std::optional<match_vector> staged_scan(const motif_set::compiled& motifs, const engine_key& key,
                                        const sequence_batch& sequences, const scan_options& options,
                                        std::uint64_t preferred_piece) {
  const gpu::device_scope scope(key.device);
  engine_place& place = motifs.gpu_engines->at(key);
  const std::lock_guard lock(place.busy);
  const std::uint64_t part = gpu::device_memory_allowed(options.device_memory) / parts;
  if (scan_parts * part <= fixed_bytes) return std::nullopt;
  const std::uint64_t room = std::max((scan_parts * part - fixed_bytes) / residue_bytes, min_piece);
  const std::vector<sequence_range> pieces =
      cut_between_sequences(sequences, std::min(preferred_piece, room), part);
  const auto has_keys = [&](const sequence_range& piece) {
    const std::uint64_t residues = sequences.offsets[piece.last] - sequences.offsets[piece.first];
    return match_keys::made_for(motifs.motifs.size(), residues).bits(piece.last - piece.first) <=
           match_keys::max_bits;
  };
  if (pieces.empty() || !std::all_of(pieces.begin(), pieces.end(), has_keys)) return std::nullopt;
  const bool at_once = pieces.size() > 1 && thread_count(options.threads) > 1;
  piece_stages stages(motifs, place, sequences, options);
  try {
    stages.run(pieces, at_once, part * (at_once ? scan_parts : alone_parts));
    return stages.take();
  } catch (const memory_error&) {
    if (options.monitor != nullptr) options.monitor->take_back(stages.told());
    return std::nullopt;
  }
}

} // namespace weft::scan_cuda
