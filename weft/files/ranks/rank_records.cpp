#include <weft/files/ranks/rank_records.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <weft/base/byte_counts.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/files/find/patterns.hpp>
#include <weft/files/ranks/rank_input.hpp>

namespace weft::files {

namespace {

using numbers = std::vector<std::uint64_t>;

// A record while it travels between ranks: its number among all records, and the size of its letters and of
// its name.
struct record_sizes {
  std::uint64_t number, letters, name;
};

// The records that a rank has read, and for each round how many these are and how many letters they have.
struct read_records {
  std::string text, names; // each end to end
  std::vector<record_sizes> records;
  std::vector<std::array<std::uint64_t, 2>> rounds;
};

// The references that a rank can index within some memory (index_files.cpp): their letters, and what is read
// at once.
struct share_limits {
  explicit share_limits(std::uint64_t limit)
      : memory(limit), letters(std::max<std::uint64_t>(limit / 3, 1)),
        chunk(std::clamp<std::uint64_t>(limit / 32, std::uint64_t{1} << 16, std::uint64_t{1} << 24)) {}
  void check(const std::string& path, std::uint64_t num_letters, std::uint64_t name_bytes) const {
    if (num_letters <= letters && name_bytes <= memory / 2) return;
    throw memory_error(fmt::format(
        "{}: the share of this rank in the references, {} residues, does not fit in {} of memory: "
        "allow more memory, or use more ranks",
        path, num_letters, format_size(memory)));
  }
  std::uint64_t memory, letters, chunk;
};

// Reads the records of all rounds. If a rank fails, the others may wait for it: so all of them fail.
read_records read_rounds(multi::communicator& ranks, const std::string& path, const share_limits& limits) {
  read_records own;
  try {
    rank_input input(ranks, {path}, limits.memory, limits.letters, nullptr);
    for (io::sequence_chunk chunk; input.read(chunk, limits.chunk, 1);) {
      for (std::uint64_t i = 0; i < chunk.count(); ++i) {
        own.records.push_back({0, chunk.offsets[i + 1] - chunk.offsets[i], chunk.names[i].size()});
        own.names += chunk.names[i];
      }
      own.rounds.push_back({chunk.count(), chunk.residues.size()});
      reserve_within(own.text, own.text.size() + chunk.residues.size(), limits.letters);
      own.text += chunk.residues;
      limits.check(path, own.text.size(), own.names.size() + own.records.size() * sizeof(record_sizes));
    }
  } catch (...) {
    ranks.fail(multi::describe_failure(std::current_exception(), ranks.rank()));
    throw;
  }
  return own;
}

// Numbers the records of this rank, and returns for each rank the number of its records here. The records are
// in the order of rounds, and of ranks within a round.
numbers assign_records(multi::communicator& ranks, read_records& own) {
  const auto num_ranks = static_cast<std::size_t>(ranks.size()),
             self = static_cast<std::size_t>(ranks.rank());
  std::vector<std::array<std::uint64_t, 2>> all(num_ranks * own.rounds.size());
  const numbers sizes(num_ranks, own.rounds.size() * sizeof(own.rounds[0]));
  ranks.all_gather(std::as_bytes(std::span(own.rounds)), sizes, std::as_writable_bytes(std::span(all)));
  std::uint64_t total = 0, before = 0, first = 0; // letters of all, letters and records before a round's own
  for (const auto& [records, letters] : all) total += letters;
  numbers counts(num_ranks);
  std::size_t next = 0;
  for (std::size_t round = 0; round < own.rounds.size(); ++round)
    for (std::size_t rank = 0; rank < num_ranks; ++rank) {
      const auto [records, letters] = all[rank * own.rounds.size() + round];
      std::uint64_t begin = before;
      for (std::uint64_t i = 0; rank == self && i < records; ++i, ++next) {
        own.records[next].number = first + i;
        const std::uint64_t end = begin + own.records[next].letters;
        ++counts[rank_of_record(begin, end, total, ranks.size())];
        begin = end;
      }
      before += letters;
      first += records;
    }
  return counts;
}

// Sends each rank its part of `items`, of sizes[r] items for rank r, and returns what comes, with the number
// of items from each rank in `sizes`.
template <class Items> Items exchange(multi::communicator& ranks, const Items& items, numbers& sizes) {
  constexpr std::uint64_t bytes_of_item = sizeof(typename Items::value_type);
  numbers sent(sizes), received(sizes.size());
  const numbers eights(sizes.size(), sizeof(std::uint64_t));
  for (std::uint64_t& size : sent) size *= bytes_of_item;
  ranks.all_to_all(std::as_bytes(std::span(sent)), eights, std::as_writable_bytes(std::span(received)),
                   eights);
  Items result;
  result.resize(std::accumulate(received.begin(), received.end(), std::uint64_t{0}) / bytes_of_item);
  ranks.all_to_all(std::as_bytes(std::span(items)), sent, std::as_writable_bytes(std::span(result)),
                   received);
  for (std::size_t r = 0; r < sizes.size(); ++r) sizes[r] = received[r] / bytes_of_item;
  return result;
}

// Sends all records to their ranks. Those that this rank gets are in the order of the ranks that have read
// them.
read_records exchange_records(multi::communicator& ranks, read_records own, numbers counts) {
  numbers letters(counts.size()), name_bytes(counts.size());
  for (std::size_t rank = 0, next = 0; rank < counts.size(); ++rank)
    for (std::uint64_t i = 0; i < counts[rank]; ++i, ++next) {
      letters[rank] += own.records[next].letters;
      name_bytes[rank] += own.records[next].name;
    }
  read_records result;
  result.records = exchange(ranks, own.records, counts);
  result.names = exchange(ranks, own.names, name_bytes);
  result.text = exchange(ranks, own.text, letters);
  return result;
}

// Returns records in the order of their numbers.
reference_set in_order(const read_records& from) {
  struct located {
    std::uint64_t number, letters, text_begin, name, name_begin;
  };
  std::vector<located> records;
  std::uint64_t text_begin = 0, name_begin = 0;
  for (const record_sizes& each : from.records) {
    records.push_back({each.number, each.letters, text_begin, each.name, name_begin});
    text_begin += each.letters;
    name_begin += each.name;
  }
  std::sort(records.begin(), records.end(),
            [](const located& a, const located& b) { return a.number < b.number; });
  reference_set result;
  result.name_bytes = from.names.size();
  result.text.reserve(from.text.size());
  for (const located& each : records) {
    result.text.append(from.text, each.text_begin, each.letters);
    result.offsets.push_back(result.text.size());
    result.names.push_back(from.names.substr(each.name_begin, each.name));
  }
  return result;
}

// Guesses the alphabet from the letters of all ranks.
fm_alphabet guess_common_alphabet(multi::communicator& ranks, std::string_view text, int threads) {
  std::array<std::uint64_t, 256> counts = count_bytes(text, threads);
  ranks.all_reduce(counts, multi::reduction::sum);
  return guess_alphabet(counts);
}

} // namespace

std::uint64_t rank_of_record(std::uint64_t begin, std::uint64_t end, std::uint64_t total, int num_ranks) {
  const auto count = static_cast<std::uint64_t>(num_ranks);
  const std::uint64_t middle = begin + (end - begin) / 2;
  return total == 0 ? 0 : std::min(middle * count / total, count - 1);
}

reference_set read_own_records(multi::communicator& ranks, const std::string& path, std::uint64_t memory) {
  const share_limits limits(memory);
  read_records own = read_rounds(ranks, path, limits);
  numbers counts = assign_records(ranks, own);
  const read_records share = exchange_records(ranks, std::move(own), std::move(counts));
  reference_set result;
  multi::run_together(ranks, [&] {
    limits.check(path, share.text.size(), share.names.size());
    result = in_order(share);
  });
  return result;
}

fm_index build_own_index(multi::communicator& ranks, const std::string& path, fm_build_options options,
                         std::uint64_t memory) {
  multi::run_together(ranks, [&] {
    if (ranks.rank() == 0 && is_index(path))
      throw error(
          errc::invalid_input,
          fmt::format("{} is an index, which cannot be split: give the sequences from which it was made, "
                      "or leave out --split-index",
                      path));
  });
  reference_set references = read_own_records(ranks, path, memory_limit(memory));
  options.alphabet = guess_common_alphabet(ranks, references.text, options.run.threads);
  if (options.alphabet == fm_alphabet::dna) replace_u_by_t(references.text, options.run.threads);
  options.run.memory = memory_left(memory, references.size_in_memory());
  std::optional<fm_index> index;
  multi::run_together(ranks, [&] { index = fm_index::build(references, options); });
  return *std::move(index);
}

} // namespace weft::files
