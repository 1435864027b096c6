#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "policy/generation/decode_model.h"
#include "policy/generation/generator_engine.h"
#include "tests/support/tiny_model.h"

namespace kg::policy {
namespace {

// The model once more, one sequence, in the plainest tensor operations and in double precision.
class Reference {
 public:
  Reference(const ModelConfig& config, const std::vector<NamedTensor>& weights) : c_(config), weights_(weights) {}

  at::Tensor logits(const std::vector<std::int32_t>& ids) const {
    const at::Tensor index = at::tensor(ids).to(at::kLong);
    const std::int64_t t = index.size(0);
    at::Tensor x = get("model.embed_tokens.weight").index_select(0, index);  // (T, C)
    for (std::int64_t l = 0; l < c_.layers; ++l) {
      const std::string p = "model.layers." + std::to_string(l) + ".";
      const at::Tensor h = norm(x, p + "input_layernorm.weight");
      const at::Tensor q = rope(heads(h, p + "self_attn.q_proj.weight"));  // (H, T, D)
      const std::int64_t group = c_.heads / c_.kv_heads;
      const at::Tensor k = rope(heads(h, p + "self_attn.k_proj.weight")).repeat_interleave(group, 0);
      const at::Tensor v = heads(h, p + "self_attn.v_proj.weight").repeat_interleave(group, 0);
      at::Tensor scores = at::matmul(q, k.transpose(1, 2)) / std::sqrt(static_cast<double>(c_.head_size));  // (H, T, T)
      scores = scores.masked_fill(at::ones({t, t}, at::kBool).triu(1), -std::numeric_limits<double>::infinity());
      const at::Tensor mixed = at::matmul(scores.softmax(-1), v).transpose(0, 1).reshape({t, c_.heads * c_.head_size});
      x = x + at::matmul(mixed, get(p + "self_attn.o_proj.weight").t());
      const at::Tensor f = norm(x, p + "post_attention_layernorm.weight");
      const at::Tensor gated = at::silu(at::matmul(f, get(p + "mlp.gate_proj.weight").t())) *
                               at::matmul(f, get(p + "mlp.up_proj.weight").t());
      x = x + at::matmul(gated, get(p + "mlp.down_proj.weight").t());
    }
    const at::Tensor head = get(c_.tied_embedding ? "model.embed_tokens.weight" : "lm_head.weight");
    return at::matmul(norm(x, "model.norm.weight"), head.t());  // (T, V)
  }

 private:
  at::Tensor get(const std::string& name) const {
    for (const NamedTensor& w : weights_)
      if (w.name == name) return w.tensor.to(at::kDouble);
    ADD_FAILURE() << name;
    return {};
  }
  at::Tensor norm(const at::Tensor& x, const std::string& name) const {
    return x * (x.square().mean(-1, /*keepdim=*/true) + c_.norm_epsilon).rsqrt() * get(name);
  }
  at::Tensor heads(const at::Tensor& h, const std::string& name) const {  // (H, T, D)
    return at::matmul(h, get(name).t()).reshape({h.size(0), -1, c_.head_size}).transpose(0, 1);
  }
  at::Tensor rope(const at::Tensor& x) const {
    const std::int64_t half = c_.head_size / 2;
    const at::Tensor frequency = at::pow(c_.rope_base, -at::arange(half, at::kDouble) / half);
    const at::Tensor angle = at::outer(at::arange(x.size(1), at::kDouble), frequency);  // (T, D/2)
    const at::Tensor a = x.narrow(2, 0, half), b = x.narrow(2, half, half);
    return at::cat({a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()}, 2);
  }

