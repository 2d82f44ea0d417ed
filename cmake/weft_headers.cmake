# WEFT_PUBLIC_HEADERS: the headers that weft is used by; WEFT_INSTALLED_HEADERS: these and all that they include of weft.
set(WEFT_PUBLIC_HEADERS
    base/device.hpp base/error.hpp base/memory.hpp base/monitor.hpp base/run.hpp base/sequences.hpp base/unwritten_allocator.hpp
    io/bwt_file.hpp io/byte_source.hpp io/checksum.hpp io/json.hpp io/mapped_file.hpp io/motif_reader.hpp io/npy.hpp
    io/output_file.hpp io/sequence_reader.hpp io/temporary_file.hpp
    sort/sort.hpp sort/sort.cuh sort/sort_options.hpp sort/line_key.hpp sort/line_order.hpp sort/line_sort.hpp
    bwt/suffix_array.hpp bwt/bwt.hpp bwt/bwt.cuh bwt/bwt_batch.hpp bwt/bwt_batch.cuh bwt/bwt_options.hpp
    bwt/collection_bwt.hpp bwt/fm_index.hpp bwt/near_search.hpp bwt/fm_matches.hpp bwt/fm_index.cuh
    lcs/lcs.hpp lcs/lcs.cuh
    scan/motif.hpp scan/scan.hpp scan/scanner.hpp scan/scan.cuh
    search/variants.hpp
    multi/communicator.hpp multi/thread_ranks.hpp multi/sort.hpp multi/lcs.hpp
    multi/suffixes.hpp multi/variants.hpp)
list(TRANSFORM WEFT_PUBLIC_HEADERS PREPEND weft/)

set(WEFT_INSTALLED_HEADERS)
set(to_read ${WEFT_PUBLIC_HEADERS})
while(to_read)
  list(POP_FRONT to_read header)
  if(header IN_LIST WEFT_INSTALLED_HEADERS OR NOT EXISTS ${PROJECT_SOURCE_DIR}/${header}) # version.hpp is made
    continue()
  endif()
  list(APPEND WEFT_INSTALLED_HEADERS ${header})
  file(STRINGS ${PROJECT_SOURCE_DIR}/${header} included REGEX "^ *#include <weft/")
  list(TRANSFORM included REPLACE ".*<(weft/[^>]+)>.*" "\\1")
  list(APPEND to_read ${included})
endwhile()
# For programs that use MPI themselves. They are not among the public headers that are checked one by one, because these
# are compiled without <mpi.h>.
list(APPEND WEFT_INSTALLED_HEADERS weft/multi/mpi.hpp weft/multi/mpi_communicator.hpp weft/multi/mpi/calls.hpp
     weft/multi/mpi/functions.hpp weft/multi/nccl.hpp)
