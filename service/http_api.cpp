#include "service/http_api.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/log.h"
#include "proto/message_json.h"

namespace kg::service {
namespace {

using Handled = httplib::Server::HandlerResponse;

constexpr int kMostTasks = 1000;  // limit for one answer

std::string dumped(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void answer(httplib::Response& response, int status, const nlohmann::json& json) {
  response.status = status;
  response.set_content(dumped(json), "application/json");
}

void refuse(httplib::Response& response, const Refusal& refusal) {
  if (refusal.retry_after > 0)
    response.set_header("Retry-After", std::to_string(static_cast<long>(std::ceil(refusal.retry_after))));
  answer(response, refusal.status,
         {{"error", {{"message", refusal.what}, {"hint", refusal.hint}, {"status", refusal.status}}}});
}

// The record of `kgtrain judge --json`. An invalid reward is not a number, so nobody mistakes it for a zero.
nlohmann::json record_of(const proto::Verdict& verdict) {
  nlohmann::json record = proto::to_json(verdict);
  if (!verdict.reward_valid()) record["reward"] = nullptr;
  return record;
}

// A page of another site in the user's browser may send requests to loopback addresses: it uses a host name of
// its own, and cannot send JSON without asking first.
bool is_local_host(std::string host) {
  const std::size_t colon = host.rfind(':');
  if (colon != std::string::npos && host.find(']', colon) == std::string::npos) host.resize(colon);
  return host.empty() || host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

double wait_of(const httplib::Request& request, double longest) {
  const double asked = std::atof(request.get_param_value("wait").c_str());
  return std::isfinite(asked) ? std::clamp(asked, 0.0, longest) : 0;
}

class Api {
 public:
  Api(JudgeService& service, Metrics& metrics, const TaskList& tasks, const ApiOptions& options)
      : service_(service), metrics_(metrics), tasks_(tasks), options_(options) {}

  // Requests refused by their headers only, before the body is read.
  Handled look_at_headers(const httplib::Request& request, httplib::Response& response) const {
    try {
      if (request.path == "/health") return Handled::Unhandled;
      caller_of(request);
      if (request.method != "POST") {
        if (request.has_header("Transfer-Encoding") ||
            request.get_header_value("Content-Length", 0).find_first_not_of('0') != std::string::npos)
          throw Refusal{400, request.method.substr(0, 16) + " has no body", "send it with POST", 0};
        return Handled::Unhandled;
      }
      const std::string type = request.get_header_value("Content-Type");
      if (!type.starts_with("application/json"))
        throw Refusal{415, "the body is \"" + type.substr(0, 80) + "\"", "send Content-Type: application/json", 0};
      // otherwise cpp-httplib would read all of it first
      if (std::strtoull(request.get_header_value("Content-Length").c_str(), nullptr, 10) > options_.body_bytes)
        throw Refusal{413, fmt::format("the body is larger than {} bytes", options_.body_bytes), "send less", 0};
      if (request.has_header("Content-Encoding"))
        throw Refusal{415, "the body is compressed", "send it without Content-Encoding", 0};
      return Handled::Unhandled;
    } catch (const Refusal& refusal) {
      refuse(response, refusal);
      close_after_this(response);
      return Handled::Handled;
    }
  }

  void judge(const httplib::Request& request, httplib::Response& response) const {
    const Caller caller = caller_of(request);
    JudgeRequest asked = parse_request(request.body, options_.bounds);
    const double wait = asked.wait;
    const std::string id = asked.id;
    tell(service_.wait(service_.submit(caller, std::move(asked)), wait), id, caller.name, response);
  }

  void look_up(const httplib::Request& request, httplib::Response& response) const {
    const Caller caller = caller_of(request);
    const std::string id = request.matches[1];
    tell(service_.wait(service_.find(caller.name, id), wait_of(request, options_.bounds.longest_wait)), id, caller.name,
         response);
  }

  void list_tasks(const httplib::Request& request, httplib::Response& response) const {
    const int most = request.has_param("limit") ? std::atoi(request.get_param_value("limit").c_str()) : kMostTasks;
    answer(response, 200,
           {{"tasks", tasks_.list(request.get_param_value("split"), request.get_param_value("after"),
                                  std::clamp(most, 1, kMostTasks))}});
  }

  void show_task(const httplib::Request& request, httplib::Response& response) const {
    const std::string id = request.get_param_value("id");
    const std::optional<nlohmann::json> task = tasks_.describe(id);
    if (!task) throw Refusal{404, "no task \"" + id.substr(0, 200) + "\"", "GET /v1/tasks lists them", 0};
    answer(response, 200, *task);
  }

  void health(const httplib::Request&, httplib::Response& response) const {
    const JudgeService::State state = service_.state();
    answer(response, state.draining ? 503 : 200,
           {{"status", state.draining        ? "ending"
                       : state.fault.empty() ? "good"
                                             : "the last judgement failed"},
            {"waiting", state.waiting},
            {"judging", state.judging},
            {"judge_version", options_.judge_version}});
  }

  void show_metrics(const httplib::Request&, httplib::Response& response) const {
    const JudgeService::State state = service_.state();
    response.set_content(metrics_.text({{"kgtrain_waiting", static_cast<double>(state.waiting)},
                                        {"kgtrain_judging", static_cast<double>(state.judging)},
                                        {"kgtrain_up_seconds", monotonic_seconds() - started_}}),
                         "text/plain; version=0.0.4");
  }

  void log(const httplib::Request& request, const httplib::Response& response) const {
    // The path of a request for an id holds the id; the route is what is counted.
    const std::string route = request.path.starts_with("/v1/judge/") ? "/v1/judge/ID" : request.path;
    const bool known = route == "/v1/judge" || route == "/v1/judge/ID" || route == "/v1/tasks" || route == "/v1/task" ||
                       route == "/health" || route == "/metrics";
    metrics_.count("kgtrain_requests_total",
                   fmt::format("route=\"{}\",status=\"{}\"", known ? route : "other", response.status));
    if (response.status >= 400 && response.status != 429)
      spdlog::info("{} {} from {}: {}", request.method, known ? route : "an unknown path", request.remote_addr,
                   response.status);
  }

 private:
  Caller caller_of(const httplib::Request& request) const {
    if (options_.tokens == nullptr) {
      if (!is_local_host(request.get_header_value("Host")) || request.has_header("Origin"))
        throw Refusal{403, "without tokens, the service answers only programs on this host, not web pages",
                      "send requests to 127.0.0.1, or start it with --tokens", 0};
      return {"local", {}};
    }
    const auto caller = options_.tokens->find(request.get_header_value("Authorization"));
    if (!caller)
      throw Refusal{401, "no valid token", "send \"Authorization: Bearer TOKEN\" with a token from the service's file",
                    0};
    return *caller;
  }

  static void tell(const std::optional<Answer>& given, const std::string& id, const std::string& caller,
                   httplib::Response& response) {
    if (!given) return answer(response, 202, {{"id", id}, {"status", "waiting"}});
    if (const auto* refusal = std::get_if<Refusal>(&given->what)) return refuse(response, *refusal);
    const auto& verdict = std::get<proto::Verdict>(given->what);
    answer(response, 200,
           {{"id", id},
            {"status", "done"},
            {"repeated", given->repeated},
            {"queue_ms", given->queue_seconds * 1e3},
            {"judge_ms", given->judge_seconds * 1e3},
            {"verdict", record_of(verdict)}});
    spdlog::info("{} {} {}: {}, waited {:.2f} s, judged {:.2f} s", caller, id, verdict.task(),
                 verdict.sandbox_error().empty() ? proto::stage_name(verdict.stage()) : "sandbox failed",
                 given->queue_seconds, given->judge_seconds);
  }

  JudgeService& service_;
  Metrics& metrics_;
  const TaskList& tasks_;
  const ApiOptions& options_;
  const double started_ = monotonic_seconds();
};

}  // namespace

void add_routes(HttpServer& server, JudgeService& service, Metrics& metrics, const TaskList& tasks,
                const ApiOptions& options) {
  const auto api = std::make_shared<Api>(service, metrics, tasks, options);
  const auto handler = [api](void (Api::*answer)(const httplib::Request&, httplib::Response&) const) {
    return [api, answer](const httplib::Request& request, httplib::Response& response) {
      try {
        ((*api).*answer)(request, response);
      } catch (const Refusal& refusal) {
        refuse(response, refusal);
      } catch (const std::exception& error) {
        spdlog::error("{} {}: {}", request.method, request.path, error.what());
        refuse(response, {500, "the service failed", "look at its log", 0});
      }
    };
  };
  server.set_pre_routing_handler([api](const httplib::Request& request, httplib::Response& response) {
    return api->look_at_headers(request, response);
  });
  server.set_logger(
      [api](const httplib::Request& request, const httplib::Response& response) { api->log(request, response); });
  server.set_error_handler([](const httplib::Request& request, httplib::Response& response) {
    if (!response.body.empty()) return;
    close_after_this(response);  // it is unknown how much of the request was read
    if (response.status == 413) return refuse(response, {413, "the body is too large", "send less", 0});
    if (response.status == 404)
      return refuse(response,
                    {404, "no such path for " + request.method.substr(0, 16), "see docs/guide/judge-service.md", 0});
    refuse(response, {response.status, "the request cannot be read", "see docs/guide/judge-service.md", 0});
  });
  server.Post("/v1/judge", handler(&Api::judge));
  server.Get("/v1/judge/([A-Za-z0-9._:-]{1,128})", handler(&Api::look_up));
  server.Get("/v1/tasks", handler(&Api::list_tasks));
  server.Get("/v1/task", handler(&Api::show_task));
  server.Get("/health", handler(&Api::health));
  server.Get("/metrics", handler(&Api::show_metrics));
}

}  // namespace kg::service
