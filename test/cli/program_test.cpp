// Tests the program as a whole: exit codes, streams, signals, pipes, files and progress.
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <test_paths.hpp>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>
#include <weft/base/device.hpp>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

const string long_record = ">long\n" + string(3 << 20, 'A') + "\n";

TEST(program, help_and_version_go_to_standard_output) {
  for (const words& given : {words{"--help"},
                             {"-h"},
                             {"help"},
                             {"help", "scan"},
                             {"scan", "--help"},
                             {"lcs", "-h"},
                             {"--version"},
                             {"devices", "--engines"},
                             {"man"},
                             {"completion", "bash"}}) {
    const outcome result = weft_run(given);
    EXPECT_EQ(result.code, 0) << given.front();
    EXPECT_EQ(result.err, "") << given.front();
    EXPECT_NE(result.out, "") << given.front();
  }
  EXPECT_EQ(weft_run({"--version"}).out.rfind("weft ", 0), 0U);
}

// Several ranks refuse what only one process can do, before they read a file.
TEST(program, ranks_refuse_work_that_they_cannot_share) {
  const scratch_folder folder;
  const string out = folder / "out";
  for (const auto& [line, flag] : std::vector<std::pair<string, string>>{
           {"sort -c missing", "sort --check"},
           {"sort -C missing", "sort --check"},
           {"sort -m missing missing -o " + out, "sort --merge"},
           {"sort --debug missing", "sort --debug"},
           {"mem missing missing --plot " + out, "mem --plot"},
           {"scan missing missing --plot " + out, "scan --plot"},
           {"scan missing missing --format html -o " + out, "scan --format html"},
           {"bwt missing --engine libdivsufsort -o " + out, "bwt --engine libdivsufsort"},
           {"sa missing --engine=ternary-quicksort -o " + out, "sa --engine ternary-quicksort"}}) {
    const outcome result = shell("WEFT_THREAD_RANKS=3 weft " + line);
    EXPECT_EQ(result.code, 2) << line;
    EXPECT_EQ(result.out, "") << line;
    EXPECT_EQ(result.err,
              "weft: weft " + flag + " cannot be shared among several ranks: run it without mpirun\n");
  }
  EXPECT_TRUE(folder.names().empty());
  const outcome as_sort = shell("WEFT_THREAD_RANKS=2 exec -a sort '" WEFT_PROGRAM "' -c missing");
  EXPECT_EQ(as_sort.code, 2);
  EXPECT_EQ(as_sort.err, "sort: sort --check cannot be shared among several ranks: run it without mpirun\n");
}

// Rank 0 alone does what takes no time, and the verbs that have no shared work.
TEST(program, one_of_several_ranks_works_alone) {
  for (const char* line :
       {"sort --version", "sort --version -c", "sort --help", "--version", "help", "man", "info a.fa"}) {
    const outcome one = shell(string("weft ") + line),
                  several = shell(string("WEFT_THREAD_RANKS=3 weft ") + line);
    EXPECT_EQ(several.code, 0) << line;
    EXPECT_EQ(several.out, one.out) << line;
    EXPECT_EQ(several.err, "") << line;
  }
  const outcome text = shell("weft bwt a.fa | WEFT_THREAD_RANKS=3 weft unbwt -");
  EXPECT_EQ(text.code, 0);
  EXPECT_EQ(text.out, shell("cat a.fa").out);
  EXPECT_EQ(text.err, "weft unbwt: rank 0 alone does this work; the other 2 ranks wait\n");
}

TEST(program, without_a_verb_shows_help_as_an_error) {
  const outcome result = weft_run({});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("usage: weft"), string::npos);
}

