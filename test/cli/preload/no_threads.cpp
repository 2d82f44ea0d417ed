// A library to load before a program: no thread can be created.
#include <cerrno>

extern "C" int pthread_create(void* thread, const void* attributes, void* (*start)(void*), void* argument);

int pthread_create(void*, const void*, void* (*)(void*), void*) { return EAGAIN; }
