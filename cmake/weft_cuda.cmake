# Sets WEFT_WITH_CUDA and the CUDA architectures. Without CUDA everything but the CUDA parts builds.
#   WEFT_CUDA=AUTO  CUDA parts are built if a toolkit is found and there is something to compile them for
#   WEFT_CUDA=ON    the same, but it is an error if either is missing
#   WEFT_CUDA=OFF   no CUDA parts
# WEFT_CUDA_ARCHITECTURES says what to compile for: empty for the GPU of this machine, "all", or a list such as "90;120".
option(WEFT_KERNEL_TESTS "Compile the ..._test.cu, which instantiate kernels for many types: minutes, and a GPU has to run them" ON)

set(WEFT_WITH_CUDA OFF)

# Sets `result` to what the toolkit can compile for: sm_75 (Turing) to its newest, and PTX of the newest for what comes
# after. Code for x.0 runs on x.1 and on every later x; of these 8.6 and 8.9, the most common cards, have code of their own.
function(weft_all_architectures result)
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-arch OUTPUT_VARIABLE known)
  string(REGEX MATCHALL "compute_[0-9]+" known "${known}")
  list(TRANSFORM known REPLACE "compute_" "")
  set(architectures "")
  foreach(architecture IN LISTS known)
    if(architecture MATCHES "^(75|86|89|[0-9]+0)$" AND architecture GREATER_EQUAL 75)
      list(APPEND architectures ${architecture})
    endif()
  endforeach()
  list(SORT architectures COMPARE NATURAL)
  list(GET architectures -1 newest)
  list(TRANSFORM architectures APPEND "-real")
  set(${result} ${architectures} ${newest}-virtual PARENT_SCOPE)
endfunction()

if(NOT WEFT_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES all)   # for CMake's own checks; set below to what is built
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    if(WEFT_CUDA_ARCHITECTURES STREQUAL "all")
      weft_all_architectures(CMAKE_CUDA_ARCHITECTURES)
      # A program for all architectures is a quarter as large with the stronger compression.
      if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
        string(APPEND CMAKE_CUDA_FLAGS " --compress-mode=size")
      endif()
    elseif(WEFT_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES ${WEFT_CUDA_ARCHITECTURES})
    else()
      set(CMAKE_CUDA_ARCHITECTURES ${CMAKE_CUDA_ARCHITECTURES_NATIVE})   # empty where there is no GPU
    endif()
    if(CMAKE_CUDA_ARCHITECTURES)
      set(WEFT_WITH_CUDA ON)
    elseif(WEFT_CUDA STREQUAL "ON")
      message(FATAL_ERROR "WEFT_CUDA=ON, and this machine has no GPU to compile for: set WEFT_CUDA_ARCHITECTURES to all, or to a list such as 90")
    else()
      message(STATUS "weft: no GPU here, so that nothing is compiled for GPUs (WEFT_CUDA_ARCHITECTURES=all does)")
    endif()
  elseif(WEFT_CUDA STREQUAL "ON")
    message(FATAL_ERROR "WEFT_CUDA=ON, and no CUDA compiler was found (set CUDACXX or CMAKE_CUDA_COMPILER)")
  endif()
endif()

if(WEFT_WITH_CUDA)
  find_package(CUDAToolkit REQUIRED)
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)   # CMake 3.25 does not know that nvcc has it
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
endif()

# weft_test_architectures(TARGET): sets what a program that is not installed is compiled for. It instantiates the headers
# for many types, so that with WEFT_CUDA_ARCHITECTURES=all it is compiled for this machine's GPU alone, or for one.
function(weft_test_architectures target)
  if(NOT WEFT_WITH_CUDA)
    return()
  endif()
  set(architectures ${WEFT_TEST_CUDA_ARCHITECTURES})
  if(NOT architectures AND WEFT_CUDA_ARCHITECTURES STREQUAL "all")
    set(architectures ${CMAKE_CUDA_ARCHITECTURES_NATIVE})
    if(NOT architectures)
      set(architectures 90-real)
    endif()
  endif()
  if(architectures)
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
  endif()
endfunction()
message(STATUS "weft: CUDA ${WEFT_WITH_CUDA} ${CMAKE_CUDA_ARCHITECTURES}")
