#include <weft/files/ranks/rank_sort.hpp>

#include <algorithm>
#include <utility>
#include <weft/files/ranks/rank_lines.hpp>

namespace weft::files {

namespace {

// Returns how lines are sent with a quarter of the memory. A rank holds, in blocks: its own, what it sends of
// it, and up to one of each rank that it receives; and up to four that describe lines of a few bytes. Rank 0
// holds up to four that it reads.
rank_lines::settings exchange_settings(const sort_settings& settings, const sort_inputs& inputs,
                                       int num_ranks) {
  constexpr std::uint64_t min_block = std::uint64_t{1} << 14, max_block = std::uint64_t{8} << 20,
                          max_sample = std::uint64_t{64} << 20, other_blocks = 10;
  const std::uint64_t memory = settings.merging.memory / 4;
  rank_lines::settings how{.order = settings.order};
  how.blocks.terminator = inputs.terminator();
  how.blocks.block_bytes =
      std::clamp(memory / (static_cast<std::uint64_t>(num_ranks) + other_blocks), min_block, max_block);
  how.blocks.sample_bytes = std::min(memory, max_sample);
  how.blocks.memory_limit = settings.memory_limit;
  how.blocks.memory_option = settings.merging.memory_option;
  how.unique = settings.merging.unique;
  how.threads = settings.sorting.run.threads;
  return how;
}

} // namespace

sort_report sort_files(multi::communicator& ranks, sort_inputs& inputs, sort_settings settings,
                       rank_output& out, const line_sink& write) {
  const rank_lines::settings how = exchange_settings(settings, inputs, ranks.size());
  rank_lines lines(ranks, inputs, how); // destroyed after fail(), because a thread of rank 0 may be sending
  try {
    const bool reads_for_all = !lines.is_mapped() && ranks.rank() == 0;
    if (!reads_for_all) settings.decoder_memory = 0;
    settings.merging.memory -= settings.merging.memory / 4 + (reads_for_all ? how.blocks.sample_bytes : 0);
    settings.merging.memory = std::max(settings.merging.memory, std::uint64_t{1} << 16);
    bool has_begun = false;
    // The size is known when all lines have come, unless some are left out.
    const auto begin = [&] {
      if (!has_begun) out.begin_turn(how.unique ? std::nullopt : std::optional(lines.received_bytes()));
      has_begun = true;
    };
    std::unique_ptr<io::byte_source> text = lines.open();
    sort_report done =
        sort_texts({[&] { return std::exchange(text, nullptr); }}, settings, [&](std::string_view sorted) {
          begin();
          write(sorted);
        });
    begin();
    out.end_turn();
    out.wait_for_turns();
    done.bytes = multi::reduce_number(ranks, done.bytes, multi::reduction::sum);
    return done;
  } catch (...) {
    out.fail(std::current_exception());
    throw;
  }
}

} // namespace weft::files
