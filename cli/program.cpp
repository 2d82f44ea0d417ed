#include <cli/program.hpp>

#include <algorithm>
#include <cli/file_check.hpp>
#include <cli/gpus.hpp>
#include <cli/ranks.hpp>
#include <cli/task.hpp>
#include <fmt/format.h>
#include <new>
#include <string>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/version.hpp>
#include <weft/io/output_file.hpp>

namespace weft::cli {

namespace {

int call_verb(const arguments& given) {
  const std::string_view name = given.chosen_verb->name;
  if (name == "scan") return run_scan(given);
  if (name == "lcs") return run_lcs(given);
  if (name == "sort") return run_sort(given);
  if (name == "bwt") return run_bwt(given);
  if (name == "unbwt") return run_unbwt(given);
  if (name == "sa") return run_sa(given);
  if (name == "index") return run_index(given);
  if (name == "find") return run_find(given);
  if (name == "mem") return run_mem(given);
  if (name == "variants") return run_variants(given);
  if (name == "info") return run_info(given);
  if (name == "devices") return run_devices(given);
  if (name == "man") return print(man_page()), 0;
  if (name == "completion") return print(completion(given.inputs.front())), 0;
  if (given.inputs.empty()) return print(help()), 0;
  if (const verb* asked = find_verb(given.inputs.front())) return print(help(*asked)), 0;
  throw error(errc::invalid_input,
              fmt::format("there is no verb '{}'\n'weft help' lists the verbs", given.inputs.front()));
}

// Returns the flag, with its value, that makes a command the work of one process, although the ranks of a job
// share the other work of its verb. Returns an empty text if there is none.
std::string unshared_flag(const arguments& given) {
  const std::string_view name = given.chosen_verb->name;
  const std::string engine = given.value("engine");
  if ((name == "bwt" || name == "sa") && engine != "auto" && engine != "suffix-sort")
    return "--engine " + engine;
  // One rank collects the matches that a figure or a page shows.
  if ((name == "mem" || name == "scan") && given.has("plot")) return "--plot";
  if (name == "scan" && given.value("format") == "html") return "--format html";
  if (name == "sort" && !given.has("version"))
    for (const char* flag : {"check", "merge", "debug"})
      if (given.has(flag)) return fmt::format("--{}", flag);
  return {};
}

// Returns whether the ranks of a job share the work of a command.
bool is_shared(const arguments& given) {
  const std::string_view name = given.chosen_verb->name;
  if (name == "find" || name == "lcs" || name == "index" || name == "variants") return true;
  const bool shares_some = name == "bwt" || name == "sa" || name == "mem" || name == "scan" || name == "sort";
  return shares_some && unshared_flag(given).empty();
}

// Calls the verb as a rank of the job. Throws error(invalid_input), before anything is read, if a flag makes
// the command the work of one process.
int run_shared(const arguments& given) {
  if (ranks().size() == 1 || is_shared(given)) return call_verb(given);
  const std::string_view name = given.chosen_verb->name;
  if (const std::string flag = unshared_flag(given); !flag.empty())
    throw error(errc::invalid_input,
                fmt::format("{} {} cannot be shared among several ranks: run it without mpirun",
                            given.as_sort ? "sort" : full_name(*given.chosen_verb), flag));
  if (name == "unbwt" && !given.has("quiet"))
    say(fmt::format("weft unbwt: rank 0 alone does this work; the other {} ranks wait\n",
                    ranks().size() - 1));
  return run_on_first_rank([&] { return call_verb(given); });
}

int run_verb(const arguments& given) {
  if (given.has("help")) return print(help(*given.chosen_verb)), 0;
  check_files(given);
  if (given.has("gpus") && !is_shared(given))
    throw error(errc::invalid_input,
                fmt::format("--gpus: one GPU does all of this work of weft {}; use --device gpu",
                            given.chosen_verb->name));
  return run_on_gpus(given, run_shared);
}

constexpr int gnu_trouble = 2; // GNU sort's exit code for any failure

// Returns true if the program was called by the name sort, for example through a link.
bool called_as_sort(int argc, char** argv) {
  const std::string_view name = argc > 0 ? argv[0] : "";
  return name.substr(name.rfind('/') + 1) == "sort"; // npos + 1 is 0
}

int dispatch(int argc, char** argv) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (called_as_sort(argc, argv)) return run_verb(parse(*find_verb("sort"), words, true));
  return run_program(command, words, run_verb);
}

} // namespace

const program command{
    "weft", "sequence primitives",
    "0 success; 1 nothing found (with --fail-if-none), A and B differ (with --fail-if-different) or not "
    "sorted (sort -c); 2 wrong usage or bad input; 3 a file cannot be read or written; 4 no device or "
    "not enough memory; 70 an internal error of weft; 130 interrupted; 141 the reader of the output "
    "closed the pipe.",
    verbs, flags};

int run_program(const program& called, const std::vector<std::string>& words,
                int (*run_verb)(const arguments&)) {
  if (words.empty()) {
    say(help(called));
    return 2;
  }
  if (words.front() == "--version" || words.front() == "-V")
    return print(fmt::format("{} {}\n", called.name, WEFT_VERSION)), 0;
  if (words.front() == "--help" || words.front() == "-h") return print(help(called)), 0;
  const verb* chosen_verb = find_verb(words.front(), called);
  if (chosen_verb == nullptr) {
    std::vector<std::string> names;
    for (const verb& known : called.verbs()) names.emplace_back(known.name);
    const std::string guess = nearest(words.front(), names);
    throw error(errc::invalid_input,
                fmt::format("there is no verb '{}'{}\n'{} help' lists the verbs", words.front(),
                            guess.empty() ? "" : "; did you mean " + guess + "?", called.name));
  }
  return run_verb(parse(*chosen_verb, {words.begin() + 1, words.end()}));
}

int report_errors(std::string_view name, const std::function<int()>& body) {
  const bool as_sort = name == "sort";
  try {
    return body();
  } catch (const io::broken_pipe&) {
    return 141; // the exit code after SIGPIPE, without a message
  } catch (const error& failure) {
    say(fmt::format("{}: {}\n", name, failure.what()));
    return as_sort ? gnu_trouble : exit_code(failure.code());
  } catch (const std::bad_alloc&) {
    say(fmt::format("{}: not enough memory\n", name));
    return as_sort ? gnu_trouble : exit_code(errc::out_of_memory);
  } catch (const std::exception& failure) {
    say(fmt::format("weft: internal error: {}\n", failure.what()));
    return 70;
  }
}

int run(int argc, char** argv) {
  install_signal_handlers();
  return run_in_job(called_as_sort(argc, argv) ? "sort" : "weft", [&] { return dispatch(argc, argv); });
}

} // namespace weft::cli
