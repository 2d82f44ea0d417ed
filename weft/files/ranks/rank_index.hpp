// An index that the ranks of a job make together. Each rank sorts suffixes and has adjacent rows, from which
// it writes its part of each section to the common file.
#pragma once

#include <cstdint>
#include <optional>
#include <weft/base/sequences.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/build_index.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/files/ranks/rank_output.hpp>
#include <weft/multi/communicator.hpp>
#include <weft/multi/suffixes.hpp>

namespace weft::files {

// The bytes are those of fm_index::build() on the CPU. Cost on R ranks, beside sorting (multi::suffix_parts):
// each rank writes n / R rows. Traffic: the segments, from rank 0; 4 or 8 bytes for each suffix that another
// rank has sorted than the one that writes its row, which are few if the ranks sort in one round; and for
// other alphabets than DNA what write_levels() sends. Memory of a rank: the packed text; for DNA a fourth of
// a byte for each symbol; and for each of its rows a suffix, a stored position and what it writes of the
// ranks. Rank 0 also has the sections that do not depend on the rows. Suffixes that agree in long stretches
// are sorted by one rank, which holds all of them until they have been sent, within no limit.
class rank_index {
public:
  // Plans the index of the references and the options of rank 0, which must outlive the object; those of the
  // other ranks are ignored, but for run.threads and run.monitor. All ranks construct it together. Rows and
  // positions have 64 bits from `min_wide` symbols on, which tests lower.
  rank_index(multi::communicator& ranks, const sequences_view& references, const fm_build_options& options,
             const multi::suffix_limits& limits, std::uint64_t min_wide = bwt_detail::index_32_limit);

  // Returns, on all ranks, whether they shall make the index together: whether the limits allow it, and the
  // memory that the options of rank 0 allow is enough.
  [[nodiscard]] bool is_shared() const noexcept { return is_shared_; }
  // Returns the number of letters that can be found.
  [[nodiscard]] std::uint64_t num_letters() const noexcept;
  // Makes the index and writes it to a common file, before commit(). All ranks call it together, if it is
  // shared. If it fails, exchanges of the job fail.
  void write(rank_output& out);

private:
  template <class Index> void write_as(rank_output& out);

  multi::communicator& ranks_;
  const sequences_view references_;
  fm_build_options options_;
  std::optional<bwt_detail::fm_plan> plan_; // on rank 0
  bwt_detail::fm_header header_{};          // the same on all ranks, without checksums
  bool is_shared_ = false;
};

} // namespace weft::files