  ModelConfig c_;
  const std::vector<NamedTensor>& weights_;
};

std::vector<std::int32_t> some_tokens(int n, int salt) {
  std::vector<std::int32_t> ids;
  for (int i = 0; i < n; ++i) ids.push_back((i * 37 + salt * 11) % 256);
  return ids;
}

TEST(Decode, LogitsAgreeWithThePlainModelTokenByTokenAndInChunks) {
  for (const bool tied : {true, false}) {
    const ModelConfig config = tiny_config(tied);
    const auto weights = random_weights(config, 21);
    const auto packed = DecodeWeights::pack(config, weights);
    const std::vector<std::int32_t> ids = some_tokens(70, 3);
    const at::Tensor expected = Reference(config, weights).logits(ids).to(at::kFloat);  // (T, V)
    const float largest = expected.abs().max().item<float>();
    for (const auto& [element, bound] :
         {std::pair{KvElement::kFloat32, 2e-4f}, {KvElement::kBFloat16, 0.02f * largest}}) {
      std::vector<float> first;
      for (const int chunk : {1, 13, 70}) {
        DecodeModel model(config, /*threads=*/2);
        KvCache cache(config, 16 * KvCache::block_bytes(config, element), element);
        KvSequence sequence(cache);
        std::vector<float> logits;
        for (int begin = 0; begin < 70; begin += chunk) {
          const int end = std::min(70, begin + chunk);
          sequence.extend(end - begin);
          std::vector<DecodeRow> rows;
          for (int i = begin; i < end; ++i) rows.push_back({&sequence, ids[i], i, /*wants_logits=*/true});
          const float* out = model.forward(*packed, cache, rows);
          logits.insert(logits.end(), out, out + (end - begin) * config.vocabulary);
        }
        const at::Tensor got = at::tensor(logits).reshape(expected.sizes());
        EXPECT_LT((got - expected).abs().max().item<float>(), bound) << "chunks of " << chunk;
        if (first.empty()) first = logits;
        EXPECT_TRUE(first == logits) << "chunks of " << chunk << " change the bits";
      }
    }
  }
}

// Rounded to 8-bit integers with a scale for each kInt8Run of a row.
at::Tensor rounded_to_int8(const at::Tensor& weight) {
  std::vector<at::Tensor> runs;
  for (const at::Tensor& run : weight.split(kInt8Run, 1)) {
    const at::Tensor largest = run.abs().amax(1, /*keepdim=*/true);
    runs.push_back((run * (127 / largest.clamp_min(1e-30))).round() * (largest / 127));
  }
  return at::cat(runs, 1);
}

TEST(Decode, WeightsHeldInBfloat16GiveTheBitsOfFloat32WeightsOfThoseValues) {
  const bool rounds = decode_kernels().multiply_panel_rounded != nullptr;
  const ModelConfig config = tiny_config(/*tied=*/false);
  auto weights = random_weights(config, 21);
  for (NamedTensor& w : weights) w.tensor = w.tensor.to(at::kBFloat16).to(at::kFloat);
  const std::vector<std::int32_t> ids = some_tokens(40, 3);
  std::vector<float> logits[2];
  for (const int narrow : {0, 1}) {
    const auto packed = DecodeWeights::pack(config, weights, narrow == 1 ? "bfloat16" : "float32");
    DecodeModel model(config, /*threads=*/2);
    KvCache cache(config, 16 * KvCache::block_bytes(config));
    KvSequence sequence(cache);
    sequence.extend(40);
    std::vector<DecodeRow> rows;
    for (int i = 0; i < 40; ++i) rows.push_back({&sequence, ids[i], i, /*wants_logits=*/true});
    const float* out = model.forward(*packed, cache, rows);
    logits[narrow].assign(out, out + 40 * config.vocabulary);
  }
  if (!rounds) {
    EXPECT_TRUE(logits[0] == logits[1]);
    return;
  }
  const at::Tensor wide = at::tensor(logits[0]), rounded = at::tensor(logits[1]);
  EXPECT_LT((wide - rounded).abs().max().item<float>(), 0.02 * wide.abs().max().item<float>());
}

// What is multiplied with weights held as that.
at::Tensor multiplied(const at::Tensor& x, HeldAs held) {
  const bool rounds = held == HeldAs::kBFloat16 && decode_kernels().multiply_panel_rounded != nullptr;
  return rounds ? x.to(at::kBFloat16).to(at::kFloat) : x;
}

TEST(Decode, PackedMatricesOfAnyShapeMultiplyAndKeepTheirRows) {
  DecodeTeam team(2);
  at::manual_seed(6);
  for (const auto& [columns, k] : {std::pair{50, 577}, {24, 192}, {1, 3}, {100, 1}, {49, 400}}) {
    const at::Tensor weight = at::randn({columns, k});
    for (const HeldAs held_as : {HeldAs::kFloat32, HeldAs::kBFloat16, HeldAs::kInt8}) {
      const PackedMatrix matrix({weight}, held_as);
      const at::Tensor held = held_as == HeldAs::kFloat32    ? weight
                              : held_as == HeldAs::kBFloat16 ? weight.to(at::kBFloat16).to(at::kFloat)
                                                             : rounded_to_int8(weight);
      for (const int rows : {1, 2, 3, 4, 5, 7, 8, 9, 33}) {
        const at::Tensor x = at::randn({rows, k}), y = at::zeros({rows, columns});
        matrix.apply(team, x.const_data_ptr<float>(), rows, y.data_ptr<float>());
        matrix.apply(team, x.const_data_ptr<float>(), rows, y.data_ptr<float>(), /*accumulate=*/true);
        const at::Tensor wanted = at::matmul(multiplied(x, held_as).to(at::kDouble), held.to(at::kDouble).t()) * 2;
        EXPECT_LT((y - wanted).abs().max().item<double>(), 1e-5 * std::sqrt(k) * 4)
            << columns << " " << k << " " << rows;
      }
      std::vector<float> row(static_cast<std::size_t>(k));
      matrix.copy_row(columns - 1, row.data());
      EXPECT_TRUE(at::allclose(at::tensor(row), held.select(0, columns - 1), /*rtol=*/1e-6, /*atol=*/0));
    }
  }
}

TEST(Decode, BatchOfEightIsEqualToEightSingleRunsBitForBit) {
  const ModelConfig config = tiny_config();
  const auto packed = DecodeWeights::pack(config, random_weights(config, 4));
  const auto run = [&](int from, int to) {
    GenerationEngine engine(config, nullptr, {}, {.max_batch = 16, .threads = 2, .kv_cache_bytes = 1 << 22});
    engine.set_weights(packed, 1);
    for (int i = from; i < to; ++i) {
      proto::GenerateRequest request;
      request.set_request_id(i);
      request.set_count(1);
      request.mutable_sampling()->set_temperature(i % 2 == 0 ? 0 : 1);
      request.mutable_sampling()->set_max_new_tokens(60);
      engine.submit_tokens(request, some_tokens(5 + 9 * i, i));
    }
    while (engine.step()) {
    }
    std::vector<std::string> replies(8);
    for (auto& done : engine.take_finished()) replies[done.reply.request_id()] = done.reply.SerializeAsString();
    return replies;
  };
  const auto together = run(0, 8);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(together[i], run(i, i + 1)[i]) << "run " << i;
}

TEST(Decode, CompletionsThatShareAPromptAreThoseOfSeparateRequests) {
  const ModelConfig config = tiny_config();
  GenerationEngine engine(config, nullptr, {}, {.max_batch = 16, .threads = 2, .kv_cache_bytes = 1 << 22});
  engine.set_weights(DecodeWeights::pack(config, random_weights(config, 4)), 1);
  const auto generate = [&](std::uint32_t first, std::uint32_t count) {
    proto::GenerateRequest request;
    request.set_count(count);
    request.set_first_sample(first);
    request.mutable_sampling()->set_temperature(1);
    request.mutable_sampling()->set_max_new_tokens(40);
    engine.submit_tokens(request, some_tokens(21, 1));
    while (engine.step()) {
    }
    return engine.take_finished().at(0).reply;
  };
  const proto::GenerateReply shared = generate(0, 5);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(shared.completions(i).SerializeAsString(), generate(i, 1).completions(0).SerializeAsString());
}

struct Outcome {
  int status = 0;
  std::string output;
};

// Of the tests above in a process of their own, by the kernels of that name.
Outcome tests_by(const std::string& kernels) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command = "KGTRAIN_KERNELS=" + kernels + " '" + program + "' --gtest_filter='Decode.*' 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  Outcome outcome;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) outcome.output += static_cast<char>(c);
  outcome.status = ::pclose(pipe);
  return outcome;
}

TEST(DecodeKernels, OfEverySetThatTheCpuCanRunPass) {
  for (const DecodeKernels* set : usable_kernels()) {
    const Outcome outcome = tests_by(set->name);
    EXPECT_EQ(outcome.status, 0) << set->name << "\n" << outcome.output;
  }
}

TEST(DecodeKernels, ThatTheCpuLacksAreAnError) {
  const Outcome outcome = tests_by("neon");
  EXPECT_NE(outcome.status, 0);
  EXPECT_THAT(outcome.output, testing::HasSubstr("this CPU cannot run kernels \"neon\""));
}

}  // namespace
}  // namespace kg::policy
