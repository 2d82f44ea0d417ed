#include <weft/search/cpu/kmer_table.hpp>

#include <bit>

namespace weft::search_detail {

namespace {

constexpr std::uint64_t chunk_size = std::uint64_t{1} << 18; // letters between two checks of the run

std::uint64_t sampling_interval(std::uint64_t size) { return size < (std::uint64_t{1} << 20) ? 1 : 4; }

} // namespace

kmer_table::kmer_table(const genome_text& text, std::uint64_t k, const run_options& run)
    : k_(k), interval_(sampling_interval(text.size())), shift_(64 - std::bit_width(text.size() / interval_)) {
  begins_.assign((std::uint64_t{1} << (64 - shift_)) + 2, 0);
  for (const bool counting : {true, false}) {
    for (std::uint64_t begin = 0; begin < text.size(); begin += chunk_size) {
      base_detail::check_cancelled(run);
      visit_kmers(text, begin, std::min(begin + chunk_size, text.size()), k, interval_,
                  [&](const sampled_kmer& kmer) {
                    const std::uint64_t bucket = kmer.hash >> shift_;
                    if (counting)
                      ++begins_[bucket + 2];
                    else
                      entries_[begins_[bucket + 1]++] = entry_of(kmer);
                  });
      if (!counting) base_detail::add_work(run, std::min(chunk_size, text.size() - begin) / 2);
    }
    if (!counting) break;
    for (std::size_t i = 3; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    entries_.resize(begins_.back());
  }
}

std::uint64_t kmer_table::memory(std::uint64_t text_size) {
  return 8 * 3 * (text_size / sampling_interval(text_size)) + 64;
}

} // namespace weft::search_detail
