#include "cli/judge_batch.h"

#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <vector>

#include "base/error.h"
#include "cli/module_answer.h"
#include "cli/read_input.h"
#include "evaluation/project_files.h"
#include "proto/message_json.h"
#include "reward/verdict.h"
#include "sandbox/pool.h"

namespace kg::cli {
namespace {

constexpr int kMostWrong = 20;  // lines that an error names

struct Item {
  std::string task;
  std::string kernel;
  std::string project;  // folder; instead of a kernel
  std::optional<int> only_case;
};

bool is_text(const nlohmann::json& object, const char* key) { return object.contains(key) && object[key].is_string(); }

Item item_of(const nlohmann::json& object, const std::string& where) {
  if (!object.is_object() || !is_text(object, "task") || is_text(object, "kernel") == is_text(object, "project"))
    throw Error("not an object with the texts \"task\" and one of \"kernel\" and \"project\"", where,
                "one such object a line");
  Item item{object["task"], object.value("kernel", ""), object.value("project", ""), {}};
  if (object.contains("case")) {
    if (!object["case"].is_number_unsigned())
      throw Error("\"case\" is not a number", where, "cases are counted from 0");
    item.only_case = object["case"].get<int>();
  }
  return item;
}

// All lines, or an Error that names each wrong one: nothing is judged then.
std::vector<Item> read_items(const std::string& file, const dataset::Dataset& data,
                             std::map<std::string, proto::Task>& tasks) {
  std::vector<Item> items;
  std::istringstream lines(read_input(file));
  std::string line, wrong;
  int count = 0;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string where = input_name(file) + ":" + std::to_string(number);
    try {
      Item item = item_of(nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false), where);
      if (!tasks.contains(item.task)) {
        const auto task = data.task(item.task);
        if (!task)
          throw Error("no task \"" + item.task + "\" in the data set", where, "kgtrain tasks list prints the ids");
        tasks.emplace(item.task, *task);
      }
      items.push_back(std::move(item));
    } catch (const Error& error) {
      if (++count <= kMostWrong) wrong += "\n  " + error.where() + ": " + error.what();
    }
  }
  if (items.empty() && count == 0)
    throw Error("expected a batch, found an empty file", input_name(file),
                "a line is {\"task\": ..., \"kernel\": ...}");
  if (count > kMostWrong) wrong += "\n  and " + std::to_string(count - kMostWrong) + " more";
  if (count > 0)
    throw Error((count == 1 ? "a line" : std::to_string(count) + " lines") + " of the batch cannot be judged:" + wrong,
                input_name(file), "a line is {\"task\": ..., \"kernel\": ...}; kgtrain tasks list prints the ids");
  return items;
}

// An item that cannot be judged at all (no such case, no such folder) does not end the others.
proto::Verdict judged(sandbox::Sandbox& sandbox, const proto::Task& task, const Item& item,
                      reward::JudgeOptions options) {
  if (item.only_case) options.only_case = item.only_case;
  try {
    return item.project.empty()
               ? reward::judge(sandbox, task, item.kernel, options)
               : reward::judge_project(sandbox, task, evaluation::project_files(item.project), options);
  } catch (const Error& error) {
    return reward::verdict_unjudged(task, error);
  }
}

// Prints lines in input order as soon as their predecessors are there.
class OrderedPrinter {
 public:
  void add(std::size_t index, std::string line) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(index, std::move(line));
    for (auto next = waiting_.find(next_); next != waiting_.end(); next = waiting_.find(next_)) {
      std::puts(next->second.c_str());
      waiting_.erase(next);
      ++next_;
    }
    std::fflush(stdout);
  }

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::string> waiting_;
  std::size_t next_ = 0;
};

}  // namespace

int judge_batch(const dataset::Dataset& data, const std::string& file, int jobs,
                const dataset::benchmarks::WorkerOptions& worker, sandbox::SandboxOptions sandbox_options,
                reward::JudgeOptions judge_options) {
  std::map<std::string, proto::Task> tasks;
  std::vector<Item> items = read_items(file, data, tasks);
  for (const auto& [id, task] : tasks) prepare_for_module(task, data, worker, sandbox_options, judge_options);
  for (Item& item : items)
    if (reward::is_module(tasks.at(item.task)) && judge_options.language != proto::DSL)
      item.kernel = module_text(item.kernel);
  OrderedPrinter printer;
  std::atomic<bool> sandbox_failed{false};
  sandbox::for_each_in_sandboxes(items.size(), jobs, sandbox_options, [&](sandbox::Sandbox& sandbox, std::size_t i) {
    const proto::Verdict verdict = judged(sandbox, tasks.at(items[i].task), items[i], judge_options);
    if (!verdict.sandbox_error().empty()) sandbox_failed = true;
    printer.add(i, proto::to_json(verdict).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  });
  return sandbox_failed ? static_cast<int>(Error::Kind::kEnvironment) : 0;
}

}  // namespace kg::cli
