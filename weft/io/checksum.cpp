#include <weft/io/checksum.hpp>

#include <cstddef>
#include <cstring>
#include <new>
#include <stdexcept>
#define XXH_STATIC_LINKING_ONLY // declares the size of a state
#include <xxhash.h>

namespace weft::io {

struct running_checksum::state {
  XXH3_state_t* hash;
};

std::uint64_t checksum(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

running_checksum::running_checksum() : state_(std::make_unique<state>()) {
  state_->hash = XXH3_createState();
  if (state_->hash == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset(state_->hash);
}
running_checksum::~running_checksum() { XXH3_freeState(state_->hash); }
void running_checksum::add(std::string_view bytes) {
  XXH3_64bits_update(state_->hash, bytes.data(), bytes.size());
}
std::uint64_t running_checksum::value() const { return XXH3_64bits_digest(state_->hash); }

std::string running_checksum::save() const {
  return {reinterpret_cast<const char*>(state_->hash), sizeof(XXH3_state_t)};
}
void running_checksum::restore(std::string_view saved) {
  if (saved.size() != sizeof(XXH3_state_t)) throw std::invalid_argument("this is no state of a checksum");
  const unsigned char* const secret = state_->hash->extSecret; // a constant of the library, in this process
  std::memcpy(state_->hash, saved.data(), saved.size());
  state_->hash->extSecret = secret;
}

} // namespace weft::io
