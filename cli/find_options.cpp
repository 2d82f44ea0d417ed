#include <cli/find_options.hpp>

#include <algorithm>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>

namespace weft::cli {

namespace {

constexpr std::uint64_t mebi = std::uint64_t{1} << 20;

} // namespace

memory_shares::memory_shares(const find_options& options) {
  const std::uint64_t memory = memory_limit(options.memory);
  const bool on_gpu = options.search.run.device.kind == device_kind::gpu;
  const auto available = static_cast<std::uint64_t>(on_gpu ? 2 : thread_count(options.search.run.threads));
  const std::uint64_t members = std::clamp<std::uint64_t>(memory / (32 * mebi), 1, available);
  threads = static_cast<int>(members);
  batch_bytes = on_gpu ? 4 * mebi : std::clamp<std::uint64_t>(memory / members / 64, mebi / 16, mebi / 2);
  block_hits = std::clamp<std::uint64_t>(memory / members / 256, 1 << 12, 1 << 18);
  thread_hits = memory / 2 / members / bytes_of_hit;
  large_hits = memory / 2 / bytes_of_hit;
}

std::uint64_t max_pattern_bytes(const find_options& options) {
  // Copies of a pattern in memory: as read, as searched, as a name, in rows.
  constexpr std::uint64_t copies = 16;
  const memory_shares shares(options);
  return std::max<std::uint64_t>(
      memory_limit(options.memory) / static_cast<std::uint64_t>(shares.threads) / copies, mebi / 16);
}

} // namespace weft::cli
