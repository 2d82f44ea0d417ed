// The inverse transform of a collection: the byte before a row's suffix, put in front of that suffix, gives
// the suffix that is one byte longer. If it is the k-th c before a row, the longer suffix has the k-th row
// that begins with c. The plain version:
//
//     for each record r: row = r; until row is a start: record r = byte of row + record r, row = next row
//
// Each row is the next row of exactly one row, and rows of sentinels are the next row of none. So every walk
// ends at a start, each walk at a different one. If a walk does not end at the start of its own record, or
// rows are left over, no collection has this transform.
#include <algorithm>
#include <array>
#include <atomic>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/engines.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/solve.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t rows_between_checks = std::uint64_t{1} << 20; // of whether the call is cancelled

[[noreturn]] void refuse() {
  throw error(errc::invalid_input,
              "these bytes and starts are not the Burrows-Wheeler transform of any collection");
}

class inverter {
public:
  inverter(const collection_bwt_text& of, const run_options& run)
      : of_(of), run_(run), rows_(of.bytes.size() + of.starts.size()) {
    is_start_.resize(rows_);
    for (const std::uint64_t row : of.starts) {
      if (row >= rows_ || is_start_[row]) refuse();
      is_start_[row] = true;
    }
    std::array<std::uint64_t, 256> next_row{};
    for (const char c : of.bytes) ++next_row[static_cast<unsigned char>(c)];
    std::uint64_t sum = of.starts.size();
    for (std::uint64_t& each : next_row) sum += std::exchange(each, sum);
    next_row_.resize(rows_);
    byte_.resize(rows_);
    for (std::uint64_t row = 0, i = 0; row < rows_; ++row) {
      if (row % rows_between_checks == 0) base_detail::check_cancelled(run);
      if (is_start_[row]) continue;
      byte_[row] = of.bytes[i++];
      next_row_[row] = next_row[static_cast<unsigned char>(byte_[row])]++;
    }
  }

  // Returns the records end to end.
  sequences run() const {
    std::vector<std::string> records(of_.starts.size());
    std::atomic<std::uint64_t> symbols{0};
    parallel_for(0, records.size(), 16, run_, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t r = first; r < last; ++r) {
        read_record(r, records[r]);
        symbols += records[r].size();
        base_detail::add_work(run_, records[r].size());
      }
    });
    if (symbols != of_.bytes.size()) refuse(); // some rows form cycles
    std::string text;
    text.reserve(symbols);
    std::vector<std::uint64_t> offsets{0};
    offsets.reserve(records.size() + 1);
    for (std::string& record : records) {
      text += record;
      offsets.push_back(text.size());
      record = {};
    }
    return {std::move(text), std::move(offsets)};
  }

private:
  void read_record(std::uint64_t r, std::string& record) const {
    std::uint64_t row = r;
    for (; !is_start_[row]; row = next_row_[row]) {
      record += byte_[row];
      if (record.size() % rows_between_checks == 0) base_detail::check_cancelled(run_);
    }
    if (row != of_.starts[r]) refuse();
    std::reverse(record.begin(), record.end());
  }

  const collection_bwt_text& of_;
  const run_options& run_;
  std::uint64_t rows_;
  std::vector<bool> is_start_;
  std::vector<std::uint64_t> next_row_;
  std::string byte_; // the byte before each row's suffix
};

} // namespace

void invert_collection(inverse_collection_problem& problem) {
  const collection_bwt_text& of = problem.transformed;
  const std::uint64_t symbols = of.bytes.size(), records = of.starts.size();
  if (records == 0 && symbols > 0) refuse();
  require_memory(10 * (symbols + records) + 2 * symbols + (sizeof(std::string) + 8) * records,
                 problem.run.memory, "the inverse transform of the collection");
  problem.records = inverter(of, problem.run).run();
}

} // namespace weft::bwt_detail
