// The inverse transform of a collection: the byte before a row's suffix, put in front of that suffix, gives
// the suffix that is one byte longer. If it is the k-th c before a row, the longer suffix has the k-th row
// that begins with c. The plain version:
//
//     for each record r: row = r; until row is a start: record r = byte of row + record r, row = next row
//
// Each row is the next row of exactly one row, and rows of sentinels are the next row of none. So every walk
// ends at a start, each walk at a different one. If a walk does not end at the start of its own record, or
// rows are left over, no collection has this transform.
#include <weft/bwt/collection_bwt.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/engine_choice.hpp>
#include <weft/bwt/entry/gpu_batch.hpp>
#include <weft/bwt/suffix_array.hpp>

namespace weft {

namespace {

template <class Index>
collection_bwt_text transform(std::string_view text, std::span<const std::uint64_t> offsets,
                              const bwt_options& options) {
  const std::vector<Index> sa = collection_suffix_array<Index>(text, offsets, options);
  const std::uint64_t records = offsets.size() - 1;
  collection_bwt_text result{"", std::vector<std::uint64_t>(records)};
  result.bytes.reserve(text.size());
  for (std::uint64_t r = 0; r < records; ++r) {
    if (offsets[r] == offsets[r + 1])
      result.starts[r] = r;
    else
      result.bytes += text[offsets[r + 1] - 1];
  }
  std::vector<bool> begins(text.size());
  for (std::uint64_t r = 0; r < records; ++r)
    if (offsets[r] < offsets[r + 1]) begins[offsets[r]] = true;
  for (std::uint64_t i = 0; i < sa.size(); ++i) {
    const std::uint64_t at = sa[i];
    if (!begins[at]) {
      result.bytes += text[at - 1];
      continue;
    }
    // If empty records begin here as well, the record with letters is the last one.
    const auto next = std::upper_bound(offsets.begin(), offsets.end(), at);
    result.starts[static_cast<std::uint64_t>(next - offsets.begin()) - 1] = records + i;
  }
  return result;
}

[[noreturn]] void refuse_collection() {
  throw error(errc::invalid_input,
              "these bytes and starts are not the Burrows-Wheeler transform of any collection");
}

class inverter {
public:
  explicit inverter(const collection_bwt_text& of) : of_(of), rows_(of.bytes.size() + of.starts.size()) {
    is_start_.resize(rows_);
    for (const std::uint64_t row : of.starts) {
      if (row >= rows_ || is_start_[row]) refuse_collection();
      is_start_[row] = true;
    }
    std::array<std::uint64_t, 256> next_row{};
    for (const char c : of.bytes) ++next_row[static_cast<unsigned char>(c)];
    std::uint64_t sum = of.starts.size();
    for (std::uint64_t& each : next_row) sum += std::exchange(each, sum);
    next_row_.resize(rows_);
    byte_.resize(rows_);
    for (std::uint64_t row = 0, i = 0; row < rows_; ++row) {
      if (is_start_[row]) continue;
      byte_[row] = of.bytes[i++];
      next_row_[row] = next_row[static_cast<unsigned char>(byte_[row])]++;
    }
  }

  std::vector<std::string> run(const bwt_options& options) const {
    std::vector<std::string> records(of_.starts.size());
    std::atomic<std::uint64_t> symbols{0};
    parallel_for(0, records.size(), 16, options.threads, [&](std::uint64_t first, std::uint64_t last) {
      if (options.monitor != nullptr) options.monitor->check();
      for (std::uint64_t r = first; r < last; ++r) {
        std::uint64_t row = r;
        for (; !is_start_[row]; row = next_row_[row]) records[r] += byte_[row];
        if (row != of_.starts[r]) refuse_collection();
        std::reverse(records[r].begin(), records[r].end());
        symbols += records[r].size();
        if (options.monitor != nullptr) options.monitor->add(records[r].size());
      }
    });
    if (symbols != of_.bytes.size()) refuse_collection(); // some rows form cycles
    return records;
  }

private:
  const collection_bwt_text& of_;
  std::uint64_t rows_;
  std::vector<bool> is_start_;
  std::vector<std::uint64_t> next_row_;
  std::string byte_; // the byte before each row's suffix
};

} // namespace

collection_bwt_text collection_bwt(std::string_view text, std::span<const std::uint64_t> offsets,
                                   const bwt_options& options) {
  detail::check_offsets(text.size(), offsets, "collection_bwt");
  detail::require_memory(text.size() + 8 * offsets.size(), options.memory, "the transform of the collection");
  if (!text.empty())
    if (auto of_gpu = detail::collection_bwt_on_gpu(text, offsets, options)) return *std::move(of_gpu);
  bwt_options on_cpu = options;
  on_cpu.device = {device_kind::cpu};
  return text.size() < detail::index_32_limit ? transform<std::uint32_t>(text, offsets, on_cpu)
                                              : transform<std::uint64_t>(text, offsets, on_cpu);
}

std::vector<std::string> inverse_collection_bwt(const collection_bwt_text& transformed,
                                                const bwt_options& options) {
  const std::uint64_t symbols = transformed.bytes.size(), records = transformed.starts.size();
  if (records == 0 && symbols > 0) refuse_collection();
  detail::require_memory(10 * (symbols + records) + symbols + sizeof(std::string) * records, options.memory,
                         "the inverse transform of the collection");
  return inverter(transformed).run(options);
}

} // namespace weft
