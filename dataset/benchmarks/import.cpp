#include "dataset/benchmarks/import.h"

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "dataset/benchmarks/case_form.h"
#include "dataset/benchmarks/suite.h"

namespace kg::dataset::benchmarks {
namespace {

// A checkout without .git, as from an archive, is identified by its content.
struct KnownContent {
  const char* content;
  const char* commit;
};
constexpr KnownContent kKnown[] = {
    {"873a676de9f34b15448d0543f9c4c22f9dd9b08c1c494298e9d9fd6f1561e057", "6b842167995b057cdfaa6fc7dddc51e5692f4667"},
};

constexpr std::uint64_t kTimesKept = 8;  // outputs may be this much larger than the inputs that are kept

class Importer {
 public:
  explicit Importer(const ImportOptions& options)
      : options_(options), suite_(suite_named(options.suite)), worker_(suite_, options.worker) {}

  ImportSummary run() {
    const nlohmann::json list = expect(worker_.ask({{"do", "tasks"}}));
    data_ = Dataset::open(options_.out, OpenMode::kAppendOrCreate);
    record_checkout(list);
    std::vector<std::string> wanted;
    for (const std::string id : list.at("tasks"))
      if (options_.only.takes(id)) wanted.push_back(id);
    summary_.tasks_wanted = wanted.size();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      spdlog::info("[{}/{}] {}", i + 1, wanted.size(), wanted[i]);
      take_task(wanted[i]);
    }
    record_left_out();
    return std::move(summary_);
  }

 private:
  static nlohmann::json expect(WorkerProcess::Answer answer) {
    if (!answer.error.empty()) throw Error(answer.error, "import", "look at its messages above", Error::Kind::kFailed);
    return std::move(answer.object);
  }

  proto::JournalRecord meta(const std::string& key, const std::string& value) const {
    proto::JournalRecord record;
    record.mutable_meta()->set_key(std::string(suite_.name) + "." + key);
    record.mutable_meta()->set_value(value);
    return record;
  }

  void record_checkout(const nlohmann::json& list) {
    std::string commit = list.at("commit");
    const std::string content = list.at("content");
    for (const KnownContent& known : kKnown)
      if (commit.empty() && content == known.content) commit = known.commit;
    const auto before = data_->meta(std::string(suite_.name) + ".content");
    if (before && *before != content)
      throw Error("the data set holds tasks from another state of the benchmark (content " + *before + ", this is " +
                      content + ")",
                  options_.out.string(), "import into a new file");
    if (before) return;
    std::vector<proto::JournalRecord> records = {
        meta("content", content), meta("commit", commit.empty() ? "unknown" : commit),
        meta("checkout", fs::absolute(options_.worker.checkout).lexically_normal().string())};
    const nlohmann::json more = list.value("meta", nlohmann::json::object());
    for (const auto& [key, value] : more.items()) records.push_back(meta(key, value));
    data_->append(records);
  }

  void leave_out(const std::string& what, const std::string& why) {
    // A task with many cases reports it once.
    const bool again = !summary_.left_out.empty() && summary_.left_out.back().why == why;
    if (!again) spdlog::warn("left out {}: {}", what, why);
    summary_.left_out.push_back({what, why});
  }

  void take_task(const std::string& id) {
    if (const auto there = data_->task(id)) {
      ++summary_.tasks_there;
      summary_.cases += static_cast<std::size_t>(there->cases_size());
      summary_.cases_wanted += static_cast<std::size_t>(there->cases_size());
      return;
    }
    nlohmann::json question = {{"do", "task"}, {"task", id}};
    if (suite_.keeps_apart) {
      question["most_bytes"] = options_.most_bytes;
      question["scale_bytes"] = options_.scale_bytes;
      question["ub_bytes"] = options_.ub_bytes;
    }
    const auto answer = worker_.ask(question);
    if (!answer.error.empty()) return leave_out(id, answer.error);
    proto::Task task = task_of(id, answer.object);
    const int rows = answer.object.at("rows");
    summary_.cases_wanted += static_cast<std::size_t>(rows);
    // A case that cannot be taken keeps its place, so that --case counts rows.
    const std::size_t before = summary_.left_out.size();
    int taken = 0;
    for (int row = 0; row < rows; ++row) taken += take_case(task, row);
    if (taken == 0) return leave_out_whole(id, before);
    const std::string& own = task.cases(0).prompt_kernel_only();
    task.set_prompt_npukernelbench(own.empty() ? task.prompt_dynamic_full() : own);
    proto::JournalRecord record;
    *record.mutable_task() = std::move(task);
    data_->append({record});
    ++summary_.tasks;
  }

