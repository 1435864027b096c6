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

// One token to run through the model: the one at `position` of `sequence`, whose blocks already reach that far. Tokens
// of one sequence in a step come in ascending order (a prompt, or a part of it).
struct DecodeRow {
  const KvSequence* sequence;
  std::int32_t token;
  int position;
  bool wants_logits;
};

// All weights of one policy version as one backend lays them out. Immutable.
struct GenerationWeights {
  virtual ~GenerationWeights() = default;
};

// Where and how the forward pass of generation is computed: rows of many sequences at once, without autograd.
class GenerationBackend {
 public:
  virtual ~GenerationBackend() = default;

  virtual const ModelConfig& config() const = 0;
  virtual DecodeTeam& team() = 0;  // threads of the CPU, also those that draw tokens
  virtual KvBlocks& cache() = 0;
  // Logits (number of rows that want them, V) on the CPU, in the order of the rows; valid until the next call.
  virtual const float* forward(const GenerationWeights& weights, const std::vector<DecodeRow>& rows) = 0;
};

struct BackendOptions {
  std::string device = "cpu";      // policy/device.h
  std::string dtype = "float32";   // of the weights to come; on a CPU keys and values are bfloat16 unless it is float32
  int threads = 1;                 // of the CPU
  std::size_t kv_cache_bytes = 0;  // at least a block is there
};

// The CPU's own loops (policy/decode_model.h), or LibTorch's operations on another device (policy/tensor_decode.h).
std::unique_ptr<GenerationBackend> open_backend(const ModelConfig& config, const BackendOptions& options);

// The type that "auto" means on a device; any other name as it is: bfloat16 where it is multiplied as such, on devices
// and CPUs with AVX-512 BF16. Other CPUs multiply in float32 whatever the weights are.
std::string sampling_dtype(const std::string& asked, const std::string& device);

// Weights, fp32 on the CPU with Hugging Face's names, for open_backend() with the same device. `dtype`: float32 or
// bfloat16; on a CPU also int8. Throws Error naming a weight that is absent or of another shape.
std::shared_ptr<const GenerationWeights> pack_weights(const ModelConfig& config,
                                                      const std::vector<NamedTensor>& weights,
                                                      const std::string& device, const std::string& dtype);

}  // namespace kg::policy
