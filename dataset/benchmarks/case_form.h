#pragma once

#include <nlohmann/json.hpp>

#include "proto/record.pb.h"

namespace kg::dataset::benchmarks {

// A worker's description of a case, as messages; a tensor has no bytes if its header has their hash. Throws Error if
// the description is malformed.
proto::TaskCase case_of(const nlohmann::json& answer);
proto::CaseTensor tensor_of(const std::string& task, int case_index, const nlohmann::json& header,
                            const std::string& bytes);

}  // namespace kg::dataset::benchmarks
