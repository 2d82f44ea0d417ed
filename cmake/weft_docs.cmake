# The reference of the public headers, as HTML: target docs, where Doxygen is there. docs/comments.awk turns the
# headers' comments into Doxygen's; test/docs runs the same file and takes no warning.
set(public_headers ${WEFT_PUBLIC_HEADERS})
list(TRANSFORM public_headers PREPEND "${PROJECT_SOURCE_DIR}/")
list(TRANSFORM public_headers REPLACE "(.+)" "\"\\1\"")
list(JOIN public_headers " " WEFT_DOCUMENTED_HEADERS)
configure_file(docs/Doxyfile.in ${PROJECT_BINARY_DIR}/Doxyfile @ONLY)

find_program(WEFT_DOXYGEN doxygen)
mark_as_advanced(WEFT_DOXYGEN)
if(WEFT_DOXYGEN AND PROJECT_IS_TOP_LEVEL)
  add_custom_target(docs COMMAND ${WEFT_DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile
                    COMMENT "Writing docs/html/index.html" VERBATIM)
endif()
