#include <weft/scan/entry/match_list.hpp>

#include <algorithm>
#include <exception>
#include <functional>
#include <new>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>

namespace weft::scan_detail {

namespace {

constexpr std::uint64_t min_growth = std::uint64_t{1} << 12;
constexpr std::uint64_t min_populate_bytes = std::uint64_t{1}
                                             << 24; // from this size on, populating pages ahead pays
// Approximate size in bytes of the populated pages after the matches.
constexpr std::uint64_t window = std::uint64_t{1} << 26;

} // namespace

std::span<scan_match> match_list::append(std::uint64_t residues, std::uint64_t matches) {
  const std::uint64_t before = all_.size();
  seen_residues_ += residues;
  reserve_for(before + matches);
  all_.resize(before + matches);
  const auto end = reinterpret_cast<std::uintptr_t>(all_.data() + all_.size());
  std::unique_lock lock(mutex_);
  wanted_ = end;
  changed_.notify_all();
  changed_.wait(lock, [&] { return populated_ >= end; });
  return std::span<scan_match>(all_).subspan(before);
}

void match_list::reserve_for(std::uint64_t needed) {
  if (needed <= all_.capacity()) return;
  populating_ = std::jthread(); // ends the thread
  if (seen_residues_ >= residues_) return reserve(needed);
  // The estimate from the residues so far may be wrong, so it never asks for more than half of the available
  // memory.
  const double times = static_cast<double>(residues_) / static_cast<double>(seen_residues_),
               count = static_cast<double>(needed),
               available = static_cast<double>(available_memory()) / sizeof(scan_match),
               expected = std::min(1.1 * count * times, count + available / 2);
  try {
    reserve(std::max(static_cast<std::uint64_t>(expected) + min_growth,
                     std::uint64_t{all_.capacity()} + all_.capacity() / 2));
  } catch (const std::bad_alloc&) { // a limit on memory that available_memory() does not know
    return reserve(needed);
  }
  start_populating(static_cast<std::uint64_t>(expected) - all_.size());
}

void match_list::reserve(std::uint64_t count) {
  all_.reserve(count);
  prefer_large_pages(all_.data(), count * sizeof(scan_match));
}

void match_list::set_populated(std::uintptr_t address) {
  const std::lock_guard lock(mutex_);
  populated_ = address;
  changed_.notify_all();
}

// Starts a thread that populates the pages for so many more matches, from the end of the list on.
void match_list::start_populating(std::uint64_t matches) {
  char* const begin = reinterpret_cast<char*>(all_.data() + all_.size());
  const std::uint64_t bytes = matches * sizeof(scan_match);
  if (bytes < min_populate_bytes || thread_count(threads_) == 1) return;
  wanted_ = populated_ = reinterpret_cast<std::uintptr_t>(begin);
  try {
    populating_ = std::jthread([=, this](const std::stop_token& stop) {
      try {
        populate(stop, begin, bytes);
      } catch (const std::exception&) { // without threads, pages come as they are touched
      }
      set_populated(end_of_memory);
    });
  } catch (const std::exception&) {
    set_populated(end_of_memory);
  }
}

void match_list::populate(const std::stop_token& stop, char* begin, std::uint64_t bytes) {
  const int members = std::min(thread_count(threads_), 4); // more threads would wait for one another
  const std::uint64_t part = std::uint64_t{1} << 22, step = part * static_cast<std::uint64_t>(members);
  kept_team team;
  for (std::uint64_t at = 0; at < bytes; at += step) {
    const auto address = reinterpret_cast<std::uintptr_t>(begin + at);
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [&] { return address < wanted_ + window; })) return;
    }
    team.run(members, [&](int member) {
      const std::uint64_t first = std::min(bytes, at + part * static_cast<std::uint64_t>(member));
      weft::populate(begin + first, std::min(part, bytes - first));
    });
    set_populated(address + std::min(step, bytes - at));
  }
}

match_vector match_list::take() {
  populating_ = std::jthread(); // ends the thread
  return std::move(all_);
}

} // namespace weft::scan_detail
