cmake_minimum_required(VERSION 3.25)
# Checks that docs/layout.md names each folder of weft/, cli/, python/, test/ and bench/ and no folder that does not
# exist. If not, fails and names the folder.
file(READ ${ROOT}/docs/layout.md layout)
string(REGEX MATCHALL "`[a-z_/]+/`" named "${layout}")
list(TRANSFORM named REPLACE "`(.*)/`" "\\1")
file(GLOB paths LIST_DIRECTORIES true RELATIVE ${ROOT} ${ROOT}/* ${ROOT}/weft/* ${ROOT}/weft/*/* ${ROOT}/weft/*/*/*
     ${ROOT}/cli/* ${ROOT}/python/* ${ROOT}/python/src/* ${ROOT}/test/* ${ROOT}/bench/* ${ROOT}/docs/*)

set(faults "")
foreach(folder IN LISTS named)
  set(there ${paths})
  list(FILTER there INCLUDE REGEX "(^|/)${folder}$")
  if(NOT there)
    list(APPEND faults "named, and not there: ${folder}")
  endif()
endforeach()
foreach(path IN LISTS paths)
  cmake_path(GET path FILENAME name)
  if(path MATCHES "^(weft|cli|python|test|bench)/" AND name MATCHES "^[a-z]" AND IS_DIRECTORY ${ROOT}/${path} AND
     NOT layout MATCHES "[`/]${name}/`")
    list(APPEND faults "not named: ${path}")
  endif()
endforeach()
if(faults)
  list(JOIN faults "\n  " text)
  message(FATAL_ERROR "folders and docs/layout.md:\n  ${text}")
endif()
