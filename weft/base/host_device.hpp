// Marks a function that is compiled for the host and, under nvcc, for the device as well. WEFT_UNROLL before
// a loop: the device's code has its rounds one after the other, so that arrays may stay in registers.
// WEFT_ROLL: it has them once, and stays short.
#pragma once

#if defined(__CUDACC__)
#define WEFT_HOST_DEVICE __host__ __device__
#define WEFT_UNROLL _Pragma("unroll")
#define WEFT_ROLL _Pragma("unroll 1")
#else
#define WEFT_HOST_DEVICE
#define WEFT_UNROLL
#define WEFT_ROLL
#endif
