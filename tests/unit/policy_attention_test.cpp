// Attention of packed segments against the whole matrix of scores in fp64 by ATen's operations, with autograd's
// gradients.
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/einsum.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "policy/model/attention.h"
#include "tests/support/relative_error.h"

namespace kg::policy {
namespace {

// query (T, H, D), key, value (T, K, D) in fp64
at::Tensor plain_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                           const std::vector<Segment>& segments) {
  const std::int64_t tokens = query.size(0), group = query.size(1) / key.size(1);
  const at::Tensor seen = at::zeros({tokens, tokens}, at::kBool);
  for (const Segment& s : segments) {
    const std::int64_t size = s.end - s.begin;
    seen.slice(0, s.begin, s.end).slice(1, s.begin, s.end).copy_(at::ones({size, size}, at::kBool).tril());
    if (s.prompt < 0) continue;
    const Segment& prompt = segments[static_cast<std::size_t>(s.prompt)];
    seen.slice(0, s.begin, s.end).slice(1, prompt.begin, prompt.end).fill_(true);
  }
  const at::Tensor scores = at::einsum("thd,shd->hts", {query, key.repeat_interleave(group, 1)}) /
                            std::sqrt(static_cast<double>(query.size(2)));
  const at::Tensor weights = at::softmax(scores.masked_fill(seen.logical_not(), -INFINITY), -1);
  return at::einsum("hts,shd->thd", {weights, value.repeat_interleave(group, 1)});
}

struct Shape {
  const char* name;
  std::int64_t heads, shared, width;
  std::vector<std::int64_t> documents;  // tokens
  std::vector<std::int64_t> answers;    // to the last document
};

void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

class Attention : public testing::TestWithParam<std::tuple<at::ScalarType, Shape>> {};

TEST_P(Attention, IsTheWholeMatrixOfScoresAndSoAreItsGradients) {
  const auto& [type, shape] = GetParam();
  std::vector<Segment> segments;
  std::int64_t tokens = 0;
  for (const std::int64_t size : shape.documents) {
    segments.push_back({tokens, tokens + size});
    tokens += size;
  }
  const auto prompt = static_cast<std::int64_t>(segments.size()) - 1;
  for (const std::int64_t size : shape.answers) {
    segments.push_back({tokens, tokens + size, prompt});
    tokens += size;
  }
  at::manual_seed(4);
  std::vector<at::Tensor> given, wide;
  for (const std::int64_t heads : {shape.heads, shape.shared, shape.shared}) {
    given.push_back((at::randn({tokens, heads, shape.width}) * 2).to(type).requires_grad_(true));
    wide.push_back(given.back().detach().to(at::kDouble).requires_grad_(true));
  }
  const at::Tensor result = CausalAttention(segments, given[0].device())(given[0], given[1], given[2]);
  const at::Tensor wanted = plain_attention(wide[0], wide[1], wide[2], segments);
  const at::Tensor upstream = at::randn(result.sizes()).to(type);
  result.backward(upstream);
  wanted.backward(upstream.to(at::kDouble));
  EXPECT_EQ(result.scalar_type(), type);
  // Rounding a result to bf16 alone makes 1.7e-3; gradients come from rounded results.
  EXPECT_LT(relative_error(result, wanted), type == at::kFloat ? 1e-6 : 2.5e-3);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_LT(relative_error(given[i].grad(), wide[i].grad()), type == at::kFloat ? 2e-6 : 6e-3) << "qkv"[i];
}

const Shape kShapes[] = {
    {"AroundATile", 4, 2, 16, {1, 63, 64, 65, 128}, {}},
    {"ManyPieces", 6, 2, 64, {700, 300}, {}},
    {"HeadsOfTheirOwn", 3, 3, 20, {130}, {}},
    {"AnswersToAPrompt", 9, 3, 64, {20, 100}, {1, 64, 150, 37}},
    {"AnswersToALongPrompt", 2, 1, 32, {600}, {5, 90}},
};
INSTANTIATE_TEST_SUITE_P(Shapes, Attention,
                         testing::Combine(testing::Values(at::kFloat, at::kBFloat16), testing::ValuesIn(kShapes)),
                         [](const auto& of) {
                           return std::string(std::get<1>(of.param).name) + toString(std::get<0>(of.param));
                         });

TEST(AttentionInBfloat16, ErrsAsPyTorchsOwnWithinATenth) {
  at::manual_seed(6);
  const std::int64_t tokens = 500;
  std::vector<at::Tensor> ours, theirs, wide;
  for (int i = 0; i < 3; ++i) {
    ours.push_back((at::randn({tokens, 4, 64}) * 2).to(at::kBFloat16).requires_grad_(true));
    theirs.push_back(ours.back().detach().transpose(0, 1).unsqueeze(0).clone().requires_grad_(true));  // (1, H, T, D)
    wide.push_back(ours.back().detach().to(at::kDouble).requires_grad_(true));
  }
  const std::vector<Segment> document{{0, tokens}};
  const at::Tensor upstream = at::randn({tokens, 4, 64}).to(at::kBFloat16);
  CausalAttention(document, ours[0].device())(ours[0], ours[1], ours[2]).backward(upstream);
  at::scaled_dot_product_attention(theirs[0], theirs[1], theirs[2], /*attn_mask=*/{}, /*dropout_p=*/0.0,
                                   /*is_causal=*/true)
      .backward(upstream.transpose(0, 1).unsqueeze(0));
  plain_attention(wide[0], wide[1], wide[2], document).backward(upstream.to(at::kDouble));
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_LE(relative_error(ours[i].grad(), wide[i].grad()),
              1.1 * relative_error(theirs[i].grad().squeeze(0).transpose(0, 1), wide[i].grad()))
        << "qkv"[i];
}

TEST(AttentionThreads, DoNotShowInTheBits) {
  at::manual_seed(5);
  const std::vector<Segment> segments{{0, 150}, {150, 180}, {180, 300, 1}, {300, 333, 1}};
  std::vector<at::Tensor> given;
  for (const std::int64_t heads : {6, 2, 2}) given.push_back(at::randn({333, heads, 32}).to(at::kBFloat16));
  std::vector<at::Tensor> first;
  const int threads = at::get_num_threads();
  for (const int count : {1, 2, 5}) {
    at::set_num_threads(count);
    std::vector<at::Tensor> in;
    for (const at::Tensor& x : given) in.push_back(x.clone().requires_grad_(true));
    const at::Tensor result = CausalAttention(segments, in[0].device())(in[0], in[1], in[2]);
    result.backward(result.detach());
    const std::vector<at::Tensor> made{result.detach(), in[0].grad(), in[1].grad(), in[2].grad()};
    if (first.empty()) first = made;
    for (std::size_t i = 0; i < made.size(); ++i) EXPECT_TRUE(made[i].equal(first[i])) << i << " by " << count;
  }
  at::set_num_threads(threads);
}

TEST(AttentionOfBrokenInputs, NotANumberStaysNotANumber) {
  const std::vector<Segment> segments{{0, 100}, {100, 140}};
  at::Tensor q = at::randn({140, 2, 16}), k = at::randn({140, 1, 16}), v = at::randn({140, 1, 16});
  k[70][0][3] = std::numeric_limits<float>::quiet_NaN();
  const at::Tensor broken = CausalAttention(segments, q.device())(q, k, v).isnan().all(-1).all(-1);  // (T)
  EXPECT_FALSE(broken.slice(0, 0, 70).any().item<bool>());
  EXPECT_TRUE(broken.slice(0, 70, 100).all().item<bool>());
  EXPECT_FALSE(broken.slice(0, 100).any().item<bool>());
}

}  // namespace
}  // namespace kg::policy
