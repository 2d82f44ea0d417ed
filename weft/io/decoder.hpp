// Decompression step by step. Each format has a codec; member_decoder has what the formats share: members one
// after another, padding, and trailing garbage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <weft/io/byte_source.hpp>

namespace weft::io {

// Compressed data is damaged; what() says how.
class decode_failure : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// The data needs more memory to be decompressed than was allowed; needed() returns how many bytes.
class decode_memory_failure : public std::runtime_error {
public:
  explicit decode_memory_failure(std::uint64_t needed)
      : std::runtime_error("more memory is needed"), needed_(needed) {}
  [[nodiscard]] std::uint64_t needed() const noexcept { return needed_; }

private:
  std::uint64_t needed_;
};

// Decompresses data of one format.
class decoder {
public:
  struct progress {
    std::size_t consumed = 0, produced = 0;
    bool finished = false;     // the whole input has been decompressed
    bool member_ended = false; // call again, even if nothing was consumed or produced
  };
  virtual ~decoder() = default;
  // Consumes bytes from the front of `in` and writes to the front of `out`. If it neither consumes, produces
  // nor finishes anything, it needs more input. `at_end` says that nothing follows `in`.
  virtual progress decode(std::span<const char> in, std::span<char> out, bool at_end) = 0;
  [[nodiscard]] virtual const char* format() const noexcept = 0;
};

// Returns a decoder for a format, or null for compression::none. A decoder of zstd or xz throws
// decode_memory_failure if it needs more than `memory` bytes; the others take at most 4 MiB.
[[nodiscard]] std::unique_ptr<decoder> make_decoder(compression kind, std::uint64_t memory);

// The decoder of a format whose files consist of members. A Codec has a constructor Codec(memory) with the
// limit of make_decoder(); start(), called before each member; step(progress&, in, out), which returns true
// when the member is complete and throws decode_failure; and the static members
//   name: the name of the format, for messages,
//   padding: zero bytes may follow a member, in multiples of this number (0: none may follow),
//   member_after_padding: whether another member may follow the padding.
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
      throw decode_failure("the size of the zero padding is not a multiple of " +
                           std::to_string(Codec::padding) + " bytes");
  }
  void begin_member() {
    check_padding();
    if (padding_ > 0 && !Codec::member_after_padding)
      throw decode_failure("there is extra data after the zero padding");
    padding_ = 0;
    codec_.start();
    ++members_;
  }

  Codec codec_;
  bool in_member_ = false;
  std::size_t members_ = 0, padding_ = 0;
};

} // namespace weft::io
