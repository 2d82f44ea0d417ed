# WEFT_STATIC: the programs of a bundle carry what their static libraries take from newer releases of glibc.
if(WEFT_STATIC)
  add_library(weft_older_libc OBJECT cmake/older_libc.cpp)
  foreach(program weft_program test_base test_bwt test_lcs test_scan test_sort bench_bwt bench_lcs bench_scan bench_sort)
    if(TARGET ${program})
      target_link_libraries(${program} PRIVATE weft_older_libc)
    endif()
  endforeach()
endif()
