#include <weft/search/cpu/variant_list.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <weft/search/cpu/genome_text.hpp>

namespace weft::search_detail {

namespace {

bool is_known(char letter) { return letter == 'A' || letter == 'C' || letter == 'G' || letter == 'T'; }

bool equal(char x, char y) { return x == y && is_known(x); }

// Consecutive steps that are no matches: the letters [a_begin, a_end) of A become [b_begin, b_end) of the
// strand of B. `is_known`: all letters are A, C, G or T.
struct difference {
  std::uint64_t a_begin = 0, a_end = 0, b_begin = 0, b_end = 0;
  bool is_known = true;

  [[nodiscard]] std::uint64_t a_size() const { return a_end - a_begin; }
  [[nodiscard]] std::uint64_t b_size() const { return b_end - b_begin; }
  [[nodiscard]] bool is_empty() const { return a_size() + b_size() == 0; }
  // Returns whether it is an insertion or a deletion alone.
  [[nodiscard]] bool is_gap() const { return (a_size() == 0) != (b_size() == 0); }
  [[nodiscard]] bool is_substitution() const { return a_size() == 1 && b_size() == 1; }
};

// A difference_walk walks along a path from its end to its begin, and collects the differences.
class difference_walk {
public:
  // The letters are those of the block: `b` on the strand that is aligned.
  difference_walk(const edit_script& path, std::string_view a, std::string_view b)
      : a_(a), b_(b), runs_(path.runs), i_(a.size()), j_(b.size()) {}

  // Returns the differences from the last to the first.
  std::vector<difference> collect() {
    while (!runs_.empty()) {
      const edit_op op = runs_.back().op;
      if (op == edit_op::match)
        step_back(runs_.back().length);
      else if (op == edit_op::substitute)
        found_.push_back(step_back(1));
      else
        settle(step_back(runs_.back().length));
    }
    return std::move(found_);
  }

private:
  // Walks back over the last `count` steps of the last run, and returns them.
  difference step_back(std::uint64_t count) {
    edit_run& run = runs_.back();
    difference steps{i_, i_, j_, j_};
    if (run.op != edit_op::insert) steps.a_begin = i_ -= count;
    if (run.op != edit_op::remove) steps.b_begin = j_ -= count;
    if (run.op != edit_op::match)
      steps.is_known = all_known(a_.substr(steps.a_begin, steps.a_size())) &&
                       all_known(b_.substr(steps.b_begin, steps.b_size()));
    if ((run.length -= count) == 0) runs_.pop_back();
    return steps;
  }

  static bool all_known(std::string_view letters) {
    return std::all_of(letters.begin(), letters.end(), is_known);
  }

  // Moves an insertion or a deletion to the left, joins it with what it then touches, and adds the result.
  void settle(difference current) {
    matches_ = 0;
    while (current.is_gap()) {
      while (!runs_.empty() && runs_.back().op == edit_op::match) {
        matches_ += runs_.back().length;
        step_back(runs_.back().length);
      }
      move_left(current);
      if (!(matches_ == 0 && join_left(current)) && !join_right(current)) break;
      trim(current);
    }
    if (!current.is_empty()) found_.push_back(current);
  }

  // Moves the insertion or the deletion to the left through the matches before it.
  void move_left(difference& current) {
    const bool in_a = current.a_size() > 0;
    const std::string_view text = in_a ? a_ : b_;
    const std::uint64_t begin = in_a ? current.a_begin : current.b_begin,
                        end = in_a ? current.a_end : current.b_end;
    std::uint64_t moved = 0;
    while (moved < matches_ && equal(text[begin - moved - 1], text[end - moved - 1])) ++moved;
    current.a_begin -= moved, current.a_end -= moved;
    current.b_begin -= moved, current.b_end -= moved;
    matches_ -= moved;
  }

  // Joins the gap with the step before it, or all steps of an insertion or a deletion, if that is no match.
  bool join_left(difference& current) {
    if (runs_.empty()) return false;
    const bool is_substitution = runs_.back().op == edit_op::substitute;
    if (is_substitution && !(current.is_known && is_known(a_[i_ - 1]) && is_known(b_[j_ - 1]))) return false;
    const difference steps = step_back(is_substitution ? 1 : runs_.back().length);
    current.a_begin = steps.a_begin, current.b_begin = steps.b_begin;
    current.is_known = current.is_known && steps.is_known;
    return true;
  }

  // Joins the gap with the difference that begins where it ends, if there is one.
  bool join_right(difference& current) {
    if (found_.empty()) return false;
    const difference& next = found_.back();
    if (next.a_begin != current.a_end || next.b_begin != current.b_end || !current.is_known || !next.is_known)
      return false;
    current.a_end = next.a_end, current.b_end = next.b_end;
    found_.pop_back();
    return true;
  }

  // Removes the letters that both sides have in common: at the end, then at the begin.
  void trim(difference& current) {
    while (current.a_size() > 0 && current.b_size() > 0 &&
           equal(a_[current.a_end - 1], b_[current.b_end - 1]))
      --current.a_end, --current.b_end;
    while (current.a_size() > 0 && current.b_size() > 0 && equal(a_[current.a_begin], b_[current.b_begin]))
      ++current.a_begin, ++current.b_begin, ++matches_;
  }

  std::string_view a_, b_;
  std::vector<edit_run> runs_;    // the steps that are still to be walked
  std::uint64_t i_, j_;           // their end in both texts
  std::uint64_t matches_ = 0;     // between there and the current gap
  std::vector<difference> found_; // from the last to the first
};

} // namespace

std::vector<genome_variant> list_variants(const genome_block& block, std::uint64_t block_number,
                                          std::string_view a, std::string_view b) {
  a = a.substr(block.a_begin, block.a_end - block.a_begin);
  b = b.substr(block.b_begin, block.b_end - block.b_begin);
  const std::string strand = block.reverse ? reverse_complement(b) : std::string();
  if (block.reverse) b = strand;
  const std::vector<difference> differences = difference_walk(block.path, a, b).collect();
  std::vector<genome_variant> variants;
  variants.reserve(differences.size());
  for (auto each = differences.rbegin(); each != differences.rend(); ++each) {
    if (!each->is_known) continue;
    variants.push_back({.block = block_number,
                        .a_record = block.a_record,
                        .begin = block.a_begin + each->a_begin,
                        .b_begin = block.reverse ? block.b_end - each->b_end : block.b_begin + each->b_begin,
                        .reference = std::string(a.substr(each->a_begin, each->a_size())),
                        .alternative = std::string(b.substr(each->b_begin, each->b_size()))});
  }
  return variants;
}

} // namespace weft::search_detail
