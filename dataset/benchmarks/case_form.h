#pragma once

#include <nlohmann/json.hpp>

#include "proto/record.pb.h"

namespace kg::dataset::benchmarks {

// What a worker says of a case, as messages; a tensor without its bytes if its header has their hash. Throws Error on
// what it should not say.
proto::TaskCase case_of(const nlohmann::json& answer);
proto::CaseTensor tensor_of(const std::string& task, int case_index, const nlohmann::json& header,
                            const std::string& bytes);

}  // namespace kg::dataset::benchmarks
