#include <cli/file_check.hpp>

#include <algorithm>
#include <compare>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>
#include <weft/base/error.hpp>

namespace weft::cli {

namespace {

// Identifies a file by its device and inode, or, if it does not exist yet, by its folder and name.
struct file_identity {
  dev_t device = 0;
  ino_t inode = 0;
  std::string name;  // empty if the file exists
  mode_t mode = 0;   // 0 if the file does not exist
  dev_t special = 0; // device number of a special file

  friend bool operator==(const file_identity& a, const file_identity& b) {
    return a.device == b.device && a.inode == b.inode && a.name == b.name;
  }
};

file_identity identity(const struct stat& status) {
  return {status.st_dev, status.st_ino, {}, status.st_mode, status.st_rdev};
}

// Follows symbolic links, also if the last one points to no file. Returns an empty path if they form a
// circle.
std::filesystem::path end_of_links(std::filesystem::path path) {
  constexpr int max_links = 40; // the system's limit
  std::error_code none;
  for (int links = 0; std::filesystem::is_symlink(path, none); ++links) {
    if (links == max_links) return {};
    path = path.parent_path() / std::filesystem::read_symlink(path, none);
  }
  return path;
}

// Returns the identity of the file. `standard` is the descriptor for which - stands. Returns nothing if the
// file cannot be examined; opening it will report the reason.
std::optional<file_identity> identify(const std::string& path, int standard) {
  struct stat status {};
  if (path == "-") {
    if (::fstat(standard, &status) != 0) return {};
    return identity(status);
  }
  if (::stat(path.c_str(), &status) == 0) return identity(status);
  const std::filesystem::path end = end_of_links(path);
  const std::filesystem::path folder = end.parent_path().empty() ? "." : end.parent_path();
  if (!end.has_filename() || ::stat(folder.c_str(), &status) != 0) return {};
  return file_identity{status.st_dev, status.st_ino, end.filename().string()};
}

// A file, and the flag and path that name it.
struct named_file {
  std::string flag; // "--plot"; empty for an argument
  std::string path;
  file_identity file;

  [[nodiscard]] std::string description() const {
    return path == "-" ? "standard output" : fmt::format("{} '{}'", flag, path);
  }
};

// Returns true if the file is /dev/null, which has no content to lose.
bool keeps_nothing(const file_identity& file) {
  struct stat null {};
  return S_ISCHR(file.mode) && ::stat("/dev/null", &null) == 0 && file.special == null.st_rdev;
}

std::vector<named_file> files_with(const arguments& given, file_role role) {
  std::vector<named_file> files;
  const int standard = role == file_role::input ? STDIN_FILENO : STDOUT_FILENO;
  const auto add = [&](const std::string& flag, const std::string& path) {
    if (const std::optional<file_identity> file = identify(path, standard))
      files.push_back({flag, path, *file});
  };
  for (const flag* known : flags_of(*given.chosen_verb)) {
    if (known->file != role) continue;
    const std::string name = fmt::format("--{}", known->name);
    if (known->repeats)
      for (const std::string& path : given.values(known->name)) add(name, path);
    else if (const std::string path = given.value(known->name); !path.empty())
      add(name, path);
  }
  if (role == file_role::input)
    for (const std::string& path : given.inputs) add("", path);
  return files;
}

} // namespace

void check_files(const arguments& given) {
  const std::vector<named_file> outputs = files_with(given, file_role::output);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (outputs[i].file == outputs[j].file && !keeps_nothing(outputs[i].file))
        throw error(errc::invalid_input, fmt::format("two outputs are the same file: {} and {}",
                                                     outputs[j].description(), outputs[i].description()));
  if (given.chosen_verb->name == "sort") return; // sort reads all of its input before it writes
  const std::vector<named_file> inputs = files_with(given, file_role::input);
  for (const named_file& output : outputs)
    for (const named_file& input : inputs)
      if (output.file == input.file && S_ISREG(output.file.mode))
        throw error(errc::invalid_input,
                    fmt::format("{} would overwrite the input '{}'", output.description(), input.path));
}

bool is_standard_output(const std::string& path) {
  const std::optional<file_identity> file = identify(path, STDOUT_FILENO),
                                     standard = identify("-", STDOUT_FILENO);
  return file && standard && *file == *standard && (path == "-" || !keeps_nothing(*file));
}

} // namespace weft::cli
