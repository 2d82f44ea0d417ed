// While an object of this type lives, the process cannot create threads, because each would get a stack
// larger than the address space.
#pragma once

#include <cstddef>
#include <pthread.h>

namespace weft::test {

class no_threads {
public:
  no_threads() {
    pthread_attr_init(&before_);
    pthread_getattr_default_np(&before_);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, std::size_t{1} << 48);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
  }
  ~no_threads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  no_threads(const no_threads&) = delete;
  no_threads& operator=(const no_threads&) = delete;

private:
  pthread_attr_t before_;
};

} // namespace weft::test
