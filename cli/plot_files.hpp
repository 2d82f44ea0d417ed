// The files that --plot names: their kinds, and their joint commit with the output.
#pragma once

#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/files/plot/picture.hpp>
#include <weft/io/output_file.hpp>

namespace weft::cli {

// Returns the kind of file that the ending of `path` names. Throws error(invalid_input) if the kind is not in
// `allowed` (at least two kinds), or if this program was built without the library that writes it.
[[nodiscard]] files::plot_kind plot_kind_of(std::string_view path, std::span<const files::plot_kind> allowed);

// The plot files of one run, which are opened before any work is done. Without a commit, none of them
// appears.
class plot_files {
public:
  // Throws the errors of plot_kind_of() before any file is opened, and io_error if a file cannot be opened.
  plot_files(const std::vector<std::string>& paths, std::span<const files::plot_kind> allowed);

  [[nodiscard]] bool empty() const noexcept { return files_.empty(); }
  // Writes the result of draw(kind) to each file, and closes it.
  void write(const std::function<std::string(files::plot_kind)>& draw);
  // Commits the files and `out`: either all of them appear, or none.
  void commit_with(io::output_file& out);

private:
  struct plot_file {
    files::plot_kind kind;
    io::output_file out;
    plot_file(files::plot_kind the_kind, const std::string& path) : kind(the_kind), out(path) {}
  };
  std::deque<plot_file> files_; // a deque, because an output_file cannot be moved
};

} // namespace weft::cli
