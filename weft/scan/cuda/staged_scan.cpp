// A scan in stages: the batch is cut into pieces of whole sequences. Each piece is uploaded, scanned as
// weft::gpu::scan does, and its matches are downloaded. The three stages run at the same time, each on a
// different piece:
//
//   upload piece k + 1 | scan piece k | append the matches of piece k - 1 (in the caller's thread)
//
// Pieces are processed in order and matches are sorted by sequence first, so the matches of the pieces are
// simply appended.
#include <weft/scan/cuda/host_scan.hpp>

#include <algorithm>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>
#include <weft/base/stages.hpp>
#include <weft/scan/core/match_keys.hpp>
#include <weft/scan/core/pieces.hpp>
#include <weft/scan/cuda/resident_scan.hpp>
#include <weft/scan/entry/match_list.hpp>

namespace weft::scan_detail {

namespace {

// How the allowed device memory is divided. Of 16 equal shares, a text takes 1 and a scan, including its
// matches, takes 4. When the stages overlap, there are at most three texts (one being uploaded, one waiting,
// one being scanned) and the memory of three scans (one running, the matches of one waiting, the matches of
// one being appended): 15 shares. When they do not overlap, there is one text and one scan, and the scan may
// take 12 shares.
constexpr std::uint64_t memory_shares = 16, shares_per_scan = 4, shares_of_lone_scan = 12;

// Device memory of a scan. fixed_bytes covers the 4 MiB of resident_scan and what the engine needs beside the
// text, which is less than another 4 MiB if memory is scarce. A residue takes 2.4 bytes for the text and 10
// bytes for occurrences and matches if there are 0.1 occurrences per residue; 16 bytes leave a margin.
constexpr std::uint64_t fixed_bytes = std::uint64_t{8} << 20, residue_bytes = 16;
constexpr std::uint64_t min_piece = std::uint64_t{1} << 16;

// A piece of the batch in device memory.
struct device_piece {
  sequence_range which;
  gpu::device_buffer<char> residues;
  gpu::device_buffer<std::uint64_t> offsets;
};

// The matches of a piece in device memory.
struct device_matches {
  std::uint64_t residues; // number of residues that were scanned
  gpu::scan_matches matches;
};

// The three stages of a scan, and the matches so far.
class piece_stages {
public:
  piece_stages(const motif_set::compiled& motifs, searcher_context& context, const sequences_view& sequences,
               const scan_options& options, match_vector spare)
      : motifs_(motifs), context_(context), sequences_(sequences), options_(options),
        all_(sequences.data.size(), options.run.threads, std::move(spare)) {}

  // Scans all pieces, with overlapping stages if `overlap_stages`. `limit`: bytes of device memory for one
  // scan.
  void run(const std::vector<sequence_range>& pieces, bool overlap_stages, std::uint64_t limit);
  [[nodiscard]] match_vector take() { return all_.take(); }
  // Returns the number of residues that have been reported to the monitor.
  [[nodiscard]] std::uint64_t reported_residues() const { return reported_residues_; }

private:
  [[nodiscard]] device_piece upload(const sequence_range& which);
  [[nodiscard]] device_matches scan(const device_piece& text);
  void append(const device_matches& found);

