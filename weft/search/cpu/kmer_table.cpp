#include <weft/search/cpu/kmer_table.hpp>

#include <bit>
#include <weft/base/parallel.hpp>

namespace weft::search_detail {

namespace {

constexpr std::uint64_t chunk_size = std::uint64_t{1} << 18; // letters between two checks of the run
constexpr std::uint64_t max_threads = 16;                    // more would only read the text once more each

std::uint64_t sampling_interval(std::uint64_t size) { return size < (std::uint64_t{1} << 20) ? 1 : 4; }

// Returns where part `part` of `count` nearly equal parts of `size` items begins.
std::uint64_t first_of_part(std::uint64_t size, std::uint64_t part, std::uint64_t count) {
  return size / count * part + size % count * part / count;
}

// A k-mer that goes to a bucket.
struct bucket_entry {
  std::uint64_t bucket, entry;
};

// Collects entries and passes them on in batches, so that the memory that a batch needs is fetched at the
// same time.
template <class Flush> class entry_batch {
public:
  explicit entry_batch(const Flush& flush) : flush_(flush) {}
  void add(const bucket_entry& each) {
    entries_[size_++] = each;
    if (size_ == entries_.size()) flush();
  }
  void flush() {
    flush_(std::span(entries_.data(), size_));
    size_ = 0;
  }

private:
  const Flush& flush_;
  std::size_t size_ = 0;
  std::array<bucket_entry, 64> entries_;
};

} // namespace

template <class Flush>
void kmer_table::visit_part(const genome_text& text, const table_part& part, bool is_last,
                            const run_options& run, const Flush& flush) {
  const auto threads = text.size() < chunk_size
                           ? std::uint64_t{1}
                           : std::min(max_threads, static_cast<std::uint64_t>(thread_count(run.threads)));
  const std::uint64_t count = threads * part.count;
  const auto visit = [&](std::uint64_t own, std::uint64_t) {
    const std::uint64_t first = first_of_part(num_buckets(), own, count),
                        last = first_of_part(num_buckets(), own + 1, count);
    entry_batch batch(flush);
    for (std::uint64_t begin = 0; begin < text.size(); begin += chunk_size) {
      base_detail::check_cancelled(run);
      const std::uint64_t size = std::min(chunk_size, text.size() - begin);
      visit_kmers(text, begin, begin + size, k_, interval_, [&](const sampled_kmer& kmer) {
        const std::uint64_t bucket = kmer.hash >> shift_;
        if (bucket < first || bucket >= last) return;
        __builtin_prefetch(&begins_[bucket + 1], 1);
        batch.add({bucket, entry_of(kmer)});
      });
      if (is_last)
        base_detail::add_work(run,
                              first_of_part(size / 2, own + 1, count) - first_of_part(size / 2, own, count));
    }
    batch.flush();
  };
  parallel_for(threads * part.index, threads * (part.index + 1), 1, run, visit);
}

kmer_table::kmer_table(const genome_text& text, std::uint64_t k, const run_options& run,
                       const table_part& part)
    : k_(k), interval_(sampling_interval(text.size())), shift_(64 - std::bit_width(text.size() / interval_)) {
  allocate(begins_, (std::uint64_t{1} << (64 - shift_)) + 2);
  visit_part(text, part, false, run, [&](std::span<bucket_entry> batch) {
    for (const bucket_entry& each : batch) ++begins_[each.bucket + 2];
  });
  std::vector<std::uint64_t> first_buckets, first_entries; // of each part, and their ends
  for (std::uint64_t i = 0; i <= part.count; ++i)
    first_buckets.push_back(first_of_part(num_buckets(), i, part.count));
  for (std::uint64_t i = 0; part.count > 1 && i < part.count; ++i)
    part.copy(std::span(begins_).subspan(first_buckets[i] + 2, first_buckets[i + 1] - first_buckets[i]), i);
  for (std::size_t i = 3; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  for (const std::uint64_t bucket : first_buckets) first_entries.push_back(begins_[bucket + 1]);
  allocate(entries_, begins_.back());
  // begins_[i + 1] is where bucket i begins, and becomes its end: here in the parts of the other processes,
  // and while the entries are placed in the part of this one.
  for (std::uint64_t i = 0; i < num_buckets(); ++i)
    if (i < first_buckets[part.index] || i >= first_buckets[part.index + 1]) begins_[i + 1] = begins_[i + 2];
  visit_part(text, part, true, run, [&](std::span<bucket_entry> batch) {
    for (bucket_entry& each : batch) {
      each.bucket = begins_[each.bucket + 1]++; // where the entry is placed
      __builtin_prefetch(&entries_[each.bucket], 1);
    }
    for (const bucket_entry& each : batch) entries_[each.bucket] = each.entry;
  });
  for (std::uint64_t i = 0; part.count > 1 && i < part.count; ++i)
    part.copy(std::span(entries_).subspan(first_entries[i], first_entries[i + 1] - first_entries[i]), i);
}

std::uint64_t kmer_table::memory(std::uint64_t text_size) {
  return 8 * 3 * (text_size / sampling_interval(text_size)) + 64;
}

} // namespace weft::search_detail
