// What GCC 12's static libraries take from glibc 2.35 and 2.36, so that a bundle runs on glibc 2.34: linked
// into the programs of a bundle alone, and visible in them alone.
#include <dlfcn.h>
#include <link.h>
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

#if __GLIBC_PREREQ(2, 35)
namespace {

struct search {
  std::uintptr_t address;
  dl_find_object* found;
};

// Whether the object has the address; its bounds and its table of unwinding.
int look_into(dl_phdr_info* object, std::size_t, void* data) {
  auto& [address, found] = *static_cast<search*>(data);
  const auto at = [&](std::uintptr_t offset) { return reinterpret_cast<void*>(object->dlpi_addr + offset); };
  bool inside = false;
  *found = {};
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type == PT_GNU_EH_FRAME) found->dlfo_eh_frame = at(part.p_vaddr);
    if (part.p_type != PT_LOAD || address - object->dlpi_addr - part.p_vaddr >= part.p_memsz) continue;
    inside = true;
    found->dlfo_map_start = at(part.p_vaddr);
    found->dlfo_map_end = at(part.p_vaddr + part.p_memsz);
  }
  return inside && found->dlfo_eh_frame != nullptr ? 1 : 0;
}

} // namespace

extern "C" {

// For the unwinder of libgcc_eh: which object holds a place in code.
__attribute__((visibility("hidden"))) int _dl_find_object(void* address, dl_find_object* found) noexcept {
  search wanted{reinterpret_cast<std::uintptr_t>(address), found};
  return dl_iterate_phdr(look_into, &wanted) == 1 ? 0 : -1;
}
}
#endif

#if __GLIBC_PREREQ(2, 36)
// For std::random_device.
extern "C" __attribute__((visibility("hidden"))) std::uint32_t arc4random() noexcept {
  std::uint32_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) std::abort();
  return number;
}
#endif
