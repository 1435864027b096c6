#include "policy/packed_matrix.h"

#include <ATen/Parallel.h>
#include <c10/util/BFloat16.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/check.h"
#include "base/error.h"
#include "policy/decode_kernels.h"

namespace kg::policy {
namespace {

// Large pages: a step walks through all weights, half a gigabyte, and would otherwise miss the TLB at every other row.
std::shared_ptr<char[]> large_buffer(std::int64_t bytes) {
  constexpr std::size_t kPage = std::size_t{1} << 21;
  const std::size_t size = (static_cast<std::size_t>(bytes) + kPage - 1) / kPage * kPage;
  auto* p = static_cast<char*>(std::aligned_alloc(kPage, size));
  if (p == nullptr)
    throw Error("no memory for " + std::to_string(size >> 20) + " MiB of weights", "generator", "use a smaller model",
                Error::Kind::kEnvironment);
  ::madvise(p, size, MADV_HUGEPAGE);
  return std::shared_ptr<char[]>(p, [](char* q) { std::free(q); });
}

std::uint32_t bits_of(float value) { return static_cast<c10::BFloat16>(value).x; }

}  // namespace

PackedMatrix::PackedMatrix(const std::vector<at::Tensor>& parts, bool bfloat16) : bfloat16_(bfloat16) {
  const std::int64_t panel = decode_kernels().panel;
  k_ = parts.front().size(1);
  std::vector<const float*> rows;  // one for each column of the product
  for (const at::Tensor& part : parts) {
    KG_CHECK_EQ(part.size(1), k_);
    columns_ += part.size(0);
    for (std::int64_t n = 0; n < part.size(0); ++n) rows.push_back(part.const_data_ptr<float>() + n * k_);
  }
  const std::int64_t panels = (columns_ + panel - 1) / panel, words = panel * (bfloat16 ? (k_ + 1) / 2 : k_);
  panels_ = large_buffer(panels * words * 4);
  at::parallel_for(0, panels, /*grain_size=*/8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) {
      const std::int64_t width = std::min(panel, columns_ - p * panel);
      char* to = panels_.get() + p * words * 4;
      if (width < panel) std::memset(to, 0, static_cast<std::size_t>(words * 4));
      if (bfloat16) {
        auto* word = reinterpret_cast<std::uint32_t*>(to);
        for (std::int64_t i = 0; i < k_; i += 2, word += panel)
          for (std::int64_t c = 0; c < width; ++c) {
            const float* row = rows[static_cast<std::size_t>(p * panel + c)];
            word[c] = bits_of(row[i]) | (i + 1 < k_ ? bits_of(row[i + 1]) << 16 : 0);
          }
      } else {
        auto* value = reinterpret_cast<float*>(to);
        for (std::int64_t i = 0; i < k_; ++i, value += panel)
          for (std::int64_t c = 0; c < width; ++c) value[c] = rows[static_cast<std::size_t>(p * panel + c)][i];
      }
    }
  });
}

void PackedMatrix::apply(DecodeTeam& team, const float* x, int rows, float* y, bool accumulate) const {
  const DecodeKernels& kernels = decode_kernels();
  const std::int64_t panel = kernels.panel, panels = (columns_ + panel - 1) / panel;
  const std::int64_t words = panel * (bfloat16_ ? (k_ + 1) / 2 : k_);
  const auto multiply = [&]<typename Word>(auto kernel, const Word* all) {
    // Several panels a chunk, so that the next one can be fetched while one is used; several chunks a thread, so that a
    // thread that was set aside costs little.
    const std::int64_t in_chunk = std::max<std::int64_t>(1, std::min<std::int64_t>(16, panels / (team.threads() * 3)));
    team.run(static_cast<int>((panels + in_chunk - 1) / in_chunk), [&](int chunk, int) {
      const std::int64_t end = std::min(panels, (chunk + 1) * in_chunk);
      for (std::int64_t p = chunk * in_chunk; p < end; ++p)
        kernel(x, k_, rows, static_cast<int>(k_), all + p * words, p + 1 < end ? all + (p + 1) * words : nullptr,
               y + p * panel, columns_, static_cast<int>(std::min(panel, columns_ - p * panel)), accumulate);
    });
  };
  if (bfloat16_)
    multiply(kernels.multiply_panel_bfloat16, reinterpret_cast<const std::uint32_t*>(panels_.get()));
  else
    multiply(kernels.multiply_panel, reinterpret_cast<const float*>(panels_.get()));
}

void PackedMatrix::copy_row(std::int64_t column, float* out) const {
  const std::int64_t panel = decode_kernels().panel, words = panel * (bfloat16_ ? (k_ + 1) / 2 : k_);
  const char* from = panels_.get() + (column / panel * words + column % panel) * 4;
  for (std::int64_t i = 0; i < k_; ++i) {
    if (!bfloat16_) {
      std::memcpy(out + i, from + i * panel * 4, 4);
      continue;
    }
    std::uint32_t word = 0;
    std::memcpy(&word, from + i / 2 * panel * 4, 4);
    word = i % 2 == 0 ? word << 16 : word & 0xffff0000u;
    std::memcpy(out + i, &word, 4);
  }
}

}  // namespace kg::policy
