// The files that --plot names: what kind each becomes, and how all of them appear together with the output.
#pragma once

#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/io/output_file.hpp>

namespace weft::cli {

enum class plot_kind { svg, png, pdf, html };

// Returns the kind that the end of `path` names. Throws error(invalid_input) if it is none of `allowed` (at
// least two), or if this program was built without the library that writes it.
[[nodiscard]] plot_kind plot_kind_of(std::string_view path, std::span<const plot_kind> allowed);

// The files of one run, opened before any work is done. Without commit() none of them appears.
class plot_files {
public:
  // Throws as plot_kind_of() before any file is opened, and io_error if one cannot be opened.
  plot_files(const std::vector<std::string>& paths, std::span<const plot_kind> allowed);

  [[nodiscard]] bool empty() const noexcept { return files_.empty(); }
  // Writes to each file what `draw` returns for its kind, and closes it.
  void write(const std::function<std::string(plot_kind)>& draw);
  // Commits the files and `out`: all of them appear, or none.
  void commit_with(io::output_file& out);

private:
  struct plot_file {
    plot_kind kind;
    io::output_file out;
    plot_file(plot_kind the_kind, const std::string& path) : kind(the_kind), out(path) {}
  };
  std::deque<plot_file> files_; // an output_file cannot move
};

} // namespace weft::cli
