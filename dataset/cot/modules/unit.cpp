#include "dataset/cot/modules/unit.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/hash.h"
#include "dataset/cot/modules/essence.h"
#include "dataset/cot/modules/line_program.h"
#include "dataset/cot/modules/list_form.h"
#include "dataset/cot/modules/texts.h"
#include "proto/message_json.h"
#include "reward/judge.h"

namespace kg::dataset::cot::modules {
namespace {

proto::Task task_of(const Graph& graph, const Surface& surface, const std::vector<std::string>& steps, const Ran& ran,
                    const std::string& id, const std::string& split) {
  proto::Task task;
  task.set_id(id);
  task.set_suite("own");
  task.set_category(graph.stratum);
  task.set_family(graph.nest);
  task.set_op_name(graph.nest);
  task.set_structure(graph.structure());
  task.set_split(split);
  task.set_level(std::min(surface.hops, 3) + 1);
  task.set_entry_point(kEntryPoint);
  task.set_block_dim(kCores);
  task.set_workspace_bytes(32 << 20);
  task.set_prompt_short(stored_prompt(graph, surface, steps));
  for (const RunCase& run : ran.cases) {
    proto::TaskCase& made = *task.add_cases();
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < run.inputs.size(); ++i) {
      proto::TensorSpec& spec = *made.add_inputs();
      spec.set_name(surface.names[i]);
      spec.set_dtype(run.inputs[i].dtype());
      *spec.mutable_shape() = run.inputs[i].shape();
      bytes += run.inputs[i].data().size();
    }
    for (std::size_t i = 0; i < run.golden.size(); ++i) {
      proto::TensorSpec& spec = *made.add_outputs();
      spec.set_name(graph.out_name(i));
      spec.set_dtype(out_dtype_of(graph, i));
      for (const std::int64_t extent : run.golden[i].shape) spec.add_shape(extent);
      proto::CheckedTensor& checked = *made.add_checked();
      checked.add_outputs(static_cast<int>(i));
      checked.set_dtype(spec.dtype());
      *checked.mutable_shape() = spec.shape();
      checked.set_golden_dtype(proto::FLOAT64);
      *checked.mutable_golden_shape() = spec.shape();
      checked.set_absolute(run.absolute[i]);
      const std::string& type = graph.out_dtype(i);
      checked.set_relative(graph.dtype == "float" && type != "half" && type != "bfloat16" ? 0x1p-14 : 1e-3);
      bytes += 8 * run.golden[i].values.size();
    }
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) made.add_operator_bytes(bytes);
  }
  return task;
}

void keep_tensors(const std::string& id, const Ran& ran, std::vector<proto::CaseTensor>& tensors) {
  const auto keep = [&](std::size_t number, proto::CaseTensor::Role role, std::size_t index, proto::DType dtype,
                        const auto& shape, std::string bytes) {
    proto::CaseTensor& tensor = tensors.emplace_back();
    tensor.set_task(id);
    tensor.set_case_index(static_cast<std::uint32_t>(number));
    tensor.set_role(role);
    tensor.set_index(static_cast<std::uint32_t>(index));
    tensor.set_dtype(dtype);
    for (const auto extent : shape) tensor.add_shape(static_cast<std::uint64_t>(extent));
    tensor.set_byte_count(bytes.size());
    tensor.set_hash(hash64(bytes));
    tensor.set_data(std::move(bytes));
  };
  for (std::size_t number = 0; number < ran.cases.size(); ++number) {
    const RunCase& run = ran.cases[number];
    for (std::size_t i = 0; i < run.inputs.size(); ++i)
      keep(number, proto::CaseTensor::INPUT, i, run.inputs[i].dtype(), run.inputs[i].shape(), run.inputs[i].data());
    for (std::size_t i = 0; i < run.golden.size(); ++i)
      keep(number, proto::CaseTensor::GOLDEN_FP64, i, proto::FLOAT64, run.golden[i].shape,
           std::string(reinterpret_cast<const char*>(run.golden[i].values.data()), 8 * run.golden[i].values.size()));
  }
}

