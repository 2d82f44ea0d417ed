#include <weft/multi/job.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#ifndef WEFT_PLUGIN_FOLDERS
#define WEFT_PLUGIN_FOLDERS ""
#endif

namespace weft::multi {

namespace {

using multi_detail::mpi_functions;

// A launcher: the variables that have the number of ranks and the rank, and the library whose ranks it
// starts.
struct launcher {
  const char *size, *rank, *mpi;
};
constexpr std::array launchers = {launcher{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "openmpi"},
                                  launcher{"PMI_SIZE", "PMI_RANK", "mpich"}};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Returns the number in an environment variable, or 0.
int number_in(const char* name) {
  const std::string text = environment(name);
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Returns the launcher of this process, or null.
const launcher* find_launcher() {
  const std::string wanted = environment("WEFT_MPI");
  if (wanted == "none") return nullptr;
  for (const launcher& known : launchers)
    if (!environment(known.size).empty() && (wanted.empty() || wanted == known.mpi)) return &known;
  return nullptr;
}

// Returns the folder of the library, such as an extension module of Python, or the program that contains this
// function. Empty if it is not known.
std::filesystem::path own_folder() {
  Dl_info found{};
  if (::dladdr(reinterpret_cast<const void*>(&own_folder), &found) == 0) return {};
  return std::filesystem::path(found.dli_fname).parent_path();
}

// Returns the paths of a plugin, in the order in which they are tried.
std::vector<std::filesystem::path> plugin_paths(const std::string& library) {
  const std::string name = fmt::format("weft_mpi_{}.so", library);
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  std::vector<std::filesystem::path> paths = {folder / name};
  if (const std::filesystem::path own = own_folder(); !own.empty()) paths.push_back(own / name);
  const std::string folders = WEFT_PLUGIN_FOLDERS; // separated by colons; relative to the program's folder
  for (std::size_t at = 0; at < folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    paths.push_back(folder / folders.substr(at, end - at) / name);
    at = end + 1;
  }
  return paths;
}

// Opens the plugin for a library. Throws unavailable_error if there is none or it cannot be used.
const mpi_functions& open_plugin(const launcher& by) {
  // UCX, over which MPI libraries may run, writes its warnings to standard output, where weft's results go.
  // It reads this setting when it is loaded.
  ::setenv("UCX_LOG_FILE", "stderr", 0);
  std::string fault = fmt::format("this weft has no plugin weft_mpi_{}.so", by.mpi);
  for (const std::filesystem::path& path : plugin_paths(by.mpi)) {
    if (!std::filesystem::exists(path)) continue;
    // The components that Open MPI opens itself need its symbols.
    void* plugin = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (plugin == nullptr) {
      fault = ::dlerror();
      continue;
    }
    auto* get = reinterpret_cast<const mpi_functions* (*)()>(::dlsym(plugin, "weft_mpi_functions"));
    const mpi_functions* found = get == nullptr ? nullptr : get();
    if (found != nullptr && found->version == mpi_functions::current_version) return *found;
    fault = fmt::format("'{}' is of another version of weft", path.string());
  }
  throw unavailable_error(
      fmt::format("weft was started as {} ranks by a launcher of {}, but cannot use MPI: {} (WEFT_MPI=none "
                  "runs each rank by itself)",
                  launched_ranks(), by.mpi, fault));
}

} // namespace

bool is_launched() { return find_launcher() != nullptr; }

int launched_ranks() {
  const launcher* const by = find_launcher();
  return by == nullptr ? 1 : std::max(number_in(by->size), 1);
}

int launched_rank() {
  const launcher* const by = find_launcher();
  return by == nullptr ? 0 : number_in(by->rank);
}

std::unique_ptr<job> job::join(const mpi_options& options) {
  const launcher* const by = find_launcher();
  if (by == nullptr) return nullptr;
  return std::unique_ptr<job>(new job(open_plugin(*by), options));
}

job::job(const mpi_functions& mpi, const mpi_options& options) : mpi_(&mpi) {
  multi_detail::mpi_comm* world = nullptr;
  bool thread_safe = false;
  multi_detail::check_mpi(mpi, mpi.start(&world, &thread_safe), "MPI_Init_thread");
  if (!thread_safe)
    throw unavailable_error("this MPI library does not allow calls by several threads (MPI_THREAD_MULTIPLE), "
                            "which weft needs");
  ranks_ = multi_detail::make_mpi_communicator(mpi, world, options, control_);
}

job::~job() = default;

job::host_ranks job::ranks_on_this_host() {
  std::array<char, 256> own{};
  ::gethostname(own.data(), own.size() - 1);
  std::vector<char> all(own.size() * static_cast<std::size_t>(ranks_->size()));
  const std::vector<std::uint64_t> sizes(static_cast<std::size_t>(ranks_->size()), own.size());
  ranks_->all_gather(std::as_bytes(std::span(own)), sizes, std::as_writable_bytes(std::span(all)));
  host_ranks found{0, 0};
  for (int other = 0; other < ranks_->size(); ++other) {
    const char* const name = all.data() + own.size() * static_cast<std::size_t>(other);
    if (std::strcmp(name, own.data()) != 0) continue;
    ++found.count;
    if (other < ranks_->rank()) ++found.before;
  }
  return found;
}

void job::wait_for_all() {
  if (control_->has_failed()) return;
  try {
    ranks_->barrier();
  } catch (...) { // so that the others do not wait for this rank
    ranks_->fail(describe_failure(std::current_exception(), ranks_->rank()));
    throw;
  }
}

void job::leave() {
  ranks_.reset();
  control_.reset();
  mpi_->finish();
}

} // namespace weft::multi
