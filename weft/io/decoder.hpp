// Decompression as a step function, one codec a format; what all have in common (members one after another,
// padding, trailing garbage) stands here once.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <weft/io/byte_source.hpp>

namespace weft::io {

// what(): what is wrong with the data.
class decode_failure : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

class decoder {
public:
  struct progress {
    std::size_t consumed = 0, produced = 0;
    bool finished = false; // of the whole input
  };
  virtual ~decoder() = default;
  // Takes bytes from the front of `in`, writes to the front of `out`. Nothing consumed, produced or finished:
  // needs more input. `at_end`: nothing follows `in`.
  virtual progress decode(std::span<const char> in, std::span<char> out, bool at_end) = 0;
  [[nodiscard]] virtual const char* format() const noexcept = 0;
};

// Null for compression::none.
[[nodiscard]] std::unique_ptr<decoder> make_decoder(compression kind);

// Codec: void start() before each member; bool step(progress&, in, out): true when the member is complete;
// throws decode_failure; static members name, padded_with_zeros.
template <class Codec> class member_decoder final : public decoder {
public:
  progress decode(std::span<const char> in, std::span<char> out, bool at_end) override {
    progress done;
    if (!in_member_) {
      if (Codec::padded_with_zeros && members_ > 0)
        while (done.consumed < in.size() && in[done.consumed] == '\0') ++done.consumed;
      in = in.subspan(done.consumed);
      padded_ = padded_ || done.consumed > 0;
      if (in.empty()) {
        done.finished = at_end;
        return done;
      }
      if (padded_) throw decode_failure("something follows the zero padding after the last member");
      codec_.start();
      in_member_ = true;
      ++members_;
    }
    progress step;
    try {
      if (codec_.step(step, in, out)) in_member_ = false;
    } catch (const decode_failure& failure) {
      if (members_ == 1) throw;
      throw decode_failure(std::string(failure.what()) + " (in member " + std::to_string(members_) + ")");
    }
    done.consumed += step.consumed;
    done.produced = step.produced;
    return done;
  }
  const char* format() const noexcept override { return Codec::name; }

private:
  Codec codec_;
  bool in_member_ = false, padded_ = false;
  std::size_t members_ = 0;
};

} // namespace weft::io
