#include "dataset/cot/meaning_audit.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>

#include "base/error.h"
#include "dataset/cot/program_form.h"
#include "dataset/store/answer.h"
#include "dsl/check.h"
#include "dsl/interpreter.h"
#include "dsl/parser.h"
#include "dsl/refusal.h"

namespace kg::dataset::cot {
namespace {

using nlohmann::json;

constexpr double kEqual = 1e-4;
constexpr std::size_t kMostPermuted = 5;  // inputs, and outputs, all orders of which are tried
// Numbers in a row's results; fewer agree by chance, as one positive number does for an absolute value and for a relu.
constexpr std::size_t kNumbersThatTell = 16;

struct ProbeTensor {
  std::string dtype;
  std::vector<std::int64_t> shape;
  dsl::Values values;
};

struct Probe {
  std::vector<ProbeTensor> inputs, outputs;
};

// The draws of each row, "TASK#ROW" or "TASK" alone; the rows of each task.
using Rows = std::map<std::string, std::vector<Probe>>;
using Tasks = std::map<std::string, Rows>;

Tasks read_probes(const fs::path& path) {
  std::ifstream in(path);
  if (!in) throw Error("cannot read the probes", path.string(), "make them with dataset/benchmarks/probes.py");
  Tasks tasks;
  const auto tensors = [](const json& list) {
    std::vector<ProbeTensor> made;
    for (const json& one : list) made.push_back({one.at("dtype"), one.at("shape"), one.at("values")});
    return made;
  };
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    try {
      const json one = json::parse(line);
      const std::string row = one.at("task");
      tasks[row.substr(0, row.find('#'))][row].push_back({tensors(one.at("inputs")), tensors(one.at("outputs"))});
    } catch (const json::exception&) {
      throw Error("no probe: a JSON object with task, inputs and outputs is wanted",
                  path.string() + ":" + std::to_string(number), "make them with dataset/benchmarks/probes.py");
    }
  }
  return tasks;
}

std::string in_float(std::string program) {
  for (const std::string& type : {std::string(": bfloat16["), std::string(": half[")})
    for (std::size_t at; (at = program.find(type)) != std::string::npos;) program.replace(at, type.size(), ": float[");
  return program;
}

bool equal(const dsl::Values& found, const dsl::Values& wanted) {
  if (found.size() != wanted.size()) return false;
  double square = 0;
  for (const double value : wanted) square += value * value;
  const double scale = std::sqrt(square / static_cast<double>(std::max<std::size_t>(1, wanted.size())));
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!(std::abs(found[i] - wanted[i]) <= kEqual * (std::abs(wanted[i]) + scale))) return false;
  return true;
}

class Compared {
 public:
  explicit Compared(const std::string& program) : program_(dsl::parse(in_float(program))) {
    std::vector<const dsl::Parameter*> made;  // in the order of the interpreter's results
    for (const dsl::Parameter& one : program_.parameters) {
      if (one.is_input()) inputs_.push_back(&one);
      if (one.output) made.push_back(&one);
    }
    for (const std::string& name : program_.outputs) {
      const auto at = std::find_if(made.begin(), made.end(), [&](const auto* one) { return one->name == name; });
      outputs_.push_back(*at);
      results_.push_back(static_cast<std::size_t>(at - made.begin()));
    }
  }
  Compared(const Compared&) = delete;
  Compared& operator=(const Compared&) = delete;

  std::size_t inputs() const { return inputs_.size(); }
  std::size_t outputs() const { return outputs_.size(); }

  // The program's i-th input is the probe's in[i]-th, its i-th output the out[i]-th. Nothing: it cannot be bound so.
  std::optional<bool> same(const Probe& probe, const std::vector<std::size_t>& in,
                           const std::vector<std::size_t>& out) const {
    dsl::Bindings bindings;
    std::vector<dsl::Values> values;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const ProbeTensor& tensor = probe.inputs[in[i]];
      bindings.tensors.push_back({.dtype = tensor.dtype == "float"   ? proto::FLOAT32
                                           : tensor.dtype == "bool"  ? proto::BOOL
                                           : tensor.dtype == "int32" ? proto::INT32
                                                                     : proto::INT64,
                                  .shape = tensor.shape,
                                  .name = inputs_[i]->name,
                                  .listed = inputs_[i]->list});
      values.push_back(tensor.values);
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      const ProbeTensor& tensor = probe.outputs[out[i]];
      const dsl::Parameter& parameter = *outputs_[i];
      bindings.tensors.push_back({.dtype = parameter.dtype,
                                  .shape = tensor.shape.empty() ? std::vector<std::int64_t>{1} : tensor.shape,
                                  .name = parameter.name,
                                  .output = true,
                                  .listed = parameter.list,
                                  .in_place_of = parameter.in_place ? parameter.name : "",
                                  .without_parameter = parameter.in_place});
    }
    bindings.cores = 4;
    try {
      const auto found = dsl::interpret(dsl::check(program_, bindings, {.tile = 256}), values);
      for (std::size_t i = 0; i < out.size(); ++i)
        if (!equal(found[results_[i]], probe.outputs[out[i]].values)) return false;
      return true;
    } catch (const dsl::Refusal&) {
      return std::nullopt;
    }
  }

 private:
  dsl::Program program_;
  std::vector<const dsl::Parameter*> inputs_, outputs_;  // in the program's order
  std::vector<std::size_t> results_;                     // the outputs' places among the interpreter's results
};

