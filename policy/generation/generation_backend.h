#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "policy/generation/decode_team.h"
#include "policy/generation/kv_blocks.h"
#include "policy/model/model_config.h"
#include "policy/model/named_tensor.h"

namespace kg::policy {

// One token to run through the model: the one at `position` of `sequence`, whose blocks already cover it. Tokens
// of one sequence are in ascending order within a step (a prompt, or a part of it).
struct DecodeRow {
  const KvSequence* sequence;
  std::int32_t token;
  int position;
  bool wants_logits;
};

// All weights of one policy version in a backend's layout. Immutable.
struct GenerationWeights {
  virtual ~GenerationWeights() = default;
};

// Where and how generation's forward pass is computed: rows of many sequences at once, without autograd.
class GenerationBackend {
 public:
  virtual ~GenerationBackend() = default;

  virtual const ModelConfig& config() const = 0;
  virtual DecodeTeam& team() = 0;  // CPU threads, which also draw tokens
  virtual KvBlocks& cache() = 0;
  // Logits (number of rows that want them, V) on the CPU, in the order of the rows; valid until the next call.
  virtual const float* forward(const GenerationWeights& weights, const std::vector<DecodeRow>& rows) = 0;
};

struct BackendOptions {
  std::string device = "cpu";      // policy/device.h
  std::string dtype = "float32";   // type of the weights; on a CPU keys and values are bfloat16 unless it is float32
  int threads = 1;                 // CPU threads
  std::size_t kv_cache_bytes = 0;  // room for at least one block is made
};

// Our own CPU loops (policy/decode_model.h), or LibTorch's operations on another device (policy/tensor_decode.h).
std::unique_ptr<GenerationBackend> open_backend(const ModelConfig& config, const BackendOptions& options);

// Resolves "auto" for a device; other names stay: bfloat16 on devices and CPUs that multiply it natively (AVX-512
// BF16). Other CPUs multiply in float32 whatever the weights are.
std::string sampling_dtype(const std::string& asked, const std::string& device);

// Packs weights, fp32 on the CPU with Hugging Face names, for open_backend() with the same device. `dtype`: float32 or
// bfloat16; on a CPU also int8. Throws Error naming a weight that is missing or has another shape.
std::shared_ptr<const GenerationWeights> pack_weights(const ModelConfig& config,
                                                      const std::vector<NamedTensor>& weights,
                                                      const std::string& device, const std::string& dtype);

}  // namespace kg::policy
