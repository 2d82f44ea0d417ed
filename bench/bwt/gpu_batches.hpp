// The methods of `weft-bench bwt` that transform batches of texts on the first GPU. The header also compiles
// without a CUDA toolkit; each method then reports that it is unavailable.
#pragma once

#include <bench/bench.hpp>
#include <cstdint>
#include <functional>
#include <vector>
#include <weft/base/sequences.hpp>
#include <weft/bwt/bwt_batch.hpp>

namespace weft::bench {

// The transform of each text in one of the two forms, or the transform of the collection of all texts.
enum class batch_task { sentinel, rotation, collection };

constexpr bwt_form form_of(batch_task asked) {
  return asked == batch_task::rotation ? bwt_form::rotation : bwt_form::sentinel;
}

// Returns the digest of transforms. Those of a collection have the rows of its records as primary indexes.
[[nodiscard]] std::uint64_t digest_of(const bwt_batch_text& transformed);

using batch_source = std::function<sequences_view()>;
using batch_check = std::function<bool(const bwt_batch_text&)>;

// Returns methods that transform the texts in device memory, and from and to page-locked host memory; for a
// batch, also in device memory with a call for each text. `is_right` checks an answer.
[[nodiscard]] std::vector<method> batches_on_gpu(batch_task asked, const batch_source& texts,
                                                 const batch_check& is_right);

} // namespace weft::bench
