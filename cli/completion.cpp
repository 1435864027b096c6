// `kgtrain completion`: shell completion and man pages, from the one declaration of the options.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "base/join.h"
#include "base/options.h"
#include "cli/command.h"
#include "cli/declared_commands.h"
#include "cli/man_page.h"

namespace kg::cli {
namespace {

// "eval --answers" is a form of "eval".
std::string command_of(const std::string& name) { return name.substr(0, name.find(" --")); }

struct Known {
  std::map<std::string, std::vector<std::string>> below;    // "" -> sft, data, ...; "data" -> build, ...
  std::map<std::string, std::vector<std::string>> options;  // "data build" -> --out, ...
  std::map<std::string, std::vector<std::string>> choices;  // "sft --decay" -> constant, ...
};

void add(std::vector<std::string>& words, const std::string& word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

Known known_of(const std::vector<DeclaredCommand>& commands) {
  Known known;
  for (const DeclaredCommand& command : commands) {
    const std::string name = command_of(command.name);
    const std::size_t blank = name.find(' ');
    add(known.below[""], name.substr(0, blank));
    if (blank != std::string::npos) add(known.below[name.substr(0, blank)], name.substr(blank + 1));
    std::vector<std::string>& options = known.options[name];
    for (const DeclaredOption& option : command.options) {
      if (option.positional) continue;
      add(options, "--" + option.name);
      if (!option.choices.empty()) known.choices[name + " --" + option.name] = option.choices;
    }
    for (const char* every : {"--config", "--help"}) add(options, every);
  }
  return known;
}

// One row of a shell's `case`: the words for a key.
std::string rows(const std::map<std::string, std::vector<std::string>>& table) {
  std::string text;
  for (const auto& [key, words] : table) text += "    '" + key + "') words='" + join(words, " ") + "' ;;\n";
  return text;
}

// The same function for both shells, which differ in how they pass their words.
std::string lookup(const Known& known) {
  return "_kgtrain_words() {  # command option-before word; prints what can follow\n"
         "  local words='' home=${KGTRAIN_HOME:-$HOME/.kgtrain}\n"
         "  case \"$1 $2\" in\n" +
         rows(known.choices) +
         "    *' --model') words=$(ls \"$home/models\" \"$home/runs\" 2>/dev/null | grep -v ':$') ;;\n"
         "    *) case \"$3\" in\n"
         "      -*) case \"$1\" in\n" +
         rows(known.options) +
         "      esac ;;\n"
         "      *) case \"$1\" in\n" +
         rows(known.below) +
         "    status|report|runs|'submit scale'|'submit keys'|'submit cancel') words=$(ls \"$home/runs\" 2>/dev/null) "
         ";;\n"
         "      esac ;;\n"
         "    esac ;;\n"
         "  esac\n"
         "  printf '%s\\n' \"$words\"\n"
         "}\n";
}

std::string bash_text(const Known& known) {
  return "# Completion of kgtrain for bash, written by `kgtrain completion bash`.\n" + lookup(known) +
         "_kgtrain() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} command='' i\n"
         "  for ((i = 1; i < COMP_CWORD && i < 3; i++)); do\n"
         "    [[ ${COMP_WORDS[i]} == -* ]] && break\n"
         "    [[ -n $command && -z $(_kgtrain_words \"$command\" '' '') ]] && break\n"
         "    command=\"${command:+$command }${COMP_WORDS[i]}\"\n"
         "  done\n"
         "  COMPREPLY=($(compgen -W \"$(_kgtrain_words \"$command\" \"${COMP_WORDS[COMP_CWORD - 1]}\" \"$cur\")\" -- "
         "\"$cur\"))\n"
         "}\n"
         "complete -o default -F _kgtrain kgtrain\n";
}

std::string zsh_text(const Known& known) {
  return "#compdef kgtrain\n# Completion of kgtrain for zsh, written by `kgtrain completion zsh`.\n" + lookup(known) +
         "_kgtrain() {\n"
         "  local command='' i found\n"
         "  for ((i = 2; i < CURRENT && i < 4; i++)); do\n"
         "    [[ ${words[i]} == -* ]] && break\n"
         "    [[ -n $command && -z $(_kgtrain_words \"$command\" '' '') ]] && break\n"
         "    command=\"${command:+$command }${words[i]}\"\n"
         "  done\n"
         "  found=$(_kgtrain_words \"$command\" \"${words[CURRENT - 1]}\" \"${words[CURRENT]}\")\n"
         "  if [[ -n $found ]]; then compadd -- ${=found}; else _files; fi\n"
         "}\n"
         "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _kgtrain \"$@\"; else compdef _kgtrain kgtrain; fi\n";
}

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  write_file_atomically(file, text);
}

}  // namespace

int run_completion(int argc, const char* const* argv) {
  std::string what, all;
  Options options("kgtrain completion",
                  "Prints shell completion or a man page, made from the option declarations. In bash: "
                  "eval \"$(kgtrain completion bash)\".");
  options.positional("WHAT", what, "bash, zsh or man", /*is_required=*/false)
      .add("all", all, "write all of them into this folder, laid out as in an installation");
  if (!options.parse(argc, argv)) return 0;
  if (all.empty() && what != "bash" && what != "zsh" && what != "man")
    throw Error(what.empty() ? "it is not said what to print" : "\"" + what + "\" cannot be printed",
                "kgtrain completion", "bash, zsh or man");
  const std::vector<DeclaredCommand> commands = declared_commands();
  const Known known = known_of(commands);
  if (!all.empty()) {
    write(fs::path(all) / "completions" / "kgtrain", bash_text(known));
    write(fs::path(all) / "site-functions" / "_kgtrain", zsh_text(known));
    for (const auto& [name, text] : man_pages(commands)) write(fs::path(all) / "man1" / name, text);
    return 0;
  }
  std::fputs((what == "bash"  ? bash_text(known)
              : what == "zsh" ? zsh_text(known)
                              : man_pages(commands).at("kgtrain.1"))
                 .c_str(),
             stdout);
  return 0;
}

}  // namespace kg::cli
