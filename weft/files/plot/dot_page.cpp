// The page of a dot plot.
#include <weft/files/plot/dot_plot.hpp>

#include <fmt/format.h>
#include <iterator>
#include <weft/files/formats/text_formats.hpp>

namespace weft::files {

extern const std::string_view dot_page_script; // dot_page.js

namespace {

constexpr std::size_t max_name_letters = 80;

std::string shown_string(std::string_view name) { return page_string(shown_name(name, max_name_letters)); }

// Returns an axis as an object. Its records are arrays: the name, the begin and the length.
std::string axis_object(const std::string& name, const dot_axis& axis) {
  std::string records;
  for (const dot_record& each : axis.longest())
    fmt::format_to(std::back_inserter(records), "{}[{},{},{}]", records.empty() ? "" : ",",
                   shown_string(each.name), each.begin, each.length);
  return fmt::format(R"({{"name":{},"title":{},"length":{},"numRecords":{},"records":[{}]}})",
                     shown_string(name), page_string(axis_title(name, axis, max_name_letters)), axis.length(),
                     axis.num_records(), records);
}

// Returns each segment as five numbers: its begin and length on the x axis, the same on the y axis, and its
// code, which is twice the number of its group, and 1 more if it descends.
std::string segments_as_numbers(const dot_plot& plot) {
  std::string text;
  for (const dot_segment& each : plot.longest())
    fmt::format_to(std::back_inserter(text), "{}{},{},{},{},{}", text.empty() ? "" : ",", each.x_begin,
                   each.x_length, each.y_begin, each.y_length, 2U * each.group + (each.reverse ? 1U : 0U));
  return text;
}

} // namespace

std::string dot_page_of(const dot_plot& plot, const dot_texts& texts) {
  std::string groups, notes;
  for (std::size_t group = 0; group < plot.groups().size(); ++group)
    fmt::format_to(std::back_inserter(groups), "{}[{},\"#{:06x}\",{}]", group == 0 ? "" : ",",
                   page_string(plot.groups()[group].name), plot.groups()[group].colour, plot.count(group));
  for (const std::string& each : texts.notes)
    fmt::format_to(std::back_inserter(notes), "{}{}", notes.empty() ? "" : ",", shown_string(each));
  const std::string json = fmt::format(
      R"({{"title":{},"name":{},"unit":"b","m":{},"n":{},"x":{},"y":{},"groups":[{}],"notes":[{}],)"
      R"("found":{},"segments":[{}]}})",
      page_string(shown_name(texts.title, 2 * max_name_letters)), page_string(texts.segments),
      plot.x().length(), plot.y().length(), axis_object(texts.x_name, plot.x()),
      axis_object(texts.y_name, plot.y()), groups, notes, plot.count(), segments_as_numbers(plot));
  return page_with(json, dot_page_script);
}

} // namespace weft::files
