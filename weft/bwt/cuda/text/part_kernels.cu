#include <weft/bwt/cuda/text/text_kernels.hpp>

#include <cub/device/device_select.cuh>
#include <weft/base/cuda/grid.cuh>
#include <weft/base/host_device.hpp>

namespace weft::bwt_detail {

using gpu::all_threads, gpu::first_item, gpu::launch;

namespace {

constexpr int threads = 256; // per block

__global__ void __launch_bounds__(threads)
    make_part_blocks_kernel(const std::uint64_t* begins, std::uint64_t parts, std::uint64_t num_blocks,
                            part_block* blocks) {
  for (std::uint64_t b = first_item(); b < num_blocks; b += all_threads())
    blocks[b] = bwt_detail::part_block_of(b, begins, parts);
}

__global__ void __launch_bounds__(threads)
    find_part_rows_kernel(const std::uint32_t* suffixes, std::uint64_t count, std::uint64_t first_row,
                          part_layout parts, const std::uint64_t* wanted, std::uint64_t* rows) {
  for (std::uint64_t i = first_item(); i < count; i += all_threads()) {
    const std::uint32_t part = parts.marks.number(suffixes[i]);
    if (suffixes[i] == wanted[part]) rows[part] = first_row + i;
  }
}

__global__ void __launch_bounds__(threads)
    write_part_sentinel_rows_kernel(const unsigned char* text, const unsigned char* before,
                                    std::uint64_t count, std::uint64_t first_row, part_layout parts,
                                    const std::uint64_t* rows, unsigned char* bwt) {
  for (std::uint64_t i = first_item(); i < count; i += all_threads())
    bwt_detail::write_sentinel_row(text, parts, rows, first_row + i, before[i], bwt);
}

template <class Index>
__global__ void __launch_bounds__(threads)
    write_positions_in_parts_kernel(const std::uint32_t* suffixes, std::uint64_t count,
                                    std::uint64_t first_row, part_layout parts, Index* sa) {
  for (std::uint64_t i = first_item(); i < count; i += all_threads())
    sa[i] = static_cast<Index>(suffixes[i] - parts.begins[parts.marks.number(first_row + i)]);
}

__global__ void __launch_bounds__(threads)
    rotate_parts_kernel(const unsigned char* text, const part_rotation* rotations, part_layout roots,
                        std::uint64_t size, unsigned char* rotated) {
  for (std::uint64_t i = first_item(); i < size; i += all_threads())
    rotated[i] = text[bwt_detail::position_in_text(roots, rotations, i)];
}

__global__ void __launch_bounds__(threads)
    write_part_rotation_rows_kernel(const unsigned char* rotated, const unsigned char* before,
                                    std::uint64_t count, std::uint64_t first_row, part_layout roots,
                                    const std::uint64_t* rows, part_layout parts, std::uint64_t size,
                                    unsigned char* bwt) {
  for (std::uint64_t i = first_item(); i < size; i += all_threads())
    bwt_detail::write_rotation_byte(rotated, before, first_row, count, roots, rows, parts, i, bwt);
}

__global__ void __launch_bounds__(threads)
    read_last_bytes_kernel(const unsigned char* text, const std::uint64_t* begins, std::uint64_t count,
                           unsigned char* last) {
  for (std::uint64_t p = first_item(); p < count; p += all_threads()) last[p] = text[begins[p + 1] - 1];
}

template <class Index>
__global__ void __launch_bounds__(threads)
    find_whole_parts_kernel(const Index* suffixes, std::uint64_t count, std::uint64_t first_row,
                            part_layout parts, std::uint8_t* inside, std::uint64_t* rows) {
  for (std::uint64_t i = first_item(); i < count; i += all_threads()) {
    const bool whole = bwt_detail::note_whole_part(parts.marks, suffixes[i], first_row + i, rows);
    if (inside != nullptr) inside[i] = whole ? 0 : 1;
  }
}

} // namespace

void make_part_blocks(const std::uint64_t* d_begins, std::uint64_t parts, std::uint64_t size,
                      part_block* d_blocks, cudaStream_t stream) {
  const std::uint64_t blocks = bwt_detail::part_blocks(size);
  launch(make_part_blocks_kernel, blocks, threads, stream, d_begins, parts, blocks, d_blocks);
}

void find_part_rows(const std::uint32_t* d_suffixes, std::uint64_t count, std::uint64_t first_row,
                    const part_layout& parts, const std::uint64_t* d_wanted, std::uint64_t* d_rows,
                    cudaStream_t stream) {
  launch(find_part_rows_kernel, count, threads, stream, d_suffixes, count, first_row, parts, d_wanted,
         d_rows);
}

void write_part_sentinel_rows(const unsigned char* d_text, const unsigned char* d_before, std::uint64_t count,
                              std::uint64_t first_row, const part_layout& parts, const std::uint64_t* d_rows,
                              unsigned char* d_bwt, cudaStream_t stream) {
  launch(write_part_sentinel_rows_kernel, count, threads, stream, d_text, d_before, count, first_row, parts,
         d_rows, d_bwt);
}

template <class Index>
void write_positions_in_parts(const std::uint32_t* d_suffixes, std::uint64_t count, std::uint64_t first_row,
                              const part_layout& parts, Index* d_sa, cudaStream_t stream) {
  launch(write_positions_in_parts_kernel<Index>, count, threads, stream, d_suffixes, count, first_row, parts,
         d_sa);
}

void rotate_parts(const unsigned char* d_text, const part_rotation* d_rotations, const part_layout& roots,
                  std::uint64_t size, unsigned char* d_rotated, cudaStream_t stream) {
  launch(rotate_parts_kernel, size, threads, stream, d_text, d_rotations, roots, size, d_rotated);
}

void write_part_rotation_rows(const unsigned char* d_rotated, const unsigned char* d_before,
                              std::uint64_t count, std::uint64_t first_row, const part_layout& roots,
                              const std::uint64_t* d_rows, const part_layout& parts, std::uint64_t size,
                              unsigned char* d_bwt, cudaStream_t stream) {
  launch(write_part_rotation_rows_kernel, size, threads, stream, d_rotated, d_before, count, first_row, roots,
         d_rows, parts, size, d_bwt);
}

void read_last_bytes(const unsigned char* d_text, const std::uint64_t* d_begins, std::uint64_t count,
                     unsigned char* d_last, cudaStream_t stream) {
  launch(read_last_bytes_kernel, count, threads, stream, d_text, d_begins, count, d_last);
}

template <class Index>
void find_whole_parts(const Index* d_suffixes, std::uint64_t count, std::uint64_t first_row,
                      const part_layout& parts, std::uint8_t* d_inside, std::uint64_t* d_rows,
                      cudaStream_t stream) {
  launch(find_whole_parts_kernel<Index>, count, threads, stream, d_suffixes, count, first_row, parts,
         d_inside, d_rows);
}

cudaError_t select_inside(void* d_temp, std::size_t& bytes, const unsigned char* d_before,
                          const std::uint8_t* d_inside, std::uint64_t count, unsigned char* d_to,
                          std::uint64_t* d_kept, cudaStream_t stream) {
  return cub::DeviceSelect::Flagged(d_temp, bytes, d_before, d_inside, d_to, d_kept,
                                    static_cast<std::int64_t>(count), stream);
}

template void write_positions_in_parts(const std::uint32_t*, std::uint64_t, std::uint64_t, const part_layout&,
                                       std::uint32_t*, cudaStream_t);
template void write_positions_in_parts(const std::uint32_t*, std::uint64_t, std::uint64_t, const part_layout&,
                                       std::uint64_t*, cudaStream_t);
template void find_whole_parts(const std::uint32_t*, std::uint64_t, std::uint64_t, const part_layout&,
                               std::uint8_t*, std::uint64_t*, cudaStream_t);
template void find_whole_parts(const std::uint64_t*, std::uint64_t, std::uint64_t, const part_layout&,
                               std::uint8_t*, std::uint64_t*, cudaStream_t);

} // namespace weft::bwt_detail
