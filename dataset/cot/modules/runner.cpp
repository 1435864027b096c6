#include "dataset/cot/modules/runner.h"

#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/program_data.h"
#include "dataset/cot/modules/texts.h"
#include "proto/dtype.h"
#include "proto/json_frame.h"

namespace kg::dataset::cot::modules {
namespace {

using nlohmann::json;

json shape_of(const Graph& graph, const std::vector<std::string>& letters) {
  json shape = json::array();
  for (const std::string& letter : letters) shape.push_back(graph.size(letter, false));
  return shape;
}

// The coarsest of the types that results are computed or given in.
std::string coarsest_type(const Graph& graph) {
  std::string coarsest = graph.dtype;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    if (const std::string& type = graph.out_dtype(i); type == "bfloat16" || (type == "half" && coarsest == "float"))
      coarsest = type;
  return coarsest;
}

json request_of(const Graph& graph, const std::vector<Surface>& surfaces, std::uint64_t seed) {
  json request = {{"do", "run"}, {"dtype", graph.dtype}, {"coarsest", coarsest_type(graph)}, {"seed", seed >> 33}};
  for (const Input& input : graph.inputs)
    request["inputs"].push_back({{"shape", shape_of(graph, input.shape)},
                                 {"draw", input.draw},
                                 {"dtype", input.dtype.empty() ? graph.dtype : input.dtype},
                                 {"below", input.index_below.empty() ? 0 : graph.size(input.index_below, false)},
                                 {"parameter", input.parameter}});
  for (const auto& shape : graph.out_shapes) request["outputs"].push_back(shape_of(graph, shape));
  for (const Surface& surface : surfaces) {
    json held = json::object();
    for (std::size_t i = 0; i < graph.inputs.size(); ++i)
      if (graph.inputs[i].parameter)
        for (const auto& [name, path] : surface.held)
          if (name == surface.names[i]) held[path] = i;
    request["surfaces"].push_back(
        {{"text", surface.small}, {"full", surface.text}, {"names", surface.names}, {"held", held}});
  }
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) request["results"].push_back(graph.out_name(i));
  return request;
}

}  // namespace

Ran Runner::run(const Graph& graph, const std::vector<Surface>& surfaces, std::uint64_t seed) {
  if (!child_.started())
    child_ = ChildProcess(
        {.words = {python_, (program_data("modules", "dataset/cot/modules", "worker.py") / "worker.py").string()},
         .environment = {"PYTHONPATH=" + proto::json_frame_folder() + ":" +
                             program_data("benchmarks", "dataset/benchmarks", "traced.py").string(),
                         "OMP_NUM_THREADS=1"},
         .input = ChildCommand::kPipe,
         .output = ChildCommand::kPipe,
         .hint = "name a Python that has PyTorch with --python"});
  const bool sent = send_fully(child_.input().number(), proto::encode_json_frame(request_of(graph, surfaces, seed)));
  Ran ran;
  std::vector<std::string> payloads;
  const int pipe = child_.output().number();
  for (;;) {
    const auto front = sent ? proto::read_json_frame_front(pipe) : std::nullopt;
    if (!front)
      throw Error("the Python that executes modules has ended", python_, "see what it printed above",
                  Error::Kind::kEnvironment);
    std::string bytes(front->payload, '\0');
    if (read_fully(pipe, bytes.data(), bytes.size()) != bytes.size())
      throw Error("the Python that executes modules has ended", python_, "see what it printed above",
                  Error::Kind::kEnvironment);
    const json& header = front->header;
    if (header.value("done", false)) {
      ran.wrong = header.at("wrong").get<std::vector<std::string>>();
      ran.steps = header.at("steps").get<std::vector<std::vector<std::string>>>();
      return ran;
    }
    const auto number = header.at("case").get<std::size_t>();
    if (ran.cases.size() <= number) ran.cases.resize(number + 1);
    RunCase& one = ran.cases[number];
    proto::Tensor tensor;
    tensor.set_dtype(proto::dtype_from_name(header.at("dtype")));
    for (const auto& extent : header.at("shape")) tensor.add_shape(extent);
    tensor.set_data(std::move(bytes));
    if (header.at("role") == "input") {
      one.inputs.push_back(std::move(tensor));
    } else {
      one.golden.push_back(operators::to_golden(tensor));
      one.absolute.push_back(header.at("absolute"));
    }
  }
}

}  // namespace kg::dataset::cot::modules