  // Merges the cases' entries, from `first` on, into one if all are equal.
  void leave_out_whole(const std::string& id, std::size_t first) {
    std::vector<LeftOut>& all = summary_.left_out;
    std::string why = "none of its cases could be imported";
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    if (begin != all.end() &&
        std::all_of(begin, all.end(), [&](const LeftOut& one) { return one.why == begin->why; })) {
      why = begin->why;
      all.erase(begin, all.end());
    }
    all.push_back({id, why});
  }

  proto::Task task_of(const std::string& id, const nlohmann::json& answer) const {
    proto::Task task;
    task.set_id(id);
    task.set_suite(suite_.name);
    task.set_category(answer.at("category"));
    task.set_family(answer.at("category"));
    task.set_op_name(answer.at("op_name"));
    task.set_structure(id);
    task.set_split("heldout");
    task.set_level(answer.at("level"));
    task.set_level_weight(answer.at("weight"));
    task.set_entry_point(answer.at("entry_point"));
    task.set_block_dim(answer.at("block_dim"));
    task.set_workspace_bytes(32 << 20);
    task.set_prompt_dynamic_kernel_only(answer.at("prompt_dynamic_kernel_only"));
    task.set_prompt_dynamic_full(answer.at("prompt_dynamic_full"));
    return task;
  }

  // True if the case was taken.
  bool take_case(proto::Task& task, int row) {
    std::vector<proto::JournalRecord> tensors;
    std::uint64_t input_bytes = 0;
    nlohmann::json request = {{"do", "case"},
                              {"task", task.id()},
                              {"row", row},
                              {"keep_bytes", options_.keep_bytes},
                              {"most_bytes", options_.most_bytes},
                              {"expected", false}};
    if (suite_.keeps_apart) request["seconds"] = options_.most_seconds;
    const auto answer = worker_.ask(
        request,
        [&](const nlohmann::json& header, std::string&& bytes) {
          proto::JournalRecord record;
          proto::CaseTensor& tensor = *record.mutable_tensor();
          tensor = tensor_of(task.id(), row, header, bytes);
          summary_.bytes_seen += tensor.byte_count();
          if (tensor.role() == proto::CaseTensor::INPUT) input_bytes += tensor.byte_count();
          tensor.set_data(std::move(bytes));
          tensors.push_back(std::move(record));
        },
        kTimesKept * options_.keep_bytes);
    proto::TaskCase& made = *task.add_cases();
    if (!answer.error.empty()) {
      made.set_label(std::to_string(row));
      made.add_notes("left out: " + answer.error);
      leave_out(task.id() + ":" + std::to_string(row), answer.error);
      return false;
    }
    made = case_of(answer.object);
    if (task.prompt_short().empty()) task.set_prompt_short(answer.object.value("essence", ""));
    summary_.cases_kept += choose_kept(tensors, input_bytes);
    data_->append(tensors);
    ++summary_.cases;
    return true;
  }

  // Drops bytes that will be made again when needed; true if all are kept.
  bool choose_kept(std::vector<proto::JournalRecord>& tensors, std::uint64_t input_bytes) {
    const bool inputs_kept = input_bytes <= options_.keep_bytes;
    const auto fits = [&](const proto::CaseTensor& tensor) {
      if (tensor.data().size() != tensor.byte_count()) return false;
      if (!suite_.keeps_apart) return inputs_kept;
      if (tensor.role() == proto::CaseTensor::INPUT) return inputs_kept;
      return tensor.byte_count() <= options_.keep_bytes * (tensor.role() == proto::CaseTensor::GOLDEN_FP64 ? 2 : 1);
    };
    bool all = true;
    for (const auto& record : tensors) all = all && fits(record.tensor());
    for (auto& record : tensors) {
      if (suite_.keeps_apart ? !fits(record.tensor()) : !all) record.mutable_tensor()->clear_data();
      summary_.bytes_kept += record.tensor().data().size();
    }
    return all;
  }

  void record_left_out() {
    nlohmann::json list = nlohmann::json::array();
    for (const LeftOut& one : summary_.left_out) list.push_back({{"what", one.what}, {"why", one.why}});
    data_->append({meta("left_out", list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))});
  }

  const ImportOptions& options_;
  const Suite& suite_;
  WorkerProcess worker_;
  std::unique_ptr<Dataset> data_;
  ImportSummary summary_;
};

}  // namespace

ImportSummary import_checkout(const ImportOptions& options) { return Importer(options).run(); }

}  // namespace kg::dataset::benchmarks
