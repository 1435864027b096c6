#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.h"
#include "proto/task.pb.h"

namespace kg::evaluation {

// What a reader of an evaluation's numbers needs to know of where they come from.

// What `kgtrain data audit` left beside a data set: {"file", "hash", "against", "findings"}; null if it left nothing.
nlohmann::json audit_of(const fs::path& data);

// The data set of the run that made a model or a checkpoint's model, by that run's config.json; empty if no run did.
fs::path training_data_of(const fs::path& model);

// XXH3-128 over the tasks as they were asked, in their order.
std::string hash_of(const std::vector<proto::Task>& tasks);

}  // namespace kg::evaluation