enum class Answer { kCannotBeBound, kOther, kSame };

// In some order of the inputs and some of the outputs, on every draw of a row.
Answer compare(const Compared& program, const std::vector<Probe>& draws, std::uint64_t& compared) {
  const Probe& first = draws.front();
  if (first.inputs.size() != program.inputs() || first.outputs.size() != program.outputs() ||
      first.inputs.size() > kMostPermuted || first.outputs.size() > kMostPermuted)
    return Answer::kCannotBeBound;
  std::vector<std::size_t> in(first.inputs.size()), out(first.outputs.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  Answer answer = Answer::kCannotBeBound;
  do {
    std::iota(in.begin(), in.end(), std::size_t{0});
    do {
      bool all = true;
      for (const Probe& probe : draws) {
        const auto same = probe.inputs.size() == in.size() ? program.same(probe, in, out) : std::nullopt;
        compared += same.has_value();
        if (same) answer = Answer::kOther;
        all = same.value_or(false);
        if (!all) break;
      }
      if (all) return Answer::kSame;
    } while (std::next_permutation(in.begin(), in.end()));
  } while (std::next_permutation(out.begin(), out.end()));
  return answer;
}

std::size_t numbers_of(const std::vector<Probe>& draws) {
  std::size_t numbers = 0;
  for (const Probe& probe : draws)
    for (const ProbeTensor& tensor : probe.outputs) numbers += tensor.values.size();
  return numbers;
}

// A row that the program computes; one of few numbers counts only if no row of its task says otherwise.
std::optional<std::string> row_computed_by(const Compared& program, const Tasks& tasks, std::uint64_t& compared) {
  for (const auto& [task, rows] : tasks) {
    std::optional<std::string> weak;
    bool other = false;
    for (const auto& [row, draws] : rows) {
      const Answer answer = compare(program, draws, compared);
      if (answer == Answer::kOther) other = true;
      if (answer != Answer::kSame) continue;
      if (numbers_of(draws) >= kNumbersThatTell) return row;
      weak = row;
    }
    if (weak && !other) return weak;
  }
  return std::nullopt;
}

}  // namespace

MeaningReport meaning_audit(const Dataset& data, const fs::path& probes_path, const fs::path& programs) {
  const Tasks tasks = read_probes(probes_path);
  MeaningReport report;
  report.tasks = tasks.size();
  for (const auto& [task, rows] : tasks)
    for (const auto& [row, draws] : rows) report.probes += draws.size();
  std::map<std::string, std::string> forms;
  if (!programs.empty())
    for (const auto& entry : fs::recursive_directory_iterator(programs))
      if (entry.path().extension() == ".dsl")
        forms[program_form(read_file(entry.path()))] = entry.path().stem().string();
  // Only by meaning: names of inputs do not count, constants do.
  std::map<std::string, std::vector<std::string>> by_program;  // samples
  data.for_each_sample([&](const proto::Sample& sample) {
    if (sample.output().find("```dsl") == std::string::npos) return true;
    const std::string program = extract_kernel(sample.output(), proto::DSL).kernel;
    if (program.empty()) return true;
    ++report.samples;
    by_program[program].push_back(sample.id());
    return true;
  });
  report.programs = by_program.size();
  std::map<std::string, std::optional<MeaningFinding>> known;  // finding of programs that differ only in names
  for (const auto& [program, samples] : by_program) {
    // The numbers and the form: equal for equal meaning up to names.
    std::string numbers;
    for (std::size_t i = 0; i < program.size(); ++i)
      if (std::isdigit(static_cast<unsigned char>(program[i])) != 0 || program[i] == '.' || program[i] == '-')
        numbers += program[i];
    const std::string key = program_form(program);
    const auto [at, isnew] = known.try_emplace(key + "\n" + numbers);
    if (isnew) {
      if (const auto form = forms.find(key); form != forms.end()) {
        at->second = MeaningFinding{"", form->second, "program"};
      } else {
        try {
          for (const std::string& one : with_fewer_results(program)) {
            const auto row = row_computed_by(Compared(one), tasks, report.compared);
            if (!row) continue;
            at->second = MeaningFinding{"", *row, "numbers"};
            break;
          }
        } catch (const dsl::Refusal&) {
        }
      }
    }
    if (at->second)
      for (const std::string& sample : samples) report.findings.push_back({sample, at->second->task, at->second->how});
  }
  return report;
}

std::set<std::string> found_samples(const MeaningReport& report) {
  std::set<std::string> ids;
  for (const MeaningFinding& one : report.findings) ids.insert(one.sample);
  return ids;
}

}  // namespace kg::dataset::cot
