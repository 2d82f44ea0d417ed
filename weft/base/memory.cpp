#include <weft/base/memory.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <weft/base/error.hpp>
#include <weft/base/machine_share.hpp>

namespace weft {

namespace {

[[noreturn]] void throw_bad_size(std::string_view text) {
  throw error(errc::invalid_input, fmt::format("'{}' is not a size (examples: 4096, 64K, 1.5G)", text));
}

// Returns the number at the start of a file, or 0 if there is none ("max" in cgroup files is no number).
std::uint64_t read_first_number(const char* path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? value : 0;
}

// The addresses of the whole pages within an array: [first, last).
struct page_range {
  std::uintptr_t first, last;
};
page_range whole_pages(const void* memory, std::uint64_t bytes) {
  constexpr std::uintptr_t page = 4096;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  return {(begin + page - 1) / page * page, (begin + bytes) / page * page};
}

// Maps `bytes` bytes of memory that read as zeros; `flags` are further flags of mmap(). Throws bad_alloc.
void* map_pages(std::uint64_t bytes, int flags) {
  void* const start =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  return start;
}

} // namespace

std::uint64_t parse_size(std::string_view text) {
  double value = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || !std::isfinite(value) || value <= 0) throw_bad_size(text);
  std::string suffix(rest, text.data() + text.size());
  for (char& c : suffix) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  int exponent = 0;
  if (!suffix.empty() && suffix != "B") {
    const std::size_t unit = std::string_view("KMGT").find(suffix[0]);
    const std::string_view tail = std::string_view(suffix).substr(1);
    if (unit == std::string_view::npos || !(tail.empty() || tail == "B" || tail == "IB"))
      throw_bad_size(text);
    exponent = 10 * (static_cast<int>(unit) + 1);
  }
  const double bytes = std::ldexp(value, exponent);
  if (bytes < 1 || bytes >= std::ldexp(1.0, 63)) throw_bad_size(text);
  return static_cast<std::uint64_t>(bytes);
}

std::string format_size(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}iB", value, value < 10 ? 1 : 0, " KMGT"[unit]);
}

std::uint64_t available_memory() noexcept {
  try {
    std::uint64_t available = 0;
    std::ifstream file("/proc/meminfo");
    std::string key;
    std::uint64_t kilobytes = 0;
    while (file >> key >> kilobytes) {
      if (key == "MemAvailable:") available = kilobytes * 1024;
      file.ignore(64, '\n');
    }
    const std::uint64_t limit = read_first_number("/sys/fs/cgroup/memory.max");
    if (limit != 0) {
      const std::uint64_t used = std::min(limit, read_first_number("/sys/fs/cgroup/memory.current"));
      available = available == 0 ? limit - used : std::min(available, limit - used);
    }
    return available;
  } catch (...) {
    return 0;
  }
}

// VmHWM comes first because it counts this program alone. getrusage() also counts what the process held
// before it became this program, so a large program that starts weft would show up as weft's memory.
std::uint64_t peak_memory() noexcept {
  try {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  } catch (...) { // getrusage() is the fallback
  }
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

void prefer_large_pages(void* memory, std::uint64_t bytes) noexcept {
  constexpr std::uint64_t large_page = std::uint64_t{1} << 21;
  const auto [first, last] = whole_pages(memory, bytes);
  if (bytes >= large_page) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

void populate(void* memory, std::uint64_t bytes) noexcept {
#if defined(MADV_POPULATE_WRITE)
  const auto [first, last] = whole_pages(memory, bytes);
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);
#else
  (void)memory, (void)bytes;
#endif
}

std::uint64_t memory_limit(std::uint64_t requested) noexcept {
  if (requested != 0) return requested;
  const std::uint64_t available = available_memory();
  const auto share = static_cast<std::uint64_t>(base_detail::machine_share());
  return available == 0 ? std::uint64_t{1} << 30 : available / 5 * 4 / share;
}

std::uint64_t memory_left(std::uint64_t requested, std::uint64_t held) noexcept {
  return requested == 0 ? 0 : requested > held ? requested - held : 1;
}

void reserve_within(std::string& text, std::uint64_t needed, std::uint64_t limit) {
  if (needed <= text.capacity()) return;
  const std::uint64_t doubled = std::max<std::uint64_t>(needed, 2 * text.capacity());
  // Doubling must leave enough of the limit for the next move, which holds the old and the new memory.
  const bool fits = limit == 0 || doubled <= limit / 2;
  try {
    text.reserve(fits ? doubled : std::max(needed, limit));
  } catch (const std::bad_alloc&) { // address space may be scarcer than the limit
    text.reserve(needed);
  }
}

reserved_memory::reserved_memory(std::uint64_t bytes) : size_(std::max<std::uint64_t>(bytes, 1)) {
  data_ = static_cast<char*>(map_pages(size_, MAP_NORESERVE));
  prefer_large_pages(data_, size_);
}

void reserved_memory::release_behind(std::uint64_t used) noexcept {
  constexpr std::uint64_t page = 1 << 12;
  const std::uint64_t from = (used + page - 1) / page * page;
  if (from < size_) (void)::madvise(data_ + from, size_ - from, MADV_DONTNEED);
}

reserved_memory::~reserved_memory() { ::munmap(data_, size_); }

} // namespace weft

namespace weft::base_detail {

void* map_memory(std::uint64_t bytes) { return map_pages(bytes, 0); }

void unmap_memory(void* memory, std::uint64_t bytes) noexcept { ::munmap(memory, bytes); }

void require_device_memory(std::uint64_t bytes, std::uint64_t allowed, std::string_view what) {
  if (bytes > allowed)
    throw memory_error(fmt::format("{} needs at least {} of device memory, but only {} is allowed", what,
                                   format_size(bytes), format_size(allowed)));
}

} // namespace weft::base_detail
