#include <cli/program.hpp>

#include <cli/task.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <new>
#include <string>
#include <system_error>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/version.hpp>
#include <weft/io/output_file.hpp>

namespace weft::cli {

namespace {

// Also of paths that do not exist yet; of hard links where both do.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code fault; // of a path that cannot be looked at: it is another one
  if (a == b || std::filesystem::equivalent(a, b, fault)) return true;
  const std::filesystem::path x = std::filesystem::weakly_canonical(a, fault),
                              y = std::filesystem::weakly_canonical(b, fault);
  return !x.empty() && x == y;
}

// No output takes the place of another one, or of an input: only sort is meant to work so.
void check_output(const arguments& given) {
  if (given.has("lcp") && same_file(given.value("lcp"), given.value("output")))
    throw error(errc::invalid_input, "--lcp and --output name the same file");
  if (given.has("plot") && given.has("output") && same_file(given.value("plot"), given.value("output")))
    throw error(errc::invalid_input, "--plot and --output name the same file");
  std::vector<std::string> inputs = given.inputs;
  if (given.has("all-pairs")) inputs.push_back(given.value("all-pairs"));
  std::error_code none;
  for (const char* output : {"output", "lcp", "plot"})
    for (const std::string& input : inputs)
      if (given.of->name != "sort" && given.has(output) && std::filesystem::is_regular_file(input, none) &&
          same_file(given.value(output), input))
        throw error(errc::invalid_input,
                    fmt::format("--{} would take the place of the input '{}'", output, input));
}

int run_verb(const arguments& given) {
  const std::string_view name = given.of->name;
  if (given.has("help")) return print(help(*given.of)), 0;
  check_output(given);
  if (name == "scan") return run_scan(given);
  if (name == "lcs") return run_lcs(given);
  if (name == "sort") return run_sort(given);
  if (name == "bwt") return run_bwt(given);
  if (name == "unbwt") return run_unbwt(given);
  if (name == "sa") return run_sa(given);
  if (name == "index") return run_index(given);
  if (name == "find") return run_find(given);
  if (name == "devices") return run_devices(given);
  if (name == "bench") return run_bench(given);
  if (name == "man") return print(man_page()), 0;
  if (name == "completion") return print(completion(given.inputs.front())), 0;
  if (given.inputs.empty()) return print(help()), 0;
  if (const verb* asked = find_verb(given.inputs.front())) return print(help(*asked)), 0;
  throw error(errc::invalid_input, fmt::format("there is no verb '{}' to explain", given.inputs.front()));
}

int dispatch(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) {
    say(help());
    return 2;
  }
  if (words.front() == "--version" || words.front() == "-V") return print("weft " WEFT_VERSION "\n"), 0;
  if (words.front() == "--help" || words.front() == "-h") return print(help()), 0;
  const verb* of = find_verb(words.front());
  if (of == nullptr) {
    std::vector<std::string> names;
    for (const verb& known : verbs()) names.emplace_back(known.name);
    const std::string guess = nearest(words.front(), names);
    throw error(errc::invalid_input,
                fmt::format("there is no verb '{}'{}\n'weft help' lists the verbs", words.front(),
                            guess.empty() ? "" : "; did you mean " + guess + "?"));
  }
  return run_verb(parse(*of, {words.begin() + 1, words.end()}));
}

} // namespace

int run(int argc, char** argv) {
  install_signal_handlers();
  try {
    return dispatch(argc, argv);
  } catch (const io::broken_pipe&) {
    return 141; // as if SIGPIPE had ended the program, without a word
  } catch (const error& failure) {
    say(fmt::format("weft: {}\n", failure.what()));
    return exit_code(failure.code());
  } catch (const std::bad_alloc&) {
    say("weft: not enough memory\n");
    return exit_code(errc::out_of_memory);
  } catch (const std::exception& failure) {
    say(fmt::format("weft: internal error: {}\n", failure.what()));
    return 70;
  }
}

} // namespace weft::cli
