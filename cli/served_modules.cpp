#include "cli/served_modules.h"

#include <sys/stat.h>

#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "dataset/benchmarks/own_form.h"
#include "npu/chip.h"

namespace kg::cli {
namespace {

using dataset::benchmarks::OwnOperator;

constexpr std::uint64_t kBytesOfRefusal = 1024;
// A case has its tensors, and its results in fp64.
constexpr std::uint64_t kCaseStretch = 2;

std::string key_of(const service::JudgeRequest& request) {
  std::string all =
      request.module + '\0' + request.dtype + '\0' + request.operator_name + '\0' + (request.evaluation ? "1" : "0");
  for (const std::string& shape : request.shapes) all += '\0' + shape;
  return hash128_hex(all);
}

std::uint64_t bytes_of(const OwnOperator& made) {
  std::uint64_t bytes = made.task.ByteSizeLong();
  for (const proto::CaseTensor& tensor : made.tensors) bytes += tensor.data().size();
  return bytes;
}

}  // namespace

ServedModules::Made ServedModules::make(const service::JudgeRequest& request) const {
  if (options_.python.empty())
    throw service::Refusal{422, "this service does not accept modules: " + options_.why_not,
                           "name a task of its data set", 0};
  const TemporaryFolder folder("kgtrain-module");
  const fs::path file = folder.path() / "module.py";
  write_file_atomically(file, request.module);
  ::chmod(file.c_str(), 0644);
  dataset::benchmarks::OwnOptions own;
  own.file = file.string();
  own.worker = {.python = options_.python, .quiet = true, .cell = options_.cell};
  own.shapes = request.shapes;
  own.dtype = request.dtype;
  own.operator_name = request.operator_name;
  own.evaluation = request.evaluation;
  own.most_bytes = options_.most_bytes;
  own.ub_bytes = npu::chip::kUbBytes;
  try {
    auto made = std::make_shared<OwnOperator>(dataset::benchmarks::read_own_operator(own));
    dataset::benchmarks::require_sound(*made, kCaseStretch * options_.most_bytes);
    return made;
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kEnvironment) throw;
    std::string where = error.where();
    if (const std::string prefix = file.string(); where.starts_with(prefix))
      where = "module.py" + where.substr(prefix.size());
    throw service::Refusal{422, where + ": " + error.what(), error.hint(), 0};
  } catch (const std::exception&) {  // JSON with unexpected fields
    throw service::Refusal{422, "the module's process sent a malformed answer", "look at the module", 0};
  }
}

ServedModules::Made ServedModules::get(const service::JudgeRequest& request) {
  const std::string key = key_of(request);
  {
    std::unique_lock lock(mutex_);
    for (;;) {
      const auto found = kept_.find(key);
      if (found == kept_.end()) break;
      if (const auto* made = std::get_if<Made>(&found->second.what)) return *made;
      if (const auto* refusal = std::get_if<service::Refusal>(&found->second.what)) throw *refusal;
      changed_.wait(lock);
    }
    kept_[key];  // by this thread
  }
  try {
    Made made = make(request);
    keep(key, made, bytes_of(*made));
    return made;
  } catch (const service::Refusal& refusal) {
    keep(key, refusal, kBytesOfRefusal);
    throw;
  } catch (...) {
    const std::lock_guard lock(mutex_);
    kept_.erase(key);
    changed_.notify_all();
    throw;
  }
}

void ServedModules::keep(const std::string& key, std::variant<std::monostate, Made, service::Refusal> what,
                         std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  kept_[key] = {std::move(what), bytes};
  oldest_.push_back(key);
  bytes_ += bytes;
  while (bytes_ > options_.kept_bytes && oldest_.size() > 1) {
    const auto gone = kept_.find(oldest_.front());
    bytes_ -= gone->second.bytes;
    kept_.erase(gone);
    oldest_.pop_front();
  }
  changed_.notify_all();
}

}  // namespace kg::cli
