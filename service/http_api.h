#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "service/http_server.h"
#include "service/judge_service.h"

namespace kg::service {

// The tasks that requests can name, for clients without a data set of their own.
struct TaskList {
  std::function<nlohmann::json(const std::string& split, const std::string& after, int most)> list;  // ids
  std::function<std::optional<nlohmann::json>(const std::string& id)> describe;  // nothing: there is no such task
};

struct ApiOptions {
  RequestBounds bounds;
  std::size_t body_bytes = 8 << 20;  // same as the server's limit
  TokenTable* tokens = nullptr;      // null: everybody may ask, under the name "local"; only for a loopback address
  std::string judge_version;
};

// Adds the routes (docs/guide/judge-service.md) to a server, which must not outlive the arguments.
void add_routes(HttpServer& server, JudgeService& service, Metrics& metrics, const TaskList& tasks,
                const ApiOptions& options);

}  // namespace kg::service
