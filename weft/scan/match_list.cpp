#include <weft/scan/match_list.hpp>

#include <algorithm>
#include <system_error>
#include <weft/base/kept_team.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>

namespace weft::scan_detail {

namespace {

constexpr std::uint64_t few = std::uint64_t{1} << 12;
constexpr std::uint64_t many_bytes = std::uint64_t{1} << 24; // from so many on it pays to see to pages

} // namespace

std::span<scan_match> match_list::append(std::uint64_t residues, std::uint64_t matches) {
  const std::uint64_t before = all_.size();
  seen_ += residues;
  make_room(before + matches);
  all_.resize(before + matches);
  const auto end = reinterpret_cast<std::uintptr_t>(all_.data() + all_.size());
  for (std::uintptr_t now = populated_; now < end; now = populated_) populated_.wait(now);
  return std::span<scan_match>(all_).subspan(before);
}

void match_list::make_room(std::uint64_t needed) {
  if (needed <= all_.capacity()) return;
  populating_ = std::jthread(); // ends
  if (seen_ >= residues_) return reserve(needed);
  // What the residues so far tell may be wrong: it never asks for more than there is.
  const double times = static_cast<double>(residues_) / static_cast<double>(seen_),
               count = static_cast<double>(needed),
               available = static_cast<double>(available_memory() / sizeof(scan_match)),
               expected = std::min(count * times, count + available);
  reserve(std::max(static_cast<std::uint64_t>(1.1 * expected) + few,
                   std::uint64_t{all_.capacity()} + all_.capacity() / 2));
  populate_room(
      static_cast<std::uint64_t>(std::min(expected - static_cast<double>(all_.size()), available / 2)));
}

void match_list::reserve(std::uint64_t count) {
  all_.reserve(count);
  if (count * sizeof(scan_match) >= many_bytes) prefer_large_pages(all_.data(), count * sizeof(scan_match));
}

// For so many more matches, from the first on.
void match_list::populate_room(std::uint64_t matches) {
  char* const begin = reinterpret_cast<char*>(all_.data() + all_.size());
  const std::uint64_t bytes = matches * sizeof(scan_match);
  if (bytes < many_bytes) return;
  const auto reach = [this](std::uintptr_t place) {
    populated_ = place;
    populated_.notify_all();
  };
  reach(reinterpret_cast<std::uintptr_t>(begin));
  populating_ = std::jthread([=, this](const std::stop_token& stop) {
    const int members = std::min(thread_count(threads_), 4); // more would wait for one another
    const std::uint64_t part = std::uint64_t{1} << 22, step = part * static_cast<std::uint64_t>(members);
    kept_team team;
    try {
      for (std::uint64_t at = 0; at < bytes && !stop.stop_requested(); at += step) {
        team.run(members, [&](int member) {
          const std::uint64_t first = std::min(bytes, at + part * static_cast<std::uint64_t>(member));
          populate(begin + first, std::min(part, bytes - first));
        });
        reach(reinterpret_cast<std::uintptr_t>(begin + std::min(bytes, at + step)));
      }
    } catch (const std::system_error&) { // no threads: pages come as they are touched
    }
    reach(everywhere);
  });
}

match_vector match_list::take() {
  populating_ = std::jthread(); // ends
  return std::move(all_);
}

} // namespace weft::scan_detail
