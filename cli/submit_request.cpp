#include "cli/submit_request.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/error.h"
#include "base/nearest_name.h"
#include "cli/data_commands.h"
#include "trainer/eval_options.h"
#include "trainer/rl_options.h"
#include "trainer/sft_options.h"

namespace kg::cli {
namespace {

fs::path run_folder(const std::string& name, const std::string& command) {
  if (name.find('/') != std::string::npos) return fs::absolute(name).lexically_normal();
  if (!name.empty()) return kgtrain_home() / "runs" / name;
  const std::time_t now = std::time(nullptr);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", std::localtime(&now));
  return kgtrain_home() / "runs" / (command + "-" + stamp);
}

// "--nodes=4" and "--no-dry-run" are of the option nodes and dry-run.
std::string name_of(const std::string& word, const nlohmann::json& known) {
  std::string name = word.substr(2, word.find('=') - 2);
  if (!known.contains(name) && name.starts_with("no-")) name = name.substr(3);
  return name;
}

struct Divided {
  std::vector<std::string> own, command;
};

Divided divide(int argc, const char* const* argv, const nlohmann::json& own_options) {
  Divided divided;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool own = word.starts_with("--") && own_options.contains(name_of(word, own_options));
    std::vector<std::string>& into = own ? divided.own : divided.command;
    into.push_back(word);
    if (own && word.find('=') == std::string::npos && !own_options[name_of(word, own_options)].is_boolean() &&
        i + 1 < argc)
      into.push_back(argv[++i]);
  }
  return divided;
}

void parse_words(Options& options, const std::string& command, const std::vector<std::string>& words) {
  std::vector<const char*> pointers{command.c_str()};
  for (const std::string& word : words) pointers.push_back(word.c_str());
  options.parse(static_cast<int>(pointers.size()), pointers.data());
}

// The words without an option and its value (or, with `flag`, without a value).
std::vector<std::string> without(const std::vector<std::string>& words, const std::string& name, bool flag) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--" + name) {
      i += flag ? 0 : 1;
      continue;
    }
    if (!words[i].starts_with("--" + name + "=")) kept.push_back(words[i]);
  }
  return kept;
}

template <typename Values>
void check_command(SubmitRequest& request) {
  Values values;
  Options options = trainer::declare(values);
  parse_words(options, request.command, request.words);
  if (options.given("resume") && values.out.empty())
    throw Error("which run should continue?", "--resume", "name it by --out RUN");
  request.run = run_folder(values.out, request.command);
  request.words = without(without(request.words, "out", /*flag=*/false), "resume", /*flag=*/true);
}

void check_data(SubmitRequest& request) {
  dataset::cot::BuildOptions build;
  std::string out;
  Options options = declare_build(build, out);
  parse_words(options, request.command, request.words);
  if (!build.part.empty() || !build.units.empty())
    throw Error("kgtrain submit sets the parts itself", "--part, --units", "leave them out");
  request.data = fs::absolute(out.empty() ? kgtrain_home() / "data" / "ascend_cot.h5" : fs::path(out));
  request.run = request.data.parent_path() / (request.data.stem().string() + "-build");
  request.words = without(request.words, "out", /*flag=*/false);
}

void refuse_for(const SubmitRequest& request, bool given, const std::string& option, const std::string& instead) {
  if (given) throw Error("kgtrain submit " + request.command + " has no " + option, option, instead);
}

// Things that Slurm would refuse only after the scripts are written.
void require_form(const std::string& text, const std::string& option, const char* form, const std::string& wanted) {
  if (text.empty() || std::regex_match(text, std::regex(form))) return;
  throw Error(option + " got \"" + text + "\", wanted " + wanted, "kgtrain submit",
              "for example " + option + " " +
                  (option == "--time"     ? "24:00:00"
                   : option == "--memory" ? "64G"
                                          : "2"));
}

void check_forms(const SubmitRequest& request) {
  require_form(request.time, "--time", R"((\d+-)?\d+(:\d+){0,2}|UNLIMITED|INFINITE)",
               "minutes, HOURS:MINUTES:SECONDS or DAYS-HOURS");
  require_form(request.memory, "--memory", R"(\d+[KMGTkmgt]?)", "a number of megabytes, or one with K, M, G or T");
  require_form(request.gpus, "--gpus", R"(([A-Za-z][\w.-]*:)?\d+)", "COUNT or TYPE:COUNT");
}

