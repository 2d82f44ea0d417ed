# weft_library(NAME [DEPENDS...]): the static library weft_NAME out of all sources of this folder (cuda/ only with
# CUDA), alias weft::NAME.
# weft_sources(VARIABLE FOLDER): all sources of the folder of a test or benchmark; .cu and ..._cuda_*.cpp need
# the CUDA toolkit and are there only with CUDA; ..._test.cu only with WEFT_KERNEL_TESTS.
# weft_test(NAME [DEPENDS...]): the GoogleTest program test_NAME out of all sources of this folder. <test_paths.hpp> has the
# paths of this checkout, so that only sources that include it depend on where the checkout is.
function(weft_warnings target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor $<$<BOOL:${WEFT_WERROR}>:-Werror>>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)   # false alarms: GCC bug 105651
  endif()
endfunction()

set_property(GLOBAL PROPERTY WEFT_LIBRARIES "")

function(weft_library name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  if(WEFT_WITH_CUDA)
    file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cu")
  else()
    list(FILTER sources EXCLUDE REGEX "/cuda/")   # hosts' side of the GPU engines: needs the CUDA runtime
  endif()
  add_library(weft_${name} STATIC ${sources} ${cuda_sources})
  add_library(weft::${name} ALIAS weft_${name})
  set_target_properties(weft_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(weft_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(weft_${name} PUBLIC cxx_std_20)
  target_link_libraries(weft_${name} PUBLIC ${ARGN})
  if(cuda_sources)
    target_compile_definitions(weft_${name} PRIVATE WEFT_WITH_CUDA)
    target_link_libraries(weft_${name} PUBLIC CUDA::cudart_static)
  endif()
  weft_warnings(weft_${name})
  set_property(GLOBAL APPEND PROPERTY WEFT_LIBRARIES weft_${name})
  set_property(GLOBAL PROPERTY WEFT_NEEDS_${name} ${ARGN})   # for the packages: cmake/weft_install.cmake
endfunction()

function(weft_sources variable folder)
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  if(WEFT_WITH_CUDA)
    file(GLOB cuda_sources CONFIGURE_DEPENDS "${folder}/*.cu")
    if(NOT WEFT_KERNEL_TESTS)
      list(FILTER cuda_sources EXCLUDE REGEX "_test\\.cu$")
    endif()
  else()
    list(FILTER sources EXCLUDE REGEX "_cuda_[a-z]+\\.cpp$")
  endif()
  set(${variable} ${sources} ${cuda_sources} PARENT_SCOPE)
endfunction()

# weft_not_installed(TARGET): how tests and examples are compiled. -O1 takes two thirds of the time of -O3.
function(weft_not_installed target)
  weft_warnings(${target})
  weft_test_architectures(${target})
  target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)
endfunction()

function(weft_test name)
  weft_sources(sources ${CMAKE_CURRENT_SOURCE_DIR})
  add_executable(test_${name} ${sources})
  target_link_libraries(test_${name} PRIVATE ${ARGN} GTest::gtest_main rapidcheck)
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/test/include)
  weft_not_installed(test_${name})
  # GoogleTest is read once, not by each source; with -fpch-preprocess ccache can tell what the header was.
  target_precompile_headers(test_${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:<gtest/gtest.h$<ANGLE-R>>)
  # It makes GCC 12 warn of std::string's own code, which it knows no more as a system header (GCC bug 105329).
  target_compile_options(test_${name} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow>)
  # Cases whose names begin with gpu have the label gpu, and the GPU to themselves.
  gtest_discover_tests(test_${name} DISCOVERY_TIMEOUT 60 TEST_FILTER -gpu* TEST_LIST test_${name}_cases
                       PROPERTIES TIMEOUT 900)
  gtest_discover_tests(test_${name} DISCOVERY_TIMEOUT 60 TEST_FILTER gpu* TEST_LIST test_${name}_gpu_cases
                       PROPERTIES TIMEOUT 900 LABELS gpu RESOURCE_LOCK gpu)
endfunction()
