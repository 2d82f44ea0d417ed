// Keeps the last input, because consecutive cases often use the same one.
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace weft::bench {

// An input, and the key that identifies it.
struct kept_input {
  std::string key;
  std::shared_ptr<const void> input;
};
// Returns the last input that was made. Only one input is kept at a time.
[[nodiscard]] inline kept_input& last_input() {
  static kept_input last;
  return last;
}

// Returns the input that `key` identifies, including its type: the last input if it has the same key, or else
// the result of make().
template <class Input, class Make>
std::shared_ptr<const Input> input_of(const std::string& key, const Make& make) {
  kept_input& last = last_input();
  if (last.key != key) {
    last = {}; // frees the memory before the next input is made
    last = {key, std::make_shared<const Input>(make())};
  }
  return std::static_pointer_cast<const Input>(last.input);
}

} // namespace weft::bench
