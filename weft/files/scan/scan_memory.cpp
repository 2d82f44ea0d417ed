#include <weft/files/scan/scan_memory.hpp>

#include <algorithm>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>

namespace weft::files {

namespace {

constexpr std::uint64_t kibi = std::uint64_t{1} << 10, mebi = std::uint64_t{1} << 20;

// A worker has a chunk of `residues` residues, their names, at most four times as many residues for a last
// record, and the reverse complement of these: a sixth of its share. The matches of a part take 1/16, those
// that wait to be sorted 1/8, and its text, the text that waits for its turn and the text written before
// 1/16. Without a limit, a chunk is eight tiles of the engine, less a protein or two, because the last record
// is whole, and a chunk that is a little longer than its tiles takes another tile.
scan_memory::worker_share worker_share_of(std::uint64_t limit, int threads) {
  constexpr std::uint64_t residues = 255 * kibi;
  const auto members = static_cast<std::uint64_t>(thread_count(threads));
  scan_memory::worker_share each{static_cast<int>(members), residues, mebi,    8 * mebi,
                                 {16 * mebi, mebi},         0,        2 * mebi};
  each.max_matches = memory_limit(limit) / 8 / members / sizeof(scan_match);
  if (limit == 0) return each;
  const std::uint64_t workers = std::clamp<std::uint64_t>(limit / (16 * mebi), 1, members),
                      share = limit / workers;
  each.workers = static_cast<int>(workers);
  each.residues = std::clamp(share / 64, 16 * kibi, residues);
  each.min_long_record = each.max_long_record = 4 * each.residues;
  each.parts.residues = std::clamp(share / 512, 16 * kibi, 2 * mebi);
  each.parts.matches = std::clamp(share / 1024, kibi, mebi);
  each.max_matches = std::clamp(share / 256, kibi, mebi / 4);
  each.text_bytes = std::clamp(share / 64, 64 * kibi, 2 * mebi);
  return each;
}

} // namespace

scan_memory divide_memory(std::uint64_t limit, int threads, std::uint64_t copies) {
  constexpr std::size_t max_blocks = 32;
  constexpr std::uint64_t min_residues = std::uint64_t{1} << 16; // minimum residues of a chunk for a GPU
  const auto members = static_cast<std::uint64_t>(thread_count(threads));
  scan_memory memory{
      worker_share_of(limit, threads), mebi, 8 * mebi, 0, {2 * members * mebi, mebi}, 0, 0, limit, 0};
  memory.max_read_ahead = std::min(256 * mebi, memory_limit(limit) / 8);
  memory.num_blocks = std::min<std::size_t>(2 * members, max_blocks);
  memory.max_matches = memory_limit(limit) / 8 / sizeof(scan_match);
  // A chunk for a GPU gets limit / 128 residues, because four are in memory, with their names, and the one
  // that is scanned also with its reverse complement. A match takes 32 bytes, so the matches of a part take
  // 1/32 of the limit and those that wait to be sorted 1/16. The text blocks of a chunk take 1/64. Only a
  // record that is long may take nearly all of the limit, because it is alone in memory. Therefore nothing is
  // read ahead.
  if (limit != 0) {
    memory.max_read_ahead = 0;
    memory.max_residues = std::clamp(limit / 128, min_residues, 8 * mebi);
    memory.first_residues = std::min(memory.max_residues, mebi);
    memory.parts.residues = std::clamp(limit / 1024, mebi / 64, mebi / 4);
    memory.parts.matches = std::clamp(limit / 1024, mebi / 1024, mebi / 16);
    memory.max_matches = std::clamp(limit / 512, mebi / 1024, mebi / 4);
    memory.num_blocks = std::clamp<std::size_t>(limit / 64 / block_bytes, 1, memory.num_blocks);
    memory.max_record = std::max(limit, 16 * mebi) / 16 * 15 / copies;
  }
  return memory;
}

void set_chunk_residues(scan_memory& memory, std::uint64_t residues) {
  memory.first_residues = memory.max_residues = residues;
  memory.each.residues = memory.each.min_long_record = memory.each.max_long_record = residues;
}

} // namespace weft::files