void check_shape(const SubmitRequest& request, const Options& given) {
  const bool rl = request.command == "rl";
  refuse_for(request, !rl && given.given("workers-per-node"), "--workers-per-node",
             request.command == "eval"   ? "use --workers, for each part"
             : request.command == "data" ? "use --jobs, for each part"
                                         : "sft has only learners: use --nodes");
  refuse_for(request, !rl && given.given("learners"), "--learners", "give --nodes");
  refuse_for(request, !rl && given.given("port"), "--port", "only rl has workers that connect to a learner");
}

}  // namespace

Options declare_submit(SubmitRequest& request) {
  const std::string name = "kgtrain " + request.command + (request.command == "data" ? " build" : "");
  Options options("kgtrain submit " + request.command,
                  "Writes the job scripts of `" + name +
                      "` into RUN/submit and submits them to Slurm. Takes all options of `" + name + "` as well.");
  options
      .add("nodes", request.nodes,
           request.command == "rl"    ? "worker nodes, a job array that can be scaled during the run"
           : request.command == "sft" ? "learners that train together, one per node"
                                      : "parts of the work; each is one job of a job array")
      .range(1, 100000);
  options.add("workers-per-node", request.workers_per_node, "rl: worker processes per node; default: 4").range(1, 4096);
  options.add("learners", request.learners, "rl: learners that train together, one per node").range(1, 4096);
  options.add("time", request.time, "time limit of each job, as Slurm reads it; a run continues in the next job");
  options.add("partition", request.partition, "partition; default: the cluster's");
  options.add("account", request.account, "account to charge");
  options.add("qos", request.qos, "quality of service");
  options.add("gpus", request.gpus, "GPUs or NPUs per node, COUNT or TYPE:COUNT");
  options.add("cpus", request.cpus, "processors per task; 0: the cluster's default").range(0, 4096);
  options.add("memory", request.memory, "memory per node, for instance 64G");
  options.add("sbatch", request.sbatch, "one more option for all jobs' #SBATCH lines, for instance --exclusive");
  options.add("node-sbatch", request.node_sbatch, "one more option, only for the array's jobs");
  options.add("setup", request.setup, "one line of shell before the command, for instance 'module load kgtrain'");
  options.add("node-option", request.node_options, "rl: one word to add to kgtrain node's command line");
  options.add("grace", request.grace, "how many seconds before the time limit the run is told to stop").range(1, 86400);
  options.add("port", request.port, "rl: TCP port of the learner, for firewalls; 0: any").range(0, 65535);
  options.add("templates", request.templates,
              "folder with learner.sh, nodes.sh, parts.sh or merge.sh instead of kgtrain's [$KGTRAIN_HOME/templates]");
  options.add("dry-run", request.dry_run, "write the scripts and print them, with what would be submitted; then stop");
  return options;
}

namespace {

// A misspelt option of submit itself would be taken for one of the command's.
void suggest_own(const Options& own, const std::vector<std::string>& words) {
  const nlohmann::json known = own.resolved();
  std::vector<std::string> names;
  for (const auto& [name, value] : known.items()) names.push_back(name);
  for (const std::string& word : words) {
    if (!word.starts_with("--")) continue;
    const std::string name = word.substr(2, word.find('=') - 2), near = nearest_name(name, names);
    const std::size_t length = std::min(name.size(), near.size());
    if (!near.empty() && name.compare(0, length - 1, near, 0, length - 1) == 0)
      throw Error("unknown option --" + name, "kgtrain submit", "did you mean --" + near + "?");
  }
}

}  // namespace

bool parse_submit(const std::string& command, int argc, const char* const* argv, SubmitRequest& request) {
  request.command = command;
  Options own = declare_submit(request);
  const Divided divided = divide(argc, argv, own.resolved());
  for (const std::string& word : divided.command)
    if (word == "--help" || word == "-h" || word == "--reference") {
      const char* const words[] = {command.c_str(), word.c_str()};
      return own.parse(2, words);
    }
  parse_words(own, command, divided.own);
  request.words = divided.command;
  check_shape(request, own);
  check_forms(request);
  suggest_own(own, divided.command);
  if (command == "rl") check_command<trainer::RlOptions>(request);
  if (command == "sft") check_command<trainer::SftOptions>(request);
  if (command == "data") check_data(request);
  if (command == "eval") check_command<trainer::EvalOptions>(request);
  if (request.workers_per_node == 0) request.workers_per_node = 4;
  return true;
}

}  // namespace kg::cli
