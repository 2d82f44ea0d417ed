// The engine `bit-stream` on a GPU: filters over strided bit streams select candidates, which are then
// checked exactly on the text (docs/design/scan.md). Ends of matches are found as starts of the reversed
// motifs in the reversed text. Motifs whose matches are too long, or that have no element to filter by, are
// left to the engine shift-and.
#include <weft/scan/cuda/bit_stream/bit_stream_tables.hpp>
#include <weft/scan/cuda/nfa/nfa_engines.hpp>
#include <weft/scan/cuda/searcher_cache.hpp>

#include <algorithm>
#include <memory>
#include <optional>

namespace weft::scan_detail {

namespace {

class bit_stream_searcher final : public gpu_searcher {
public:
  bit_stream_searcher(const motif_set::compiled& motifs, edge which, cudaStream_t stream)
      : reversed_(which == edge::ends) {
    const std::uint32_t max_words = max_stream_words();
    std::shared_ptr<const host_plan> made = motifs.gpu_searchers->take_plan();
    if (!made || made->which != which || made->max_words != max_words)
      made = std::make_shared<const host_plan>(motifs, which, max_words);
    if (!made->tables) {
      rest_ = make_shift_and(motifs, which, stream, {});
      return;
    }
    const bit_stream_plan& plan = made->plan;
    plan_.emplace(plan, *made->tables, stream);
    gpu::check(cudaStreamSynchronize(stream), "copy compiled motifs");
    nfa_options rest;
    for (const std::uint32_t row : plan.dense_rows) rest.only.push_back(plan.rows[row].motif);
    std::sort(rest.only.begin(), rest.only.end());
    if (!rest.only.empty()) rest_ = make_shift_and(motifs, which, stream, rest);
  }

  std::uint64_t limit_memory(std::uint64_t allowed) override {
    memory_ = find_starts_within(allowed / 16);
    return find_starts_bytes(memory_) + (rest_ ? rest_->limit_memory(allowed) : 0);
  }

  std::uint64_t text_bytes(std::uint64_t residues) const override {
    const std::uint64_t reversed = residues + text_padding + start_words(residues) * sizeof(std::uint32_t);
    return (reversed_ && plan_ ? reversed : 0) + (rest_ ? rest_->text_bytes(residues) : 0);
  }

  void find(const device_text& text, std::uint64_t begin, std::uint64_t end, const code_buffer& to,
            cudaStream_t stream) override {
    if (rest_) rest_->find(text, begin, end, to, stream);
    if (!plan_) return;
    if (!reversed_) return find_starts(plan_->view(), text, begin, end, 0, to, memory_, stream);
    const gpu::device_buffer<unsigned char> residues(text.size + text_padding, stream);
    const gpu::device_buffer<std::uint32_t> starts(start_words(text.size), stream);
    reverse_text(text, residues.data(), starts.data(), stream);
    const device_text back{residues.data(), text.size, nullptr, text.sequences, starts.data()};
    find_starts(plan_->view(), back, text.size - end, text.size - begin, text.size, to, memory_, stream);
  }

private:
  std::optional<uploaded_plan> plan_;
  std::unique_ptr<gpu_searcher> rest_;
  bool reversed_;
  find_starts_memory memory_ = find_starts_within(~std::uint64_t{0});
};

} // namespace

void prepare_bit_stream(const motif_set::compiled& motifs, edge which) {
  constexpr std::size_t shared_bytes_of_hopper = std::size_t{228} << 10;
  motifs.gpu_searchers->keep_plan(
      std::make_shared<const host_plan>(motifs, which, stream_words_within(shared_bytes_of_hopper)));
}

std::unique_ptr<gpu_searcher> make_bit_stream(const motif_set::compiled& motifs, edge which,
                                              cudaStream_t stream) {
  return std::make_unique<bit_stream_searcher>(motifs, which, stream);
}

} // namespace weft::scan_detail
