// Checks that the help, the manual page and the completions agree with the table of flags.
#include <algorithm>
#include <cli/flags.hpp>
#include <gtest/gtest.h>

#include "process.hpp"

namespace weft::test {

namespace {

using namespace weft::cli;

std::string dashes_escaped(std::string_view name) {
  std::string result = "\\-\\-";
  for (const char c : name) result += c == '-' ? "\\-" : std::string(1, c);
  return result;
}

TEST(documents, every_flag_is_everywhere) {
  const std::string page = man_page(), bash = completion("bash"), zsh = completion("zsh"),
                    fish = completion("fish");
  for (const verb& known : verbs()) {
    const std::string text = help(known);
    EXPECT_TRUE(has(help(), std::string(known.name)));
    for (const std::string* script : {&page, &bash, &zsh, &fish})
      EXPECT_TRUE(has(*script, std::string(known.name)));
    for (const flag* each : flags_of(known)) {
      const std::string name(each->name);
      EXPECT_TRUE(has(text, "--" + name)) << known.name << ' ' << name;
      EXPECT_TRUE(has(page, dashes_escaped(name))) << name;
      EXPECT_TRUE(has(bash, "--" + name)) << name;
      EXPECT_TRUE(has(zsh, "--" + name + "[")) << name;
      EXPECT_TRUE(has(fish, "from " + std::string(known.name) + "' -l " + name)) << known.name << ' ' << name;
      if (each->letter != '\0') {
        EXPECT_TRUE(has(text, std::string("-") + each->letter + ", --" + name)) << name;
      }
    }
  }
}

TEST(documents, names_are_given_once) {
  for (const verb& known : verbs()) {
    std::string names, letters;
    for (const flag* each : flags_of(known)) {
      const std::string name = "|" + std::string(each->name) + "|";
      EXPECT_FALSE(has(names, name)) << known.name << ' ' << name;
      EXPECT_TRUE(each->letter == '\0' || !has(letters, std::string(1, each->letter)))
          << known.name << ' ' << name;
      names += name;
      if (each->letter != '\0') letters += each->letter;
    }
  }
}

// check_files() uses these roles. weft sort may overwrite its input, so its flags need none.
TEST(documents, every_flag_of_a_file_states_whether_it_is_read_or_written) {
  for (const verb& known : verbs())
    for (const flag* each : flags_of(known)) {
      if (known.name == "sort" || each->argument != "FILE") continue;
      EXPECT_NE(each->file, file_role::none) << known.name << ' ' << each->name;
    }
}

TEST(documents, every_flag_parses) {
  for (const verb& known : verbs())
    for (const flag* each : flags_of(known)) {
      std::vector<std::string> words{"--" + std::string(each->name), "--help"};
      if (!each->argument.empty())
        words.insert(words.begin() + 1, each->choices.empty()
                                            ? "1"
                                            : std::string(each->choices.substr(0, each->choices.find('|'))));
      EXPECT_TRUE(parse(known, words).has(each->name)) << known.name << ' ' << each->name;
    }
}

TEST(documents, the_last_of_several_values_holds_and_patterns_add_up) {
  const arguments given = parse(
      *find_verb("scan"), {"-e", "A", "-e", "C", "x.fa", "--format=bed", "--format", "pff", "-x", "-1"});
  EXPECT_EQ(given.values("pattern"), (std::vector<std::string>{"A", "C"}));
  EXPECT_EQ(given.value("format"), "pff");
  EXPECT_EQ(given.number("max-x", -1), -1);
  EXPECT_EQ(given.inputs, std::vector<std::string>{"x.fa"});
}

TEST(documents, exit_codes_are_the_same) {
  std::string text = help(), page = man_page();
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::erase(page, '\\');
  const std::string head = "Exit codes: ";
  const std::string codes =
      text.substr(text.find(head) + head.size(), text.rfind('.') - text.find(head) - 11);
  EXPECT_TRUE(has(page, "EXIT STATUS\"\n" + codes)) << codes;
  for (const char* code : {"0", "1", "2", "3", "4", "70", "130", "141"})
    EXPECT_TRUE(has("; " + codes, "; " + std::string(code) + " ")) << code;
}

TEST(documents, the_manual_page_is_clean) {
  if (!installed("groff")) GTEST_SKIP() << "groff is not installed";
  EXPECT_EQ(shell("weft man | groff -man -ww -Tascii 2>&1 >/dev/null").out, "");
  if (installed("man")) {
    EXPECT_EQ(shell("weft man | MANROFFSEQ= man --warnings -l - 2>&1 >/dev/null").out, "");
  }
}

TEST(documents, completions_are_scripts) {
  EXPECT_EQ(shell("weft completion bash | bash -n").code, 0);
  if (installed("zsh")) {
    EXPECT_EQ(shell("weft completion zsh | zsh -n").code, 0);
  }
  if (installed("fish")) {
    EXPECT_EQ(shell("weft completion fish | fish -n").code, 0);
  }
}

TEST(documents, bash_completes) {
  const std::string head = "source <(weft completion bash); COMP_WORDS=(weft ",
                    tail = "); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _weft; echo ${COMPREPLY[@]}";
  EXPECT_EQ(shell(head + "sc" + tail).out, "scan\n");
  EXPECT_EQ(shell(head + "scan --form" + tail).out, "--format\n");
  EXPECT_EQ(shell(head + "scan --format g" + tail).out, "gff3\n");
  EXPECT_EQ(shell(head + "lcs --metric ''" + tail).out, "lcs indel edit affine\n");
  EXPECT_EQ(shell(head + "completion z" + tail).out, "zsh\n");
}

} // namespace

} // namespace weft::test
