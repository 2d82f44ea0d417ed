#include <cli/sort_verb.hpp>

#include <algorithm>
#include <charconv>
#include <cli/ranks.hpp>
#include <cli/task.hpp>
#include <fmt/format.h>
#include <span>
#include <sys/resource.h>
#include <weft/base/memory.hpp>
#include <weft/io/byte_source.hpp>
#include <weft/io/checksum.hpp>

namespace weft::cli {

namespace {

constexpr std::uint64_t min_memory = std::uint64_t{1} << 16;

// Returns the size that a value of -S stands for, as GNU sort reads it: a number of KiB, or a number with a
// suffix: b for bytes, K .. P (also E) for powers of 1024, % for a percentage of the memory of the machine.
std::uint64_t buffer_size(const std::string& text) {
  std::uint64_t number = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view suffix(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  const std::string_view letter = suffix.empty() ? "K" : suffix;
  const std::size_t power =
      std::min(std::string_view("bKMGTPE").find(letter), std::string_view("bkmgtpe").find(letter));
  if (status == std::errc() && suffix == "%" && number > 0 && number <= 100)
    return available_memory() / 100 * number;
  if (status != std::errc() || suffix.size() > 1 || power == std::string_view::npos ||
      number > ~std::uint64_t{0} >> (10 * power))
    throw error(
        errc::invalid_input,
        fmt::format("--buffer-size must be a number of KiB, or a number with b, K, M, G, T, P or %, not "
                    "'{}'",
                    text));
  return number << (10 * power);
}

// Returns the largest of the values of --buffer-size, as GNU sort does, but at least min_memory.
std::uint64_t buffer_size_of(const arguments& given) {
  std::uint64_t largest = 0;
  for (const std::string& text : given.values("buffer-size")) largest = std::max(largest, buffer_size(text));
  return std::max(largest, min_memory);
}

// Returns how many files can be merged at once beside the three standard ones.
std::uint64_t max_batch_size() {
  rlimit files{};
  constexpr std::uint64_t standard_files = 3, assumed = 20;
  return (::getrlimit(RLIMIT_NOFILE, &files) == 0 ? files.rlim_cur : assumed) - standard_files;
}

// Returns the value of --batch-size; without the flag, the largest number there is.
std::uint64_t batch_size_of(const arguments& given) {
  if (!given.has("batch-size")) return ~std::uint64_t{0};
  const std::string text = given.value("batch-size");
  std::uint64_t number = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status == std::errc::invalid_argument || rest != text.data() + text.size())
    throw error(errc::invalid_input, fmt::format("invalid --batch-size argument '{}'", text));
  const std::uint64_t max_number = max_batch_size();
  if (status == std::errc::result_out_of_range || number > max_number)
    throw error(errc::invalid_input, fmt::format("--batch-size argument '{}' too large\n{}: "
                                                 "maximum --batch-size argument with current rlimit is {}",
                                                 text, program_name(given), max_number));
  if (number < 2)
    throw error(errc::invalid_input, fmt::format("invalid --batch-size argument '{}'\n{}: "
                                                 "minimum --batch-size argument is '2'",
                                                 text, program_name(given)));
  return number;
}

// Returns the seed of -R: 0, or a checksum of the first bytes of --random-source.
std::uint64_t seed_of(const arguments& given) {
  if (!given.has("random-source")) return 0;
  const std::string path = given.value("random-source");
  const std::unique_ptr<io::byte_source> source = io::open_bytes(path, false);
  std::string bytes(16, '\0');
  if (source->read({bytes.data(), bytes.size()}) < bytes.size())
    throw error(errc::invalid_input, fmt::format("{}: end of file: --random-source needs 16 bytes", path));
  return io::checksum(bytes);
}

// Returns the order of lines that the flags describe.
line_order order_of(const arguments& given, const std::vector<std::string>& names) {
  line_order_options options;
  options.ignore_blanks = given.has("ignore-leading-blanks");
  options.dictionary = given.has("dictionary-order");
  options.fold_case = given.has("ignore-case");
  options.general_numeric = given.has("general-numeric-sort");
  options.human_numeric = given.has("human-numeric-sort");
  options.printable = given.has("ignore-nonprinting");
  options.month = given.has("month-sort");
  options.numeric = given.has("numeric-sort");
  options.random = given.has("random-sort");
  options.version = given.has("version-sort");
  options.reverse = given.has("reverse");
  options.stable = given.has("stable");
  options.unique = given.has("unique");
  options.csv = given.has("csv");
  options.separator = separator_of(given);
  const std::vector<std::string> keys = given.values("key");
  line_order order(options, options.csv ? csv_keys(keys, names) : keys);
  const auto is_random = [](const line_key& key) { return key.random; };
  if (std::none_of(order.keys().begin(), order.keys().end(), is_random)) return order;
  // Rank 0 reads the seed, because a device gives each reader other bytes.
  multi::run_together(ranks(), [&] {
    if (ranks().rank() == 0) options.seed = seed_of(given);
  });
  ranks().broadcast(std::as_writable_bytes(std::span(&options.seed, 1)), 0);
  return line_order(options, options.csv ? csv_keys(keys, names) : keys);
}

bool is_quiet_check(const arguments& given) {
  const std::vector<std::string> check = given.values("check");
  return std::find(check.begin(), check.end(), "quiet") != check.end();
}

// Throws error(invalid_input) for flags that contradict each other.
void check_flags(const arguments& given) {
  const std::vector<std::string> check = given.values("check");
  const bool quiet = is_quiet_check(given);
  if (quiet && std::find(check.begin(), check.end(), "diagnose-first") != check.end())
    throw error(errc::invalid_input, "options '-cC' are incompatible");
  const char letter = quiet ? 'C' : 'c';
  if (given.has("debug")) {
    if (given.has("check") || given.has("output"))
      throw error(errc::invalid_input,
                  fmt::format("options '-{} --debug' are incompatible", given.has("check") ? letter : 'o'));
    if (given.has("csv"))
      throw error(errc::invalid_input,
                  "--debug underlines parts of lines, not of records: it cannot be combined with --csv");
  }
  if (!given.has("check")) return;
  if (given.inputs.size() > 1) throw extra_operand(given, given.inputs[1]);
  if (given.has("output"))
    throw error(errc::invalid_input, fmt::format("options '-{}o' are incompatible", letter));
}

} // namespace

files::sort_settings sort_settings_of(const arguments& given, const std::vector<std::string>& names,
                                      const sort_options& sorting) {
  line_order order = order_of(given, names);
  check_flags(given);
  const std::uint64_t limit =
      std::max(given.has("memory") ? given.size("memory") : memory_limit(0) / 8 * 5, min_memory);
  const std::uint64_t memory = given.has("buffer-size") ? std::min(limit, buffer_size_of(given)) : limit;
  // A merge holds a long line in up to 16 buffers.
  const std::uint64_t max_line = std::max(limit / 16, std::uint64_t{1} << 21);
  const char terminator = given.has("zero-terminated") || given.has("csv") ? '\0' : '\n';
  std::vector<std::string> folders = given.values("temporary-directory");
  if (folders.empty()) folders.emplace_back();
  return {std::move(order),
          {terminator, given.has("unique"), memory, max_line, &monitor(), "--memory"},
          limit,
          sorting,
          std::move(folders),
          given.value("compress-program"),
          batch_size_of(given)};
}

error extra_operand(const arguments& given, const std::string& path) {
  return {errc::invalid_input,
          fmt::format("extra operand '{}' not allowed with -{}", path, is_quiet_check(given) ? 'C' : 'c')};
}

std::string program_name(const arguments& given) { return given.as_sort ? "sort" : "weft"; }

} // namespace weft::cli
