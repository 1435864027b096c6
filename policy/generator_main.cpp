#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <memory>

#include "base/error.h"
#include "base/log.h"
#include "base/options.h"
#include "base/program.h"
#include "grammar/dsl_grammar.h"
#include "policy/generation/decode_kernels.h"
#include "policy/generation/external_engine.h"
#include "policy/generation/generator_server.h"
#include "policy/generation/token_grammar.h"

namespace {

std::atomic<bool> ending{false};

void catch_signals() {
  struct sigaction action{};
  action.sa_handler = [](int) { ending = true; };
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGINT, &action, nullptr);
}

// The model is read only for its tokenizer and chat template.
std::unique_ptr<kg::policy::SamplingEngine> external_engine(const std::string& url, const std::string& token_variable,
                                                            kg::policy::LoadedModel model,
                                                            const kg::policy::EngineOptions& engine) {
  return std::make_unique<kg::policy::ExternalEngine>(
      kg::policy::ExternalOptions{.url = url,
                                  .token = kg::http::token_from_environment(token_variable),
                                  .parallel = engine.max_batch,
                                  .version_timeout_seconds = engine.version_timeout_seconds,
                                  .context = model.config.context,
                                  .vocabulary = model.config.vocabulary},
      model.tokenizer, model.chat_template);
}

int generator(int argc, char** argv) {
  using namespace kg;
  policy::GeneratorServerOptions server;
  std::string model = "smollm2-135m-instruct", dtype = "auto", url, token_variable;
  int cache_mib = 0, parent = 0;
  Options options("kgtrain-generator", "Samples from the policy for all workers on this host, in one large batch.");
  options.add("model", model, "a Hugging Face directory, a GGUF file, a run, or the name of a model");
  options.add("endpoint", server.endpoint, "address where workers connect: ipc://PATH").required();
  options.add("server", url,
              "an inference server that samples instead: vLLM, SGLang, llama.cpp's; --model is then its tokenizer");
  options.add("server-token", token_variable, "environment variable with the server's bearer token; empty: none");
  options.add("device", server.engine.device, "where the model runs: cpu, cuda, cuda:N, npu, npu:N");
  options
      .add("dtype", dtype,
           "number type of the weights, and of keys and values unless it is float32; int8 (weights only) on the CPU")
      .choices({"auto", "float32", "bfloat16", "int8"});
  options.add("max-batch", server.engine.max_batch, "completions decoded at the same time").range(1, 4096);
  options.add("threads", server.engine.threads, "threads; 0: one for each CPU").range(0, 1024);
  options
      .add("kv-cache-mib", cache_mib, "memory for keys and values; 0: 4096, on a CPU at most a quarter of what is free")
      .range(0, 1 << 20);
  options
      .add("version-timeout-seconds", server.engine.version_timeout_seconds,
           "seconds a request may wait for newer weights")
      .range(0, 1e6);
  options.add("parent-pid", parent, "exit when this process is no longer the parent; 0: never").range(0, 1 << 30);
  if (!options.parse(argc, argv)) return 0;
  if (!server.endpoint.starts_with("ipc://"))
    throw Error("endpoint " + server.endpoint + " is not an ipc:// one", "--endpoint",
                "a generator serves its own host; workers elsewhere start their own");
  policy::known_grammars() = {{"dsl", &grammar::make_dsl_grammar}, {"task", &grammar::make_task_grammar}};
  catch_signals();
  const auto parent_lives = [parent] { return parent == 0 || ::getppid() == parent; };
  if (!parent_lives())
    throw Error("the parent process " + std::to_string(parent) + " is gone", "--parent-pid", "", Error::Kind::kFailed);

  server.model = model;
  server.engine.dtype = policy::sampling_dtype(dtype, server.engine.device);
  server.engine.kv_cache_bytes = static_cast<std::size_t>(cache_mib) << 20;
  policy::LoadedModel loaded = policy::load_model(policy::find_model(model));
  if (!url.empty()) {
    loaded.weights.clear();
    policy::GeneratorServer generator(server, external_engine(url, token_variable, std::move(loaded), server.engine));
    spdlog::info("READY {} server {} process {}", server.endpoint, url, ::getpid());
    generator.run(ending, parent_lives);
    return 0;
  }
  policy::GeneratorServer generator(server, std::move(loaded));
  spdlog::info("READY {} model {} process {} {}", server.endpoint, model, ::getpid(),
               server.engine.device == "cpu" ? std::string("kernels ") + policy::decode_kernels().name
                                             : "device " + server.engine.device);
  generator.run(ending, parent_lives);
  spdlog::info("ended");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  kg::start_logging("generator");
  return kg::run_program([&] { return generator(argc, argv); });
}
