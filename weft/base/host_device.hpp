// WEFT_HOST_DEVICE marks a function that is compiled for the host and, under nvcc, also for the device.
// WEFT_UNROLL before a loop makes nvcc unroll it completely, so that arrays indexed by the loop variable can
// stay in registers. WEFT_ROLL before a loop keeps nvcc from unrolling it, so that the code stays short.
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
