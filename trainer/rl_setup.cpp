#include "trainer/rl_setup.h"

#include "base/error.h"
#include "dataset/store/dataset.h"
#include "evaluation/provenance.h"
#include "policy/model/device.h"
#include "proto/language.h"
#include "reward/judge_version.h"
#include "reward/reward_config.h"
#include "trainer/external_generator.h"
#include "trainer/rl_objective.h"
#include "trainer/run_identity.h"
#include "trainer/sampling.h"

namespace kg::trainer {

namespace {

// Before a run is made, checks that workers on other hosts can reach it.
void refuse_unreachable(const RlOptions& options, const RunRequest& request) {
  if (options.bind.empty()) return;
  if (!options.bind.starts_with("tcp://") || options.bind.rfind(':') <= 5)
    throw Error("--bind got \"" + options.bind + "\", wanted tcp://ADDRESS:PORT", "kgtrain rl",
                "for example --bind tcp://0.0.0.0:5555");
  const fs::path keys = options.keys.empty() ? request.folder / "keys" : fs::path(options.keys);
  if (!fs::exists(keys / "server.pub"))
    throw Error("workers on other hosts need CURVE keys, and this folder has none", keys.string(),
                "kgtrain-worker keys --out " + keys.string() + " makes them");
}

// A factor of 1 or less would stop either every run or none.
void refuse_small_factors(const RlOptions& options) {
  const std::pair<const char*, double> factors[] = {{"--stop-entropy", options.stop_entropy},
                                                    {"--stop-length", options.stop_length},
                                                    {"--stop-growth", options.stop_growth}};
  for (const auto& [name, factor] : factors)
    if (factor > 0 && factor <= 1)
      throw Error(std::string(name) + " got " + nlohmann::json(factor).dump() + ", wanted a factor above 1",
                  "kgtrain rl", "for instance 10; 0 never stops the run");
}

}  // namespace

void settle_rl(RlOptions& options, RunRequest& request) {
  if (options.deterministic && options.staleness > 0)
    throw Error("--deterministic needs --staleness 0, got " + std::to_string(options.staleness),
                "--deterministic --staleness " + std::to_string(options.staleness), "leave out one of the two");
  refuse_other_grammar(options, options.language);
  refuse_small_factors(options);
  refuse_unreachable(options, request);
  const bool corrects = objective_of(options).loss.correction != Correction::kNone;
  if (options.sampling_dtype == "int8" && !corrects)
    throw Error("8-bit weights sample from a different distribution than the trained one", "--sampling-dtype int8",
                "set --importance-cap, for instance to 2, and a --correction other than none");
  if (options.staleness > 0 && !corrects)
    throw Error("rollouts of older weights come from a different distribution than the trained one",
                "--staleness " + std::to_string(options.staleness) +
                    (options.importance_cap == 0 ? " with --importance-cap 0" : " with --correction none"),
                "--correction token with an --importance-cap, for instance 2, or --staleness 0");
  if (options.sync_every - 1 > options.staleness)
    throw Error(
        "rollouts would be older than the staleness allows: weights are sent every " +
            std::to_string(options.sync_every) + " updates",
        "--sync-every " + std::to_string(options.sync_every) + " --staleness " + std::to_string(options.staleness),
        "--staleness " + std::to_string(options.sync_every - 1) + " or more, or a smaller --sync-every");
  require_trainable(options, options);
  settle(request, options, options.model);
  if (options.sampling_device != "same" && options.generator.empty()) policy::open_device(options.sampling_device);
  if (options.data.empty()) options.data = evaluation::training_data_of(request.model).string();
  request.data = fs::absolute(dataset::find_dataset(options.data.empty() ? "ascend_cot.h5" : options.data));
  options.data = request.data.string();
  if (dataset::Dataset::open(request.data, dataset::OpenMode::kRead)->task_ids(options.split).empty())
    throw Error("no task of split " + options.split, request.data.string(), "kgtrain data info shows what there is");
}

nlohmann::json rl_config(const RlOptions& options, const RunRequest& request) {
  nlohmann::json config = config_of(request);
  config["options"]["staleness"] = options.staleness;
  config.update({{"reward", reward::to_json(reward::reward_preset(options.reward))},
                 {"judge_version", reward::judge_version()},
                 {"language", options.language},
                 {"model_hash", model_hash(request.model)},
                 {"rollouts_per_update", options.groups_per_step * options.group_size},
                 {"steps", options.steps}});
  return config;
}

nlohmann::json rl_estimates(const RlOptions& options, const policy::LoadedModel& loaded) {
  double weights = 0;
  for (const policy::NamedTensor& weight : loaded.weights) weights += static_cast<double>(weight.tensor.numel());
  // Learner: master weights, two moments and gradients, and a reference model for the divergence. Generator: two
  // versions of the weights while it switches.
  return {{"memory_gigabytes", weights * (16 + 8 + (options.kl_weight > 0 ? 4 : 0)) / 1e9},
          {"disk_gigabytes", weights * 4 * (3 * (options.keep_checkpoints + 1) + 3) / 1e9},
          {"tokens_at_most", options.steps * options.groups_per_step * options.group_size * options.max_new_tokens}};
}

rollout::CoordinatorOptions rl_coordinator(const RlOptions& options, const std::string& run_id,
                                           const fs::path& run_folder) {
  return {.run = run_id,
          .run_folder = run_folder,
          .bind = options.bind,
          .keys_folder = options.keys,
          .reward = reward::reward_preset(options.reward),
          .language = proto::language_from_name(options.language),
          .lease_seconds = options.lease_seconds,
          .checks = {.rate = options.check_verdicts}};
}

rollout::LocalFleetOptions rl_fleet(const RlOptions& options, const RunRequest& request, const fs::path& run_folder) {
  std::vector<std::string> arguments{
      "--device",  options.sampling_device == "same" ? options.device : options.sampling_device,
      "--dtype",   options.sampling_dtype == "auto" ? request.dtype : options.sampling_dtype,
      "--threads", std::to_string(request.threads)};
  for (std::string& word : server_arguments(options)) arguments.push_back(std::move(word));
  return {.run_folder = run_folder,
          .model = request.model.string(),  // stays for the whole run; generators switch to newer weights
          .workers = static_cast<unsigned>(options.workers),
          .generator = options.workers > 0,
          .generator_arguments = std::move(arguments),
          .worker_arguments = {"--cases", request.data.string()}};
}

}  // namespace kg::trainer
