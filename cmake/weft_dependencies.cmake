# Every dependency is a package of the system, found here and nowhere else. docs/dependencies.md says what each is for.
# ZLIB, BZip2 and LibLZMA come with CMake's own modules; zstd's package is named differently from release to release.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(ZLIB REQUIRED)
find_package(BZip2 REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET GLOBAL libzstd)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET GLOBAL libhwy)
find_package(TBB REQUIRED)
find_package(CLI11 REQUIRED)
if(WEFT_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  pkg_check_modules(hyperscan IMPORTED_TARGET libhs)   # outside peer of scan: used where installed
  pkg_check_modules(edlib IMPORTED_TARGET edlib-1)       # outside peer of lcs: used where installed
endif()
if(WEFT_BENCH)
  find_package(benchmark REQUIRED)
endif()
