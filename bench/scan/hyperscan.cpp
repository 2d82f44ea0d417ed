#include <bench/scan/hyperscan.hpp>

#include <bench/scan/regular_expression.hpp>
#include <fmt/format.h>
#include <weft/base/error.hpp>
#if defined(WEFT_BENCH_HYPERSCAN)
#include <hs.h>
#endif

namespace weft::bench {

#if defined(WEFT_BENCH_HYPERSCAN)

struct hyperscan::database {
  hs_database_t* expressions = nullptr;
  hs_scratch_t* scratch = nullptr;

  ~database() {
    (void)hs_free_scratch(scratch);
    (void)hs_free_database(expressions);
  }
};

namespace {

// The matches found so far, and the index of the sequence that is being scanned.
struct found {
  match_vector matches;
  std::uint32_t sequence = 0;
};

int keep(unsigned id, unsigned long long, unsigned long long to, unsigned, void* context) {
  auto& into = *static_cast<found*>(context);
  into.matches.push_back({into.sequence, id, 0, to});
  return 0;
}

} // namespace

std::string hyperscan::unavailable_reason() { return ""; }

void hyperscan::compile(const motif_set& motifs) {
  if (compiled_ != nullptr) return;
  std::vector<std::string> expressions;
  std::vector<const char*> pointers;
  std::vector<unsigned> ids;
  for (const motif& m : motifs.motifs()) {
    expressions.push_back(regular_expression(m));
    ids.push_back(static_cast<unsigned>(ids.size()));
  }
  for (const std::string& text : expressions) pointers.push_back(text.c_str());
  const std::vector<unsigned> flags(ids.size(), HS_FLAG_ALLOWEMPTY | HS_FLAG_DOTALL);
  auto made = std::make_unique<database>();
  hs_compile_error_t* failure = nullptr;
  if (hs_compile_multi(pointers.data(), flags.data(), ids.data(), static_cast<unsigned>(ids.size()),
                       HS_MODE_BLOCK, nullptr, &made->expressions, &failure) != HS_SUCCESS) {
    const std::string why = failure != nullptr ? failure->message : "does not compile";
    (void)hs_free_compile_error(failure);
    throw error(errc::unavailable, fmt::format("Hyperscan: {}", why));
  }
  if (hs_alloc_scratch(made->expressions, &made->scratch) != HS_SUCCESS)
    throw error(errc::out_of_memory, "Hyperscan: no scratch");
  compiled_ = std::move(made);
}

match_vector hyperscan::scan(const sequences_view& text) const {
  found into;
  for (std::uint64_t i = 0; i < text.count(); ++i) {
    into.sequence = static_cast<std::uint32_t>(i);
    if (hs_scan(compiled_->expressions, text[i].data(), static_cast<unsigned>(text[i].size()), 0,
                compiled_->scratch, keep, &into) != HS_SUCCESS)
      throw error(errc::unavailable, "Hyperscan: the scan failed");
  }
  return std::move(into.matches);
}

#else

struct hyperscan::database {};
std::string hyperscan::unavailable_reason() { return "built without Hyperscan"; }
void hyperscan::compile(const motif_set&) { throw error(errc::unavailable, unavailable_reason()); }
match_vector hyperscan::scan(const sequences_view&) const {
  throw error(errc::unavailable, unavailable_reason());
}

#endif

hyperscan::hyperscan() = default;
hyperscan::~hyperscan() = default;

} // namespace weft::bench
