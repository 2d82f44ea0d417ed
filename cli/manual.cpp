// Makes the help, the man page and the completions from the table in flag_table.cpp.
#include <cli/flags.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <weft/base/error.hpp>
#include <weft/base/version.hpp>

namespace weft::cli {

namespace {

// Breaks text into lines of at most `width` columns, each indented by `indent` spaces. Blank lines between
// paragraphs stay.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width = 88) {
  std::string result, line;
  const auto flush = [&] {
    if (!line.empty()) result += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at, 2) == "\n\n") {
      flush();
      result += "\n";
      at += 2;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) flush();
    if (!line.empty()) line += ' ';
    line += word;
    at = end < text.size() && text[end] == ' ' ? end + 1 : end;
  }
  flush();
  return result;
}

std::string synopsis_of(const flag& known) {
  std::string text = known.letter != '\0' ? fmt::format("-{}, --{}", known.letter, known.name)
                                          : fmt::format("    --{}", known.name);
  if (!known.argument.empty())
    text += fmt::format("{}{}", known.argument.starts_with('[') ? "" : " ", known.argument);
  return text;
}

std::string help_of(const flag& known) {
  std::string text(known.help);
  if (!known.choices.empty())
    text += fmt::format(" ({})", fmt::join(
                                     [&] {
                                       std::vector<std::string> parts;
                                       for (std::size_t at = 0; at <= known.choices.size();) {
                                         const std::size_t end =
                                             std::min(known.choices.find('|', at), known.choices.size());
                                         parts.emplace_back(known.choices.substr(at, end - at));
                                         at = end + 1;
                                       }
                                       return parts;
                                     }(),
                                     ", "));
  if (!known.fallback.empty()) text += fmt::format(" [{}]", known.fallback);
  if (!known.environment.empty()) text += fmt::format(" (environment: {})", known.environment);
  return text;
}

std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (c == '\'')
      result += "\\(aq";
    else if (c == '^')
      result += "\\(ha";
    else if (c == '~')
      result += "\\(ti";
    else
      result += c;
  }
  if (!result.empty() && result[0] == '.') result.insert(0, "\\&");
  return result;
}

std::vector<std::string> visible_verbs() {
  std::vector<std::string> names;
  for (const verb& known : verbs()) names.emplace_back(known.name);
  return names;
}

// Returns the possible values of a flag for completion, or an empty string for any value.
std::string values_of(const flag& known) {
  std::string values(known.name == "device" && known.choices.empty() ? "auto|cpu|gpu" : known.choices);
  std::replace(values.begin(), values.end(), '|', ' ');
  return values;
}

// Returns the possible arguments of a verb, or an empty string if they are files.
std::string words_of(const verb& known) {
  if (known.name == "completion") return "bash zsh fish";
  return known.name == "help" ? fmt::format("{}", fmt::join(visible_verbs(), " ")) : "";
}

std::string bash_completion() {
  std::string cases, values;
  for (const verb& known : verbs()) {
    for (const flag* each : flags_of(known))
      if (const std::string choices = values_of(*each); !choices.empty())
        values += fmt::format("    '{} --{}') COMPREPLY=($(compgen -W '{}' -- \"$current\")); return ;;\n",
                              known.name, each->name, choices);
    std::vector<std::string> words;
    for (const flag* each : flags_of(known)) {
      words.push_back(fmt::format("--{}", each->name));
      if (each->letter != '\0') words.push_back(fmt::format("-{}", each->letter));
    }
    cases += fmt::format("    {}) words=\"{}\" plain=\"{}\" ;;\n", known.name, fmt::join(words, " "),
                         words_of(known));
  }
  return fmt::format(R"(# bash completion for weft
_weft() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} words= plain=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --version --help" -- "$current"))
    return
  fi
  case "${{COMP_WORDS[1]}} ${{COMP_WORDS[COMP_CWORD-1]}}" in
{}  esac
  case ${{COMP_WORDS[1]}} in
{}  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) if [ -n "$plain" ]; then COMPREPLY=($(compgen -W "$plain" -- "$current"))
       else COMPREPLY=($(compgen -f -- "$current")); fi ;;
  esac
}}
complete -o filenames -F _weft weft
)",
                     fmt::join(visible_verbs(), " "), values, cases);
}

std::string quoted(std::string_view text) { // escapes text for zsh and fish within single quotes
  std::string result;
  for (const char c : text) {
    if (c == '\'')
      result += "'\\''";
    else if (c == '[' || c == ']')
      result += c == '[' ? '(' : ')';
    else if (c == ':' || c == '\\')
      (result += '\\') += c;
    else
      result += c;
  }
  return result;
}

std::string zsh_completion() {
  std::string names, cases;
  for (const verb& known : verbs()) {
    names += fmt::format("    '{}:{}'\n", known.name, quoted(known.summary));
    cases += fmt::format("    {}) _arguments", known.name);
    for (const flag* each : flags_of(known)) {
      const std::string choices = values_of(*each), star = each->repeats ? "*" : "";
      const std::string tail = each->argument.empty()     ? ""
                               : !choices.empty()         ? fmt::format(":{}:({})", each->argument, choices)
                               : each->argument == "FILE" ? ":FILE:_files"
                                                          : fmt::format(":{}: ", each->argument);
      cases += fmt::format(" \\\n      '{}--{}[{}]{}'", star, each->name, quoted(each->help), tail);
      if (each->letter != '\0')
        cases += fmt::format(" \\\n      '{}-{}[{}]{}'", star, each->letter, quoted(each->help), tail);
    }
    const std::string words = words_of(known);
    cases += words.empty() ? " \\\n      '*:file:_files' ;;\n"
                           : fmt::format(" \\\n      ':word:({})' ;;\n", words);
  }
  return fmt::format(
      "#compdef weft\n_weft() {{\n  local -a names=(\n{}  )\n  if (( CURRENT == 2 )); then _describe verb "
      "names; return; fi\n"
      "  local name=$words[2]\n  shift words; (( CURRENT-- ))\n  case $name in\n{}  esac\n}}\n_weft \"$@\"\n",
      names, cases);
}