std::string what_is_wrong(const proto::Task& task, const std::string& program, const Ran& ran,
                          sandbox::Sandbox& sandbox) {
  reward::JudgeOptions rules{.reward = reward::reward_preset("staged")};
  rules.language = proto::DSL;
  rules.second_look = false;
  rules.benchmark_cases.get = [&](const proto::Task&, int index) {
    const RunCase& run = ran.cases[static_cast<std::size_t>(index)];
    return reward::BenchmarkCase{.inputs = run.inputs, .golden = {}, .golden64 = run.golden, .no_golden64 = ""};
  };
  const proto::Verdict verdict = reward::judge_surely(sandbox, task, program, rules);
  if (verdict.correct()) return "";
  return proto::stage_name(verdict.stage()) + " " + verdict.compiler_output().substr(0, 200) +
         (verdict.faults_size() > 0 ? verdict.faults(0).message() : "");
}

std::vector<std::size_t> right_surfaces(const Ran& ran, const std::vector<Surface>& surfaces, Unit& unit) {
  std::vector<std::size_t> right;
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    if (ran.wrong[i].empty())
      right.push_back(i);
    else
      unit.wrong.push_back(unit.structure + ": " + ran.wrong[i] + "\n" + surfaces[i].small);
  }
  return right;
}

// Lines in which inputs have numbers for names: what two authors call them makes no other operator.
std::string without_names(const std::vector<std::string>& lines, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& line : lines) {
    for (std::size_t i = 0; i < line.size();) {
      std::size_t end = i;
      while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_')) ++end;
      const auto found = std::find(names.begin(), names.end(), line.substr(i, end - i));
      text += found == names.end() ? line.substr(i, std::max<std::size_t>(end - i, 1))
                                   : "#" + std::to_string(found - names.begin());
      i = std::max(end, i + 1);
    }
    text += '\n';
  }
  return text;
}

proto::Sample sample_of(const std::string& form, const std::string& prompt, const std::string& answer) {
  proto::Sample made;
  made.set_kind("kernel");
  made.set_style("dsl");
  made.set_prompt_form(form);
  made.set_instruction(prompt);
  made.set_output(answer);
  return made;
}

// A graph as a description asks for it, with the tensors of the asked task.
struct Description {
  std::string prompt, program, answer;
  proto::Task task;
  Ran run;
};

std::vector<Description> descriptions(const Graph& graph, const proto::Task& task, const Ran& ran, int most,
                                      Philox& random) {
  std::vector<Description> made;
  const auto add = [&](const auto& form) {
    Description one{form.prompt, form.program, form.answer, task, ran};
    for (proto::TaskCase& asked : *one.task.mutable_cases()) {
      for (int i = 0; i < asked.inputs_size(); ++i)
        asked.mutable_inputs(i)->set_name(form.names[static_cast<std::size_t>(i)]);
      for (int i = 0; i < asked.outputs_size(); ++i) {
        proto::TensorSpec& output = *asked.mutable_outputs(i);
        output.set_name(form.graph.out_name(static_cast<std::size_t>(i)));
        if (!is_in_place(form.graph, static_cast<std::size_t>(i), form.names)) continue;
        output.set_in_place_of(output.name());
        output.set_without_parameter(true);
      }
    }
    for (const ScalarInput& scalar : form.scalars) add_scalar_input(graph, scalar, one.task, one.run);
    made.push_back(std::move(one));
  };
  for (int i = 0; i < most; ++i)
    if (const auto essence = essence_form(graph, random)) add(*essence);
  for (int i = 0; i < most; ++i)
    if (const auto lists = list_form(graph, random)) {
      add(*lists);
      make_lists(*lists, made.back().task, made.back().run);
    }
  return made;
}

// The unit with the descriptions whose programs are right as its tasks.
Unit described_tasks(const Graph& graph, const proto::Task& task, const Ran& ran, int most, Philox& random,
                     sandbox::Sandbox& sandbox, Unit unit) {
  for (Description& one : descriptions(graph, task, ran, most, random)) {
    if (!what_is_wrong(one.task, one.program, one.run, sandbox).empty()) continue;
    const std::string id = task.id() + "/described" + std::to_string(unit.tasks.size());
    one.task.set_id(id);
    one.task.set_prompt_short(head("") + one.prompt.substr(head("DSL").size()));
    keep_tensors(id, one.run, unit.tensors);
    unit.tasks.push_back(std::move(one.task));
  }
  if (unit.tasks.empty()) unit.why_not = "no description";
  return unit;
}

}  // namespace

std::string split_of(const Graph& graph) {
  // An operator by itself is vocabulary.
  if (graph.nodes.size() == 1 && (graph.nest == "flat" || graph.nest == "compared")) return "train";
  return hash64("module " + graph.structure()) % 5 == 0 ? "heldout" : "train";
}

