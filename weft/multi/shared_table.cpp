#include <weft/multi/shared_table.hpp>

#include <algorithm>
#include <exception>
#include <optional>
#include <span>
#include <utility>
#include <weft/multi/half_table.hpp>
#include <weft/multi/team.hpp>

namespace weft::multi_detail {

using namespace lcs_detail;

namespace {

// Returns the symbols [first, first + length) of a text.
bit_planes slice(const bit_planes& text, std::uint64_t first, std::uint64_t length) {
  bit_planes result;
  result.length = length;
  const std::uint64_t shift = first % 64, words = (length + 63) / 64;
  for (const std::vector<std::uint64_t>& plane : text.planes) {
    std::vector<std::uint64_t> moved(words);
    for (std::uint64_t w = 0, from = first / 64; w < words; ++w, ++from)
      moved[w] = plane[from] >> shift |
                 (shift != 0 && from + 1 < plane.size() ? plane[from + 1] << (64 - shift) : 0);
    if (length % 64 != 0) moved.back() &= (std::uint64_t{1} << length % 64) - 1;
    result.planes.push_back(std::move(moved));
  }
  return result;
}

bit_planes empty_planes(std::uint64_t length, std::uint64_t count) {
  return {length,
          std::vector<std::vector<std::uint64_t>>(count, std::vector<std::uint64_t>((length + 63) / 64))};
}

// Returns number * part / whole, for part <= whole.
std::uint64_t share_of(std::uint64_t number, int part, int whole) {
  const auto p = static_cast<std::uint64_t>(part), w = static_cast<std::uint64_t>(whole);
  return number / w * p + number % w * p / w;
}

} // namespace

struct shared_table::order {
  action what = action::end;
  std::uint64_t edit = 0, planes = 0, m = 0, n = 0, memory = 0, min_rows = 0, piece_words = 0;
};

shared_table::shared_table(multi::communicator& ranks) : ranks_(ranks) {
  if (ranks.size() > 1)
    for (auto& border : borders_) border = ranks.duplicate();
}

std::uint64_t shared_table::distance(const bit_planes& a, const bit_planes& b, const lcs_call& call,
                                     const table_division& division) {
  const task table{a, b, call, division};
  begin(action::find_distance, table);
  return depend_on_each_other(ranks_, [&] {
    const part all = whole(table);
    const int count = count_bands(table, all);
    if (count == 1) return bit_sliced_distance(a, b, call);
    return meet(table, all, count).distance;
  });
}

edit_script shared_table::path(const bit_planes& a, const bit_planes& b, const lcs_call& call,
                               const table_division& division) {
  const task table{a, b, call, division};
  begin(action::find_path, table);
  call.work.expect_more(cells(a.length, b.length));
  const part own = depend_on_each_other(ranks_, [&] { return find_own_part(table); });
  edit_script path = solve_own_part(table, own);
  return gather(table, std::move(path));
}

void shared_table::begin(action next, const task& table) {
  const auto planes = static_cast<std::uint64_t>(table.a.count());
  const std::uint64_t requested = table.call.options.run.memory;
  require_memory("engine bit-sliced",
                 (table.a.length + table.b.length) / 4 * std::max<std::uint64_t>(1, planes) + table.b.length +
                     65536,
                 requested);
  order what{next,
             table.call.edit() ? 1U : 0U,
             planes,
             table.a.length,
             table.b.length,
             requested,
             table.division.min_rows,
             table.division.piece_words};
  depend_on_each_other(ranks_, [&] {
    ranks_.broadcast(bytes_of(what), 0);
    for (const bit_planes* text : {&table.a, &table.b})
      for (const std::vector<std::uint64_t>& plane : text->planes) {
        std::vector<std::uint64_t> copy = plane;
        ranks_.broadcast(std::as_writable_bytes(std::span(copy)), 0);
      }
  });
}

std::vector<std::uint32_t>
shared_table::sweep_half(const half_shape& shape, text<std::uint8_t> a, text<std::uint8_t> b,
                         std::uint64_t memory, const std::function<void(const sweep_check& check)>& own) {
  order what{action::sweep_half};
  depend_on_each_other(ranks_, [&] { ranks_.broadcast(bytes_of(what), 0); });
  return lead_half(ranks_, shape, a, b, memory, own);
}

void shared_table::dismiss() {
  order what{};
  ranks_.broadcast(bytes_of(what), 0);
}

void shared_table::help(const run_options& run) {
  for (;;) {
    order what{};
    ranks_.broadcast(bytes_of(what), 0);
    if (what.what == action::end) return;
    if (what.what != action::sweep_half)
      follow(what, run);
    else if (ranks_.rank() == 1)
      help_with_half(ranks_, find_gpu_table_engine(), run);
  }
}

void shared_table::follow(const order& what, const run_options& run) {
  bit_planes a = empty_planes(what.m, what.planes), b = empty_planes(what.n, what.planes);
  for (bit_planes* text : {&a, &b})
    for (std::vector<std::uint64_t>& plane : text->planes)
      ranks_.broadcast(std::as_writable_bytes(std::span(plane)), 0);
  lcs_options options{.metric = what.edit != 0 ? lcs_metric::edit : lcs_metric::lcs, .run = run};
  options.run.memory = what.memory;
  options.run.info = nullptr;
  cell_counter work(run.monitor);
  const lcs_call call{options, work};
  const task table{a, b, call, {what.min_rows, what.piece_words}};
  if (what.what == action::find_distance) {
    const part all = whole(table);
    if (const int count = count_bands(table, all); ranks_.rank() < count && count > 1)
      (void)meet(table, all, count);
    return;
  }
  const part own = find_own_part(table);
  try {
    edit_script path = solve_own_part(table, own);
    (void)gather(table, std::move(path));
  } catch (const memory_error&) {
    // Rank 0 throws it as well, and does what is left to do.
  }
}

shared_table::part shared_table::whole(const task& table) const {
  return {0, table.a.length, 0, table.b.length, 0, ranks_.size()};
}

// Returns how many of the ranks of a part fill it.
int shared_table::count_bands(const task& table, const part& which) const {
  if (which.columns == 0) return 1;
  const std::uint64_t bands = which.rows / std::max<std::uint64_t>(1, table.division.min_rows);
  return static_cast<int>(std::clamp<std::uint64_t>(bands, 1, static_cast<std::uint64_t>(which.count)));
}

// Returns where the two halves of a part meet. The first `count` ranks of the part call it together.
meeting shared_table::meet(const task& table, const part& which, int count) {
  const int upper = count / 2, member = ranks_.rank() - which.first;
  const std::uint64_t middle = share_of(which.rows, upper, count);
  row_differences row;
  sweep_own_band(table, which, middle, member, upper, count, row);
  std::uint64_t met[2] = {};
  const int judge = upper - 1;
  const std::span<std::byte> message = std::as_writable_bytes(std::span(met));
  const auto words = static_cast<std::size_t>(table.call.edit() ? 2 : 1);
  if (member == count - 1)
    for (std::size_t k = 0; k < words; ++k)
      ranks_.send(std::as_bytes(std::span(row.words[k])), which.first + judge);
  if (member != judge) {
    ranks_.receive(message, which.first + judge);
    return {met[0], met[1]};
  }
  row_differences below;
  for (std::size_t k = 0; k < words; ++k) {
    below.words[k].resize((which.columns + 63) / 64);
    ranks_.receive(std::as_writable_bytes(std::span(below.words[k])), which.first + count - 1);
  }
  const meeting found =
      lcs_detail::meet(table.call.edit(), which.columns, middle, row, which.rows - middle, below);
  met[0] = found.column, met[1] = found.distance;
  for (int other = 0; other < count; ++other)
    if (other != judge) ranks_.send(message, which.first + other);
  return found;
}

// Computes the band of a member of the ranks that fill a part. Its last row goes to the next member, or to
// `row` if the member is the last one of its half.
void shared_table::sweep_own_band(const task& table, const part& which, std::uint64_t middle, int member,
                                  int upper, int count, row_differences& row) {
  const bool lower = member >= upper;
  const int index = lower ? member - upper : member, bands = lower ? count - upper : upper;
  const std::uint64_t rows = lower ? which.rows - middle : middle;
  const std::uint64_t first = share_of(rows, index, bands), last = share_of(rows, index + 1, bands);
  bit_planes a = slice(table.a, which.row + (lower ? which.rows - last : first), last - first);
  bit_planes b = slice(table.b, which.column, which.columns);
  if (lower) a = reversed(a), b = reversed(b);
  const bit_sliced_table own(table.call.edit(), a, b);
  const auto cell_words = static_cast<std::size_t>(own.cell_words());
  band_links links{.words = table.division.piece_words, .take = nullptr, .pass = nullptr};
  const int self = ranks_.rank();
  if (index > 0)
    links.take = [&](std::span<std::uint64_t> piece) {
      border_below(self - 1).receive(std::as_writable_bytes(piece), self - 1);
    };
  links.pass = [&](std::span<const std::uint64_t> piece) {
    if (index + 1 < bands) return border_below(self).send(std::as_bytes(piece), self + 1);
    const std::size_t words = piece.size() / cell_words;
    for (std::size_t k = 0; k < cell_words; ++k) {
      const auto from = piece.begin() + static_cast<std::ptrdiff_t>(k * words);
      row.words[k].insert(row.words[k].end(), from, from + static_cast<std::ptrdiff_t>(words));
    }
  };
  sweep_band(own, links, table.call.threads(), table.call.work);
}

// Divides the table until each part belongs to one rank. Returns the part of this rank, which has no rows and
// no columns if other ranks have the whole path.
shared_table::part shared_table::find_own_part(const task& table) {
  part own = whole(table);
  for (;;) {
    const int count = count_bands(table, own), self = ranks_.rank();
    if (self - own.first >= count) return {0, 0, 0, 0, self, 1};
    if (count == 1) return own;
    own.count = count;
    const std::uint64_t middle = share_of(own.rows, count / 2, count);
    const meeting met = meet(table, own, count);
    part upper{own.row, middle, own.column, met.column, own.first, 0};
    part lower{own.row + middle, own.rows - middle, own.column + met.column, own.columns - met.column, 0, 0};
    const double upper_cells = static_cast<double>(upper.rows) * static_cast<double>(upper.columns),
                 lower_cells = static_cast<double>(lower.rows) * static_cast<double>(lower.columns);
    const double ranks =
        upper_cells + lower_cells == 0 ? 1 : own.count * upper_cells / (upper_cells + lower_cells);
    upper.count = std::clamp(static_cast<int>(ranks + 0.5), 1, own.count - 1);
    lower.first = own.first + upper.count;
    lower.count = own.count - upper.count;
    own = self < lower.first ? upper : lower;
  }
}

edit_script shared_table::solve_own_part(const task& table, const part& own) {
  edit_script path;
  multi::run_together(ranks_, [&] {
    path = bit_sliced_path(slice(table.a, own.row, own.rows), slice(table.b, own.column, own.columns),
                           table.call);
  });
  return path;
}

// Returns the path of all parts on rank 0, and an empty path elsewhere.
edit_script shared_table::gather(const task& table, edit_script own) {
  const std::vector<std::uint64_t> runs = multi::all_gather_number(ranks_, own.runs.size());
  std::uint64_t all = 0, longest = 0;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    all += runs[r];
    if (r > 0) longest = std::max(longest, runs[r]);
  }
  if (const std::uint64_t requested = table.call.options.run.memory; requested != 0)
    require_memory("the path", (all + longest) * sizeof(edit_run), requested);
  return depend_on_each_other(ranks_, [&]() -> edit_script {
    if (ranks_.rank() != 0) {
      if (!own.runs.empty()) ranks_.send(std::as_bytes(std::span(own.runs)), 0);
      return {};
    }
    own.runs.reserve(all);
    for (int r = 1; r < ranks_.size(); ++r) {
      edit_script next;
      next.runs.resize(runs[static_cast<std::size_t>(r)]);
      if (next.runs.empty()) continue;
      ranks_.receive(std::as_writable_bytes(std::span(next.runs)), r);
      append(own, next);
    }
    return std::move(own);
  });
}

} // namespace weft::multi_detail
