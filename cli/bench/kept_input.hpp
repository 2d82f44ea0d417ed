// Inputs that cases which follow each other have in common.
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace weft::cli::bench {

struct kept_input {
  std::string key;
  std::shared_ptr<const void> input;
};
// The last one that was made: no more than one is kept.
[[nodiscard]] inline kept_input& last_input() {
  static kept_input last;
  return last;
}

// The input that the key says all of, its type too: the last one, if that was it, or else what make() gives.
template <class Input, class Make>
std::shared_ptr<const Input> input_of(const std::string& key, const Make& make) {
  kept_input& last = last_input();
  if (last.key != key) {
    last = {}; // before the next one takes its memory
    last = {key, std::make_shared<const Input>(make())};
  }
  return std::static_pointer_cast<const Input>(last.input);
}

} // namespace weft::cli::bench
