#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policy/files/model_io.h"
#include "policy/generation/generator_engine.h"
#include "policy/generation/generator_weights.h"
#include "proto/generate.pb.h"

namespace kg::policy {

// Draws completions for a generator's peers: this program's own engine, or a third-party server. One
// thread calls it. Requests and replies are those of proto/generate.proto.
class SamplingEngine {
 public:
  // Policy weights that are now in use, or that could not be.
  struct Switched {
    proto::WeightsManifest manifest;
    std::string error;  // not empty: the earlier weights stay in use
    std::vector<WeightsLoader::Waiter> waiters;
  };

  virtual ~SamplingEngine() = default;

  virtual std::uint64_t submit(const proto::GenerateRequest& request) = 0;  // throws Error if it can never be served
  virtual void cancel(std::uint64_t handle) = 0;
  virtual bool step() = 0;  // does some of the work; false if there was nothing to do, so the caller may wait a little
  virtual std::vector<FinishedRequest> take_finished() = 0;
  virtual bool idle() const = 0;
  virtual EngineCounts counts() const = 0;

  virtual std::uint64_t policy_version() const = 0;
  // Starts to switch to these weights; of several waiting ones only the newest is used.
  virtual void want_weights(const proto::WeightsManifest& manifest, WeightsLoader::Waiter waiter) = 0;
  virtual std::optional<Switched> switch_weights() = 0;  // between steps; never waits
  virtual bool loading() const = 0;
};

// A GenerationEngine with its own loader of weights.
class LocalEngine : public SamplingEngine {
 public:
  LocalEngine(LoadedModel model, const EngineOptions& options);

  std::uint64_t submit(const proto::GenerateRequest& request) override { return engine_.submit(request); }
  void cancel(std::uint64_t handle) override { engine_.cancel(handle); }
  bool step() override { return engine_.step(); }
  std::vector<FinishedRequest> take_finished() override { return engine_.take_finished(); }
  bool idle() const override { return engine_.idle(); }
  EngineCounts counts() const override { return engine_.counts(); }
  std::uint64_t policy_version() const override { return engine_.policy_version(); }
  void want_weights(const proto::WeightsManifest& manifest, WeightsLoader::Waiter waiter) override {
    loader_.want(manifest, std::move(waiter));
  }
  std::optional<Switched> switch_weights() override;
  bool loading() const override { return loader_.busy(); }

 private:
  GenerationEngine engine_;
  WeightsLoader loader_;
};

}  // namespace kg::policy
