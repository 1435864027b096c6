#include "trainer/checkpoint.h"

#include <c10/core/GradMode.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "policy/files/adapter_io.h"

namespace kg::trainer {
namespace {

constexpr const char* kPrefix = "step-";
constexpr const char* kTemporaryPrefix = ".writing-";

nlohmann::json to_json(const RunState& state) {
  nlohmann::json outcomes = nlohmann::json::array();
  for (const GroupOutcome& outcome : state.outcomes)
    outcomes.push_back({outcome.work_id, outcome.task, outcome.passed, outcome.samples, outcome.update});
  nlohmann::json failed = nlohmann::json::array();
  for (const FailedAnswer& answer : state.failed)
    failed.push_back({answer.work_id, answer.sample, answer.turn, answer.update});
  return {{"format", kCheckpointFormat},
          {"command", state.command},
          {"step", state.step},
          {"seed", state.seed},
          {"threads", state.threads},
          {"dtype", state.dtype},
          {"epoch", state.position.epoch},
          {"document", state.position.document},
          {"data_fingerprint", state.data_fingerprint},
          {"tokens", state.tokens},
          {"answer_tokens", state.answer_tokens},
          {"skipped_steps", state.skipped_steps},
          {"seconds", state.seconds},
          {"weights_version", state.weights_version},
          {"works", state.works},
          {"outcomes", std::move(outcomes)},
          {"failed", std::move(failed)}};
}

RunState state_from_json(const nlohmann::json& json) {
  std::vector<GroupOutcome> outcomes;
  for (const nlohmann::json& outcome : json.value("outcomes", nlohmann::json::array()))  // older checkpoints lack it
    outcomes.push_back({outcome.at(0), outcome.at(1), outcome.at(2), outcome.at(3),
                        outcome.size() > 4 ? outcome.at(4).get<std::int64_t>() : -1});
  std::vector<FailedAnswer> failed;
  for (const nlohmann::json& answer : json.value("failed", nlohmann::json::array()))
    failed.push_back({answer.at(0), answer.at(1), answer.at(2), answer.at(3)});
  return {.command = json.at("command"),
          .step = json.at("step"),
          .seed = json.at("seed"),
          .threads = json.at("threads"),
          .dtype = json.at("dtype"),
          .position = {json.at("epoch"), json.at("document")},
          .data_fingerprint = json.at("data_fingerprint"),
          .tokens = json.at("tokens"),
          .answer_tokens = json.value("answer_tokens", std::int64_t{0}),  // older checkpoints lack it
          .skipped_steps = json.at("skipped_steps"),
          .seconds = json.at("seconds"),
          .weights_version = json.at("weights_version"),
          .works = json.value("works", std::int64_t{-1}),
          .outcomes = std::move(outcomes),
          .failed = std::move(failed)};
}

void fsync_tree(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory())
      fsync_tree(entry.path());
    else if (entry.is_regular_file())
      fsync_file(entry.path());
  }
  fsync_folder(folder);
}

}  // namespace

Checkpoints::Checkpoints(const fs::path& run_folder, int keep) : folder_(run_folder / "checkpoints"), keep_(keep) {
  fs::create_directories(folder_);
  for (const auto& entry : fs::directory_iterator(folder_))  // left by a killed writer; the run's lock is ours
    if (entry.path().filename().string().rfind(kTemporaryPrefix, 0) == 0) fs::remove_all(entry.path());
}

std::vector<fs::path> Checkpoints::all() const {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder_))
    if (entry.path().filename().string().rfind(kPrefix, 0) == 0) found.push_back(entry.path());
  // By number: names are padded to six digits, and longer numbers are later ones.
  std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) {
    const std::string x = a.filename().string(), y = b.filename().string();
    return x.size() != y.size() ? x.size() < y.size() : x < y;
  });
  return found;
}

std::optional<fs::path> Checkpoints::newest() const {
  const auto found = all();
  return found.empty() ? std::nullopt : std::optional(found.back());
}

