#include "policy/generation/packed_matrix.h"

#include <ATen/Parallel.h>
#include <c10/util/BFloat16.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/check.h"
#include "base/error.h"
#include "policy/generation/decode_kernels.h"

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

// Each of these fills one panel with `rows`, as described in policy/decode_kernels.h, and columns beyond them with 0.
using Rows = std::vector<const float*>;

void fill_float32(const Rows& rows, std::int64_t k, std::int64_t panel, char* to) {
  auto* value = reinterpret_cast<float*>(to);
  for (std::int64_t i = 0; i < k; ++i, value += panel)
    for (std::size_t c = 0; c < rows.size(); ++c) value[c] = rows[c][i];
}

void fill_bfloat16(const Rows& rows, std::int64_t k, std::int64_t panel, char* to) {
  auto* word = reinterpret_cast<std::uint32_t*>(to);
  for (std::int64_t i = 0; i < k; i += 2, word += panel)
    for (std::size_t c = 0; c < rows.size(); ++c)
      word[c] = bits_of(rows[c][i]) | (i + 1 < k ? bits_of(rows[c][i + 1]) << 16 : 0);
}

void fill_int8(const Rows& rows, std::int64_t k, std::int64_t panel, char* to) {
  auto* word = reinterpret_cast<std::uint32_t*>(to);
  for (std::int64_t begin = 0; begin < k; begin += kInt8Run) {
    const std::int64_t end = std::min<std::int64_t>(k, begin + kInt8Run), steps = (end - begin + 3) / 4;
    auto* scale = reinterpret_cast<float*>(word);
    for (std::size_t c = 0; c < rows.size(); ++c) {
      float largest = 0;
      for (std::int64_t i = begin; i < end; ++i) largest = std::max(largest, std::abs(rows[c][i]));
      scale[c] = largest / 127;
      const float inverse = largest > 0 ? 127 / largest : 0;
      for (std::int64_t step = 0; step < steps; ++step) {
        std::uint32_t packed = 0;
        for (std::int64_t j = 0; j < 4 && begin + 4 * step + j < end; ++j) {
          const long rounded = std::lrint(rows[c][begin + 4 * step + j] * inverse);
          packed |= static_cast<std::uint32_t>(rounded & 0xff) << (8 * j);
        }
        word[(1 + step) * panel + static_cast<std::int64_t>(c)] = packed;
      }
    }
    word += (1 + steps) * panel;
  }
}

// Rows of x as bfloat16 (DecodeKernels::round_to_bfloat16), in a buffer of this thread until its next call.
const std::uint32_t* rounded_rows(DecodeTeam& team, const float* x, int rows, std::int64_t k) {
  thread_local std::vector<std::uint32_t> words;
  const std::int64_t stride = (k + 1) / 2;
  if (words.size() < static_cast<std::size_t>(rows * stride)) words.resize(static_cast<std::size_t>(rows * stride));
  constexpr int kInChunk = 16;  // fewer rows take less time than a second thread's waking
  std::uint32_t* to = words.data();
  team.run((rows + kInChunk - 1) / kInChunk, [&](int chunk, int) {
    for (int r = chunk * kInChunk; r < std::min(rows, (chunk + 1) * kInChunk); ++r)
      decode_kernels().round_to_bfloat16(x + r * k, static_cast<int>(k), to + r * stride);
  });
  return to;
}

}  // namespace

HeldAs held_as(const std::string& dtype) {
  if (dtype == "float32") return HeldAs::kFloat32;
  if (dtype == "bfloat16") return HeldAs::kBFloat16;
  KG_CHECK_EQ(dtype, "int8");
  return HeldAs::kInt8;
}

std::int64_t PackedMatrix::panel_words() const {
  const std::int64_t panel = decode_kernels().panel;
  switch (held_) {
    case HeldAs::kFloat32:
      return panel * k_;
    case HeldAs::kBFloat16:
      return panel * ((k_ + 1) / 2);
    case HeldAs::kInt8:
      return panel * ((k_ + kInt8Run - 1) / kInt8Run + (k_ + 3) / 4);
  }
  return 0;
}