std::string fish_completion() {
  std::string text = "# fish completion for weft\n";
  for (const verb& known : verbs()) {
    text += fmt::format("complete -c weft -n __fish_use_subcommand -a {} -d '{}'\n", known.name,
                        quoted(known.summary));
    for (const flag* each : flags_of(known))
      text +=
          fmt::format("complete -c weft -n '__fish_seen_subcommand_from {}' -l {}{}{} -d '{}'\n", known.name,
                      each->name, each->letter != '\0' ? fmt::format(" -s {}", each->letter) : "",
                      each->argument.empty()      ? ""
                      : !values_of(*each).empty() ? fmt::format(" -x -a '{}'", values_of(*each))
                                                  : " -r",
                      quoted(each->help));
    if (const std::string words = words_of(known); !words.empty())
      text +=
          fmt::format("complete -c weft -f -n '__fish_seen_subcommand_from {}' -a '{}'\n", known.name, words);
  }
  return text;
}

} // namespace

std::string help(const program& shown) {
  std::string text =
      fmt::format("{0}: {1}\n\nusage: {0} VERB [flags] INPUT...\n\n", shown.name, shown.summary);
  for (const verb& known : shown.verbs()) text += fmt::format("  {:<12}{}\n", known.name, known.summary);
  return text +
         fmt::format("\n'{0} help VERB' explains a verb; '{0} --version' prints the version.\n", shown.name) +
         wrapped(fmt::format("Exit codes: {}", shown.exit_codes), 0);
}

std::string help(const verb& chosen_verb) {
  std::string text = fmt::format("{0}: {1}\n\nusage: {0}{2}{3}{4}\n", full_name(chosen_verb),
                                 chosen_verb.summary, flags_of(chosen_verb).size() > 1 ? " [flags]" : "",
                                 chosen_verb.arguments.empty() ? "" : " ", chosen_verb.arguments);
  if (!chosen_verb.details.empty()) text += "\n" + wrapped(chosen_verb.details, 0);
  text += "\nflags:\n";
  for (const flag* known : flags_of(chosen_verb)) {
    const std::string synopsis = "  " + synopsis_of(*known);
    std::string description = wrapped(help_of(*known), 28);
    if (synopsis.size() < 27)
      description.replace(0, synopsis.size(), synopsis);
    else
      text += synopsis + "\n";
    text += description;
  }
  if (chosen_verb.examples.empty()) return text;
  text += "\nexamples:\n";
  for (const std::string_view line : example_lines(chosen_verb)) text += fmt::format("  {}\n", line);
  return text;
}

std::string man_page() {
  std::string text = fmt::format(
      ".TH WEFT 1 \"\" \"weft {}\" \"User Commands\"\n.SH NAME\nweft \\- sequence primitives\n.SH SYNOPSIS\n",
      WEFT_VERSION);
  for (const verb& known : verbs())
    text += fmt::format(".B weft {}\n{}\n.br\n", known.name,
                        roff((flags_of(known).size() > 1 ? "[flags] " : "") + std::string(known.arguments)));
  for (const verb& known : verbs()) {
    text += fmt::format(
        ".SH \"WEFT {}\"\n{}.\n",
        [&] {
          std::string upper(known.name);
          std::transform(upper.begin(), upper.end(), upper.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
          return upper;
        }(),
        roff(known.summary));
    for (std::size_t at = 0; at < known.details.size();) {
      const std::size_t end = std::min(known.details.find("\n\n", at), known.details.size());
      text += ".PP\n" + roff(known.details.substr(at, end - at)) + "\n";
      at = end + 2;
    }
    for (const flag* each : flags_of(known)) {
      text += ".TP\n";
      if (each->letter != '\0') text += fmt::format("\\fB\\-{}\\fR, ", each->letter);
      text += fmt::format("\\fB{}\\fR", roff("--" + std::string(each->name)));
      if (!each->argument.empty())
        text += fmt::format("{}\\fI{}\\fR", each->argument.starts_with('[') ? "" : " ", each->argument);
      text += "\n" + roff(help_of(*each)) + "\n";
    }
    if (known.examples.empty()) continue;
    text += ".PP\nExamples:\n.PP\n.nf\n.RS\n";
    for (const std::string_view line : example_lines(known)) text += roff(line) + "\n";
    text += ".RE\n.fi\n";
  }
  text += ".SH FLAGS\n"
          "If a flag is given more than once, the last value is used, except for flags that may be "
          "repeated.\n"
          ".SH ENVIRONMENT\n";
  std::vector<std::string_view> variables;
  for (const flag& known : flags())
    if (!known.environment.empty() &&
        std::find(variables.begin(), variables.end(), known.environment) == variables.end()) {
      variables.push_back(known.environment);
      text += fmt::format(".TP\n.B {}\nis used as the value of \\-\\-{} if that flag is not given\n",
                          known.environment, roff(known.name));
    }
  return text + ".SH \"EXIT STATUS\"\n" + roff(command.exit_codes) + "\n";
}

std::string completion(std::string_view shell) {
  if (shell == "bash") return bash_completion();
  if (shell == "zsh") return zsh_completion();
  if (shell == "fish") return fish_completion();
  throw error(errc::invalid_input,
              fmt::format("weft completion supports bash, zsh and fish, not '{}'", shell));
}

} // namespace weft::cli
