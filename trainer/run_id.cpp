#include "trainer/run_id.h"

#include <nlohmann/json.hpp>

namespace kg::trainer {
namespace {

std::string unused_run_id(const dataset::Dataset& data, const std::string& name) {
  const auto used = data.rollout_keys();
  std::string id = name;
  for (int i = 2; used.contains(id); ++i) id = name + "-" + std::to_string(i);
  return id;
}

}  // namespace

std::string run_id_of(const Run& run, const dataset::Dataset& data) {
  return run.goes_on() ? run.folder().read_config().value("run_id", run.name()) : unused_run_id(data, run.name());
}

}  // namespace kg::trainer
