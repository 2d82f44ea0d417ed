// A header whose example does not come to what it says: the check has to object.
//
//   const int one = 1;
//   one + one;          // == 3
//
// In full, and run by the tests: examples/sort_gpu.cu.
#pragma once
