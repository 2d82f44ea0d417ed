// A header whose example does not come to what it says: the check has to object.
//
//   const int one = 1;
//   one + one;          // == 3
//
// The tests run the whole program: examples/sort_gpu.cu.
#pragma once
