#include "policy/decode_weights.h"

#include <ATen/core/Tensor.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <unordered_map>

#include "base/check.h"
#include "base/error.h"

namespace kg::policy {
namespace {

// Large pages: a step walks through all weights, half a gigabyte, and would otherwise miss the TLB at every other row.
std::shared_ptr<float[]> large_buffer(std::int64_t floats) {
  constexpr std::size_t kPage = std::size_t{1} << 21;
  const std::size_t bytes = (static_cast<std::size_t>(floats) * sizeof(float) + kPage - 1) / kPage * kPage;
  auto* p = static_cast<float*>(std::aligned_alloc(kPage, bytes));
  if (p == nullptr)
    throw Error("no memory for " + std::to_string(bytes >> 20) + " MiB of weights", "generator", "use a smaller model",
                Error::Kind::kEnvironment);
  ::madvise(p, bytes, MADV_HUGEPAGE);
  return std::shared_ptr<float[]>(p, [](float* q) { std::free(q); });
}

float round_to_bfloat16(float value) { return static_cast<float>(static_cast<c10::BFloat16>(value)); }

class Source {
 public:
  explicit Source(const std::vector<NamedTensor>& weights) {
    for (const NamedTensor& w : weights) by_name_[w.name] = &w.tensor;
  }
  at::Tensor get(const std::string& name, std::vector<std::int64_t> shape) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) throw Error("the weights lack " + name, "generator", "export the model again");
    if (!found->second->sizes().equals(shape)) {
      std::ostringstream message;
      message << "weight " << name << " has shape " << found->second->sizes() << ", the model's configuration wants "
              << at::IntArrayRef(shape);
      throw Error(message.str(), "generator", "config.json and weights must belong together");
    }
    return found->second->detach().to(at::kCPU, at::kFloat).contiguous();
  }
  bool has(const std::string& name) const { return by_name_.count(name) != 0; }

 private:
  std::unordered_map<std::string, const at::Tensor*> by_name_;
};

std::vector<float> to_vector(const at::Tensor& t) {
  const float* p = t.const_data_ptr<float>();
  return std::vector<float>(p, p + t.numel());
}

}  // namespace

PackedMatrix::PackedMatrix(const std::vector<at::Tensor>& parts, bool bfloat16) {
  const int panel = decode_kernels().panel;
  k_ = parts.front().size(1);
  for (const at::Tensor& part : parts) {
    KG_CHECK_EQ(part.size(1), k_);
    columns_ += part.size(0);
  }
  const std::int64_t panels = (columns_ + panel - 1) / panel;
  panels_ = large_buffer(panels * panel * k_);
  std::memset(panels_.get() + (panels - 1) * panel * k_, 0, static_cast<std::size_t>(panel * k_) * sizeof(float));
  std::vector<const float*> rows;  // one for each column of the product
  for (const at::Tensor& part : parts)
    for (std::int64_t n = 0; n < part.size(0); ++n) rows.push_back(part.const_data_ptr<float>() + n * k_);
  for (std::int64_t p = 0; p < panels; ++p) {
    float* to = panels_.get() + p * panel * k_;
    const std::int64_t width = std::min<std::int64_t>(panel, columns_ - p * panel);
    for (std::int64_t i = 0; i < k_; ++i, to += panel)
      for (std::int64_t c = 0; c < width; ++c) {
        const float value = rows[p * panel + c][i];
        to[c] = bfloat16 ? round_to_bfloat16(value) : value;
      }
  }
}

void PackedMatrix::apply(DecodeTeam& team, const float* x, int rows, float* y, bool accumulate) const {
  const DecodeKernels& kernels = decode_kernels();
  const std::int64_t panel = kernels.panel, panels = (columns_ + panel - 1) / panel, size = panel * k_;
  // Several panels a chunk, so that the next one can be fetched while one is used; several chunks a thread, so that a
  // thread that was set aside costs little.
  const std::int64_t in_chunk = std::max<std::int64_t>(1, std::min<std::int64_t>(16, panels / (team.threads() * 3)));
  team.run(static_cast<int>((panels + in_chunk - 1) / in_chunk), [&](int chunk, int) {
    const std::int64_t end = std::min(panels, (chunk + 1) * in_chunk);
    for (std::int64_t p = chunk * in_chunk; p < end; ++p) {
      const float* weights = panels_.get() + p * size;
      kernels.multiply_panel(x, k_, rows, static_cast<int>(k_), weights, p + 1 < end ? weights + size : nullptr,
                             y + p * panel, columns_, static_cast<int>(std::min(panel, columns_ - p * panel)),
                             accumulate);
    }
  });
}

void PackedMatrix::copy_row(std::int64_t column, float* out) const {
  const int panel = decode_kernels().panel;
  const float* from = panels_.get() + column / panel * panel * k_ + column % panel;
  for (std::int64_t i = 0; i < k_; ++i) out[i] = from[i * panel];
}

std::shared_ptr<const DecodeWeights> DecodeWeights::pack(const ModelConfig& c, const std::vector<NamedTensor>& weights,
                                                         const std::string& dtype) {
  const Source source(weights);
  const bool bf16 = dtype == "bfloat16";
  auto packed = std::make_shared<DecodeWeights>();
  const std::int64_t q = c.heads * c.head_size, kv = c.kv_heads * c.head_size;
  for (std::int64_t l = 0; l < c.layers; ++l) {
    const std::string at = "model.layers." + std::to_string(l) + ".";
    const auto get = [&](const char* name, std::vector<std::int64_t> shape) { return source.get(at + name, shape); };
    packed->layers.push_back({
        .attention_norm = to_vector(get("input_layernorm.weight", {c.width})),
        .ffn_norm = to_vector(get("post_attention_layernorm.weight", {c.width})),
        .qkv =
            PackedMatrix({get("self_attn.q_proj.weight", {q, c.width}), get("self_attn.k_proj.weight", {kv, c.width}),
                          get("self_attn.v_proj.weight", {kv, c.width})},
                         bf16),
        .output = PackedMatrix({get("self_attn.o_proj.weight", {c.width, q})}, bf16),
        .gate_up = PackedMatrix(
            {get("mlp.gate_proj.weight", {c.ffn_width, c.width}), get("mlp.up_proj.weight", {c.ffn_width, c.width})},
            bf16),
        .down = PackedMatrix({get("mlp.down_proj.weight", {c.width, c.ffn_width})}, bf16),
    });
  }
  packed->final_norm = to_vector(source.get("model.norm.weight", {c.width}));
  const at::Tensor embedding = source.get("model.embed_tokens.weight", {c.vocabulary, c.width});
  if (c.tied_embedding) {
    packed->head = PackedMatrix({embedding}, bf16);
  } else {
    packed->embedding = PackedMatrix({embedding}, bf16);
    packed->head = PackedMatrix({source.get("lm_head.weight", {c.vocabulary, c.width})}, bf16);
  }
  return packed;
}

}  // namespace kg::policy
