// Runs the walks of core/walk.hpp on the CPU, with memory that grows as they need it.
#pragma once

#include <string_view>
#include <vector>
#include <weft/scan/core/walk.hpp>

namespace weft::scan_detail {

// Remembers failures as bits in memory that grows up to the last failure.
struct growing_failures {
  std::vector<std::uint32_t>* bits;
  [[nodiscard]] bool is_known(std::uint64_t i) const {
    return i / 32 < bits->size() && ((*bits)[i / 32] >> i % 32 & 1) != 0;
  }
  void record(std::uint64_t i) const {
    if (bits->size() <= i / 32) bits->resize(i / 32 + i / 64 + 64);
    (*bits)[i / 32] |= std::uint32_t{1} << i % 32;
  }
};

// Finds the first alternatives of the motifs of a set, which must outlive it. It never gives up.
class host_walker {
public:
  explicit host_walker(const flat_motif_tables& tables)
      : tables_(tables), choices_(tables.max_flexible),
        limited_(tables.view(), choices_.data(), tables.max_flexible, walk_patience),
        unlimited_(tables.view(), choices_.data(), tables.max_flexible, ~std::uint64_t{0}, {&failures_}) {}
  host_walker(const host_walker&) = delete;
  host_walker& operator=(const host_walker&) = delete;

  // Returns the end of the first alternative of a motif that begins at `begin` (it equals `begin` for an
  // empty match), or no_match. `text` is one whole sequence. [<M] takes `sequence_start` for the start of the
  // sequence.
  std::uint64_t find_end(std::uint32_t motif, std::string_view text, std::uint64_t begin,
                         std::uint64_t sequence_start = 0) {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
    motif_ = &tables_.motifs[motif];
    const std::uint64_t end = limited_(*motif_, bytes, text.size(), begin, sequence_start);
    is_limited_ = end != walk_gave_up;
    if (is_limited_) return end;
    failures_.clear();
    return unlimited_(*motif_, bytes, text.size(), begin, sequence_start);
  }

  // Return, of the alternative found last, how many X were accepted by a letter or a [..], and how many
  // residues each element took.
  [[nodiscard]] std::uint64_t unknown() const {
    return is_limited_ ? limited_.unknown(*motif_) : unlimited_.unknown(*motif_);
  }
  [[nodiscard]] std::vector<std::uint64_t> counts() const {
    std::vector<std::uint64_t> taken;
    const walk_choice* choice = choices_.data();
    for (std::uint32_t k = motif_->first_element; k != motif_->last_element; ++k) {
      const flat_element& element = tables_.elements[k];
      taken.push_back((element.flags & flat_element::flexible) != 0 ? (choice++)->count : element.min);
    }
    return taken;
  }

private:
  const flat_motif_tables& tables_;
  std::vector<walk_choice> choices_; // a walk has at most one for each flexible element
  std::vector<std::uint32_t> failures_;
  walker<no_failures> limited_;
  walker<growing_failures> unlimited_;
  const flat_motif* motif_ = nullptr;
  bool is_limited_ = true;
};

} // namespace weft::scan_detail