Unit make_unit(std::uint64_t index, const UnitOptions& options, Runner& runner, sandbox::Sandbox& sandbox) {
  Philox random(options.seed, 0x6d6f64ULL << 40 | index);
  Unit unit;
  const Graph graph = draw_graph(random);
  unit.structure = graph.structure();
  unit.stratum = graph.stratum;
  unit.other_split = split_of(graph) != options.split;
  if (unit.other_split) return unit;
  std::vector<Surface> surfaces;
  for (int i = 0; i < std::max(options.surfaces, 3); ++i) surfaces.push_back(write_surface(graph, random));
  const Ran ran = runner.run(graph, surfaces, hash64(std::to_string(options.seed) + "/" + std::to_string(index)));
  unit.executed = static_cast<int>(surfaces.size());
  const std::vector<std::size_t> right = right_surfaces(ran, surfaces, unit);
  const std::string base = "module/" + std::to_string(options.seed) + "/" + std::to_string(index);
  if (right.empty() || ran.cases.empty()) {
    unit.why_not = "no surface: " + (ran.wrong.empty() ? "" : ran.wrong[0]);
    return unit;
  }
  const Surface& first = surfaces[right[0]];
  const proto::Task task = task_of(graph, first, ran.steps[right[0]], ran, base, options.split);
  const std::string program = program_text(graph, graph.program, first.names);
  if (const std::string wrong = what_is_wrong(task, program, ran, sandbox); !wrong.empty()) {
    unit.why_not = wrong;
    unit.example = program + "\n" + first.small;
    return unit;
  }
  unit.hops = first.hops;
  if (options.tasks && options.described)
    return described_tasks(graph, task, ran, options.descriptions, random, sandbox, std::move(unit));
  const auto sample = [&](const std::string& form, const std::string& prompt, const std::string& answer, int hops) {
    proto::Sample made = sample_of(form, prompt, answer);
    made.set_id(base + "/" + form + std::to_string(unit.samples.size()));
    made.set_split(options.split);
    made.set_judge_version(options.judge_version);
    made.set_provenance("modules seed=" + std::to_string(options.seed) + " unit=" + std::to_string(index) +
                        " stratum=" + graph.stratum + " nest=" + graph.nest + " hops=" + std::to_string(hops) +
                        " structure=" + unit.structure);
    if (options.tasks) made.set_task(base);
    unit.samples.push_back(std::move(made));
  };
  // The operators one a statement, where that is a right program; else the graph's.
  const auto program_of = [&](const Surface& surface, const std::vector<std::string>& steps) {
    const auto lines = options.tasks ? std::nullopt : line_program(graph, surface.names, steps);
    if (!lines) return graph.program;
    const std::string text = program_text(graph, *lines, surface.names);
    const std::string wrong =
        what_is_wrong(task_of(graph, surface, steps, ran, base, options.split), text, ran, sandbox);
    if (wrong.empty()) {
      ++unit.line_programs;
      return *lines;
    }
    unit.wrong.push_back(unit.structure + " by lines: " + wrong + "\n" + text);
    return graph.program;
  };
  const std::size_t most = std::min(right.size(), static_cast<std::size_t>(options.surfaces));
  std::set<std::string> traces;  // names of inputs apart
  for (std::size_t i = 0; i < most; ++i) {
    const Surface& surface = surfaces[right[i]];
    const std::vector<std::string>& steps = ran.steps[right[i]];
    if (!steps.empty() && traces.insert(without_names(steps, surface.names)).second)
      sample("traced", traced_prompt(graph, surface, steps),
             answer_text(graph, program_of(surface, steps), surface.names, /*with_steps=*/false), surface.hops);
    if (options.written)
      sample("module", module_prompt(graph, surface),
             answer_text(graph, graph.program, surface.names, /*with_steps=*/true), surface.hops);
    if (options.tasks) break;
  }
  if (options.tasks) {
    unit.tasks.push_back(task);
    keep_tensors(base, ran, unit.tensors);
    return unit;
  }
  for (const Description& one : descriptions(graph, task, ran, options.descriptions, random)) {
    if (const std::string wrong = what_is_wrong(one.task, one.program, one.run, sandbox); !wrong.empty()) {
      unit.wrong.push_back(unit.structure + " described: " + wrong + "\n" + one.prompt + "\n" + one.answer);
      continue;
    }
    sample("essence", one.prompt, one.answer, 0);
  }
  return unit;
}

}  // namespace kg::dataset::cot::modules
