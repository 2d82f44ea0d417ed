// Converts numbers to keys, sorts the keys, and converts them back.
#include <weft/sort/cuda/number_sort.hpp>

#include <cub/device/device_for.cuh>
#include <weft/sort/sort.cuh>

namespace weft::sort_detail {

namespace {

// Converts numbers to keys. The numbers are read as `Bits`, which is as wide as `Key` or, for keys of 32
// bits, narrower.
template <class Key, class Bits> struct to_keys {
  const Bits* from;
  Key* to;
  number_type type;
  template <class Index> __device__ void operator()(Index i) const { to[i] = key_of<Key>(from[i], type); }
};
template <class Key, class Bits> struct from_keys {
  const Key* from;
  Bits* to;
  number_type type;
  template <class Index> __device__ void operator()(Index i) const {
    to[i] = static_cast<Bits>(bits_of_key<Key>(from[i], type));
  }
};

// Calls work(p) with a null pointer p to the unsigned type of `bytes` bytes.
template <class Key, class Work> cudaError_t with_bits(std::uint32_t bytes, Work work) {
  if constexpr (sizeof(Key) == 4) {
    if (bytes == 1) return work(static_cast<std::uint8_t*>(nullptr));
    if (bytes == 2) return work(static_cast<std::uint16_t*>(nullptr));
  }
  return work(static_cast<Key*>(nullptr));
}

template <class Key>
cudaError_t sort_keys(void* d_temp, std::size_t& bytes, void* d_items, bool has_positions,
                      std::uint32_t* d_positions, std::uint64_t n, const number_type& type,
                      cudaStream_t stream) noexcept {
  const auto sort = [&](void* d_storage, std::size_t& size, Key* d_keys) {
    return has_positions
               ? gpu::stable_sort_by_key_async(d_storage, size, d_keys, d_positions, n, ascending(), stream)
               : gpu::sort_async(d_storage, size, d_keys, n, ascending(), stream);
  };
  std::size_t sort_bytes = 0;
  if (const cudaError_t status = sort(nullptr, sort_bytes, nullptr)) return status;
  const bool narrow = type.bytes < sizeof(Key), converted = narrow || !weft::sort_detail::is_plain(type);
  void* parts[2] = {};
  const std::size_t sizes[] = {narrow ? n * sizeof(Key) : 0, sort_bytes};
  if (const cudaError_t status = sort_detail::cut_storage(d_temp, bytes, sizes, parts);
      status || d_temp == nullptr)
    return status;
  Key* const d_keys = static_cast<Key*>(narrow ? parts[0] : d_items);
  return with_bits<Key>(type.bytes, [&](auto* null) {
    using bits = std::remove_pointer_t<decltype(null)>;
    auto* const d_bits = static_cast<bits*>(d_items);
    if (converted)
      if (const cudaError_t status =
              cub::DeviceFor::Bulk(n, to_keys<Key, bits>{d_bits, d_keys, type}, stream))
        return status;
    if (has_positions)
      if (const cudaError_t status =
              cub::DeviceFor::Bulk(n, write_position<std::uint32_t>{d_positions}, stream))
        return status;
    if (const cudaError_t status = sort(parts[1], sort_bytes, d_keys)) return status;
    if (has_positions || !converted) return cudaSuccess;
    return cub::DeviceFor::Bulk(n, from_keys<Key, bits>{d_keys, d_bits, type}, stream);
  });
}

} // namespace

cudaError_t sort_typed_numbers(void* d_temp, std::size_t& bytes, void* d_items, bool has_positions,
                               std::uint32_t* d_positions, std::uint64_t n, const number_type& type,
                               cudaStream_t stream) noexcept {
  const auto call = [&](auto sort) {
    return sort(d_temp, bytes, d_items, has_positions, d_positions, n, type, stream);
  };
  if (type.bytes <= 4) return call(sort_keys<std::uint32_t>);
  return type.bytes == 8 ? call(sort_keys<std::uint64_t>) : call(sort_keys<uint128>);
}

} // namespace weft::sort_detail