TEST(program, wrong_use_is_2_with_the_nearest_name) {
  expect_failure({"scna"}, 2, "did you mean scan?");
  expect_failure({"sorted"}, 2, "there is no verb 'sorted'");
  expect_failure({"scan", "--fromat", "tsv", "motifs.txt", "proteins.fa"}, 2, "did you mean --format?");
  expect_failure({"scan", "-Z", "motifs.txt", "proteins.fa"}, 2, "-Z");
  expect_failure({"scan", "motifs.txt", "proteins.fa", "--format", "gff"}, 2, "'gff'");
  expect_failure({"scan", "motifs.txt"}, 2, "needs motifs");
  expect_failure({"scan", "-", "-"}, 2, "only once");
  expect_failure({"scan", "motifs.txt", "proteins.fa", "--threads", "many"}, 2, "'many'");
  expect_failure({"scan", "motifs.txt", "proteins.fa", "--memory", "lots"}, 2, "lots");
  expect_failure({"scan", "motifs.txt", "proteins.fa", "--engine", "warp"}, 2, "warp");
  expect_failure({"scan", "motifs.txt", "proteins.fa", "--strand", "-"}, 2, "DNA");
  expect_failure({"scan", "motifs.txt", "proteins.fa", "--matches", "ends", "-i"}, 2, "--included");
  expect_failure({"scan", "motifs.txt", "proteins.fa", "--matches", "count", "--format", "bed"}, 2,
                 "tsv or jsonl");
  expect_failure({"lcs", "a.fa"}, 2, "two files");
  expect_failure({"lcs", "a.fa", "b.fa", "b.fa"}, 2, "too many arguments (3 given, at most 2 allowed)");
  expect_failure({"lcs", "--raw", "--by", "line", "a.fa", "b.fa"}, 2, "--raw");
  expect_failure({"lcs", "--length", "--format", "ops", "a.fa", "b.fa"}, 2, "only one");
  expect_failure({"lcs", "--length", "--json", "a.fa", "b.fa"}, 2, "only one");
  expect_failure({"lcs", "--a-record", "none", "a.fa", "b.fa"}, 2, "no record 'none'");
  expect_failure({"lcs", "--device", "tpu", "a.fa", "b.fa"}, 2, "tpu");
  for (const char* engine : {"systolic", "wavefront"})
    expect_failure({"lcs", "--engine", engine, "--device", "cpu", "a.fa", "b.fa"}, 2,
                   built_with_cuda() ? "runs only on a GPU" : "built without CUDA");
  expect_failure({"lcs", "--engine", "bit-sliced", "--device", "gpu", "a.fa", "b.fa"}, 2,
                 "runs only on the CPU");
  expect_failure({"lcs", "--device-memory", "lots", "a.fa", "b.fa"}, 2, "lots");
  expect_failure({"completion", "tcsh"}, 2, "tcsh");
  expect_failure({"completion"}, 2, "weft completion needs an argument: bash|zsh|fish\n");
  expect_failure({"find"}, 2, "weft find needs an argument: INDEX\n");
  for (const words& more : {words{"--json"},
                            {"--length"},
                            {"--format", "ops"},
                            {"--by", "residue"},
                            {"--raw"},
                            {"--a-record", "a"},
                            {"--b-record", "b"}}) {
    words all{"lcs", "--all-pairs", "proteins.fa"};
    all.insert(all.end(), more.begin(), more.end());
    expect_failure(all, 2,
                   more.front() == "--format" ? "--format must be tsv or jsonl with --all-pairs, not 'ops'"
                                              : more.front() + " cannot be combined with --all-pairs");
  }
}

TEST(program, bad_input_is_2_and_names_the_place) {
  const scratch_folder folder;
  folder.put("bad.fa", ">a\nACGT\n>b\nAC\x01GT\n");
  folder.put("text", "no fasta\n");
  expect_failure({"scan", "--alphabet", "protein", "motifs.txt", folder / "bad.fa"}, 2, "bad.fa:4:3");
  expect_failure({"lcs", folder / "text", "a.fa"}, 2, "--by line");
}

TEST(program, files_that_cannot_be_used_are_3) {
  expect_failure({"scan", "motifs.txt", "missing.fa"}, 3, "missing.fa");
  expect_failure({"scan", "missing.txt", "proteins.fa"}, 3, "missing.txt");
  expect_failure({"lcs", "a.fa", "."}, 3, "directory");
  expect_failure({"scan", "motifs.txt", "proteins.fa", "-o", "/no/such/folder/x"}, 3, "/no/such/folder");
}

TEST(program, a_gpu_that_is_not_there_is_4_and_no_silent_fall_back) {
  expect_failure({"scan", "--device", "gpu:99", "motifs.txt", "proteins.fa"}, 4, "GPU");
  expect_failure({"lcs", "--device", "gpu:99", "a.fa", "b.fa"}, 4, "GPU");
  EXPECT_EQ(shell("CUDA_VISIBLE_DEVICES= weft scan --device gpu motifs.txt proteins.fa").code, 4);
  EXPECT_EQ(shell("WEFT_DEVICE=gpu:99 weft lcs a.fa b.fa").code, 4);
  EXPECT_EQ(shell("WEFT_DEVICE=gpu weft lcs a.fa b.fa --device cpu").code, 0);
  EXPECT_EQ(shell("WEFT_DEVICE=auto weft lcs a.fa b.fa --device-memory 1G").code, 0);
}

