// Runs the walks of core/walk.hpp on the CPU, with memory that grows as they need it.
#pragma once

#include <string_view>
#include <vector>
#include <weft/scan/core/walk.hpp>

namespace weft::scan_detail {

// Remembers failures as bits in memory that grows up to the last failure.
struct growing_failures {
  std::vector<std::uint32_t>* bits;
  void clear(std::uint64_t) const { bits->clear(); }
  [[nodiscard]] bool is_known(std::uint64_t i) const {
    return i / 32 < bits->size() && ((*bits)[i / 32] >> i % 32 & 1) != 0;
  }
  void record(std::uint64_t i) const {
    if (bits->size() <= i / 32) bits->resize(i / 32 + i / 64 + 64);
    (*bits)[i / 32] |= std::uint32_t{1} << i % 32;
  }
};

// The memory of a walk: the stack of choices, of which a walk has at most one for each flexible element, and
// the failure bits.
struct walk_memory {
  std::vector<walk_choice> choices;
  std::vector<std::uint32_t> failures;
};

// Finds the first alternatives of the motifs of a set, whose tables must outlive it. It is called like a
// walker, and never gives up.
class host_walker : walk_memory, public patient_walker<growing_failures> {
public:
  explicit host_walker(const flat_motif_tables& tables)
      : walk_memory{std::vector<walk_choice>(tables.max_flexible), {}},
        patient_walker(tables.view(), choices.data(), tables.max_flexible, growing_failures{&failures}),
        tables_(tables) {}
  host_walker(const host_walker&) = delete;
  host_walker& operator=(const host_walker&) = delete;

  // Returns how many residues each element of `m` took in the alternative found last, a match of `m`.
  [[nodiscard]] std::vector<std::uint64_t> counts(const flat_motif& m) const {
    std::vector<std::uint64_t> taken;
    const walk_choice* choice = choices.data();
    for (std::uint32_t k = m.first_element; k != m.last_element; ++k) {
      const flat_element& element = tables_.elements[k];
      taken.push_back((element.flags & flat_element::flexible) != 0 ? (choice++)->count : element.min);
    }
    return taken;
  }

private:
  const flat_motif_tables& tables_;
};

// Returns the residues of a text as walks read them.
[[nodiscard]] inline const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

} // namespace weft::scan_detail
