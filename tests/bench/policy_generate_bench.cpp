// Tokens/s of generation, and of Hugging Face transformers and llama.cpp in the same run if $KGTRAIN_PEER_PYTHON names
// a Python that has them (llama-cpp-python, gguf). No answer ends before its last token; kgtrain and transformers draw
// from the whole distribution at temperature 1, llama.cpp is spared the drawing, as in its own bench.
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
#include "policy/files/model_io.h"
#include "policy/generation/decode_kernels.h"
#include "policy/generation/decode_weights.h"
#include "policy/generation/generator_engine.h"

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
    for (int t = 0; t < shape.prompt; ++t)
      prompt.push_back((t * 7919 + i * 104729) % static_cast<int>(engine.config().vocabulary));
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

void print(const std::string& who, const Shape& shape, const Speed& s) {
  const double tokens = shape.batch * shape.fresh, all = s.prompt_seconds + s.decode_seconds;
  std::printf(
      "%-14s %8.1f tokens/s all in, %8.1f decoding, %8.1f tokens per CPU second (prompt %.2f s, decode %.2f s)\n",
      who.c_str(), tokens / all, tokens / s.decode_seconds, tokens / s.cpu_seconds, s.prompt_seconds, s.decode_seconds);
  std::fflush(stdout);
}

struct Peer {
  std::string name, script;
  bool told_of_groups;  // whether the prompt of a group is computed once
  Speed best{};
};

Speed run_peer(const Peer& peer, const std::string& python, const fs::path& folder, const Shape& shape) {
  const fs::path result = folder / "peer.json";
  std::string command = python + " " KG_SOURCE_DIR "/tests/bench/" + peer.script + " " + (folder / "model").string() +
                        " " + result.string() + " " + std::to_string(shape.batch);
  if (peer.told_of_groups) command += " " + std::to_string(shape.group);
  for (const int n : {shape.prompt, shape.fresh, shape.threads}) command += " " + std::to_string(n);
  if (std::system(command.c_str()) != 0)
    throw Error("the peer failed", command, "see its output", Error::Kind::kEnvironment);
  const nlohmann::json said = nlohmann::json::parse(read_file(result));
  return {said.at("prompt_seconds"), said.at("decode_seconds"), said.at("cpu_seconds")};
}

bool faster(const Speed& a, const Speed& b) { return b.decode_seconds == 0 || a.decode_seconds < b.decode_seconds; }

int bench(int argc, char** argv) {
  Shape shape;
  std::string model_name = "smollm2-135m-instruct", dtype = "float32", peer = "both";
  int rounds = 3;
  Options options("policy_generate_bench", "Measures generation, beside transformers and llama.cpp.");
  options.add("model", model_name, "the model");
  options.add("batch", shape.batch, "completions at once");
  options.add("group", shape.group, "completions of one prompt");
  options.add("prompt-tokens", shape.prompt, "length of a prompt");
  options.add("new-tokens", shape.fresh, "length of a completion");
  options.add("threads", shape.threads, "threads");
  options.add("rounds", rounds, "how often; the best counts");
  options.add("dtype", dtype, "of the weights").choices({"float32", "bfloat16", "int8"});
  options.add("peer", peer, "beside which").choices({"both", "transformers", "llama.cpp"});
  if (!options.parse(argc, argv)) return 0;
  if (shape.batch < shape.group && !options.given("group")) shape.group = shape.batch;
  if (shape.batch < 1 || shape.group < 1 || shape.batch % shape.group != 0)
    throw Error(
        "a batch of " + std::to_string(shape.batch) + " is not of whole groups of " + std::to_string(shape.group),
        "--batch, --group", "for example --batch 16 --group 8");

  LoadedModel model = load_model(find_model(model_name));
  const TemporaryFolder folder;
  const char* python = std::getenv("KGTRAIN_PEER_PYTHON");
  if (python != nullptr) export_model(folder.path() / "model", model.config, model.weights, model, "float32");
  ModelConfig config = model.config;
  config.eos_id = -1;
  GenerationEngine engine(config, nullptr, {}, {.max_batch = shape.batch, .dtype = dtype, .threads = shape.threads});
  const double begin = monotonic_seconds();
  engine.set_weights(DecodeWeights::pack(config, model.weights, dtype), 1);
  model.weights.clear();
  std::printf("%s, batch %d of groups of %d, %d + %d tokens, %d threads, %s, kernels %s; weights packed in %.2f s\n",
              model_name.c_str(), shape.batch, shape.group, shape.prompt, shape.fresh, shape.threads, dtype.c_str(),
              decode_kernels().name, monotonic_seconds() - begin);
  std::fflush(stdout);
  std::system("git log -1 --format='commit %h' 2>/dev/null; grep -m1 'model name' /proc/cpuinfo; cat /proc/loadavg");
  std::vector<Peer> peers;
  if (python != nullptr) {
    if (peer != "llama.cpp") peers.push_back({"transformers", "policy_generate_peer.py", false});
    if (peer != "transformers") peers.push_back({"llama.cpp", "policy_generate_llama.py", true});
  }
  Speed best;
  for (int round = 0; round < rounds; ++round) {
    const Speed s = measure(engine, shape, round);
    print("kgtrain", shape, s);
    if (faster(s, best)) best = s;
    for (Peer& other : peers) {
      const Speed theirs = run_peer(other, python, folder.path(), shape);
      print(other.name, shape, theirs);
      if (faster(theirs, other.best)) other.best = theirs;
    }
  }
  std::puts("best:");
  print("kgtrain", shape, best);
  for (const Peer& other : peers) {
    print(other.name, shape, other.best);
    std::printf("  kgtrain decodes %.2f times as fast\n", other.best.decode_seconds / best.decode_seconds);
  }
  return 0;
}

}  // namespace
}  // namespace kg::policy

int main(int argc, char** argv) {
  return kg::run_program([&] { return kg::policy::bench(argc, argv); });
}
