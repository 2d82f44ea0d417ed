// FM-index: exact search, and search with differences, in references of any size. An index is one block of
// bytes that can be mapped from a file.
//
//   weft::sequences references;
//   references.add("GATTACA", "chr1");
//   references.add("GATTA", "chr2");
//   const weft::fm_index index = weft::fm_index::build(references);
//   index.count("ATTA");                            // == 2
//   index.locate("ATTA").hits;                      // == {{0, 1}, {1, 1}}
//   weft::sequences patterns;
//   patterns.add("GATAA");
//   const weft::near_hits near = index.locate_near(patterns, {.max_distance = 1});
//   near.record;                                    // == {0, 1}
//   near.distance;                                  // == {1, 1}
//
// The references are the records of a batch. An occurrence lies within one record. Positions are 0-based and
// relative to the record. Alphabets:
//   dna      A, C, G, T, of either case. Any other letter (N, IUPAC codes) matches nothing, in references and
//            in patterns, so no occurrence spans one. Takes 2.7 bits a base for counting, and at most 0.25
//            for the table of k-mers. With contexts (fm_build_options), 64 bits more a base,
//            and the table takes at most 8, but at least 512 KiB.
//   protein  letters of either case; each matches only itself.
//   bytes    each byte matches only itself.
// The alphabets protein and bytes store the transform in a wavelet matrix: for each bit of the number of
// distinct symbols, 1.2 bits a symbol. All alphabets store the text (2 bits a base, or 8 bits a symbol) and
// one of every sa_sample_rate suffix positions.
//
// Searches are fast for batches of patterns: each thread follows 32 patterns
// at a time, so that their memory reads overlap. Once few rows are left for a pattern, their positions are
// looked up and the text is compared, which takes less time than to continue row by row.
//
// Building takes, beside the references, memory for the index and a byte a symbol; on the CPU also a position
// of 4 or 8 bytes a symbol, and 5 bytes more while suffixes are sorted, if there is so much. A GPU
// (fm_build_options) builds the same bytes. It takes 2.1 bytes of its memory a symbol, a position for each
// stored one, 16 bytes a segment, and what sorting takes (weft/bwt/bwt.cuh).
//
// On a GPU (fm_search_options) the same bytes are searched, with one thread for each pattern and then for
// each row. They are copied to the GPU by the first such call, and stay there until the index and all its
// copies are destroyed. For patterns that are already on a GPU, see weft/bwt/fm_index.cuh.
//
// Bytes: an index consists of little-endian numbers in sections. Each section starts at a multiple of 64
// bytes and has a checksum (XXH3, 64 bits). Before the sections is a header with a magic number, a version
// and a checksum of its own. from_bytes() checks all checksums, and everything that reading relies on, at the
// speed of memory. On a big-endian machine it throws unavailable_error.
//
// Sources: Ferragina & Manzini, J. ACM 52 (2005) 552-581; Claude, Navarro & Ordonez, Inf. Syst. 47 (2015)
// 15-32 (wavelet matrix); Langmead & Salzberg, Nat. Methods 9 (2012) 357-359 (lines of counts and bases).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/base/run.hpp>
#include <weft/base/sequences.hpp>
#include <weft/bwt/fm_matches.hpp>
#include <weft/bwt/near_search.hpp>