PackedMatrix::PackedMatrix(const std::vector<at::Tensor>& parts, HeldAs held) : held_(held) {
  const std::int64_t panel = decode_kernels().panel;
  k_ = parts.front().size(1);
  Rows rows;  // one for each column of the product
  for (const at::Tensor& part : parts) {
    KG_CHECK_EQ(part.size(1), k_);
    columns_ += part.size(0);
    for (std::int64_t n = 0; n < part.size(0); ++n) rows.push_back(part.const_data_ptr<float>() + n * k_);
  }
  const auto fill = held == HeldAs::kFloat32 ? fill_float32 : held == HeldAs::kBFloat16 ? fill_bfloat16 : fill_int8;
  const std::int64_t panels = (columns_ + panel - 1) / panel, words = panel_words();
  panels_ = large_buffer(panels * words * 4);
  at::parallel_for(0, panels, /*grain_size=*/8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) {
      const auto first = rows.begin() + p * panel, last = rows.begin() + std::min(columns_, (p + 1) * panel);
      char* to = panels_.get() + p * words * 4;
      if (last - first < panel) std::memset(to, 0, static_cast<std::size_t>(words * 4));
      fill({first, last}, k_, panel, to);
    }
  });
}

void PackedMatrix::apply(DecodeTeam& team, const float* x, int rows, float* y, bool accumulate) const {
  const DecodeKernels& kernels = decode_kernels();
  const std::int64_t panel = kernels.panel, panels = (columns_ + panel - 1) / panel, words = panel_words();
  const auto multiply = [&](auto kernel, const auto* x, std::int64_t x_stride, const auto* all) {
    // Several panels a chunk, so that the next one is prefetched while one is used; several chunks a thread, so that a
    // descheduled thread costs little.
    const std::int64_t in_chunk = std::max<std::int64_t>(1, std::min<std::int64_t>(16, panels / (team.threads() * 3)));
    team.run(static_cast<int>((panels + in_chunk - 1) / in_chunk), [&](int chunk, int) {
      const std::int64_t end = std::min(panels, (chunk + 1) * in_chunk);
      for (std::int64_t p = chunk * in_chunk; p < end; ++p)
        kernel(x, x_stride, rows, static_cast<int>(k_), all + p * words, p + 1 < end ? all + (p + 1) * words : nullptr,
               y + p * panel, columns_, static_cast<int>(std::min(panel, columns_ - p * panel)), accumulate);
    });
  };
  const auto* packed = reinterpret_cast<const std::uint32_t*>(panels_.get());
  if (held_ == HeldAs::kFloat32) {
    multiply(kernels.multiply_panel, x, k_, reinterpret_cast<const float*>(panels_.get()));
  } else if (held_ == HeldAs::kInt8) {
    multiply(kernels.multiply_panel_int8, x, k_, packed);
  } else if (kernels.multiply_panel_rounded == nullptr) {
    multiply(kernels.multiply_panel_bfloat16, x, k_, packed);
  } else {
    multiply(kernels.multiply_panel_rounded, rounded_rows(team, x, rows, k_), (k_ + 1) / 2, packed);
  }
}

void PackedMatrix::copy_row(std::int64_t column, float* out) const {
  const std::int64_t panel = decode_kernels().panel;
  const char* from = panels_.get() + (column / panel * panel_words() + column % panel) * 4;  // in the panel's first row
  const auto word = [&](std::int64_t row) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, from + row * panel * 4, 4);
    return bits;
  };
  for (std::int64_t i = 0; i < k_; ++i) {
    if (held_ == HeldAs::kFloat32) {
      out[i] = std::bit_cast<float>(word(i));
    } else if (held_ == HeldAs::kBFloat16) {
      out[i] = std::bit_cast<float>(i % 2 == 0 ? word(i / 2) << 16 : word(i / 2) & 0xffff0000u);
    } else {
      const std::int64_t run = i / kInt8Run, scale_row = run * (1 + kInt8Run / 4), step = i % kInt8Run;
      const auto weight = static_cast<std::int8_t>(word(scale_row + 1 + step / 4) >> (8 * (step % 4)));
      out[i] = std::bit_cast<float>(word(scale_row)) * static_cast<float>(weight);
    }
  }
}

}  // namespace kg::policy