  const motif_set::compiled& motifs_;
  searcher_context& context_;
  const sequences_view& sequences_;
  const scan_options& options_;
  scan_options piece_options_; // for one piece
  match_list all_;
  std::uint64_t reported_residues_ = 0;
};

void piece_stages::run(const std::vector<sequence_range>& pieces, bool overlap_stages, std::uint64_t limit) {
  base_detail::check_cancelled(options_.run);
  context_.make_ready(motifs_);
  piece_options_ = options_;
  piece_options_.run.device_memory = limit;
  if (!overlap_stages) {
    for (const sequence_range& piece : pieces) append(scan(upload(piece)));
    return;
  }
  // The first two stages run in threads of their own, which end with their stage. Each of them makes the
  // device current and leaves it so, because the results of a stage may be freed in its thread.
  const auto on_device = [this] { gpu::check(cudaSetDevice(context_.key.device), "choose the GPU"); };
  const auto upload_piece = [&](std::uint64_t i) {
    on_device();
    return upload(pieces[i]);
  };
  const auto scan_piece = [&](const device_piece& text) {
    on_device();
    return scan(text);
  };
  run_stages(pieces.size(), upload_piece, scan_piece, [this](const device_matches& found) { append(found); });
}

// Copies a range of sequences to the device, and waits for the copy.
device_piece piece_stages::upload(const sequence_range& which) {
  const cudaStream_t stream = context_.upload.get();
  const std::span<const std::uint64_t> all = sequences_.offsets;
  const std::uint64_t begin = all[which.first], size = all[which.last] - begin;
  std::vector<std::uint64_t> offsets(all.begin() + static_cast<std::ptrdiff_t>(which.first),
                                     all.begin() + static_cast<std::ptrdiff_t>(which.last) + 1);
  for (std::uint64_t& offset : offsets) offset -= begin;
  device_piece text{which, {size, stream}, {offsets.size(), stream}};
  const auto copy = [&](void* d_to, const void* from, std::uint64_t bytes) {
    if (bytes < gpu::staged_copy::piece_bytes)
      return gpu::copy(static_cast<std::byte*>(d_to), static_cast<const std::byte*>(from), bytes, stream,
                       "copy sequences to the GPU");
    context_.uploading.to_device(d_to, from, bytes, stream, options_.run.threads);
  };
  copy(text.residues.data(), sequences_.data.data() + begin, size);
  copy(text.offsets.data(), offsets.data(), offsets.size() * sizeof(std::uint64_t));
  context_.upload.wait();
  return text;
}

device_matches piece_stages::scan(const device_piece& text) {
  const cudaStream_t stream = context_.work.get();
  const gpu::quiet_at_end quiet(stream); // waits: the text may be freed afterwards
  const gpu::sequences_view text_view{text.residues.data(), text.offsets.data(),
                                      text.which.last - text.which.first, text.residues.size()};
  return {text_view.size, resident_scan(motifs_, context_, text_view, piece_options_, stream,
                                        static_cast<std::uint32_t>(text.which.first))
                              .run()};
}

void piece_stages::append(const device_matches& found) {
  base_detail::check_cancelled(options_.run);
  const cudaStream_t stream = context_.download.get();
  const gpu::quiet_at_end quiet(stream); // waits: the matches may be freed afterwards
  const std::span<scan_match> to = all_.append(found.residues, found.matches.count());
  if (to.size_bytes() < gpu::staged_copy::piece_bytes)
    gpu::copy(to.data(), found.matches.data(), to.size(), stream, "copy matches from the GPU");
  else
    context_.staging.from_device(to.data(), found.matches.data(), to.size_bytes(), stream,
                                 options_.run.threads);
  context_.download.wait();
  const std::uint64_t work = found.residues * (options_.strands == strand_choice::both ? 2 : 1);
  base_detail::add_work(options_.run, work);
  reported_residues_ += work;
}

} // namespace

std::optional<match_vector> staged_scan(const motif_set::compiled& motifs, const searcher_key& key,
                                        const sequences_view& sequences, const scan_options& options,
                                        std::uint64_t preferred_piece, match_vector spare) {
  const gpu::device_scope scope(key.device);
  searcher_context& context = motifs.gpu_searchers->at(key);
  const std::lock_guard lock(context.busy);
  const std::uint64_t share = gpu::device_memory_allowed(options.run.device_memory) / memory_shares;
  if (shares_per_scan * share <= fixed_bytes) return std::nullopt;
  const std::uint64_t max_residues =
      std::max((shares_per_scan * share - fixed_bytes) / residue_bytes, min_piece);
  const std::vector<sequence_range> pieces =
      cut_between_sequences(sequences, std::min(preferred_piece, max_residues), share);
  const auto has_keys = [&](const sequence_range& piece) {
    const std::uint64_t residues = sequences.offsets[piece.last] - sequences.offsets[piece.first];
    return match_keys::made_for(motifs.motifs.size(), residues).bits(piece.last - piece.first) <=
           match_keys::max_bits;
  };
  if (pieces.empty() || !std::all_of(pieces.begin(), pieces.end(), has_keys)) return std::nullopt;
  const bool overlap_stages = pieces.size() > 1 && thread_count(options.run.threads) > 1;
  piece_stages stages(motifs, context, sequences, options, std::move(spare));
  try {
    stages.run(pieces, overlap_stages, share * (overlap_stages ? shares_per_scan : shares_of_lone_scan));
    return stages.take();
  } catch (const memory_error&) {
    if (options.run.monitor != nullptr) options.run.monitor->take_back(stages.reported_residues());
    return std::nullopt;
  }
}

} // namespace weft::scan_detail
