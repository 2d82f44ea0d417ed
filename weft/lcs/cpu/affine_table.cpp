#include <weft/lcs/cpu/affine_table.hpp>

#include <algorithm>
#include <memory>
#include <vector>
#include <weft/lcs/cpu/affine_kernel.hpp>
#include <weft/lcs/cpu/common_run.hpp>
#include <weft/lcs/entry/affine_costs.hpp>
#include <weft/lcs/entry/path_memory.hpp>

namespace weft::lcs_detail {

namespace {

// A part of a path: from a[a_begin..a_end) to b[b_begin..b_end).
struct table_part {
  std::size_t a_begin, a_end, b_begin, b_end;
  bool starts_in_gap = false; // the step before it is a deletion
  bool ends_in_gap = false;   // the step after it is a deletion, which costs no gap_open after a deletion

  [[nodiscard]] std::size_t rows() const { return a_end - a_begin; }
  [[nodiscard]] std::size_t columns() const { return b_end - b_begin; }
};

// Returns the rows of the strips of a table. In a strip with few columns, rows would mostly wait.
std::size_t strip_rows(const table_part& part) {
  constexpr std::size_t max_rows = 512, min_columns = 64;
  return std::min({max_rows, part.rows(), std::max(part.columns(), min_columns)});
}

// Returns the bytes of the trace of a table.
std::uint64_t trace_bytes(const table_part& part) {
  const std::uint64_t height = strip_rows(part), strips = (part.rows() + height - 1) / height;
  return cells(strips, cells(part.columns() + height, height)) + kernel_padding;
}

// What a sweep computes besides the penalties.
enum class sweep_output { nothing, crossings, trace };

// Tables with fewer rows are never divided.
constexpr std::size_t min_divided_rows = 4;

// The tables of two texts. Value is the type of penalties.
template <class Value, class Symbol> class affine_tables {
public:
  // The call's memory must suffice for memory().
  affine_tables(text<Symbol> a, text<Symbol> b, const lcs_call& call)
      : a_text_(a), b_text_(b), call_(call), costs_(call.options.penalties), a_(codes(a)), b_(codes(b)),
        closed_(b.size() + 1), deleting_(b.size() + 1) {
    std::reverse(a_.begin(), a_.end() - kernel_padding);
    workspace_.resize(strip_workspace(strip_rows(whole())));
  }

  // Returns the bytes that the tables need; for a path, with a trace of as few rows as possible.
  [[nodiscard]] static std::uint64_t memory(std::uint64_t m, std::uint64_t n, bool wants_path) {
    const std::uint64_t values = m + n + 2 * kernel_padding + (wants_path ? 4 : 2) * (n + 1) +
                                 strip_workspace(strip_rows({0, m, 0, n}));
    return cells(values, sizeof(Value)) +
           (wants_path ? trace_bytes({0, std::min<std::size_t>(m, min_divided_rows - 1), 0, n}) : 0);
  }

  [[nodiscard]] std::uint64_t penalty() {
    start(whole());
    sweep(whole(), 0, whole().rows(), sweep_output::nothing);
    return static_cast<std::uint64_t>(closed_.back());
  }

  [[nodiscard]] edit_script path(std::uint64_t max_trace) {
    const table_part part = whole();
    const std::uint64_t requested = call_.options.run.memory,
                        held = memory(part.rows(), part.columns(), true);
    max_trace_ =
        requested == 0 ? max_trace : std::min(max_trace, (requested - std::min(requested, held)) / 2);
    closed_crossing_.resize(part.columns() + 1);
    deleting_crossing_.resize(part.columns() + 1);
    append_path(part);
    return std::move(path_);
  }

private:
  [[nodiscard]] table_part whole() const { return {0, a_text_.size(), 0, b_text_.size()}; }

  // Returns the symbols of a text as values, with padding. A wildcard becomes any_symbol.
  [[nodiscard]] std::vector<Value> codes(text<Symbol> symbols) const {
    std::vector<Value> values(symbols.size() + kernel_padding);
    std::copy(symbols.begin(), symbols.end(), values.begin());
    if constexpr (sizeof(Symbol) == 1)
      if (call_.wildcards != nullptr)
        for (std::size_t i = 0; i < symbols.size(); ++i)
          if (call_.wildcards->contains(symbols[i])) values[i] = any_symbol;
    return values;
  }

  // Sets the row above the first row of a table.
  void start(const table_part& part) {
    constexpr Value never = 2 * max_kernel_penalty<Value>;
    const auto open = static_cast<Value>(costs_.gap_open), extend = static_cast<Value>(costs_.gap_extend);
    closed_[0] = part.ends_in_gap ? open : 0;
    deleting_[0] = part.ends_in_gap ? 0 : never;
    for (std::size_t j = 1; j <= part.columns(); ++j) {
      closed_[j] = closed_[0] + open + static_cast<Value>(j) * extend;
      deleting_[j] = never;
    }
  }

  // Computes the rows first + 1 to last of a table after the rows before.
  void sweep(const table_part& part, std::size_t first, std::size_t last, sweep_output wanted) {
    const std::size_t height = strip_rows(part);
    const bool crossings = wanted == sweep_output::crossings;
    for (std::size_t row = first; row < last; row += height) {
      const std::size_t rows = std::min(height, last - row);
      std::uint8_t* const trace = wanted != sweep_output::trace
                                      ? nullptr
                                      : trace_.get() + row / height * height * (part.columns() + height);
      compute_strip({.rows = rows,
                     .columns = part.columns(),
                     .a = a_.data() + (a_text_.size() - part.a_end) + row,
                     .b = b_.data() + part.b_begin,
                     .any_symbol = any_symbol,
                     .mismatch = static_cast<Value>(costs_.mismatch),
                     .open = static_cast<Value>(costs_.gap_open),
                     .extend = static_cast<Value>(costs_.gap_extend),
                     .left_deleting = static_cast<Value>(row + 1) * static_cast<Value>(costs_.gap_extend),
                     .closed = closed_.data(),
                     .deleting = deleting_.data(),
                     .closed_crossing = crossings ? closed_crossing_.data() : nullptr,
                     .deleting_crossing = crossings ? deleting_crossing_.data() : nullptr,
                     .trace = trace},
                    workspace_.data());
      call_.work.add(cells(rows, part.columns()));
    }
  }

  // Returns the penalty in the last cell of a table.
  [[nodiscard]] std::uint64_t last_penalty(const table_part& part) const {
    const std::size_t n = part.columns();
    return static_cast<std::uint64_t>(part.starts_in_gap ? std::min(closed_[n], deleting_[n]) : closed_[n]);
  }

  // Appends the canonical path of a part.
  void append_path(const table_part& part) {
    if (part.rows() == 0 || part.columns() == 0) return append_unmatched(path_, part.rows(), part.columns());
    if (part.rows() < min_divided_rows || trace_bytes(part) <= max_trace_) return append_traced(part);
    const std::size_t middle = part.rows() / 2, n = part.columns();
    start(part);
    sweep(part, 0, middle, sweep_output::nothing);
    for (std::size_t j = 0; j <= n; ++j) {
      closed_crossing_[j] = static_cast<Value>(2 * j);
      deleting_crossing_[j] = static_cast<Value>(2 * j + 1);
    }
    sweep(part, middle, part.rows(), sweep_output::crossings);
    expect_runs(part);
    const bool deletes = part.starts_in_gap && deleting_[n] <= closed_[n];
    const auto crossing = static_cast<std::size_t>(deletes ? deleting_crossing_[n] : closed_crossing_[n]);
    const std::size_t i = part.a_end - middle, j = part.b_end - crossing / 2;
    const bool by_deletion = crossing % 2 == 1;
    append_path(
        {part.a_begin, i - 1, part.b_begin, by_deletion ? j : j - 1, part.starts_in_gap, by_deletion});
    if (by_deletion)
      append(path_, edit_op::remove, 1);
    else
      append_diagonal(i - 1, j - 1);
    append_path({i, part.a_end, j, part.b_end, by_deletion, part.ends_in_gap});
  }

  // Appends the canonical path of a part whose trace fits in memory.
  void append_traced(const table_part& part) {
    if (const std::uint64_t bytes = trace_bytes(part); bytes > trace_size_) {
      trace_.reset();
      trace_ = std::make_unique_for_overwrite<std::uint8_t[]>(bytes);
      trace_size_ = bytes;
    }
    start(part);
    sweep(part, 0, part.rows(), sweep_output::trace);
    expect_runs(part);
    const std::size_t height = strip_rows(part);
    std::size_t i = part.rows(), j = part.columns();
    edit_op last = part.starts_in_gap ? edit_op::remove : edit_op::match;
    while (i > 0 && j > 0) {
      const std::size_t strip = (i - 1) / height, row = (i - 1) % height,
                        rows = std::min(height, part.rows() - strip * height);
      const std::uint8_t cell = trace_[strip * height * (part.columns() + height) + (row + j) * rows + row];
      const std::uint8_t step = last == edit_op::remove && (cell & trace_extends_deletion) != 0 ? trace_delete
                                : last == edit_op::insert && (cell & trace_extends_insertion) != 0
                                    ? trace_insert
                                    : cell & trace_step;
      if (step == trace_diagonal) {
        append_diagonal(part.a_end - i, part.b_end - j);
        --i, --j, last = edit_op::match;
      } else {
        last = step == trace_delete ? edit_op::remove : edit_op::insert;
        append(path_, last, 1);
        (step == trace_delete ? i : j) -= 1;
      }
    }
    append_unmatched(path_, i, j);
  }

  void append_diagonal(std::size_t i, std::size_t j) {
    bool equal = a_text_[i] == b_text_[j];
    if constexpr (sizeof(Symbol) == 1)
      equal = equal || (call_.wildcards != nullptr &&
                        (call_.wildcards->contains(a_text_[i]) || call_.wildcards->contains(b_text_[j])));
    append(path_, equal ? edit_op::match : edit_op::substitute, 1);
  }

  // Reserves memory for the runs of the whole path, if `part` is the whole and memory is limited. Throws
  // memory_error if it does not suffice.
  void expect_runs(const table_part& part) {
    const std::uint64_t requested = call_.options.run.memory, m = a_text_.size(), n = b_text_.size();
    if (requested == 0 || part.rows() != m || part.columns() != n) return;
    const std::uint64_t runs = max_affine_runs(costs_, m, n, last_penalty(part));
    require_memory_of_runs("engine affine-table", runs,
                           memory(m, n, true) + std::min(max_trace_, trace_bytes(part)), requested);
    path_.runs.reserve(runs);
  }

  static constexpr Value any_symbol = max_kernel_penalty<Value>;
  text<Symbol> a_text_, b_text_;
  const lcs_call& call_;
  affine_penalties costs_;
  std::vector<Value> a_, b_;                               // the symbols; those of a are reversed
  std::vector<Value> closed_, deleting_;                   // a row of the tables
  std::vector<Value> closed_crossing_, deleting_crossing_; // of that row
  std::vector<Value> workspace_;                           // of the kernel
  std::unique_ptr<std::uint8_t[]> trace_;                  // of a part
  std::uint64_t trace_size_ = 0;
  std::uint64_t max_trace_ = 0; // in bytes
  edit_script path_;
};

// Calls use(tables) with tables whose values are large enough.
template <class Symbol, class Use>
auto with_tables(text<Symbol> a, text<Symbol> b, const lcs_call& call, bool wants_path, const Use& use) {
  const auto run = [&]<class Value>(Value) {
    using tables = affine_tables<Value, Symbol>;
    require_memory("engine affine-table", tables::memory(a.size(), b.size(), wants_path),
                   call.options.run.memory);
    return use(tables(a, b, call));
  };
  const std::uint64_t largest =
      max_penalty(call.options.penalties, a.size(), b.size()) + call.options.penalties.gap_open;
  if (largest < static_cast<std::uint64_t>(max_kernel_penalty<std::int32_t>)) return run(std::int32_t{});
  return run(std::int64_t{});
}

} // namespace

template <class Symbol>
std::uint64_t affine_table_penalty(text<Symbol> a, text<Symbol> b, const lcs_call& call) {
  return with_tables(a, b, call, false, [](auto tables) { return tables.penalty(); });
}

template <class Symbol>
edit_script affine_table_path(text<Symbol> a, text<Symbol> b, const lcs_call& call, std::uint64_t max_trace) {
  return with_tables(a, b, call, true, [&](auto tables) { return tables.path(max_trace); });
}

template std::uint64_t affine_table_penalty(text<std::uint8_t>, text<std::uint8_t>, const lcs_call&);
template std::uint64_t affine_table_penalty(text<std::uint32_t>, text<std::uint32_t>, const lcs_call&);
template edit_script affine_table_path(text<std::uint8_t>, text<std::uint8_t>, const lcs_call&,
                                       std::uint64_t);
template edit_script affine_table_path(text<std::uint32_t>, text<std::uint32_t>, const lcs_call&,
                                       std::uint64_t);

} // namespace weft::lcs_detail
