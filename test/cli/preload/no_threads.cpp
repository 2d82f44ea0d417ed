// A library to preload into a program, so that it can create no thread.
#include <cerrno>

extern "C" int pthread_create(void* thread, const void* attributes, void* (*start)(void*), void* argument);

int pthread_create(void*, const void*, void* (*)(void*), void*) { return EAGAIN; }
