#include <cli/plot_files.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <weft/base/error.hpp>
#include <weft/files/plot/figure.hpp>

namespace weft::cli {

files::plot_kind plot_kind_of(std::string_view path, std::span<const files::plot_kind> allowed) {
  const auto found = std::find_if(allowed.begin(), allowed.end(), [&](files::plot_kind kind) {
    return path.ends_with(files::ending_of(kind));
  });
  if (found == allowed.end()) {
    std::string endings;
    for (std::size_t i = 0; i < allowed.size(); ++i)
      endings += fmt::format("{}{}",
                             i == 0                   ? ""
                             : i + 1 < allowed.size() ? ", "
                                                      : " or ",
                             files::ending_of(allowed[i]));
    throw error(errc::invalid_input,
                fmt::format("the file name of --plot must end in {}, which chooses the format: '{}' does "
                            "not",
                            endings, path));
  }
  if (*found == files::plot_kind::png && !files::has_png())
    throw error(errc::invalid_input, "--plot cannot write .png files: this weft was built without libpng");
  if (*found == files::plot_kind::pdf && !files::has_pdf())
    throw error(errc::invalid_input, "--plot cannot write .pdf files: this weft was built without libharu");
  return *found;
}

plot_files::plot_files(const std::vector<std::string>& paths, std::span<const files::plot_kind> allowed) {
  std::vector<files::plot_kind> kinds;
  for (const std::string& path : paths) kinds.push_back(plot_kind_of(path, allowed));
  for (std::size_t i = 0; i < paths.size(); ++i) files_.emplace_back(kinds[i], paths[i]);
}

void plot_files::write(const std::function<std::string(files::plot_kind)>& draw) {
  for (plot_file& each : files_) {
    each.out.write(draw(each.kind));
    each.out.finish(); // reports a full disk before anything is written to standard output
  }
}

void plot_files::commit_with(io::output_file& out) {
  std::vector<io::output_file*> all;
  for (plot_file& each : files_) all.push_back(&each.out);
  all.push_back(&out);
  io::output_file::commit_all(all);
}

} // namespace weft::cli
