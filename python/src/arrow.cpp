#include "arrow.hpp"

#include <cstring>
#include <fmt/format.h>
#include <string_view>

namespace weft::python {

namespace {

// The structures of the C data interface, with the names that its specification gives them.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

// Owns a structure of the interface, and releases it.
template <class Structure> struct released : Structure {
  released() : Structure{} {}
  ~released() {
    if (this->release != nullptr) this->release(this);
  }
  released(const released&) = delete;
  released& operator=(const released&) = delete;
  // Takes over the content of a structure that another owner has. Throws ValueError if it has none, because
  // a capsule can be read only once.
  void take(Structure& other) {
    if (other.release == nullptr)
      throw nb::value_error("the Arrow data have been read already: a stream can be read only once");
    static_cast<Structure&>(*this) = other;
    other.release = nullptr;
  }
};

using array_list = std::vector<std::unique_ptr<released<ArrowArray>>>;

template <class Structure> Structure& content_of(const nb::handle& capsule, const char* name) {
  void* const pointer = PyCapsule_GetPointer(capsule.ptr(), name);
  if (pointer == nullptr) throw nb::python_error();
  return *static_cast<Structure*>(pointer);
}

// The 16 bytes of an item of a view array: its size, then up to 12 bytes of it, or the first 4 bytes, the
// number of a buffer, and an offset in it.
struct string_view_item {
  struct long_string {
    char prefix[4];
    std::int32_t buffer, offset;
  };
  std::int32_t size;
  union {
    char bytes[12];
    long_string reference;
  };
};
static_assert(sizeof(string_view_item) == 16);

// Appends the strings of an array to `bytes` and `ends`.
class string_collector {
public:
  std::string bytes;
  std::vector<std::uint64_t> ends{0};

  void add(const ArrowArray& array, std::string_view format) {
    if (format == "U" || format == "Z")
      add_by_offsets<std::int64_t>(array);
    else if (format == "u" || format == "z")
      add_by_offsets<std::int32_t>(array);
    else
      add_views(array);
  }

private:
  template <class Offset> void add_by_offsets(const ArrowArray& array) {
    if (array.length == 0) return;
    const Offset* const offsets = static_cast<const Offset*>(array.buffers[1]) + array.offset;
    const char* const data = static_cast<const char*>(array.buffers[2]);
    const std::uint64_t base = bytes.size() - static_cast<std::uint64_t>(offsets[0]);
    if (offsets[array.length] > offsets[0])
      bytes.append(data + offsets[0], static_cast<std::size_t>(offsets[array.length] - offsets[0]));
    for (std::int64_t i = 1; i <= array.length; ++i)
      ends.push_back(base + static_cast<std::uint64_t>(offsets[i]));
  }
  void add_views(const ArrowArray& array) {
    const auto* const items = static_cast<const string_view_item*>(array.buffers[1]) + array.offset;
    for (std::int64_t i = 0; i < array.length; ++i) {
      const string_view_item& item = items[i];
      const char* const data =
          item.size <= 12
              ? item.bytes
              : static_cast<const char*>(array.buffers[2 + item.reference.buffer]) + item.reference.offset;
      bytes.append(data, static_cast<std::size_t>(item.size));
      ends.push_back(bytes.size());
    }
  }
};

bool has_null(const ArrowArray& array) {
  if (array.null_count == 0 || array.n_buffers == 0 || array.buffers[0] == nullptr) return false;
  const auto* const valid = static_cast<const std::uint8_t*>(array.buffers[0]);
  for (std::int64_t i = array.offset; i < array.offset + array.length; ++i)
    if ((valid[i / 8] >> (i % 8) & 1) == 0) return true;
  return false;
}

// Returns all arrays of a value and sets `format`.
array_list arrays_of(nb::handle value, std::string& format) {
  array_list arrays;
  released<ArrowSchema> schema;
  if (nb::hasattr(value, "__arrow_c_stream__")) {
    const nb::object capsule = value.attr("__arrow_c_stream__")();
    released<ArrowArrayStream> stream;
    stream.take(content_of<ArrowArrayStream>(capsule, "arrow_array_stream"));
    const auto require = [&](int status) {
      if (status == 0) return;
      const char* const why = stream.get_last_error(&stream);
      throw nb::value_error(why == nullptr ? "the stream of the Arrow array could not be read" : why);
    };
    require(stream.get_schema(&stream, &schema));
    for (;;) {
      auto array = std::make_unique<released<ArrowArray>>();
      require(stream.get_next(&stream, array.get()));
      if (array->release == nullptr) break;
      arrays.push_back(std::move(array));
    }
  } else {
    const nb::tuple both = nb::cast<nb::tuple>(value.attr("__arrow_c_array__")());
    schema.take(content_of<ArrowSchema>(both[0], "arrow_schema"));
    arrays.push_back(std::make_unique<released<ArrowArray>>());
    arrays.back()->take(content_of<ArrowArray>(both[1], "arrow_array"));
  }
  format = schema.format;
  if (schema.dictionary != nullptr) format += " (dictionary)";
  return arrays;
}

} // namespace

bool is_arrow(nb::handle value) {
  return nb::hasattr(value, "__arrow_c_stream__") || nb::hasattr(value, "__arrow_c_array__");
}

sequences_argument read_arrow(nb::handle value, const char* name) {
  std::string format;
  array_list arrays = arrays_of(value, format);
  for (const std::string_view known : {"U", "Z", "u", "z", "vu", "vz"})
    if (format == known) {
      for (const auto& array : arrays)
        if (has_null(*array))
          throw nb::value_error(
              fmt::format("{} has missing items (null): remove or replace them", name).c_str());
      sequences_argument result;
      const bool is_large = format == "U" || format == "Z";
      if (is_large && arrays.size() == 1 && arrays[0]->length > 0) {
        // Offsets of 64 bits from 0 on are those of a sequences_view, in which they are unsigned.
        ArrowArray& array = *arrays[0];
        auto* const offsets = static_cast<std::int64_t*>(const_cast<void*>(array.buffers[1])) + array.offset;
        if (offsets[0] == 0) {
          const auto size = static_cast<std::uint64_t>(offsets[array.length]);
          const auto count = static_cast<std::uint64_t>(array.length);
          void* const data = const_cast<void*>(array.buffers[2]);
          const memory_owner kept = std::make_shared<array_list>(std::move(arrays));
          result.data = {.type = io::element_type::u8, .data = data, .size = size, .kept = kept};
          result.offsets = {.type = io::element_type::u64, .data = offsets, .size = count + 1, .kept = kept};
          return result;
        }
      }
      const auto collected = std::make_shared<string_collector>();
      for (const auto& array : arrays) collected->add(*array, format);
      result.data = {.type = io::element_type::u8,
                     .data = collected->bytes.data(),
                     .size = collected->bytes.size(),
                     .kept = collected};
      result.offsets = {.type = io::element_type::u64,
                        .data = collected->ends.data(),
                        .size = collected->ends.size(),
                        .kept = collected};
      return result;
    }
  throw nb::type_error(fmt::format("{} must have items of the Arrow types string, binary, large_string, "
                                   "large_binary or their views, not of format '{}'",
                                   name, format)
                           .c_str());
}

} // namespace weft::python
