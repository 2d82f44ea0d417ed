#include <weft/files/ranks/split_index.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <fmt/format.h>
#include <span>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/bwt/core/fm_parts.hpp>
#include <weft/files/find/index_files.hpp>
#include <weft/files/find/near_changes.hpp>
#include <weft/files/ranks/rank_bytes.hpp>

namespace weft::files {

namespace {

using numbers = std::vector<std::uint64_t>;

constexpr std::uint64_t mebi = std::uint64_t{1} << 20;
constexpr std::uint64_t bytes_of_near_hit = 106; // as fm_index::locate_near()

std::uint64_t sum_of_ranks_before(multi::communicator& ranks, std::uint64_t number) {
  ranks.exclusive_scan({&number, 1});
  return number;
}

// A list of items for each pattern: those of pattern p are items[offsets[p], offsets[p + 1]).
template <class Item> struct items_of_patterns {
  std::vector<Item> items;
  numbers offsets{0};
};

// Returns the items of all ranks on rank `to`, in the order of ranks.
template <class Item>
std::vector<items_of_patterns<Item>> gather(multi::communicator& ranks, items_of_patterns<Item> own, int to) {
  if (ranks.rank() != to) {
    multi::send_items(ranks, own.offsets, to);
    multi::send_items(ranks, own.items, to);
    return {};
  }
  std::vector<items_of_patterns<Item>> all(static_cast<std::size_t>(ranks.size()));
  all[static_cast<std::size_t>(to)] = std::move(own);
  for (int rank = 0; rank < ranks.size(); ++rank) {
    if (rank == to) continue;
    multi::receive_items(ranks, all[static_cast<std::size_t>(rank)].offsets, rank);
    multi::receive_items(ranks, all[static_cast<std::size_t>(rank)].items, rank);
  }
  return all;
}

} // namespace

split_index::split_index(multi::communicator& ranks, const fm_index& own, const find_options& options)
    : ranks_(ranks.duplicate()), own_(own, origin_bytes(options)),
      first_record_(sum_of_ranks_before(ranks, own.num_records())), suffixes_(*ranks_, own, first_record_),
      search_(options.search), near_(options.near.value_or(near_options())), memory_(options.memory) {
  search_.run.monitor = nullptr; // the search counts the patterns
  if (search_.run.device.kind != device_kind::gpu) search_.run.device = {device_kind::cpu};
  near_.both_strands = options.both_strands;
  near_.max_hits = options.count ? 0 : options.search.max_hits;
  near_.run.device = {device_kind::cpu};
  near_.run.threads = options.search.run.threads;
  std::array sums = {own.num_symbols(), own.parts().num_rows - own.parts().segments.size()};
  ranks.all_reduce(sums, multi::reduction::sum);
  num_letters_ = sums[0];
  num_bases_ = sums[1];
  gather_records();
}

void split_index::start() {
  if (!rounds_) rounds_.emplace(*ranks_, [this](const request& about) { help(about); });
}

void split_index::gather_records() {
  std::string names;
  numbers name_sizes, lengths;
  for (std::uint64_t r = 0; r < own_.num_records(); ++r) {
    names += own_.name(r);
    name_sizes.push_back(own_.name(r).size());
    lengths.push_back(own_.length(r));
  }
  names_ = multi::gather_items(*ranks_, names).items;
  lengths_ = multi::gather_items(*ranks_, lengths).items;
  for (const std::uint64_t size : multi::gather_items(*ranks_, name_sizes).items)
    name_offsets_.push_back(name_offsets_.back() + size);
}

std::string_view split_index::name(std::uint64_t record) const {
  return std::string_view(names_).substr(name_offsets_[record],
                                         name_offsets_[record + 1] - name_offsets_[record]);
}

std::string split_index::notes() const {
  std::vector<std::string_view> names;
  for (std::uint64_t r = 0; r < num_records(); ++r) names.push_back(name(r));
  return notes_on_references(std::move(names), num_letters_, num_bases_, alphabet());
}

template <class Answer>
auto split_index::ask_all(request about, const sequences_view& patterns, const Answer& answer_of) {
  about.asker = ranks_->rank();
  about.text_size = patterns.data.size();
  about.num_offsets = patterns.offsets.size();
  decltype(answer_of(about)) result;
  rounds_->ask(about, [&] {
    // This rank has the patterns, which are only read.
    broadcast_patterns(about, const_cast<char*>(patterns.data.data()),
                       const_cast<std::uint64_t*>(patterns.offsets.data()));
    result = answer_of(about);
  });
  return result;
}

void split_index::finish() {
  if (rounds_) rounds_->finish();
}

void split_index::fail(const std::exception_ptr& fault) noexcept {
  ranks_->fail(multi::describe_failure(fault, ranks_->rank()));
}

void split_index::broadcast_patterns(const request& about, char* text, std::uint64_t* offsets) {
  ranks_->broadcast(std::as_writable_bytes(std::span(text, about.text_size)), about.asker);
  ranks_->broadcast(std::as_writable_bytes(std::span(offsets, about.num_offsets)), about.asker);
}

void split_index::help(const request& about) {
  text_.resize(about.text_size);
  offsets_.resize(about.num_offsets);
  broadcast_patterns(about, text_.data(), offsets_.data());
  const sequences_view patterns{text_, offsets_};
  search_.run.info = nullptr;
  switch (about.what) {
  case question::count:
  case question::count_over_origins:
    (void)answer_count(patterns, about.what == question::count_over_origins);
    break;
  case question::locate:
    (void)answer_locate(patterns, about);
    break;
  case question::locate_over_origins:
    (void)answer_over_origins(patterns, about);
    break;
  case question::locate_near:
    (void)answer_near(patterns, about);
    break;
  }
}

numbers split_index::count(const sequences_view& patterns, const fm_search_options& options) {
  return ask_all({question::count}, patterns, [&](const request&) {
    search_.run.info = options.run.info;
    return answer_count(patterns, false);
  });
}

numbers split_index::count_over_origins(std::string_view text, std::span<const std::uint64_t> offsets) {
  const sequences_view patterns{text, offsets};
  return ask_all({question::count_over_origins}, patterns,
                 [&](const request&) { return answer_count(patterns, true); });
}

numbers split_index::answer_count(const sequences_view& patterns, bool over_origins) {
  numbers counts;
  multi::call_together(*ranks_, [&] {
    counts = over_origins ? own_.count_over_origins(patterns.data, patterns.offsets)
                          : own_.count(patterns, search_);
  });
  ranks_->all_reduce(counts, multi::reduction::sum);
  return counts;
}

fm_hits split_index::locate(const sequences_view& patterns, const fm_search_options& options,
                            bool all_or_none) {
  return ask_all({question::locate, options.max_hits, memory_limit(memory_) / 4, all_or_none}, patterns,
                 [&](const request& about) {
                   search_.run.info = options.run.info;
                   return answer_locate(patterns, about);
                 });
}

// After the first search, each rank has all of its hits of a pattern with at most max_hits hits on all ranks,
// and a single rank has those to list. The hits of the other patterns are found by their suffixes, unless the
// caller does not need them.
fm_hits split_index::answer_locate(const sequences_view& patterns, const request& about) {
  fm_hits own, all;
  search_.max_hits = about.max_hits;
  multi::call_together(*ranks_, [&] { own = own_.locate(patterns, search_, false); });
  all.totals = std::move(own.totals);
  ranks_->all_reduce(all.totals, multi::reduction::sum);
  sequences cut;
  numbers totals_of_cut;
  fm_hits own_of_cut;
  for (std::uint64_t p = 0; p < patterns.count(); ++p) {
    const auto begin = own.hits.begin() + static_cast<std::ptrdiff_t>(own.offsets[p]),
               end = own.hits.begin() + static_cast<std::ptrdiff_t>(own.offsets[p + 1]);
    if (all.totals[p] <= about.max_hits || ranks_->size() == 1) {
      all.hits.insert(all.hits.end(), begin, end);
    } else if (!about.all_or_none) {
      cut.add(patterns[p]);
      totals_of_cut.push_back(all.totals[p]);
      own_of_cut.hits.insert(own_of_cut.hits.end(), begin, end);
      own_of_cut.offsets.push_back(own_of_cut.hits.size());
    }
    all.offsets.push_back(all.hits.size());
  }
  own = {};
  all = merge(std::move(all), about.asker);
  if (totals_of_cut.empty()) return all;
  run_options run = search_.run;
  run.memory = std::max(memory_limit(memory_) / 2, 2 * mebi); // the search holds the other half
  const auto first =
      suffixes_.locate(cut, own_of_cut, totals_of_cut, about.max_hits, run, about.memory, about.asker);
  if (ranks_->rank() != about.asker) return all;
  fm_hits result;
  result.totals = std::move(all.totals);
  std::size_t next = 0; // of the patterns that were cut
  for (std::uint64_t p = 0; p < patterns.count(); ++p) {
    if (result.totals[p] > about.max_hits) {
      result.hits.insert(result.hits.end(), first[next].begin(), first[next].end());
      ++next;
    } else {
      result.hits.insert(result.hits.end(), all.hits.begin() + static_cast<std::ptrdiff_t>(all.offsets[p]),
                         all.hits.begin() + static_cast<std::ptrdiff_t>(all.offsets[p + 1]));
    }
    result.offsets.push_back(result.hits.size());
  }
  return result;
}

fm_hits split_index::locate_over_origins(std::string_view text, std::span<const std::uint64_t> offsets) {
  const sequences_view patterns{text, offsets};
  return ask_all({question::locate_over_origins}, patterns,
                 [&](const request& about) { return answer_over_origins(patterns, about); });
}

fm_hits split_index::answer_over_origins(const sequences_view& patterns, const request& about) {
  fm_hits own;
  multi::call_together(*ranks_, [&] { own = own_.locate_over_origins(patterns.data, patterns.offsets); });
  ranks_->all_reduce(own.totals, multi::reduction::sum);
  return merge(std::move(own), about.asker);
}

fm_hits split_index::merge(fm_hits own, int asker) {
  fm_hits result;
  result.totals = std::move(own.totals);
  for (fm_hit& hit : own.hits) hit.record += first_record_;
  const auto all = gather<fm_hit>(*ranks_, {std::move(own.hits), std::move(own.offsets)}, asker);
  for (std::uint64_t p = 0; !all.empty() && p < result.totals.size(); ++p) {
    for (const items_of_patterns<fm_hit>& part : all)
      result.hits.insert(result.hits.end(), part.items.begin() + static_cast<std::ptrdiff_t>(part.offsets[p]),
                         part.items.begin() + static_cast<std::ptrdiff_t>(part.offsets[p + 1]));
    result.offsets.push_back(result.hits.size());
  }
  return result;
}

near_rows split_index::locate_near(const sequences_view& patterns, const near_options& options,
                                   bool with_letters) {
  return ask_all({question::locate_near, 0, options.run.memory, false, with_letters}, patterns,
                 [&](const request& about) { return answer_near(patterns, about); });
}

near_rows split_index::answer_near(const sequences_view& patterns, const request& about) {
  near_rows own, all;
  near_.run.memory = about.memory;
  multi::call_together(*ranks_, [&] { own = own_.locate_near(patterns, near_, about.with_letters); });
  const numbers listed = listed_hits(own.hits, all.hits);
  std::uint64_t bytes = 0;
  for (const std::uint64_t h : listed)
    bytes += bytes_of_near_hit + (about.with_letters ? own.hits.end[h] - own.hits.begin[h] : 0);
  bytes = multi::reduce_number(*ranks_, bytes, multi::reduction::sum);
  if (bytes > memory_limit(about.memory))
    throw multi::common_failure{
        {errc::out_of_memory,
         fmt::format("the hits of all ranks take {}, which does not fit in {} of memory", format_size(bytes),
                     format_size(about.memory)),
         0}};
  return merge_near(own, listed, std::move(all), about);
}

// The first hits have the smallest distance, and among these the first records. So of the hits with distance
// d, rank r lists those that are left of max_hits after the smaller distances, and the ranks before r.
numbers split_index::listed_hits(const near_hits& own, near_hits& all) {
  const std::uint64_t distances = near_.max_distance + 1;
  numbers before(own.totals.begin(), own.totals.end()), left(distances), result;
  all.totals = own.totals;
  ranks_->all_reduce(all.totals, multi::reduction::sum);
  ranks_->exclusive_scan(before);
  for (std::uint64_t p = 0; p + 1 < own.offsets.size(); ++p) {
    std::uint64_t hits_left = near_.max_hits;
    bool has_better = false;
    for (std::uint64_t d = 0; d < distances; ++d) {
      const std::uint64_t at = p * distances + d, total = all.totals[at];
      left[d] = near_.best && has_better ? 0 : hits_left - std::min(hits_left, before[at]);
      hits_left -= std::min(hits_left, total);
      has_better = has_better || total > 0;
    }
    for (std::uint64_t h = own.offsets[p]; h < own.offsets[p + 1]; ++h) {
      if (left[own.distance[h]] == 0) continue;
      --left[own.distance[h]];
      result.push_back(h);
    }
    all.offsets.push_back(result.size()); // of this rank, until merge_near()
  }
  return result;
}

near_rows split_index::merge_near(const near_rows& own, const numbers& listed, near_rows all,
                                  const request& about) {
  items_of_patterns<near_stretch> stretches{{}, {all.hits.offsets.begin(), all.hits.offsets.end()}};
  all.hits.offsets = {0};
  std::string own_letters;
  const near_hits& hits = own.hits;
  for (const std::uint64_t h : listed) {
    stretches.items.push_back(
        {first_record_ + hits.record[h], hits.begin[h], hits.reverse[h] != 0, hits.end[h], hits.distance[h]});
    if (about.with_letters) own_letters += own_.letters_of(own, h);
  }
  const auto parts = gather(*ranks_, std::move(stretches), about.asker);
  if (ranks_->rank() != about.asker) {
    multi::send_text(*ranks_, own_letters, about.asker);
    return all;
  }
  std::vector<std::string> letters(parts.size());
  for (int rank = 0; rank < ranks_->size(); ++rank)
    if (rank != about.asker) letters[static_cast<std::size_t>(rank)] = multi::receive_text(*ranks_, rank);
  letters[static_cast<std::size_t>(about.asker)] = std::move(own_letters);
  numbers used(parts.size()); // letters of each rank
  for (std::uint64_t p = 0; p + 1 < parts[0].offsets.size(); ++p) {
    for (std::size_t rank = 0; rank < parts.size(); ++rank)
      for (std::uint64_t i = parts[rank].offsets[p]; i < parts[rank].offsets[p + 1]; ++i) {
        const near_stretch& stretch = parts[rank].items[i];
        add_row(all.hits, stretch);
        if (!about.with_letters) continue;
        all.letter_offsets.push_back(all.letters.size());
        all.letters.append(letters[rank], used[rank], stretch.end - stretch.begin);
        used[rank] += stretch.end - stretch.begin;
      }
    all.hits.offsets.push_back(all.hits.record.size());
  }
  return all;
}

std::string split_index::letters_of(const near_rows& rows, std::uint64_t h) const {
  return rows.letters.substr(rows.letter_offsets[h], rows.hits.end[h] - rows.hits.begin[h]);
}

} // namespace weft::files
