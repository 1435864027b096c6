#include "policy/generation/generation_backend.h"

#include "base/check.h"
#include "policy/generation/decode_kernels.h"
#include "policy/generation/decode_model.h"
#include "policy/generation/tensor_decode.h"

namespace kg::policy {
namespace {

class CpuBackend : public GenerationBackend {
 public:
  CpuBackend(const ModelConfig& config, const BackendOptions& options)
      : model_(config, options.threads),
        cache_(config, options.kv_cache_bytes,
               options.dtype == "float32" ? KvElement::kFloat32 : KvElement::kBFloat16) {}

  const ModelConfig& config() const override { return model_.config(); }
  DecodeTeam& team() override { return model_.team(); }
  KvBlocks& cache() override { return cache_; }
  const float* forward(const GenerationWeights& weights, const std::vector<DecodeRow>& rows) override {
    const auto* packed = dynamic_cast<const DecodeWeights*>(&weights);
    KG_CHECK(packed != nullptr);
    return model_.forward(*packed, cache_, rows);
  }

 private:
  DecodeModel model_;
  KvCache cache_;
};

}  // namespace

std::unique_ptr<GenerationBackend> open_backend(const ModelConfig& config, const BackendOptions& options) {
  if (options.device == "cpu") return std::make_unique<CpuBackend>(config, options);
  return std::make_unique<TensorBackend>(config, options);
}

std::string sampling_dtype(const std::string& asked, const std::string& device) {
  if (asked != "auto") return asked;
  const bool multiplied = device != "cpu" || decode_kernels().multiply_panel_rounded != nullptr;
  return multiplied ? "bfloat16" : "float32";
}

std::shared_ptr<const GenerationWeights> pack_weights(const ModelConfig& config,
                                                      const std::vector<NamedTensor>& weights,
                                                      const std::string& device, const std::string& dtype) {
  if (device == "cpu") return DecodeWeights::pack(config, weights, dtype);
  return TensorWeights::place(config, weights, device, dtype);
}

}  // namespace kg::policy
