// The tables of the verbs and of the flags of weft-bench.
#include <array>
#include <bench/program.hpp>

namespace weft::bench {

namespace {

using cli::file_role;
using cli::flag;
using cli::verb;

constexpr const char* how_cases_run =
    "Seeded cases, from small to large, by every engine that runs here and by yardsticks (std::sort, "
    "libdivsufsort, Hyperscan where it is installed, ...), in turn. Every answer is checked: one that is "
    "wrong makes the exit code 1. Inputs and checks count in the budget as well; what one case does not "
    "need of its equal part goes to the others. A row has the median and the spread of its runs, its "
    "ratio to the quickest yardstick, and what it reaches of a ceiling that is measured before; what "
    "cannot run here, or within the budget, says why.\n\n"
    "With --json one document, which weft-bench compare holds against another.";

constexpr const char* how_own_cases_run =
    "Seeded cases as those of weft-bench help sort explains, by weft and by Hyperscan where it is installed. "
    "MOTIFS and SEQUENCES are as those of weft scan; then the ways are held against each other.";

constexpr const char* how_bwt_runs =
    "Seeded cases as those of weft-bench help sort explains. The bytes of FILE take the place of the seeded "
    "texts; then transforms are inverted and compared with it.";

constexpr const char* how_lcs_runs =
    "Seeded cases as those of weft-bench help sort explains. The files A and B take the place of the seeded "
    "texts, byte by byte; then the ways are held against each other.";

constexpr std::array verb_table = {
    verb{"sort", "", "sorts of numbers and records", how_cases_run,
         "weft-bench sort --list\n"
         "weft-bench sort --budget 1 --only 2^10",
         0, 0, &benchmarks},
    verb{"bwt", "[FILE]", "Burrows-Wheeler transforms and their inverses", how_bwt_runs,
         "weft-bench bwt --list", 0, 1, &benchmarks},
    verb{"lcs", "[A B]", "lengths, distances and paths of two texts", how_lcs_runs, "weft-bench lcs --list",
         0, 2, &benchmarks},
    verb{"scan", "[MOTIFS SEQUENCES]", "motifs in proteins", how_own_cases_run,
         "weft-bench scan --budget 1 --only '*16-motifs/200k'", 0, 2, &benchmarks},
    verb{"papers", "", "the tables and figures of the four papers that weft began with",
         "Cases run as weft-bench help sort explains; the papers' own numbers stand beside them.",
         "weft-bench papers --list", 0, 0, &benchmarks},
    verb{
        "compare", "OLD NEW", "hold two records against each other",
        "OLD and NEW are what --json wrote, JSON of Google Benchmark, or folders of such files. A row is "
        "slower "
        "or quicker if its median has changed by more than --threshold and by more than the spread of either "
        "record.",
        "weft-bench sort --only 2^10 --runs 3 --json -o old.json\n"
        "weft-bench compare old.json old.json",
        2, 2, &benchmarks},
    verb{"help", "[VERB]", "explain weft-bench or one of its verbs", "", "", 0, 1, &benchmarks},
};

constexpr std::string_view measuring = "sort bwt lcs scan papers";

constexpr std::array flag_table = {
    flag{"list", '\0', "", "", "", "name the cases, and run none", measuring, ""},
    flag{"only", '\0', "NAME", "", "", "only cases whose name holds NAME, or matches it if it has * or ?",
         measuring, ""},
    flag{"all", '\0', "", "", "", "also the cases that are run only on request (--list names them)",
         measuring, ""},
    flag{"budget", '\0', "SECONDS", "60", "",
         "time for all cases, shared out among them; what does not fit is named", measuring, ""},
    flag{"runs", '\0', "N", "", "",
         "runs of each way after one that is not counted (default: what the budget allows, 25 at most)",
         measuring, ""},
    flag{"device", '\0', "NAME", "all", "all|cpu|gpu", "where to run; gpu without one is an error", measuring,
         ""},
    flag{"threads", 't', "N", "0", "", "threads, 1024 at most; 0: all processors", measuring, "WEFT_THREADS"},
    flag{"json", '\0', "", "", "", "print the record as JSON", measuring, ""},
    flag{"threshold", '\0', "PERCENT", "5", "", "the least change of a median that counts", "compare", ""},
    flag{"fail", '\0', "", "", "", "exit with 1 if a row is slower, has failed or is gone", "compare", ""},
    flag{"output", 'o', "FILE", "-", "", "write to FILE, which appears whole or not at all", "!help", "",
         false, file_role::output},
    flag{"help", 'h', "", "", "", "print this help", "*", ""},
};

std::span<const verb> verbs() { return verb_table; }
std::span<const flag> flags() { return flag_table; }

} // namespace

const cli::program benchmarks{
    "weft-bench", "weft's measurements on this machine, every answer checked",
    "0 success; 1 a wrong answer, or a slower row (compare --fail); 2 bad usage or input; 3 input/output; 4 "
    "no device or not enough memory; 70 "
    "a fault of weft itself; 130 interrupted; 141 nobody reads the output any more.",
    verbs, flags};

} // namespace weft::bench
