#include "cli/man_page.h"

#include "base/join.h"

namespace kg::cli {
namespace {

// Escapes text for troff: a hyphen is a hyphen, and no line begins with a request.
std::string troff(const std::string& text) {
  std::string all = !text.empty() && (text[0] == '.' || text[0] == '\'') ? "\\&" : "";
  for (const char c : text) all += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  return all;
}

std::string hyphened(std::string name) {
  for (std::size_t at = name.find(' '); at != std::string::npos; at = name.find(' ')) name[at] = '-';
  return name;
}

std::string heading(const std::string& title) {
  return ".TH " + title + " 1 \"\" \"kgtrain " KG_VERSION "\" \"kgtrain\"\n";
}

const char* kStatuses =
    ".SH EXIT STATUS\n0 done; 1 the work failed; 2 wrong usage or input; 3 the environment lacks something; 75 stopped "
    "by "
    "SIGTERM and ready to continue with \\-\\-resume; 130 the same by Ctrl\\-C; 128 + N ended by signal N.\n"
    ".SH ENVIRONMENT\n.TP\n.B KGTRAIN_HOME\nfolder of models, data and runs; default: ~/.kgtrain\n"
    ".TP\n.B KGTRAIN_LOG\nlevel of the log on standard error: debug, info, warn, err\n";

std::string option_text(const DeclaredOption& option) {
  std::string left =
      option.positional ? "\\fI" + troff(option.name) + "\\fR" : "\\fB\\-\\-" + troff(option.name) + "\\fR";
  if (!option.choices.empty())
    left += " " + troff(join(option.choices, "|"));
  else if (!option.positional && option.kind != "bool")
    left += " \\fI" + troff(option.kind) + "\\fR";
  std::string right = option.meaning;
  if (option.standard == "required")
    right += " (required)";
  else if (!option.standard.empty())
    right += " [" + option.standard + "]";
  return ".TP\n" + left + "\n" + troff(right) + "\n";
}

std::string command_page(const DeclaredCommand& command) {
  const std::string name = "kgtrain " + command.name;
  std::string synopsis = ".B " + troff(name) + "\n";
  std::string options;
  for (const DeclaredOption& option : command.options) {
    if (option.positional)
      synopsis +=
          option.standard == "required" ? ".I " + troff(option.name) + "\n" : ".RI [ " + troff(option.name) + " ]\n";
    options += option_text(option);
  }
  return heading(hyphened(name)) + ".SH NAME\n" + troff(hyphened(name)) + " \\- " +
         troff(command.summary.substr(0, command.summary.find(". "))) + "\n.SH SYNOPSIS\n" + synopsis +
         "[options]\n.SH DESCRIPTION\n" + troff(command.summary) + "\n.SH OPTIONS\n" + options +
         ".TP\n\\fB\\-\\-config\\fR \\fIfile\\fR\nTOML file with any of these options as keys; the command line "
         "wins\n" +
         kStatuses + ".SH SEE ALSO\n.BR kgtrain (1)\n";
}

}  // namespace

std::map<std::string, std::string> man_pages(const std::vector<DeclaredCommand>& commands) {
  std::map<std::string, std::string> pages;
  std::string list;
  for (const DeclaredCommand& command : commands) {
    const bool form = command.name.find(" --") != std::string::npos;
    const std::string page = hyphened("kgtrain-" + command.name.substr(0, command.name.find(" --")));
    if (form)  // the page of eval covers "eval --answers"
      pages[page + ".1"] += ".SH " + troff("kgtrain " + command.name) + "\n" + troff(command.summary) + "\n";
    else
      pages[page + ".1"] = command_page(command);
    if (form)
      for (const DeclaredOption& option : command.options) pages[page + ".1"] += option_text(option);
    else
      list += ".TP\n.BR " + troff(page) + " (1)\n" + troff(command.summary) + "\n";
  }
  pages["kgtrain.1"] = heading("kgtrain") +
                       ".SH NAME\nkgtrain \\- teaches language models to write Ascend NPU kernels\n"
                       ".SH SYNOPSIS\n.B kgtrain\n.I COMMAND\n[options]\n.SH COMMANDS\n" +
                       list + kStatuses;
  return pages;
}

}  // namespace kg::cli
