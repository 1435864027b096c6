#pragma once

#include <string>

#include "dataset/store/schema.h"

namespace kg::dataset {

// A row's name for people: "rollout run-a/17/3", "sample ID", "task ID".
std::string record_key(Table table, const google::protobuf::Message& row);

}  // namespace kg::dataset