TEST(program, an_engine_goes_before_the_device_of_the_environment) {
  for (const char* engine : {"hirschberg-dp", "bit-parallel", "bit-sliced", "furthest-reaching"}) {
    const string call = "weft lcs a.fa b.fa --length --engine " + string(engine);
    EXPECT_EQ(shell("WEFT_DEVICE=gpu " + call).out, "9\n") << engine;
    EXPECT_EQ(shell("WEFT_DEVICE=gpu " + call + " --device gpu").code, 2) << engine;
  }
  const string none = "CUDA_VISIBLE_DEVICES= WEFT_DEVICE=cpu weft lcs a.fa b.fa --engine ";
  EXPECT_EQ(shell(none + "systolic").code, built_with_cuda() ? 4 : 2); // weft looks for a GPU, and finds none
  EXPECT_EQ(shell(none + "systolic --device cpu").code, 2);
  EXPECT_EQ(shell(none + "wavefront --metric edit").code, 2);
  EXPECT_EQ(shell(none + "none").code, 2);
  EXPECT_EQ(shell("WEFT_DEVICE=tpu weft lcs a.fa b.fa --engine bit-sliced").code, 2);
}

// If no device is visible, every machine is one without a GPU. A build without CUDA does not know the names
// of the engines that need one.
TEST(program, lcs_without_a_gpu_says_why) {
  for (const char* given : {"--device gpu", "--device gpu:0", "--engine systolic", "--engine wavefront",
                            "--engine systolic --device gpu", "--all-pairs proteins.fa --device gpu"}) {
    const string files = string(given).starts_with("--all") ? "" : " a.fa b.fa";
    const outcome result = shell("CUDA_VISIBLE_DEVICES= weft lcs " + string(given) + files);
    EXPECT_EQ(result.out, "") << given;
    if (built_with_cuda() || !string(given).starts_with("--engine")) {
      EXPECT_EQ(result.code, 4) << given;
      EXPECT_EQ(result.err.rfind("weft: no GPU can be used: ", 0), 0U) << result.err;
    } else {
      EXPECT_EQ(result.code, 2) << given;
      EXPECT_TRUE(has(result.err, "(this weft was built without CUDA: ")) << result.err;
    }
  }
  if (!built_with_cuda()) return;
  const outcome engines = shell("CUDA_VISIBLE_DEVICES= weft devices --engines");
  for (const char* engine : {"systolic", "wavefront"})
    EXPECT_NE(engines.out.find(string("lcs\t") + engine + "\tunavailable: "), string::npos) << engines.out;
  EXPECT_NE(engines.out.find("sort\tgpu\tunavailable: "), string::npos) << engines.out;
}

TEST(program, the_environment_stands_in_for_flags) {
  EXPECT_EQ(shell("WEFT_THREADS=2 weft lcs a.fa b.fa --length").out, "9\n");
  EXPECT_EQ(shell("WEFT_THREADS=two weft lcs a.fa b.fa").code, 2);
}

// Limits the address space, so that the system can create only a few of the requested threads.
TEST(program, threads_that_the_system_does_not_give_are_done_without) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more addresses than there are then";
#endif
  const scratch_folder folder;
  string numbers;
  std::uint32_t random = 1;
  for (int i = 0; i < 16'000'000; ++i)
    numbers += static_cast<char>((random = random * 1664525 + 1013904223) >> 24);
  folder.put("numbers", numbers);
  for (const char* engine : {"vqsort", "merge"}) {
    const string call =
        "weft sort --type u64 --device cpu --engine " + string(engine) + " " + (folder / "numbers");
    const outcome result = shell("ulimit -v 600000; " + call + " --threads 1000");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, shell(call + " --threads 1").out) << engine;
  }
}

TEST(program, more_threads_than_any_machine_has_are_refused) {
  for (const char* verb : {"scan -e A proteins.fa", "lcs a.fa b.fa", "sort a.fa", "bwt a.fa", "unbwt a.fa",
                           "sa a.fa", "index a.fa", "find a.fa -e A"}) {
    const outcome result = shell("weft " + string(verb) + " --threads 1025");
    EXPECT_EQ(result.code, 2) << verb;
    EXPECT_EQ(result.err, "weft: --threads must be at most 1024, not 1025\n") << verb;
  }
  EXPECT_EQ(shell("weft lcs a.fa b.fa --length --threads 1024").out, "9\n");
}