void Checkpoints::save(const RunState& state, const Trainable& trainable, const policy::LoadedModel& source,
                       const std::function<void()>& may_rename) const {
  const std::vector<policy::NamedTensor> moments = trainable.moments();
  std::uint64_t needed = 64 << 20;
  for (const policy::NamedTensor& weight : trainable.model().parameters())
    needed += sizeof(float) * static_cast<std::uint64_t>(weight.tensor.numel());
  for (const policy::NamedTensor& master : trainable.masters())
    needed += 2 * sizeof(float) * static_cast<std::uint64_t>(master.tensor.numel());
  const std::uint64_t available = free_disk_bytes(folder_);
  if (available < needed)
    throw Error(
        "a checkpoint takes " + std::to_string(needed >> 20) + " MiB, the disk has " + std::to_string(available >> 20),
        folder_.string(), "free some space; older checkpoints are kept", Error::Kind::kEnvironment);

  char name[32];
  std::snprintf(name, sizeof name, "%s%06lld", kPrefix, static_cast<long long>(state.step));
  const fs::path final_path = folder_ / name, temporary = folder_ / (kTemporaryPrefix + std::string(name));
  if (fs::exists(final_path)) return;  // a deterministic run would write the same
  fs::remove_all(temporary);
  fs::create_directories(temporary);
  policy::export_model(temporary / "model", source.config, trainable.weights(), source, "float32");
  if (trainable.has_adapters())
    policy::write_adapters(temporary / "adapter", trainable.adapters(), source.path.string());
  policy::write_weights(temporary / "optimizer.safetensors", moments, "float32");
  nlohmann::json json = to_json(state);
  json["optimizer_steps"] = trainable.optimizer_steps();
  write_file_atomically(temporary / "state.json", json.dump(1) + "\n");
  fsync_tree(temporary);
  if (may_rename) may_rename();
  fs::rename(temporary, final_path);
  fsync_folder(folder_);

  auto found = all();
  for (std::size_t i = 0; i + static_cast<std::size_t>(keep_) < found.size(); ++i) fs::remove_all(found[i]);
}

RunState Checkpoints::load(const fs::path& checkpoint, Trainable& trainable) const {
  const auto json = nlohmann::json::parse(read_file(checkpoint / "state.json"), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("format"))
    throw Error("not the state of a checkpoint", (checkpoint / "state.json").string(),
                "remove this checkpoint; the one before it is used");
  if (json.at("format") != kCheckpointFormat)
    throw Error("the checkpoint has format " + json.at("format").dump() + ", this program reads format " +
                    std::to_string(kCheckpointFormat),
                checkpoint.string(), "resume with the version of kgtrain that wrote it");
  std::map<std::string, at::Tensor> saved;
  if (trainable.has_adapters()) {
    const policy::LoraAdapters adapters = policy::read_adapters(checkpoint / "adapter", trainable.model().config());
    for (const policy::NamedTensor& adapter : adapters.tensors) saved[adapter.name] = adapter.tensor;
  } else {
    for (const policy::NamedTensor& weight : policy::read_weights(checkpoint / "model" / "model.safetensors"))
      saved[weight.name] = weight.tensor;
  }
  {
    const at::NoGradGuard no_grad;
    for (const policy::NamedTensor& master : trainable.masters()) {
      const auto found = saved.find(master.name);
      if (found == saved.end() || !found->second.sizes().equals(master.tensor.sizes()))
        throw Error("the checkpoint lacks " + master.name + " in the shape of the model", checkpoint.string(),
                    "resume with the model that the run began with");
      at::Tensor into = master.tensor;
      into.copy_(found->second);
    }
  }
  trainable.restore_moments(policy::read_weights(checkpoint / "optimizer.safetensors"), json.at("optimizer_steps"));
  trainable.refresh();
  return state_from_json(json);
}

}  // namespace kg::trainer