namespace weft {

namespace bwt_detail {
struct fm_parts;
class fm_device_cache;
class suffix_helpers;
} // namespace bwt_detail

// The first bytes of every index.
constexpr std::string_view fm_index_magic = "\x89WFI\r\n\x1a\n";

// How letters of references and patterns are compared; the top of this header describes the alphabets.
enum class fm_alphabet : std::uint32_t { dna = 0, protein = 1, bytes = 2 };

// Options of fm_index::build().
struct fm_build_options {
  fm_alphabet alphabet = fm_alphabet::dna; // how letters are compared
  std::uint32_t sa_sample_rate = 0;        // 1 .. 1024; 0: 4 below 2^28 symbols, 8 from there on
  // For DNA: whether the index also has the letters around each position, in the order of its rows: 64 bits a
  // base, and a table of longer k-mers of at most 8, but at least 512 KiB. locate_near() then finds patterns
  // of 9 to 32 letters with mismatches faster, the more so the more mismatches are allowed. Ignored for other
  // alphabets.
  bool contexts = false;
  // The device is where to sort suffixes and to compute what follows from their order, except for texts in
  // which all 256 bytes occur, which the CPU sorts. auto: from 2^23 symbols on, a GPU if there is one with
  // enough memory. The host's threads always code the letters and check the index. Work and progress are
  // counted in symbols. Cancelling ends the call within a second.
  run_options run = {};
  // Other processes that sort suffixes together with this one if a CPU sorts them, or null: as in
  // bwt_options.
  bwt_detail::suffix_helpers* helpers = nullptr;
};

// Options of fm_index::count() and locate().
struct fm_search_options {
  // locate() returns at most so many hits of each pattern, and looks up no more rows than that once it has
  // narrowed the pattern by all symbols. If fewer rows are left than one for each six letters, it compares
  // them with the text instead, and looks up all of them, because that is how their number is found.
  std::uint64_t max_hits = ~std::uint64_t{0};
  // Device auto: for 16,384 patterns or more, a GPU that has had the index since an earlier call. Otherwise
  // the first GPU, if there are so many patterns that the threads would take half a second longer than
  // copying the index (20 million on 16 threads, for an index of one gigabyte). If the GPU's memory is too
  // small, the CPU. The memory of a GPU includes the index. Work and progress are counted in patterns.
  run_options run = {};
};

// An occurrence of a pattern.
struct fm_hit {
  // The number of its record, and the position in the record where it begins.
  std::uint64_t record, begin;
  friend auto operator<=>(const fm_hit&, const fm_hit&) = default;
};

// Occurrences of a batch of patterns. Those of pattern p are hits[offsets[p], offsets[p + 1]), by record and
// position; totals[p] is how often the pattern occurs in all.
struct fm_hits {
  // The hits of all patterns, and for each pattern where its hits begin and how often it occurs.
  std::vector<fm_hit> hits;
  std::vector<std::uint64_t> offsets{0}, totals;
};

// Return the engines that build an index and that search it, and whether each can run on this machine.
[[nodiscard]] std::vector<engine_info> fm_build_engines();
[[nodiscard]] std::vector<engine_info> fm_search_engines();
// Returns the engines of fm_index::matches(), and whether each can run on this machine.
[[nodiscard]] std::vector<engine_info> fm_match_engines();

// An FM-index. It is immutable; copies share its bytes, and several threads may search it at once.
class fm_index {
public:
  // Builds an index. O(n log n); suffixes are sorted on all threads of the CPU, or on a GPU. Memory beside
  // the references, with 32-bit rows at sample rate 4, on the CPU: 12 n bytes for DNA, 13 n to 14 n for the
  // other alphabets, and 130 bytes for each stretch between other letters. If run.memory does not allow that,
  // suffixes are sorted range by range, which takes about twice the time: at least 3.2 n for DNA, 6 n to 7 n
  // for the other alphabets, 10 n if all 256 bytes occur, and up to 2 n more if the text repeats itself in
  // long stretches. Throws std::invalid_argument for a wrong sample rate and as check_sequences(),
  // memory_error if this memory or that of a requested GPU is too small, unavailable_error if the requested
  // GPU does not exist, device_error, cancelled_error.
  [[nodiscard]] static fm_index build(const sequences_view& references, const fm_build_options& options = {});
  // Returns the index in `bytes`, which must start at an address that is a multiple of 8, and must not change
  // while the index or a copy of it exists; `owner` is kept until then. Throws error(invalid_input) with a
  // message that says what is wrong.
  [[nodiscard]] static fm_index from_bytes(std::span<const char> bytes,
                                           std::shared_ptr<const void> owner = nullptr);
  [[nodiscard]] std::span<const char> bytes() const noexcept;

  // Properties of the references. Functions of a record throw std::invalid_argument if it does not exist.
  [[nodiscard]] fm_alphabet alphabet() const noexcept;
  [[nodiscard]] std::uint64_t num_records() const noexcept;
  [[nodiscard]] std::uint64_t num_symbols() const noexcept; // symbols of all records
  [[nodiscard]] std::string_view name(std::uint64_t record) const;
  [[nodiscard]] std::uint64_t length(std::uint64_t record) const;
  [[nodiscard]] std::uint32_t
  sa_sample_rate() const noexcept;                  // one of every so many suffix positions is stored
  [[nodiscard]] bool has_contexts() const noexcept; // whether it was built with fm_build_options::contexts

