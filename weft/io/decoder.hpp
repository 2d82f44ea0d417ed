// Decompression as a step function, one codec a format; what all have in common (members one after another,
// padding, trailing garbage) stands here once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <weft/io/byte_source.hpp>

namespace weft::io {

// what(): what is wrong with the data.
class decode_failure : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// The data cannot be decompressed within the memory that was allowed: how many bytes it needs.
class decode_memory_failure : public std::runtime_error {
public:
  explicit decode_memory_failure(std::uint64_t needed)
      : std::runtime_error("more memory is needed"), needed_(needed) {}
  [[nodiscard]] std::uint64_t needed() const noexcept { return needed_; }

private:
  std::uint64_t needed_;
};

class decoder {
public:
  struct progress {
    std::size_t consumed = 0, produced = 0;
    bool finished = false;     // the whole input is
    bool member_ended = false; // call again, also if nothing was consumed or produced
  };
  virtual ~decoder() = default;
  // Takes bytes from the front of `in`, writes to the front of `out`. Nothing consumed, produced or finished:
  // needs more input. `at_end`: nothing follows `in`.
  virtual progress decode(std::span<const char> in, std::span<char> out, bool at_end) = 0;
  [[nodiscard]] virtual const char* format() const noexcept = 0;
};

// Null for compression::none. A decoder of zstd or xz throws decode_memory_failure where it would take more
// than `memory` bytes; the others take 4 MiB at most.
[[nodiscard]] std::unique_ptr<decoder> make_decoder(compression kind, std::uint64_t memory);

// Codec: Codec(memory), with the bound of make_decoder; void start() before each member; bool step(progress&,
// in, out): true when the member is complete; throws decode_failure; static members
//   name,
//   padding: zero bytes are allowed after a member, in multiples of this (0: not allowed),
//   member_after_padding: and another member may follow them.
template <class Codec> class member_decoder final : public decoder {
public:
  explicit member_decoder(std::uint64_t memory) : codec_(memory) {}
  progress decode(std::span<const char> in, std::span<char> out, bool at_end) override {
    progress done;
    if (!in_member_) {
      done.consumed = skip_padding(in);
      in = in.subspan(done.consumed);
      if (in.empty()) {
        done.finished = at_end;
        if (at_end) check_padding();
        return done;
      }
      begin_member();
      in_member_ = true;
    }
    progress step;
    try {
      in_member_ = !codec_.step(step, in, out);
    } catch (const decode_failure& failure) {
      if (members_ == 1) throw;
      throw decode_failure(std::string(failure.what()) + " (in member " + std::to_string(members_) + ")");
    }
    done.consumed += step.consumed;
    done.produced = step.produced;
    done.member_ended = !in_member_;
    return done;
  }
  const char* format() const noexcept override { return Codec::name; }

private:
  std::size_t skip_padding(std::span<const char> in) {
    std::size_t count = 0;
    if (Codec::padding > 0 && members_ > 0)
      while (count < in.size() && in[count] == '\0') ++count;
    padding_ += count;
    return count;
  }
  void check_padding() const {
    if (Codec::padding > 1 && padding_ % Codec::padding != 0)
      throw decode_failure("the zero padding is no multiple of " + std::to_string(Codec::padding) + " bytes");
  }
  void begin_member() {
    check_padding();
    if (padding_ > 0 && !Codec::member_after_padding)
      throw decode_failure("something follows the zero padding after the last member");
    padding_ = 0;
    codec_.start();
    ++members_;
  }

  Codec codec_;
  bool in_member_ = false;
  std::size_t members_ = 0, padding_ = 0;
};

} // namespace weft::io