TEST(program, output_is_whole_or_absent) {
  const scratch_folder folder;
  folder.put("good.fa", file_bytes(data("proteins.fa")));
  folder.put("bad.fa", file_bytes(data("proteins.fa")) + ">late\nAC\x01GT\n");
  EXPECT_EQ(weft_run({"scan", "motifs.txt", folder / "bad.fa", "-o", folder / "out"}).code, 2);
  EXPECT_EQ(folder.names(), (words{"bad.fa", "good.fa"}));
  folder.put("out", "before");
  EXPECT_EQ(weft_run({"scan", "motifs.txt", folder / "bad.fa", "-o", folder / "out"}).code, 2);
  EXPECT_EQ(file_bytes(folder / "out"), "before");
  const outcome result = weft_run({"scan", "motifs.txt", folder / "good.fa", "-o", folder / "out"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(file_bytes(folder / "out"), file_bytes(data("scan_list.tsv")));
}

TEST(program, a_late_fault_leaves_what_came_before_on_standard_output) {
  const outcome result =
      shell("(cat proteins.fa; printf '>late\\nA\\001C\\n') | WEFT_CHUNK=1 weft scan motifs.txt -");
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, file_bytes(data("scan_list.tsv")));
  EXPECT_NE(result.err.find("<stdin>:11:2"), string::npos) << result.err;
}

TEST(program, a_reader_that_goes_ends_it_quietly) {
  const scratch_folder folder;
  folder.put("long.fa", long_record);
  for (const bool ignored : {false, true}) {
    process running({WEFT_PROGRAM, "scan", "-q", "-e", "A", folder / "long.fa"}, "/dev/null", ignored);
    running.close_output();
    const outcome result = running.wait();
    EXPECT_EQ(result.code, 141);
    EXPECT_EQ(result.err, "");
  }
}

TEST(program, messages_that_cannot_be_written_end_nothing) {
  const scratch_folder folder;
  folder.put("in", "b\na\n");
  const string in = folder / "in";
  EXPECT_EQ(shell("weft sort " + (folder / "none") + " 2>/dev/full").code, 3);
  EXPECT_EQ(shell("weft sort -v " + in + " 2>/dev/full").out, "a\nb\n");
  EXPECT_EQ(shell("weft sort -v --progress always " + in + " -o " + in + " 2>&-").code, 0);
  EXPECT_EQ(file_bytes(in), "a\nb\n");
  EXPECT_EQ(folder.names(), words{"in"});
}

TEST(program, flags_without_their_values) {
  for (const words& given : {words{"sort", "-k"}, {"sort", "--key"}}) {
    const outcome result = weft_run(given);
    EXPECT_EQ(result.code, 2);
    EXPECT_NE(result.err.find(given.back() + " needs a value"), string::npos) << result.err;
  }
}

TEST(program, interruption_leaves_no_file) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    const scratch_folder folder;
    // The input never ends, so the program waits for it.
    process running({WEFT_PROGRAM, "scan", "--alphabet", "protein", "-e", "A-C", "-", "-o", folder / "out"},
                    "");
    running.write(">a\nACAC\n");
    for (int i = 0; i < 500 && folder.names().empty(); ++i) ::usleep(10000);
    EXPECT_EQ(folder.names().size(), 1U); // the temporary file
    running.send(signal);
    EXPECT_EQ(running.wait().code, 130);
    EXPECT_TRUE(folder.names().empty());
  }
}

// Makes the files a.fa and b.fa of so many random bases.
void random_records(const scratch_folder& folder, int size) {
  std::uint32_t random = 1;
  for (const char* name : {"a.fa", "b.fa"}) {
    string record = ">" + string(name) + "\n";
    for (int i = 0; i < size; ++i) record += "ACGT"[(random = random * 1664525 + 1013904223) >> 30];
    folder.put(name, record);
  }
}

