// The tables of the verbs and of the flags of weft-bench.
#include <array>
#include <bench/program.hpp>

namespace weft::bench {

namespace {

using cli::file_role;
using cli::flag;
using cli::verb;

constexpr const char* how_cases_run =
    "Runs seeded cases, from small to large, with every engine that can run on this machine and with "
    "other programs and libraries as yardsticks (std::sort, libdivsufsort, Hyperscan if it is installed, "
    "...). Every answer is checked, and a wrong answer makes the exit code 1. Making the inputs and "
    "checking the answers count in the budget as well. Every case gets an equal share of the budget, and "
    "the time that it does not use goes to the other cases. A row shows the median and the spread of its "
    "runs, the ratio to the fastest yardstick, and the share of a ceiling that is measured first. A row "
    "that cannot run on this machine or within the budget says why.\n"
    "\n"
    "The cases of sort are numbers of 32, 64 and 128 bits in several distributions (u64-zipf), keys with "
    "values (u64+u32-uniform), records by a comparator, and segments that are sorted one by one "
    "(segments-of-100).\n"
    "\n"
    "With --json, the output is one JSON document, which weft-bench compare can compare with another.";

constexpr const char* how_own_cases_run =
    "Runs seeded cases with weft, and with Hyperscan if it is installed; weft-bench help sort explains "
    "how cases are run. With MOTIFS and SEQUENCES, which are files as for weft scan, the answers are "
    "compared with each other.";

constexpr const char* how_bwt_runs =
    "Runs seeded cases; weft-bench help sort explains how. They are transforms (bwt, bwt-rotation), their "
    "inverses (unbwt), suffix and LCP arrays (sa, sa32, lcp), batches of texts (batch, collection), and the "
    "FM-index: building it (index) and finding patterns (count, locate). With FILE, the transform of its "
    "bytes is measured instead, inverted and compared with them.";

constexpr const char* how_lcs_runs =
    "Seeded cases as those of weft-bench help sort explains. The files A and B take the place of the seeded "
    "texts, byte by byte; then the ways are held against each other.";

constexpr const char* how_scale_works = "Measures what one rank with one thread computes in a second, and "
                                        "predicts from that how long jobs take on "
                                        "many ranks that exchange bytes with the given bandwidth and "
                                        "latency. Then measures smaller jobs on 1, 2, 4, "
                                        "... ranks that are threads of this process, with predictions for "
                                        "them beside it, and sorts on 1, 2, 4, ... GPUs of this machine. "
                                        "With --gpus, measures only the GPUs: sorts step by step, the length "
                                        "of an LCS (lcs, all-pairs), searches (find), motifs (scan) and "
                                        "transforms (transform); --only names the jobs to measure. "
                                        "Every answer is checked. "
                                        "bench/scale/model.hpp describes the models.";

constexpr std::array verb_table = {
    verb{"sort", "", "sorts of numbers, pairs, records and segments", how_cases_run,
         "weft-bench sort --list\n"
         "weft-bench sort --budget 1 --only u64-uniform/2^10",
         0, 0, &benchmarks},
    verb{"bwt", "[FILE]", "transforms and their inverses, suffix arrays, batches and the FM-index",
         how_bwt_runs,
         "weft-bench bwt --list\n"
         "weft-bench bwt --budget 1 --only 'count-100-*/1M'",
         0, 1, &benchmarks},
    verb{"lcs", "[A B]", "lengths, distances and paths of two texts", how_lcs_runs, "weft-bench lcs --list",
         0, 2, &benchmarks},
    verb{"scan", "[MOTIFS SEQUENCES]", "motifs in proteins", how_own_cases_run,
         "weft-bench scan --budget 1 --only '*16-motifs/200k'", 0, 2, &benchmarks},
    verb{"papers", "", "the tables and figures of the four papers that weft began with",
         "weft-bench help sort explains how cases are run. The numbers of the papers are shown next to "
         "the results.",
         "weft-bench papers --list", 0, 0, &benchmarks},
    verb{"scale", "", "predicted times of jobs on 8 to 1,024 ranks", how_scale_works,
         "weft-bench scale --ranks 2 --bandwidth 12.5 --latency 1.5", 0, 0, &benchmarks},
    verb{"compare", "OLD NEW", "compare two records",
         "OLD and NEW are files written by --json, or folders of such files. A row counts as slower or "
         "faster if its median has changed by more than --threshold and "
         "by more than the spread of either record.",
         "weft-bench sort --only u64-uniform/2^10 --runs 3 --json -o old.json\n"
         "weft-bench compare old.json old.json",
         2, 2, &benchmarks},
    verb{"help", "[VERB]", "show help about weft-bench or about one of its verbs", "", "", 0, 1, &benchmarks},
};

constexpr std::string_view measuring = "sort bwt lcs scan papers";

constexpr std::array flag_table = {
    flag{"list", '\0', "", "", "", "list the names of the cases without running them", measuring, ""},
    flag{"only", '\0', "NAME", "", "",
         "run only the cases whose name contains NAME, or matches NAME if "
         "it has a * or ?",
         "sort bwt lcs scan papers scale", ""},
    flag{"all", '\0', "", "", "", "also run the cases that are run only on request (--list names them)",
         measuring, ""},
    flag{"budget", '\0', "SECONDS", "60", "", "time for all cases together; cases that do not fit are listed",
         measuring, ""},
    flag{"runs", '\0', "N", "", "",
         "number of runs of each row, after a first run that is not counted (default: as many as the "
         "budget allows, at most 25)",
         measuring, ""},
    flag{"device", '\0', "NAME", "all", "all|cpu|gpu",
         "the devices to measure; gpu is an error if there "
         "is no GPU",
         measuring, ""},
    flag{"threads", 't', "N", "0", "", "number of threads, at most 1024; 0 means one for each processor",
         measuring, "WEFT_THREADS"},
    flag{"json", '\0', "", "", "", "print the record as JSON", measuring, ""},
    flag{"bandwidth", '\0', "GB/S", "10", "", "what a rank can send, and receive at the same time", "scale",
         ""},
    flag{"latency", '\0', "US", "2", "", "microseconds that a message takes", "scale", ""},
    flag{"ranks", '\0', "N", "", "",
         "measure on up to N ranks, a power of two (default: the number of processors)", "scale", ""},
    flag{
        "gpus", '\0', "", "", "",
        "measure only the GPUs of this machine, of which two are needed: sorts of 2^28 numbers together, and "
        "of 2^28 numbers for each GPU, with the time of each step, if there is NCCL; and other jobs, each "
        "with a prediction and with the speed-up over one GPU",
        "scale", ""},
    flag{"threshold", '\0', "PERCENT", "5", "", "the smallest change of a median that counts", "compare", ""},
    flag{"fail", '\0', "", "", "", "exit with code 1 if a row is slower, has failed or is missing", "compare",
         ""},
    flag{"output", 'o', "FILE", "-", "", "write to FILE, which appears only when it is complete", "!help", "",
         false, file_role::output},
    flag{"help", 'h', "", "", "", "print this help", "*", ""},
};

std::span<const verb> verbs() { return verb_table; }
std::span<const flag> flags() { return flag_table; }

} // namespace

const cli::program benchmarks{
    "weft-bench", "weft's measurements on this machine, every answer checked",
    "0 success; 1 a wrong answer, or a slower row (compare --fail); 2 wrong usage or bad input; 3 a file "
    "cannot be read or written; 4 no device or not enough memory; 70 an internal error of weft; 130 "
    "interrupted; 141 the reader of the output closed the pipe.",
    verbs, flags};

} // namespace weft::bench
