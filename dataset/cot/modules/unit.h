#pragma once

#include <map>
#include <string>
#include <vector>

#include "dataset/cot/modules/graph.h"
#include "dataset/cot/modules/runner.h"
#include "proto/record.pb.h"
#include "sandbox/sandbox.h"

namespace kg::dataset::cot::modules {

struct UnitOptions {
  std::uint64_t seed = 1;
  int surfaces = 4;      // most surfaces of one graph
  int descriptions = 2;  // most descriptions of one graph, and as many on lists
  bool written = false;
  std::string split = "train";
  bool described = false;  // tasks are asked by descriptions, in place of a module
  bool tasks = false;      // makes tasks with tensors, to be asked and judged; otherwise only samples
  std::string judge_version;
};

// A graph with its texts, once its program has passed the sandbox.
struct Unit {
  bool other_split = false;
  std::string why_not;  // empty: it was accepted
  std::string structure, stratum;
  std::vector<proto::Sample> samples;
  std::vector<proto::Task> tasks;
  std::vector<proto::CaseTensor> tensors;
  std::vector<std::string> wrong;  // reasons for rejected surfaces
  int executed = 0, hops = 0;
  int line_programs = 0;  // number of programs with one operator per statement
  std::string example;    // example of a rejected one
};

Unit make_unit(std::uint64_t index, const UnitOptions& options, Runner& runner, sandbox::Sandbox& sandbox);

// The split of a graph's structure, by a hash of its name: 20 % are held out, but no single operators of elements.
std::string split_of(const Graph& graph);

}  // namespace kg::dataset::cot::modules