TEST(program, interruption_stops_work) {
  const scratch_folder folder;
  random_records(folder, 3'000'000);
  process running(
      {WEFT_PROGRAM, "lcs", folder / "a.fa", folder / "b.fa", "--format", "ops", "-o", folder / "out"});
  ::usleep(500'000);
  running.send(SIGINT);
  const outcome result = running.wait();
  EXPECT_EQ(result.code, 130) << result.err;
  EXPECT_EQ(folder.names(), (words{"a.fa", "b.fa"}));
}

TEST(program, progress_shows_on_a_terminal_and_is_wiped) {
  process running({WEFT_PROGRAM, "scan", "--alphabet", "protein", "-e", "A-C", "-"}, "", false, true);
  running.write(">a\nACAC\n");
  ::usleep(3'000'000);
  running.close_input();
  const outcome result = running.wait();
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.err.find("weft scan: "), string::npos);
  EXPECT_NE(result.err.find("residues/s"), string::npos);
  EXPECT_EQ(result.err.substr(result.err.size() - 4), "\r\033[K");
  EXPECT_EQ(result.out.find('\r'), string::npos);
}

TEST(program, no_progress_elsewhere) {
  process running({WEFT_PROGRAM, "scan", "--alphabet", "protein", "-e", "A-C", "-"}, "");
  running.write(">a\nACAC\n");
  ::usleep(2'500'000);
  running.close_input();
  EXPECT_EQ(running.wait().err, "");
}

TEST(program, verbose_ends_with_a_line) {
  for (const words& given : {words{"scan", "--verbose", "--alphabet", "protein", "motifs.txt", "proteins.fa"},
                             {"lcs", "-v", "a.fa", "b.fa"},
                             {"lcs", "-v", "--all-pairs", "two.fa"}}) {
    const string err = weft_run(given).err;
    for (const char* part : {" s, ", "/s", "engine ", "device cpu", "peak memory "})
      EXPECT_NE(err.find(part), string::npos) << err;
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
  }
}

TEST(program, verbose_tells_what_lcs_did) {
  const scratch_folder folder; // with texts so different that any processor fills a table for them
  random_records(folder, 700);
  const auto said = [](const words& files) {
    words call{"lcs", "-v"};
    call.insert(call.end(), files.begin(), files.end());
    return weft_run(call).err;
  };
  EXPECT_TRUE(has(said({"a.fa", "a.fa"}), "engine none (the texts differ by at most one gap), "));
  EXPECT_TRUE(has(said({"a.fa", "a.fa", "--format", "ops"}), "engine none ("));
  EXPECT_TRUE(has(said({folder / "a.fa", folder / "b.fa"}), "engine bit-parallel, "));
  EXPECT_TRUE(has(said({"a.fa", "a.fa", "--engine", "hirschberg-dp"}), "engine hirschberg-dp, "));
}

TEST(program, devices) {
  const string text = weft_run({"devices", "--engines"}).out;
  for (const char* part :
       {"cpu", "gpu", "bit-stream", "shift-and", "nfa-array", "hirschberg-dp", "bit-parallel"})
    EXPECT_NE(text.find(part), string::npos) << part;
  for (const char* engine : {"systolic", "wavefront"})
    EXPECT_EQ(has(text, string("\t") + engine + "\t"), built_with_cuda()) << engine;
  EXPECT_EQ(weft_run({"devices", "--json"}).out.front(), '{');
}

// Checks that each engine that --verbose names is in the list of engines, and can be selected.
TEST(program, engines_that_work_are_listed) {
  const scratch_folder folder;
  const string engines = weft_run({"devices", "--engines"}).out;
  ASSERT_EQ(shell("weft index a.fa -o " + (folder / "i") + "; weft bwt a.fa -o " + (folder / "b")).code, 0);
  for (const string& call :
       {string("scan -e A proteins.fa --verbose"), string("lcs a.fa b.fa -v"), string("sort a.fa -v"),
        string("bwt a.fa -v | cat"), "unbwt -v " + (folder / "b"), string("index a.fa -v | cat"),
        "find -v -e A " + (folder / "i")}) {
    const string err = shell("weft " + call).err, verb = call.substr(0, call.find(' '));
    const std::size_t at = err.find("engine ") + 7;
    const string engine = err.substr(at, err.find(',', at) - at);
    EXPECT_NE(("\n" + engines).find("\n" + verb + "\t" + engine + "\tavailable"), string::npos) << err;
    EXPECT_EQ(shell("weft " + verb + " --engine " + engine + call.substr(verb.size())).code, 0) << call;
  }
}

} // namespace

} // namespace weft::test
