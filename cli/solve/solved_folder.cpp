#include "cli/solve/solved_folder.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/judge_report.h"
#include "cli/task_binding.h"
#include "dsl/lower.h"
#include "proto/message_json.h"
#include "reward/own_cases.h"

namespace kg::cli {
namespace {

std::string dumped(const nlohmann::json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// A word as a shell reads it back.
std::string shell_word(const std::string& word) {
  if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/") ==
          std::string::npos &&
      !word.empty())
    return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

bool same_shapes(const proto::TaskCase& a, const proto::TaskCase& b) {
  const auto same = [](const auto& x, const auto& y) {
    return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), [](const auto& s, const auto& t) {
             return s.dtype() == t.dtype() && s.absent() == t.absent() &&
                    std::equal(s.shape().begin(), s.shape().end(), t.shape().begin(), t.shape().end());
           });
  };
  return same(a.inputs(), b.inputs()) && same(a.outputs(), b.outputs());
}

dsl::Lowered lowered_for(const proto::Task& task, const std::string& program, int task_case, bool project) {
  dsl::LowerOptions options;
  options.bindings = bindings_of(task, task.cases(task_case));
  options.entry_point = task.entry_point();
  options.want_project = project;
  return dsl::lower(program, options);
}

}  // namespace

SolvedFolder::SolvedFolder(const fs::path& path) : path_(path) {
  std::error_code error;
  if (fs::exists(path_, error) && (!fs::is_directory(path_, error) || !fs::is_empty(path_, error)))
    throw Error("the folder holds something already", path_.string(), "name another one with --out, or remove it");
  fs::create_directories(path_, error);
  tried_.open(path_ / "tried.jsonl", std::ios::binary);
  if (error || !tried_)
    throw Error("the folder cannot be made or written to", path_.string(), "name another one with --out",
                Error::Kind::kEnvironment);
}

void SolvedFolder::put(const fs::path& name, const std::string& text) const {
  fs::create_directories((path_ / name).parent_path());
  write_file_atomically(path_ / name, text);
}

void SolvedFolder::copy_operator(const fs::path& file) {
  operator_file_ = file.filename().string();
  put(operator_file_, read_file(file));
}

void SolvedFolder::add(const Tried& tried) {
  nlohmann::json messages = nlohmann::json::array();
  for (const proto::ChatMessage& message : tried.messages)
    messages.push_back({{"role", message.role()}, {"content", message.content()}});
  tried_ << dumped({{"attempt", tried.attempt + 1},
                    {"turn", tried.turn + 1},
                    {"messages", std::move(messages)},
                    {"answer", tried.answer.text},
                    {"tokens", tried.answer.new_tokens},
                    {"cut_off", tried.answer.cut_off},
                    {"kernel", tried.kernel},
                    {"outcome", outcome_word(tried)},
                    {"message", judge_words(tried)},
                    {"verdict", tried.kernel.empty() ? nlohmann::json() : proto::to_json(tried.verdict)}},
                   /*indent=*/-1);
  tried_.flush();
  if (!tried_)
    throw Error("the answers cannot be written", (path_ / "tried.jsonl").string(), "free some disk space",
                Error::Kind::kEnvironment);
}

// One project for each set of shapes, those that were judged first.
std::vector<SolvedProject> SolvedFolder::write_projects(const proto::Task& task, const Solution& solution) const {
  std::vector<SolvedProject> projects;
  for (const bool judged : {true, false})
    for (int i = 0; i < task.cases_size(); ++i) {
      if (reward::is_for_sizes_alone(task.cases(i)) == judged) continue;
      const bool known = std::any_of(projects.begin(), projects.end(), [&](const SolvedProject& other) {
        return same_shapes(task.cases(other.task_case), task.cases(i));
      });
      if (known) continue;
      const dsl::Lowered lowered = lowered_for(task, solution.kernel, i, /*project=*/true);
      if (!lowered.ok) continue;  // a kernel that is no solution
      const std::string name =
          projects.empty() ? "project" : (judged ? "project-" : "project-full-") + std::to_string(projects.size() + 1);
      for (const dsl::ProjectPart& part : lowered.project) put(fs::path(name) / part.path, part.text);
      projects.push_back({name, i, judged});
    }
  return projects;
}

std::vector<SolvedProject> SolvedFolder::write(const proto::Task& task, const Solution& solution,
                                               const std::vector<std::string>& judge_arguments) {
  const bool dsl = solution.language == proto::DSL;
  const std::string name = dsl ? "kernel.dsl" : "kernel.cpp";
  put(name, solution.kernel);
  std::vector<SolvedProject> projects;
  if (dsl) {
    if (const dsl::Lowered lowered = lowered_for(task, solution.kernel, 0, /*project=*/false); lowered.ok)
      put("kernel.cpp", lowered.source);
    projects = write_projects(task, solution);
  }
  put("verdict.json", dumped(proto::to_json(solution.verdict), /*indent=*/2));
  const bool ran = solution.cycles.index >= 0;
  const CycleSummary summary = ran ? summarise(solution.cycles, solution.kernel) : CycleSummary{};
  put("report.html", judge_report(solution.verdict, solution.kernel, solution.timeline, ran ? &summary : nullptr));
  if (!solution.timeline.empty()) put("timeline.json", solution.timeline);
  std::string command = "kgtrain judge --module " + shell_word(operator_file_) + " --kernel " + name;
  for (const std::string& word : judge_arguments) command += " " + shell_word(word);
  put("judge_again.sh",
      "#!/bin/sh\n# Judges the kernel of this folder from scratch.\ncd \"$(dirname \"$0\")\" && exec " + command +
          " \"$@\"\n");
  fs::permissions(path_ / "judge_again.sh", fs::perms::owner_exec | fs::perms::group_exec, fs::perm_options::add);
  return projects;
}

}  // namespace kg::cli
