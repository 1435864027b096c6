#include "policy/model/attention_runs.h"

#include <ATen/ops/_flash_attention_forward.h>
#include <ATen/ops/tensor.h>

#include <algorithm>

namespace kg::policy {

AttentionRuns::AttentionRuns(const std::vector<Run>& runs, at::Device device) {
  std::vector<int> query_ends{0}, key_ends{0};
  for (const Run& run : runs) {
    query_ends.push_back(query_ends.back() + static_cast<int>(run.queries));
    key_ends.push_back(key_ends.back() + static_cast<int>(run.keys));
    most_queries_ = std::max(most_queries_, run.queries);
    most_keys_ = std::max(most_keys_, run.keys);
  }
  query_ends_ = at::tensor(query_ends, at::kInt).to(device);
  key_ends_ = at::tensor(key_ends, at::kInt).to(device);
}

bool AttentionRuns::takes(const at::Tensor& query) {
  return query.is_cuda() && (query.scalar_type() == at::kBFloat16 || query.scalar_type() == at::kHalf) &&
         query.size(2) % 8 == 0 && query.size(2) <= 256;
}

at::Tensor AttentionRuns::attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const {
  return std::get<0>(at::_flash_attention_forward(query, key, value, query_ends_, key_ends_, most_queries_, most_keys_,
                                                  /*dropout_p=*/0.0, /*is_causal=*/true, /*return_debug_mask=*/false));
}

}  // namespace kg::policy
