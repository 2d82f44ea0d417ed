#include <weft/base/error.hpp>

#include <cstring>
#include <fmt/format.h>

namespace weft {

namespace {
std::string format_with_location(const std::string& source, std::uint64_t line, std::uint64_t column,
                                 const std::string& message) {
  if (line == 0) return fmt::format("{}: {}", source, message);
  if (column == 0) return fmt::format("{}:{}: {}", source, line, message);
  return fmt::format("{}:{}:{}: {}", source, line, column, message);
}
} // namespace

parse_error::parse_error(std::string source, std::uint64_t line, std::uint64_t column,
                         const std::string& message)
    : error(errc::invalid_input, format_with_location(source, line, column, message)),
      source_(std::move(source)), line_(line), column_(column) {}

io_error::io_error(std::string_view action, std::string_view path, int errno_value)
    : error(errc::io, fmt::format("cannot {} '{}': {}", action, path, std::strerror(errno_value))),
      error_number_(errno_value) {}

} // namespace weft
