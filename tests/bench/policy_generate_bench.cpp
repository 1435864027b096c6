// Tokens/s of generation, and of Hugging Face transformers in the same run if $KGTRAIN_PEER_PYTHON names a Python that has it. Both draw from
// the whole distribution at temperature 1; no answer ends before its last token.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "base/program.h"
#include "policy/generator_engine.h"
#include "policy/model_io.h"

namespace kg::policy {
namespace {

struct Shape {
  int batch = 16, group = 8, prompt = 256, fresh = 128, threads = 2;
};

struct Speed {
  double prompt_seconds = 0, decode_seconds = 0, cpu_seconds = 0;
};

double cpu_seconds() {
  rusage usage;
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

Speed measure(GenerationEngine& engine, const Shape& shape, int round) {
  for (int i = 0; i < shape.batch / shape.group; ++i) {
    proto::GenerateRequest request;
    request.set_request_id(i);
    request.set_count(shape.group);
    request.mutable_sampling()->set_temperature(1);
    request.mutable_sampling()->set_seed(round * 100 + i);
    request.mutable_sampling()->set_max_new_tokens(shape.fresh);
    std::vector<std::int32_t> prompt;
    for (int t = 0; t < shape.prompt; ++t) prompt.push_back((t * 7919 + i * 104729) % static_cast<int>(engine.config().vocabulary));
    engine.submit_tokens(request, prompt);
  }
  Speed speed;
  const double start = monotonic_seconds(), cpu = cpu_seconds();
  while (engine.step())
    if (speed.prompt_seconds == 0 && engine.counts().waiting == 0) speed.prompt_seconds = monotonic_seconds() - start;
  engine.take_finished();
  speed.decode_seconds = monotonic_seconds() - start - speed.prompt_seconds;
  speed.cpu_seconds = cpu_seconds() - cpu;
  return speed;
}

void print(const char* who, const Shape& shape, const Speed& s) {
  const double tokens = shape.batch * shape.fresh, all = s.prompt_seconds + s.decode_seconds;
  std::printf("%-14s %8.1f tokens/s all in, %8.1f decoding, %8.1f tokens per CPU second (prompt %.2f s, decode %.2f s)\n", who,
              tokens / all, tokens / s.decode_seconds, tokens / s.cpu_seconds, s.prompt_seconds, s.decode_seconds);
}

int bench(int argc, char** argv) {
  Shape shape;
  std::string model_name = "smollm2-135m-instruct", dtype = "float32";
  int rounds = 3;
  Options options("policy_generate_bench", "Measures generation, beside Hugging Face transformers.");
  options.add("model", model_name, "the model");
  options.add("batch", shape.batch, "completions at once");
  options.add("group", shape.group, "completions of one prompt");
  options.add("prompt-tokens", shape.prompt, "length of a prompt");
  options.add("new-tokens", shape.fresh, "length of a completion");
  options.add("threads", shape.threads, "threads");
  options.add("rounds", rounds, "how often; the best counts");
  options.add("dtype", dtype, "of the weights").choices({"float32", "bfloat16"});
  if (!options.parse(argc, argv)) return 0;

  LoadedModel model = load_model(find_model(model_name));
  const TemporaryFolder folder;
  const char* python = std::getenv("KGTRAIN_PEER_PYTHON");
  if (python != nullptr) export_model(folder.path() / "model", model.config, model.weights, model, "float32");
  ModelConfig config = model.config;
  config.eos_id = -1;
  GenerationEngine engine(config, nullptr, {}, {.max_batch = shape.batch, .threads = shape.threads});
  const double begin = monotonic_seconds();
  engine.set_weights(DecodeWeights::pack(config, model.weights, dtype), 1);
  model.weights.clear();
  std::printf("%s, batch %d of groups of %d, %d + %d tokens, %d threads, %s, kernels %s; weights packed in %.2f s\n", model_name.c_str(),
              shape.batch, shape.group, shape.prompt, shape.fresh, shape.threads, dtype.c_str(), decode_kernels().name, monotonic_seconds() - begin);
  std::fflush(stdout);
  std::system("git log -1 --format='commit %h' 2>/dev/null; grep -m1 'model name' /proc/cpuinfo; cat /proc/loadavg");
  Speed best, best_peer;
  for (int round = 0; round < rounds; ++round) {
    const Speed s = measure(engine, shape, round);
    print("kgtrain", shape, s);
    if (round == 0 || s.decode_seconds < best.decode_seconds) best = s;
    if (python == nullptr) continue;
    const fs::path result = folder.path() / "peer.json";
    const std::string command = std::string(python) + " " KG_SOURCE_DIR "/tests/bench/policy_generate_peer.py " +
                                (folder.path() / "model").string() + " " + result.string() + " " + std::to_string(shape.batch) + " " +
                                std::to_string(shape.prompt) + " " + std::to_string(shape.fresh) + " " +
                                std::to_string(shape.threads);
    std::fflush(stdout);
    if (std::system(command.c_str()) != 0) throw Error("the peer failed", command, "see its output", Error::Kind::kEnvironment);
    const nlohmann::json said = nlohmann::json::parse(read_file(result));
    const Speed p{said.at("prompt_seconds"), said.at("decode_seconds"), said.at("cpu_seconds")};
    print("transformers", shape, p);
    if (round == 0 || p.decode_seconds < best_peer.decode_seconds) best_peer = p;
  }
  std::puts("best:");
  print("kgtrain", shape, best);
  if (python != nullptr) print("transformers", shape, best_peer);
  return 0;
}

}  // namespace
}  // namespace kg::policy

int main(int argc, char** argv) {
  return kg::run_program([&] { return kg::policy::bench(argc, argv); });
}
