// `kgtrain submit`: jobs of a Slurm cluster. What it writes and records is under RUN/submit.
#include <cstdio>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/command.h"
#include "cli/job_script.h"
#include "cli/run_record.h"
#include "cli/slurm.h"
#include "cli/submit_request.h"
#include "rollout/fleet_keys.h"
#include "rollout/rendezvous.h"

namespace kg::cli {
namespace {

fs::path record_file(const fs::path& run) { return run / "submit" / "jobs.json"; }

std::string directives(const SubmitRequest& request, const std::vector<std::string>& more) {
  std::string lines;
  const auto add = [&](const std::string& option) { lines += (lines.empty() ? "" : "\n") + ("#SBATCH " + option); };
  const auto add_if = [&](const char* option, const std::string& value) {
    if (!value.empty()) add(std::string(option) + shell_word(value));
  };
  add_if("--time=", request.time);
  add_if("--partition=", request.partition);
  add_if("--account=", request.account);
  add_if("--qos=", request.qos);
  add_if("--gpus-per-node=", request.gpus);
  add_if("--mem=", request.memory);
  if (request.cpus > 0) add("--cpus-per-task=" + std::to_string(request.cpus));
  for (const std::string& one : request.sbatch) add(one);
  for (const std::string& one : more) add(one);
  return lines;
}

// A script of RUN/submit. `command`: what it runs, in the shell's words.
fs::path write_script(const SubmitRequest& request, const std::string& name, const std::string& command,
                      const std::vector<std::string>& more = {}) {
  const fs::path source = find_template(name, request.templates);
  std::string setup;
  for (const std::string& line : request.setup) setup += (setup.empty() ? "" : "\n") + line;
  const std::string text =
      fill_template(read_file(source),
                    {{"NAME", shell_word("kgtrain-" + request.command + "-" + request.run.filename().string())},
                     {"RUN", shell_word(request.run.string())},
                     {"HOME", shell_word(kgtrain_home().string())},
                     {"LEARNERS", std::to_string(request.command == "sft" ? request.nodes : request.learners)},
                     {"NODES", std::to_string(request.nodes)},
                     {"GRACE", std::to_string(request.grace)},
                     {"DIRECTIVES", directives(request, more)},
                     {"SETUP", setup},
                     {"COMMAND", command}},
                    source.string());
  const fs::path script = request.run / "submit" / (name + ".sh");
  write_file_durably(script, text);
  return script;
}

std::string kgtrain() { return shell_word((program_folder() / "kgtrain").string()); }

bool names(const std::vector<std::string>& words, const std::string& option) {
  for (const std::string& word : words)
    if (word == "--" + option || word.starts_with("--" + option + "=")) return true;
  return false;
}

std::string array_of(int first, int last) {
  return "--array=" + std::to_string(first) + (last > first ? "-" + std::to_string(last) : "");
}

// One job to submit: its part in the record, script, further words of sbatch's, and the job that must be done before.
struct Job {
  std::string part;
  fs::path script;
  std::vector<std::string> words;
  std::string after;  // part
};

std::vector<Job> jobs_of(const SubmitRequest& request) {
  const std::string run = shell_word(request.run.string()), resumed = " --out " + run + " --resume";
  const std::string words = request.words.empty() ? "" : " " + shell_words(request.words);
  if (request.command == "eval") {
    const std::string parts = std::to_string(request.nodes);
    const std::string part = kgtrain() + " eval" + words + " --part \"$SLURM_ARRAY_TASK_ID/" + parts +
                             "\" --out \"$run/parts/$part\" --resume";
    return {{"parts", write_script(request, "parts", part, request.node_sbatch), {array_of(0, request.nodes - 1)}, ""},
            {"merge",
             write_script(request, "merge", kgtrain() + " eval" + words + " --merge " + run + "/parts" + resumed),
             {},
             "parts"}};
  }
  if (request.command == "data") {
    const std::string build = kgtrain() + " data build" + words + " --units " + run + "/parts";
    return {
        {"parts",
         write_script(request, "parts",
                      build + " --part \"$SLURM_ARRAY_TASK_ID/" + std::to_string(request.nodes) + "\"",
                      request.node_sbatch),
         {array_of(0, request.nodes - 1)},
         ""},
        {"merge", write_script(request, "merge", build + " --out " + shell_word(request.data.string())), {}, "parts"}};
  }
  std::string learner = kgtrain() + " " + request.command + words + resumed;
  if (request.command == "sft") return {{"learner", write_script(request, "learner", learner), {}, ""}};
  if (!names(request.words, "workers")) learner += " --workers 0";
  if (!names(request.words, "bind")) learner += " --bind tcp://0.0.0.0:" + std::to_string(request.port);
  if (!names(request.words, "keys")) learner += " --keys " + run + "/keys";
  std::string node = kgtrain() + " node --run " + run + " --workers " + std::to_string(request.workers_per_node);
  if (!request.node_options.empty()) node += " " + shell_words(request.node_options);
  return {{"learner", write_script(request, "learner", learner), {}, ""},
          {"nodes", write_script(request, "nodes", node, request.node_sbatch), {array_of(0, request.nodes - 1)}, ""}};
}

nlohmann::json read_record(const fs::path& run) {
  const nlohmann::json record = read_run_json(record_file(run));
  if (!record.is_object())
    throw Error("the run was not submitted", record_file(run).string(), "kgtrain submit rl ... --out " + run.string());
  return record;
}

// A second learner would only find the first one's lock when its turn in the queue has come.
void refuse_running(const fs::path& run) {
  const nlohmann::json record = read_run_json(record_file(run));
  if (!record.is_object() || !has_slurm()) return;
  for (const nlohmann::json& job : record.value("jobs", nlohmann::json::array()))
    for (const std::string& state : job_states(job.value("id", "")))
      if (state != "COMPLETING")
        throw Error(
            "the run already has job " + job.value("id", "") + " (" + job.value("part", "") + "), which is " + state,
            record_file(run).string(), "wait for it, or end it: kgtrain submit cancel " + run.string());
}

void print_plan(const SubmitRequest& request, const std::vector<Job>& jobs) {
  for (const Job& job : jobs) std::printf("# ---- %s\n%s\n", job.script.c_str(), read_file(job.script).c_str());
  std::printf("# ---- would be submitted, the run's folder being %s\n", request.run.c_str());
  for (const Job& job : jobs)
    std::printf("sbatch --parsable %s%s%s\n", (job.words.empty() ? "" : shell_words(job.words) + " ").c_str(),
                (job.after.empty() ? "" : "--dependency=afterok:JOB-OF-" + job.after + " ").c_str(),
                shell_word(job.script.string()).c_str());
}

int submit(const std::string& command, int argc, const char* const* argv) {
  SubmitRequest request;
  if (!parse_submit(command, argc, argv, request)) return 0;
  require_partition(request.partition);
  if (!request.dry_run) refuse_running(request.run);
  fs::create_directories(request.run / "submit");
  fs::create_directories(request.run / "logs");
  const std::vector<Job> jobs = jobs_of(request);
  if (request.dry_run) {
    print_plan(request, jobs);
    return 0;
  }
  if (command == "rl") {
    rollout::make_fleet_keys(request.run / "keys", static_cast<unsigned>(request.nodes), /*rotate=*/true);
    // Nodes that start before the learner must not take the end of an earlier life for the end of this one.
    if (const auto before = rollout::read_rendezvous(request.run); before && before->finished)
      fs::remove(request.run / "coordinator.json");
  }
  nlohmann::json record{{"command", command},
                        {"nodes", request.nodes},
                        {"time", static_cast<std::int64_t>(std::time(nullptr))},
                        {"words", std::vector<std::string>(argv, argv + argc)},
                        {"jobs", nlohmann::json::array()}};
  std::map<std::string, std::string> ids;
  for (const Job& job : jobs) {
    std::vector<std::string> words = job.words;
    if (!job.after.empty()) words.push_back("--dependency=afterok:" + ids.at(job.after));
    ids[job.part] = sbatch(job.script, words);
    const bool array = job.part == "nodes" || job.part == "parts";
    record["jobs"].push_back(
        {{"part", job.part}, {"id", ids[job.part]}, {"first", 0}, {"last", array ? request.nodes - 1 : 0}});
    write_file_durably(record_file(request.run), record.dump(1) + "\n");  // the submission is recorded at once
    std::printf("%-8s job %s%s\n", job.part.c_str(), ids[job.part].c_str(),
                array ? (" (" + std::to_string(request.nodes) + " members)").c_str() : "");
  }
  std::printf("%s\n", request.run.c_str());
  return 0;
}

int submit_rl(int argc, const char* const* argv) { return submit("rl", argc, argv); }
int submit_sft(int argc, const char* const* argv) { return submit("sft", argc, argv); }
int submit_eval(int argc, const char* const* argv) { return submit("eval", argc, argv); }

int submit_data(int argc, const char* const* argv) { return submit("data", argc, argv); }

// Members of the arrays beyond `nodes` are cancelled; missing ones are submitted as a further array.
int scale(int argc, const char* const* argv) {
  std::string name;
  int nodes = 0;
  Options options("kgtrain submit scale", "Changes the number of worker nodes of a submitted run while it is running.");
  options.positional("RUN", name, "folder or name of the run");
  options.add("nodes", nodes, "number of worker nodes it should have").range(1, 100000).required();
  if (!options.parse(argc, argv)) return 0;
  const fs::path run = find_run(name);
  nlohmann::json record = read_record(run);
  if (record.value("command", "") != "rl")
    throw Error("only the nodes of an rl run can be scaled", run.string(), "submit the work again with other --nodes");
  const int before = record.at("nodes");
  if (nodes > before) {
    rollout::make_fleet_keys(run / "keys", static_cast<unsigned>(nodes), /*rotate=*/false);
    const std::string id = sbatch(run / "submit" / "nodes.sh", {array_of(before, nodes - 1)});
    record["jobs"].push_back({{"part", "nodes"}, {"id", id}, {"first", before}, {"last", nodes - 1}});
    std::printf("nodes    job %s (%d members more)\n", id.c_str(), nodes - before);
  }
  for (nlohmann::json& job : record["jobs"]) {
    if (job.at("part") != "nodes" || job.at("last").get<int>() < nodes) continue;
    const int first = std::max(job.at("first").get<int>(), nodes), last = job.at("last");
    cancel_job(job.at("id").get<std::string>() + "_[" + std::to_string(first) + "-" + std::to_string(last) + "]");
    std::printf("nodes    job %s: members %d to %d cancelled\n", job.at("id").get<std::string>().c_str(), first, last);
    job["last"] = first - 1;
  }
  std::erase_if(record["jobs"].get_ref<nlohmann::json::array_t&>(),
                [](const nlohmann::json& job) { return job.at("last").get<int>() < job.at("first").get<int>(); });
  record["nodes"] = nodes;
  write_file_durably(record_file(run), record.dump(1) + "\n");
  if (nodes < before) rollout::make_fleet_keys(run / "keys", static_cast<unsigned>(nodes), /*rotate=*/false);
  return 0;
}

int keys(int argc, const char* const* argv) {
  std::string name;
  Options options("kgtrain submit keys",
                  "Makes new keys for the worker nodes of a submitted run; from then on the old keys are refused, and "
                  "the nodes read the new ones.");
  options.positional("RUN", name, "folder or name of the run");
  if (!options.parse(argc, argv)) return 0;
  const fs::path run = find_run(name);
  const int nodes = read_record(run).at("nodes");
  rollout::make_fleet_keys(run / "keys", static_cast<unsigned>(nodes), /*rotate=*/true);
  std::printf("new keys for %d nodes in %s\n", nodes, (run / "keys").c_str());
  return 0;
}

int cancel(int argc, const char* const* argv) {
  std::string name;
  Options options("kgtrain submit cancel", "Ends all jobs of a submitted run.");
  options.positional("RUN", name, "folder or name of the run");
  if (!options.parse(argc, argv)) return 0;
  const nlohmann::json record = read_record(find_run(name));
  for (const nlohmann::json& job : record.at("jobs")) {
    const std::string id = job.at("id");
    if (job_states(id).empty()) continue;
    cancel_job(id);
    std::printf("%-8s job %s cancelled\n", job.at("part").get<std::string>().c_str(), id.c_str());
  }
  return 0;
}

const std::vector<Command> kSubmitCommands = {
    {"rl", "a learner and an array of worker nodes", &submit_rl},
    {"sft", "learners that train together", &submit_sft},
    {"eval", "an evaluation cut into parts, and a job that joins them", &submit_eval},
    {"data", "a data set built in parts, and a job that joins them", &submit_data},
    {"scale", "give a run more worker nodes, or fewer", &scale},
    {"keys", "new keys for a run's worker nodes", &keys},
    {"cancel", "end all jobs of a run", &cancel},
};

}  // namespace

int run_submit(int argc, const char* const* argv) { return run_one_of(kSubmitCommands, "kgtrain submit", argc, argv); }

}  // namespace kg::cli
