#include <bench/scale/shared_jobs.hpp>

#include <algorithm>
#include <atomic>
#include <bench/scale/measure.hpp>
#include <bench/scan/inputs.hpp>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <random>
#include <span>
#include <vector>
#include <weft/base/mixed.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/lcs/lcs.hpp>
#include <weft/multi/lcs.hpp>
#include <weft/multi/suffixes.hpp>
#include <weft/scan/scan.hpp>

namespace weft::bench {

namespace {

using multi::communicator;

run_options on_cpu() { return {.device = {device_kind::cpu, 0}}; }

// Returns random bases, the same for the same seed. All threads draw them.
std::string random_bases(std::uint64_t size, std::uint64_t seed) {
  constexpr std::uint64_t drawn_at_once = 32; // bases from one random number
  std::string bases(size, ' ');
  parallel_for(0, size / drawn_at_once + 1, 1 << 14, 0, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t block = first; block < last; ++block) {
      std::uint64_t bits = base_detail::mixed((seed << 40) + block);
      const std::uint64_t begin = block * drawn_at_once, end = std::min(size, begin + drawn_at_once);
      for (std::uint64_t i = begin; i < end; ++i, bits >>= 2) bases[i] = "ACGT"[bits & 3];
    }
  });
  return bases;
}

// Returns the offsets of `count` sequences of the same length.
std::vector<std::uint64_t> equal_offsets(std::uint64_t count, std::uint64_t length) {
  std::vector<std::uint64_t> offsets(count + 1);
  for (std::uint64_t i = 0; i <= count; ++i) offsets[i] = i * length;
  return offsets;
}

// The length of the longest common subsequence of two texts.
class lcs_job final : public shared_job {
public:
  lcs_job(const gpu_job_sizes& sizes, const run_options& run)
      : shared_job(fmt::format("the length of the LCS of two texts of {} random bases", sizes.table_side)),
        a_(random_bases(sizes.table_side, 1)), b_(random_bases(sizes.table_side, 2)), net_(measure_threads()),
        expected_(weft::lcs_value(b_, a_, {.run = run})) {} // the transposed table has the same value

  void prepare(std::uint64_t) override { is_right_ = true; }
  void work(communicator& ranks, const run_options& run) override {
    if (multi::lcs_value(ranks, a_, b_, {.run = run}) != expected_) is_right_ = false;
  }
  [[nodiscard]] bool is_right() const override { return is_right_; }
  void work_of_one(std::uint64_t count, const run_options& run) override {
    (void)weft::lcs_value(a_, std::string_view(b_).substr(0, b_.size() / std::min<std::uint64_t>(count, 2)),
                          {.run = run});
  }
  // The rows and half of the columns travel as bytes, and the border between the halves of the table has a
  // bit for each row.
  [[nodiscard]] double exchange_seconds() const override {
    const auto rows = static_cast<double>(a_.size()), columns = static_cast<double>(b_.size());
    return (rows + columns / 2 + rows / 8) / net_.bandwidth;
  }

private:
  std::string a_, b_;
  network net_;
  std::uint64_t expected_;
  std::atomic<bool> is_right_ = true;
};

// The lengths for all pairs of a batch of sequences. The sample of the job consists of the pairs of the first
// sequences, whose values are the first ones of the batch.
class pairs_job final : public shared_job {
public:
  pairs_job(const gpu_job_sizes& sizes, const run_options& run)
      : shared_job(fmt::format("the lengths of the LCS of all pairs of {} sequences of {} random bases",
                               sizes.num_sequences, sizes.sequence_bases)),
        bases_(random_bases(sizes.num_sequences * sizes.sequence_bases, 3)),
        offsets_(equal_offsets(sizes.num_sequences, sizes.sequence_bases)),
        num_of_sample_(std::min<std::uint64_t>(sizes.num_sequences, 200)),
        expected_(weft::lcs_all_pairs(first(sizes.num_sequences), {.run = run})),
        is_expected_right_(are_right(weft::lcs_all_pairs(first(num_of_sample_), {.run = on_cpu()}))) {}

