# The reference of the public headers, as HTML: target docs, where Doxygen is there. docs/comments.awk turns the
# headers' comments into Doxygen's; test/docs runs the same file and takes no warning.
set(public_headers
    base/device.hpp base/error.hpp base/memory.hpp base/monitor.hpp base/unwritten_allocator.hpp
    io/bwt_file.hpp io/byte_source.hpp io/checksum.hpp io/json.hpp io/mapped_file.hpp io/motif_reader.hpp io/npy.hpp
    io/output_file.hpp io/sequence_reader.hpp io/temporary_file.hpp
    sort/sort.hpp sort/sort.cuh sort/sort_options.hpp sort/line_order.hpp sort/line_sort.hpp
    bwt/suffix_array.hpp bwt/bwt.hpp bwt/bwt.cuh bwt/bwt_batch.hpp bwt/bwt_batch.cuh bwt/bwt_options.hpp
    bwt/collection_bwt.hpp bwt/fm_index.hpp bwt/fm_index.cuh
    lcs/lcs.hpp lcs/lcs.cuh
    scan/motif.hpp scan/scan.hpp scan/scan.cuh)
list(TRANSFORM public_headers PREPEND "${PROJECT_SOURCE_DIR}/weft/")
list(TRANSFORM public_headers REPLACE "(.+)" "\"\\1\"")
list(JOIN public_headers " " WEFT_PUBLIC_HEADERS)
configure_file(docs/Doxyfile.in ${PROJECT_BINARY_DIR}/Doxyfile @ONLY)

find_program(WEFT_DOXYGEN doxygen)
mark_as_advanced(WEFT_DOXYGEN)
if(WEFT_DOXYGEN AND PROJECT_IS_TOP_LEVEL)
  add_custom_target(docs COMMAND ${WEFT_DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile
                    COMMENT "Writing docs/html/index.html" VERBATIM)
endif()
