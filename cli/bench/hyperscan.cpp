#include <cli/bench/hyperscan.hpp>

#include <bench/scan/regular_expression.hpp>
#include <fmt/format.h>
#include <weft/base/error.hpp>

namespace weft::cli::bench {

// The functions of hs.h that are called, as hs.h declares them.
struct hyperscan::functions {
  struct compile_error {
    char* message;
    int expression;
  };
  using on_match = int(unsigned id, unsigned long long from, unsigned long long to, unsigned flags,
                       void* context);
  int (*compile_multi)(const char* const* expressions, const unsigned* flags, const unsigned* ids,
                       unsigned count, unsigned mode, const void* platform, void** database,
                       compile_error** error);
  int (*alloc_scratch)(const void* database, void** scratch);
  int (*scan)(const void* database, const char* data, unsigned length, unsigned flags, void* scratch,
              on_match* body, void* context);
  int (*free_database)(void* database);
  int (*free_scratch)(void* scratch);
};

namespace {

constexpr unsigned flag_dotall = 2, flag_allow_empty = 16, mode_block = 1;

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

hyperscan::hyperscan() : library_({"libhs.so.5", "libhs.so"}), call_(std::make_unique<functions>()) {
  const auto take = [this](auto*& function, const char* name) {
    function = library_.find<std::remove_reference_t<decltype(*function)>>(name);
  };
  take(call_->compile_multi, "hs_compile_multi");
  take(call_->alloc_scratch, "hs_alloc_scratch");
  take(call_->scan, "hs_scan");
  take(call_->free_database, "hs_free_database");
  take(call_->free_scratch, "hs_free_scratch");
}

hyperscan::~hyperscan() {
  if (scratch_ != nullptr) (void)call_->free_scratch(scratch_);
  if (database_ != nullptr) (void)call_->free_database(database_);
}

void hyperscan::compile(const motif_set& motifs) {
  if (database_ != nullptr) return;
  std::vector<std::string> expressions;
  std::vector<const char*> pointers;
  std::vector<unsigned> ids;
  for (const motif& m : motifs.motifs()) {
    expressions.push_back(weft_bench::regular_expression(m));
    ids.push_back(static_cast<unsigned>(ids.size()));
  }
  for (const std::string& text : expressions) pointers.push_back(text.c_str());
  const std::vector<unsigned> flags(ids.size(), flag_allow_empty | flag_dotall);
  functions::compile_error* failure = nullptr;
  if (call_->compile_multi(pointers.data(), flags.data(), ids.data(), static_cast<unsigned>(ids.size()),
                           mode_block, nullptr, &database_, &failure) != 0)
    throw error(errc::unavailable,
                fmt::format("Hyperscan: {}", failure != nullptr ? failure->message : "does not compile"));
  if (call_->alloc_scratch(database_, &scratch_) != 0)
    throw error(errc::out_of_memory, "Hyperscan: no scratch");
}

match_vector hyperscan::scan(const sequence_batch& text) const {
  found into;
  for (std::uint64_t i = 0; i < text.count(); ++i) {
    into.sequence = static_cast<std::uint32_t>(i);
    if (call_->scan(database_, text[i].data(), static_cast<unsigned>(text[i].size()), 0, scratch_, keep,
                    &into) != 0)
      throw error(errc::unavailable, "Hyperscan: the scan failed");
  }
  return std::move(into.matches);
}

} // namespace weft::cli::bench
