get_property(libraries GLOBAL PROPERTY WEFT_LIBRARIES)
install(TARGETS ${libraries} weft EXPORT weft_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(header IN LISTS WEFT_INSTALLED_HEADERS)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/include/weft/base/version.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weft/base)
install(EXPORT weft_targets NAMESPACE weft:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/weft)

# The CMake package and the pkg-config files name, for each component, what its library links.
set(weft_components "")
set(weft_needs "")
foreach(library IN LISTS libraries)
  string(REPLACE "weft_" "" component ${library})
  get_property(needs GLOBAL PROPERTY WEFT_NEEDS_${component})
  list(APPEND weft_components ${component})
  string(APPEND weft_needs "set(weft_needs_${component} ${needs})\n")
endforeach()
configure_package_config_file(cmake/weft-config.cmake.in ${PROJECT_BINARY_DIR}/weft-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weft-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/weft-config.cmake ${PROJECT_BINARY_DIR}/weft-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/weft)

# weft_pkg_config(NAME DESCRIPTION REQUIRES LIBS): the file NAME.pc. All libraries of weft are static, so their dependencies are public.
function(weft_pkg_config name description requires libs)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/pkgconfig/${name}.pc @ONLY CONTENT [[
prefix=@CMAKE_INSTALL_PREFIX@
libdir=${prefix}/@CMAKE_INSTALL_LIBDIR@
includedir=${prefix}/@CMAKE_INSTALL_INCLUDEDIR@

Name: @name@
Description: @description@
Version: @PROJECT_VERSION@
Requires: @requires@
Libs: @libs@
Cflags: -I${includedir}
]])
  # The prefix is known when it is installed, not before (cmake --install --prefix).
  install(CODE "
    file(READ \"${PROJECT_BINARY_DIR}/pkgconfig/${name}.pc\" text)
    string(REGEX REPLACE \"^prefix=[^\n]*\" \"prefix=\${CMAKE_INSTALL_PREFIX}\" text \"\${text}\")
    file(WRITE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig/${name}.pc\" \"\${text}\")")
endfunction()
set(all "")
foreach(component IN LISTS weft_components)
  get_property(needs GLOBAL PROPERTY WEFT_NEEDS_${component})
  set(requires "")
  set(libs "-L\${libdir} -lweft_${component}")
  foreach(need IN LISTS needs)
    if(need STREQUAL "Threads::Threads")
      string(APPEND libs " -pthread")
    elseif(need STREQUAL "BZip2::BZip2")
      string(APPEND libs " -lbz2")   # its Debian package has no .pc file
    elseif(need MATCHES "^weft_(.*)")
      list(APPEND requires weft-${CMAKE_MATCH_1})
    elseif(need MATCHES "^PkgConfig::(.*)")
      list(APPEND requires lib${CMAKE_MATCH_1})
    else()   # fmt::fmt, ZLIB::ZLIB, LibLZMA::LibLZMA
      string(REGEX REPLACE ".*::" "" module ${need})
      string(TOLOWER ${module} module)
      list(APPEND requires ${module})
    endif()
  endforeach()
  if(WEFT_WITH_CUDA)
    string(APPEND libs " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt -pthread")
  endif()
  list(JOIN requires ", " requires)
  weft_pkg_config(weft-${component} "weft: ${component}" "${requires}" "${libs}")
  list(APPEND all weft-${component})
endforeach()
# weft-bwt comes first, because libzstd.a has a divsufsort() and a divbwt() of its own, with other arguments.
list(REMOVE_ITEM all weft-bwt)
list(JOIN all ", " all)
weft_pkg_config(weft "${PROJECT_DESCRIPTION}" "weft-bwt, ${all}" "")

install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
install(DIRECTORY bench/record DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench)
