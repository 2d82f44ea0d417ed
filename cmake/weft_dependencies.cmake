# Every dependency is a package of the system, found here and nowhere else. docs/dependencies.md says what each is for.
# ZLIB, BZip2 and LibLZMA come with CMake's own modules; zstd's package is named differently from release to release.
set(weft_suffixes ${CMAKE_FIND_LIBRARY_SUFFIXES})
if(WEFT_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
endif()
# What the libraries are linked with.
set(weft_packages Threads fmt ZLIB BZip2 LibLZMA PkgConfig)
set(weft_modules zstd hwy hwy-contrib divsufsort divsufsort64 xxhash) # lib... of pkg-config
foreach(package IN LISTS weft_packages)
  find_package(${package} REQUIRED)
endforeach()
foreach(module IN LISTS weft_modules)
  pkg_check_modules(${module} REQUIRED IMPORTED_TARGET GLOBAL lib${module})
endforeach()
find_package(TBB REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PNG)   # without it, weft lcs --plot writes no .png
find_path(WEFT_HPDF_INCLUDE hpdf.h)               # libharu: without it, weft scan --plot writes no .pdf
find_library(WEFT_HPDF_LIBRARY NAMES hpdf hpdfs)  # the second is its static form
mark_as_advanced(WEFT_HPDF_INCLUDE WEFT_HPDF_LIBRARY)
if(WEFT_HPDF_INCLUDE AND WEFT_HPDF_LIBRARY AND PNG_FOUND)   # libharu itself uses libpng and zlib
  add_library(weft_hpdf UNKNOWN IMPORTED)
  set_target_properties(weft_hpdf PROPERTIES IMPORTED_LOCATION ${WEFT_HPDF_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${WEFT_HPDF_INCLUDE} INTERFACE_LINK_LIBRARIES "PNG::PNG;ZLIB::ZLIB")
endif()
if(WEFT_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
# Outside peers of scan, lcs and bwt, used by tests and weft-bench where installed.
pkg_check_modules(hyperscan IMPORTED_TARGET libhs)
pkg_check_modules(edlib IMPORTED_TARGET edlib-1)
find_path(WEFT_LIBSAIS_INCLUDE libsais.h)
find_library(WEFT_LIBSAIS_LIBRARY sais)
mark_as_advanced(WEFT_LIBSAIS_INCLUDE WEFT_LIBSAIS_LIBRARY)
set(CMAKE_FIND_LIBRARY_SUFFIXES ${weft_suffixes})