  void prepare(std::uint64_t count) override { answers_.assign(count, {}); }
  void work(communicator& ranks, const run_options& run) override {
    answers_[static_cast<std::size_t>(ranks.rank())] =
        multi::lcs_all_pairs(ranks, first(offsets_.size() - 1), {.run = run});
  }
  [[nodiscard]] bool is_right() const override {
    return is_expected_right_ && std::ranges::all_of(answers_, [&](const std::vector<std::uint64_t>& values) {
             return are_right(values);
           });
  }
  void work_of_one(std::uint64_t count, const run_options& run) override {
    const double num_sequences =
        static_cast<double>(offsets_.size() - 1) / std::sqrt(static_cast<double>(count));
    (void)weft::lcs_all_pairs(first(static_cast<std::uint64_t>(num_sequences)), {.run = run});
  }
  [[nodiscard]] double size_in_samples() const override {
    return static_cast<double>(expected_.size()) / static_cast<double>(num_pairs(num_of_sample_));
  }
  void work_on_sample(communicator& ranks, const run_options& run) override {
    answers_[static_cast<std::size_t>(ranks.rank())] =
        multi::lcs_all_pairs(ranks, first(num_of_sample_), {.run = run});
  }

private:
  [[nodiscard]] sequences_view first(std::uint64_t count) const {
    return {std::string_view(bases_).substr(0, offsets_[count]), std::span(offsets_).first(count + 1)};
  }
  // Returns the number of pairs of the first `count` sequences.
  [[nodiscard]] static std::uint64_t num_pairs(std::uint64_t count) { return count * (count - 1) / 2; }
  // Returns whether these are the expected values of all pairs, or of those of the sample.
  [[nodiscard]] bool are_right(const std::vector<std::uint64_t>& values) const {
    return (values.size() == expected_.size() || values.size() == num_pairs(num_of_sample_)) &&
           std::equal(values.begin(), values.end(), expected_.begin());
  }

  std::string bases_;
  std::vector<std::uint64_t> offsets_;
  std::uint64_t num_of_sample_;
  std::vector<std::uint64_t> expected_;             // of one device
  bool is_expected_right_;                          // whether the CPU has the same values for the sample
  std::vector<std::vector<std::uint64_t>> answers_; // of each rank
};

// The numbers of occurrences of patterns in an indexed text. Each rank counts a share of the patterns.
class find_job final : public shared_job {
public:
  find_job(const gpu_job_sizes& sizes, const run_options& run)
      : shared_job(fmt::format("how often {} patterns of {} bases occur in {} random bases, by an FM-index "
                               "that every GPU has; the patterns are in host memory",
                               sizes.num_patterns, sizes.pattern_bases, sizes.index_bases)),
        pattern_bases_(sizes.pattern_bases),
        offsets_(equal_offsets(sizes.num_patterns, sizes.pattern_bases)) {
    const std::string text = random_bases(sizes.index_bases, 4);
    const std::uint64_t text_offsets[] = {0, text.size()};
    index_ = std::make_unique<fm_index>(fm_index::build({text, text_offsets}, {.run = run}));
    patterns_.resize(offsets_.back());
    parallel_for(0, sizes.num_patterns, 1 << 14, 0, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i)
        text.copy(patterns_.data() + offsets_[i], pattern_bases_,
                  base_detail::mixed(i) % (text.size() - pattern_bases_ + 1));
    });
    expected_ = counts(0, 1, on_cpu());
  }

  void prepare(std::uint64_t count) override { answers_.assign(count, {}); }
  void work(communicator& ranks, const run_options& run) override {
    const auto rank = static_cast<std::uint64_t>(ranks.rank());
    answers_[rank] = counts(rank, answers_.size(), run);
  }
  [[nodiscard]] bool is_right() const override {
    auto next = expected_.begin();
    for (const std::vector<std::uint64_t>& each : answers_) {
      if (each.size() > static_cast<std::size_t>(expected_.end() - next) ||
          !std::equal(each.begin(), each.end(), next))
        return false;
      next += static_cast<std::ptrdiff_t>(each.size());
    }
    return next == expected_.end() && std::ranges::find(expected_, 0U) == expected_.end();
  }
  void work_of_one(std::uint64_t count, const run_options& run) override { (void)counts(0, count, run); }

private:
  // Returns the counts for one of `count` shares of the patterns.
  [[nodiscard]] std::vector<std::uint64_t> counts(std::uint64_t share, std::uint64_t count,
                                                  const run_options& run) const {
    const std::uint64_t num_patterns = offsets_.size() - 1, begin = num_patterns * share / count,
                        size = num_patterns * (share + 1) / count - begin;
    return index_->count({std::string_view(patterns_).substr(offsets_[begin], offsets_[size]),
                          std::span(offsets_).first(size + 1)}, // all patterns have the same length
                         {.run = run});
  }

  std::uint64_t pattern_bases_;
  std::vector<std::uint64_t> offsets_, expected_; // expected_: of the CPU
  std::string patterns_;
  std::unique_ptr<fm_index> index_;
  std::vector<std::vector<std::uint64_t>> answers_; // of each rank
};

motif_set random_motifs(std::uint64_t count) {
  std::mt19937_64 random(4);
  std::vector<motif> motifs;
  for (std::uint64_t i = 0; i < count; ++i) motifs.push_back(parse_motif(random_pattern(random)));
  return motif_set(std::move(motifs));
}

