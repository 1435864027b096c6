#pragma once

#include <map>
#include <string>
#include <vector>

#include "dataset/cot/modules/runner.h"
#include "proto/record.pb.h"
#include "sandbox/sandbox.h"

namespace kg::dataset::cot::modules {

struct UnitOptions {
  std::uint64_t seed = 1;
  int surfaces = 4;  // most of one graph
  bool written = false;
  std::string split = "train";
  bool tasks = false;  // with tensors, to be asked and judged; else samples alone
  std::string judge_version;
};

// A graph with its texts, once its program has passed the sandbox.
struct Unit {
  bool other_split = false;
  std::string why_not;  // empty: it stands
  std::string structure, stratum;
  std::vector<proto::Sample> samples;
  std::vector<proto::Task> tasks;
  std::vector<proto::CaseTensor> tensors;
  std::vector<std::string> wrong;  // surfaces thrown away: why
  int executed = 0, hops = 0;
  int line_programs = 0;  // that say the operators one a statement
  std::string example;    // of what did not stand
};

Unit make_unit(std::uint64_t index, const UnitOptions& options, Runner& runner, sandbox::Sandbox& sandbox);

// A structure's split, by a hash of its name: a fifth is held out.
std::string split_of(const std::string& structure);

}  // namespace kg::dataset::cot::modules
