#include "service/request.h"

#include <spdlog/fmt/fmt.h>
#include <sys/random.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/nearest_name.h"
#include "base/utf8.h"
#include "proto/language.h"

namespace kg::service {
namespace {

const std::vector<std::string> kKeys{"id",     "task",   "module",  "shapes",   "dtype", "operator", "eval",
                                     "kernel", "answer", "project", "language", "case",  "deadline", "wait"};

[[noreturn]] void refuse(const std::string& what, const std::string& hint) { throw Refusal{400, what, hint, 0}; }

std::string text_of(const nlohmann::json& object, const char* key, std::size_t most) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (!found->is_string()) refuse(fmt::format("\"{}\" is not a string", key), "see docs/guide/judge-service.md");
  std::string text = found->get<std::string>();
  if (text.size() > most)
    throw Refusal{413, fmt::format("\"{}\" has {} bytes; at most {} are accepted", key, text.size(), most), "send less",
                  0};
  return text;
}

double seconds_of(const nlohmann::json& object, const char* key, double most) {
  const auto found = object.find(key);
  if (found == object.end()) return 0;
  if (!found->is_number() || !(found->get<double>() >= 0))
    refuse(fmt::format("\"{}\" is not a number of seconds", key), "a number of at least 0");
  return std::min(found->get<double>(), most);
}

void take_shapes(const nlohmann::json& object, JudgeRequest& request) {
  const auto found = object.find("shapes");
  if (found == object.end()) return;
  constexpr std::size_t kMostShapes = 16;
  if (!found->is_array() || found->size() > kMostShapes ||
      !std::ranges::all_of(*found, [](const nlohmann::json& one) { return one.is_string(); }))
    refuse("\"shapes\" is not a list of at most 16 strings", "for example [\"batch=8,width=77\"]");
  request.shapes = found->get<std::vector<std::string>>();
}

void take_project(const nlohmann::json& object, const RequestBounds& bounds, JudgeRequest& request) {
  const auto found = object.find("project");
  if (found == object.end()) return;
  if (!found->is_object() || found->empty() || found->size() > static_cast<std::size_t>(bounds.files))
    refuse(fmt::format("\"project\" is not an object with 1 to {} files", bounds.files),
           "{\"op_host/x.cpp\": \"...\"}");
  std::size_t bytes = 0;
  for (const auto& [path, content] : found->items()) {
    if (!content.is_string())
      refuse("the file \"" + path + "\" of the project is not a string", "give its content as a string");
    proto::ProjectFile& file = request.project.emplace_back();
    file.set_path(path);
    file.set_content(content.get<std::string>());
    bytes += path.size() + file.content().size();
  }
  if (bytes > bounds.kernel_bytes)
    throw Refusal{413, fmt::format("the project has {} bytes; at most {} are accepted", bytes, bounds.kernel_bytes),
                  "send less", 0};
}

void require_one_of_each(const JudgeRequest& request) {
  if (request.task.empty() == request.module.empty())
    refuse("one of \"task\" and \"module\" is needed", "the id of a task (GET /v1/tasks), or a module's text");
  const int answers = !request.kernel.empty() + !request.answer.empty() + !request.project.empty();
  if (answers != 1)
    refuse("one of \"kernel\", \"answer\" and \"project\" is needed, and must not be empty",
           "a kernel's source, a model's text that holds one, or the files of an operator project");
  if (request.task.empty()) return;
  if (!request.shapes.empty() || !request.dtype.empty() || !request.operator_name.empty() || request.evaluation)
    refuse("\"shapes\", \"dtype\", \"operator\" and \"eval\" apply to a module, but a task is named", "leave them out");
}

}  // namespace

std::string JudgeRequest::content() const {
  std::string all = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n", task, dtype, operator_name, evaluation,
                                static_cast<int>(language), only_case.value_or(-1));
  const auto add = [&](const std::string& text) { all += std::to_string(text.size()) + ':' + text; };
  for (const std::string& text : {module, kernel, answer}) add(text);
  for (const std::string& shape : shapes) add("shape " + shape);
  for (const proto::ProjectFile& file : project) {
    add(file.path());
    add(file.content());
  }
  return hash128_hex(all);
}

JudgeRequest parse_request(const std::string& body, const RequestBounds& bounds) {
  const nlohmann::json object = nlohmann::json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) refuse("the body is not a JSON object", "for example {\"task\": ..., \"kernel\": ...}");
  for (const auto& [key, unused] : object.items())
    if (std::ranges::find(kKeys, key) == kKeys.end()) {
      const std::string near = nearest_name(key, kKeys);
      refuse("unknown key \"" + key.substr(0, 80) + "\"",
             near.empty() ? "see docs/guide/judge-service.md" : "did you mean \"" + near + "\"?");
    }
  constexpr std::size_t kName = 1024;
  JudgeRequest request;
  request.id = text_of(object, "id", kName);
  if (object.contains("id") && !is_id(request.id))
    refuse("\"id\" is not a word of 1 to 128 letters, digits, '.', '_', ':' and '-'", "a UUID, for example");
  request.task = text_of(object, "task", kName);
  request.module = text_of(object, "module", bounds.kernel_bytes);
  request.dtype = text_of(object, "dtype", kName);
  request.operator_name = text_of(object, "operator", kName);
  request.kernel = text_of(object, "kernel", bounds.kernel_bytes);
  request.answer = text_of(object, "answer", bounds.kernel_bytes);
  if (const std::string& type = request.dtype; !type.empty() && type != "float" && type != "half" && type != "bfloat16")
    refuse("\"dtype\" is \"" + type + "\"", "float, half or bfloat16");
  if (const auto found = object.find("eval"); found != object.end()) {
    if (!found->is_boolean()) refuse("\"eval\" is neither true nor false", "leave it out for false");
    request.evaluation = found->get<bool>();
  }
  take_shapes(object, request);
  take_project(object, bounds, request);
  const std::string language = text_of(object, "language", kName);
  if (!language.empty() && language != "ascendc" && language != "dsl")
    refuse("\"language\" is \"" + language + "\"", "ascendc or dsl");
  request.language = language == "dsl" ? proto::DSL : proto::ASCENDC;
  if (const auto found = object.find("case"); found != object.end()) {
    if (!found->is_number_unsigned() || found->get<std::uint64_t>() > 1u << 20)
      refuse("\"case\" is not a number of at least 0", "leave it out for all cases");
    request.only_case = found->get<int>();
  }
  request.deadline = seconds_of(object, "deadline", 1e9);
  request.wait = seconds_of(object, "wait", bounds.longest_wait);
  require_one_of_each(request);
  if (request.id.empty()) request.id = new_id();
  return request;
}

std::string new_id() {
  constexpr const char* kLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
  unsigned char random[22] = {};
  if (::getrandom(random, sizeof(random), 0) != static_cast<ssize_t>(sizeof(random)))
    throw Refusal{503, "the system gives no random numbers", "name an id", 1};
  std::string id;
  for (const unsigned char byte : random) id += kLetters[byte % 64];
  return id;
}

bool is_id(const std::string& text) {
  return !text.empty() && text.size() <= 128 && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-' || c == ':';
  });
}

}  // namespace kg::service