  // Returns how often each pattern occurs. The empty pattern occurs nowhere. O(length) for each pattern and,
  // in locate(), O(sa_sample_rate) for each occurrence.
  [[nodiscard]] std::vector<std::uint64_t> count(const sequences_view& patterns,
                                                 const fm_search_options& options = {}) const;
  // Returns where each pattern occurs. If a pattern has more than max_hits occurrences, returns those of its
  // first suffixes in order, which are the same on every machine. Takes 24 bytes a hit, and what the patterns
  // take; on a GPU, 16 bytes a hit, or 48 if they are found in pieces, and 50 bytes of the GPU's memory a
  // hit. count() and locate() throw std::invalid_argument as check_sequences(), error(invalid_input) for a
  // damaged index, unavailable_error if the requested GPU does not exist, memory_error if its memory is too
  // small, device_error, cancelled_error.
  [[nodiscard]] fm_hits locate(const sequences_view& patterns, const fm_search_options& options = {}) const;
  // Return the same for one pattern. Batches take much less time than as many calls.
  [[nodiscard]] std::uint64_t count(std::string_view pattern, const fm_search_options& options = {}) const;
  [[nodiscard]] fm_hits locate(std::string_view pattern, const fm_search_options& options = {}) const;
  // Returns where each pattern occurs with at most options.max_distance differences; weft/bwt/near_search.hpp
  // says what a hit is. Only for an index of DNA. On the CPU, a pattern is found by exact stretches of it, by
  // a tree of the strings that are near it, or by a scan of the text, whichever takes the least time: for n
  // symbols and m letters of a pattern, the scan takes O(n m) bit operations, a
  // vector at a time with mismatches and 64 at a time with errors, where each strand is scanned by one
  // thread. Takes 106 bytes a hit within run.memory. On a GPU, all patterns are searched by exact stretches
  // and by strings that are near a stretch, and the CPU searches those for which this takes too long: with
  // errors and exact letters, with errors and more than 512 letters, with so many differences for their size
  // that they match everywhere, and those in long tandem repeats. Throws std::invalid_argument as
  // check_sequences(), for an index of another alphabet, for too large a distance and for a pattern that is
  // not longer than the distance or shorter than the exact letters; error(invalid_input) for a damaged index;
  // memory_error; cancelled_error; unavailable_error if the requested GPU does not exist; device_error.
  [[nodiscard]] near_hits locate_near(const sequences_view& patterns, const near_options& options = {}) const;

  // Returns the exact matches between the queries and the references of an index of DNA; fm_matches.hpp
  // defines them. O(m log n) for m letters of queries and n of references that repeat little, and O(1) for
  // each match; a stretch that occurs more than about 30 times takes up to O(min_length) for each letter.
  // Takes 0.75 bytes a letter of the queries, and at most 96 bytes a match. Throws std::invalid_argument as
  // check_sequences(), for an index of another alphabet and if min_length or min_occurrences is 0;
  // error(invalid_input) for a damaged index and if run asks for a GPU and the kind is not mem; memory_error
  // if the matches do not fit run.memory; cancelled_error.
  [[nodiscard]] fm_matches matches(const sequences_view& queries, const match_options& options = {}) const;
  // Calls take(part) for one part of the matches after another, in their order, on the calling thread. Takes
  // a fixed part of run.memory for the matches, however many there are. Throws what matches() and take()
  // throw; memory_error only if the matches that begin at one position, or for kind mum those of kind mum_ref
  // in one strand of a record, do not fit that part.
  void visit_matches(const sequences_view& queries, const match_options& options,
                     const std::function<void(const fm_matches& part)>& take) const;
  // Returns symbols [begin, end) of a record; letters are in upper case except in the alphabet bytes. Throws
  // std::invalid_argument if the range is not within the record.
  [[nodiscard]] std::string extract(std::uint64_t record, std::uint64_t begin, std::uint64_t end) const;

  // Pointers into the bytes, for the library's own use.
  struct view;
  // Returns the parts of the index that searches read.
  [[nodiscard]] const bwt_detail::fm_parts& parts() const noexcept;

private:
  fm_index(std::shared_ptr<const view> content, std::shared_ptr<bwt_detail::fm_device_cache> device_cache)
      : view_(std::move(content)), device_cache_(std::move(device_cache)) {}
  std::shared_ptr<const view> view_;
  std::shared_ptr<bwt_detail::fm_device_cache> device_cache_; // copies in the memory of GPUs
};

} // namespace weft