// The matches of motifs in proteins. Each rank scans a share of the sequences.
class scan_job final : public shared_job {
public:
  scan_job(const gpu_job_sizes& sizes, const run_options&)
      : shared_job(fmt::format("the matches of {} motifs in {} residues of random proteins", sizes.num_motifs,
                               sizes.residues)),
        motifs_(random_motifs(sizes.num_motifs)), proteins_(random_proteins(sizes.residues)) {
    prepare(1);
    expected_ = summary_of(0, weft::scan(motifs_, shares_[0].view(proteins_), {.run = on_cpu()}));
  }

  void prepare(std::uint64_t count) override {
    answers_.assign(count, {});
    if (shares_.size() == count) return;
    shares_.clear();
    const std::vector<std::uint64_t>& offsets = proteins_.offsets;
    auto first = offsets.begin();
    for (std::uint64_t r = 1; r <= count; ++r) {
      const auto last = std::ranges::lower_bound(offsets, offsets.back() * r / count);
      share own{static_cast<std::uint64_t>(first - offsets.begin()), *first, {first, last + 1}};
      for (std::uint64_t& each : own.offsets) each -= own.first_residue;
      shares_.push_back(std::move(own));
      first = last;
    }
  }
  void work(communicator& ranks, const run_options& run) override {
    const auto rank = static_cast<std::size_t>(ranks.rank());
    answers_[rank] = weft::scan(motifs_, shares_[rank].view(proteins_), {.run = run});
  }
  [[nodiscard]] bool is_right() const override {
    summary all;
    for (std::size_t r = 0; r < answers_.size(); ++r) {
      const summary own = summary_of(shares_[r].first_sequence, answers_[r]);
      all.num_matches += own.num_matches;
      all.sum += own.sum;
    }
    return all.num_matches > 0 && all == expected_;
  }
  void work_of_one(std::uint64_t, const run_options& run) override {
    (void)weft::scan(motifs_, shares_[0].view(proteins_), {.run = run});
  }

private:
  // The sequences of one rank.
  struct share {
    std::uint64_t first_sequence, first_residue;
    std::vector<std::uint64_t> offsets; // from 0 on
    [[nodiscard]] sequences_view view(const protein_text& all) const {
      return {std::string_view(all.residues).substr(first_residue, offsets.back()), offsets};
    }
  };
  // The number of matches, and a sum that does not depend on their order.
  struct summary {
    std::uint64_t num_matches = 0, sum = 0;
    friend bool operator==(const summary&, const summary&) = default;
  };
  [[nodiscard]] static summary summary_of(std::uint64_t first_sequence, const match_vector& matches) {
    using base_detail::mixed;
    summary all{matches.size(), 0};
    for (const scan_match& each : matches)
      all.sum += mixed(mixed(mixed(first_sequence + each.sequence) + each.motif) + each.begin) ^ each.end;
    return all;
  }

  motif_set motifs_;
  protein_text proteins_;
  std::vector<share> shares_;
  summary expected_;                  // of the CPU
  std::vector<match_vector> answers_; // of each rank
};

// The Burrows-Wheeler transform of a text.
class transform_job final : public shared_job {
public:
  transform_job(const gpu_job_sizes& sizes, const run_options& run)
      : shared_job(
            fmt::format("the transform of {} random bases, which one GPU computes alone", sizes.text_bases)),
        text_(random_bases(sizes.text_bases, 5)),
        expected_(weft::bwt(text_, bwt_form::sentinel, {.run = run})),
        is_expected_right_(inverse_bwt(expected_, {.run = run}) == text_) {}

  void prepare(std::uint64_t) override { answer_ = {}; }
  void work(communicator& ranks, const run_options& run) override {
    bwt_text own = multi::bwt(ranks, text_, bwt_form::sentinel, {.run = run});
    if (ranks.rank() == 0) answer_ = std::move(own);
  }
  [[nodiscard]] bool is_right() const override { return is_expected_right_ && answer_ == expected_; }
  void work_of_one(std::uint64_t, const run_options& run) override {
    (void)weft::bwt(text_, bwt_form::sentinel, {.run = run});
  }

private:
  std::string text_;
  bwt_text expected_; // of one device
  bool is_expected_right_;
  bwt_text answer_; // of rank 0
};

} // namespace

std::unique_ptr<shared_job> make_shared_job(std::string_view name, const gpu_job_sizes& sizes,
                                            const run_options& run) {
  if (name == "lcs") return std::make_unique<lcs_job>(sizes, run);
  if (name == "all-pairs") return std::make_unique<pairs_job>(sizes, run);
  if (name == "find") return std::make_unique<find_job>(sizes, run);
  if (name == "scan") return std::make_unique<scan_job>(sizes, run);
  return std::make_unique<transform_job>(sizes, run);
}

} // namespace weft::bench
