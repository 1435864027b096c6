#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/child_process.h"
#include "base/error.h"
#include "base/program_data.h"
#include "policy/files/model_io.h"
#include "trainer/bench_measure.h"
#include "trainer/bench_options.h"
#include "trainer/commands.h"
#include "trainer/trainable.h"

namespace kg::trainer {
namespace {

using nlohmann::json;

// Somebody else's program, which trainer/peers/SCRIPT runs.
struct Peer {
  std::string name, script;
  json more = json::object();  // for the script, in addition to the options
};

bool on_data(const BenchOptions& options) { return options.what == "sft" && !options.data.empty(); }

std::vector<Peer> peers_of(const BenchOptions& options) {
  const bool shape_alone = options.model.ends_with(".json"), on_cpu = options.device == "cpu";
  std::vector<Peer> all;
  if (options.what == "grpo") all = {{"trl", "grpo_trl.py"}};
  if (on_data(options))
    all = {{"trl", "sft_trl.py"}};
  else if (options.what == "sft")
    all = {{"transformers", "sft_transformers.py"}};
  if (options.what == "sft" && !on_data(options) && !on_cpu)
    all.push_back({"transformers, compiled", "sft_transformers.py", {{"compile", true}}});
  if (options.what == "decode") all = {{"transformers", "decode_transformers.py"}};
  if (options.what == "decode" && on_cpu) all.push_back({"llama.cpp", "decode_llama.py"});
  std::erase_if(all, [&](const Peer& peer) {
    const bool asked = options.peers == "all" || peer.name.starts_with(options.peers);
    return !asked || (shape_alone && !peer.name.starts_with("transformers"));
  });
  if (all.empty() && options.peers != "all" && options.peers != "none")
    throw Error(
        options.peers + " cannot be measured beside " + options.what + (shape_alone ? " with random weights" : ""),
        "--peers",
        "transformers goes with sft and decode, trl with grpo and sft --data, llama.cpp with decode on a CPU");
  return all;
}

// jemalloc for a peer too: this program's malloc, configured to keep freed memory.
std::vector<std::string> allocator() {
  Dl_info info;
  const void* const of_jemalloc = ::dlsym(RTLD_DEFAULT, "mallocx");
  if (of_jemalloc == nullptr || ::dladdr(of_jemalloc, &info) == 0 || info.dli_fname == nullptr) return {};
  return {"LD_PRELOAD=" + std::string(info.dli_fname), "MALLOC_CONF=dirty_decay_ms:-1,muzzy_decay_ms:-1"};
}

json last_line(const std::string& output, const std::string& who) {
  std::istringstream lines(output);
  std::string last;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("{")) last = line;
  const json result = json::parse(last, nullptr, /*allow_exceptions=*/false);
  if (!result.is_object() || !result.contains("seconds"))
    throw Error("the output of " + who + " has no result: " + output.substr(0, 400), "kgtrain bench",
                "see its messages above");
  return result;
}

json run_ours(int argc, const char* const* argv) {
  ChildCommand command{.words = {fs::read_symlink("/proc/self/exe").string(), "bench"}, .output = ChildCommand::kPipe};
  for (int i = 1; i < argc; ++i) command.words.emplace_back(argv[i]);
  command.words.insert(command.words.end(), {"--peers", "none", "--json"});
  const FinishedChild done = run_child(command);
  if (!done.end.success())
    throw Error("kgtrain's own side ended with " + done.end.text(), "kgtrain bench", "see its message above",
                Error::Kind::kFailed);
  return last_line(done.output, "kgtrain");
}

json run_peer(const Peer& peer, const BenchOptions& options, const json& request) {
  json all = request;
  all.update(peer.more);
  const FinishedChild done = run_child(
      {.words = {options.python, (program_data("peers", "trainer/peers", peer.script) / peer.script).string(),
                 all.dump()},
       .environment = options.device == "cpu" ? allocator() : std::vector<std::string>{},
       .output = ChildCommand::kPipe,
       .hint = "name a Python that has " + peer.name + " by --python; scripts/setup.sh --with-peers makes one"});
  if (done.end.success()) return last_line(done.output, peer.name);
  std::fprintf(stderr, "%s ended with %s, and is left out\n", peer.name.c_str(), done.end.text().c_str());
  return {};
}

std::string first_line_of(const char* file, const std::string& key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(key)) return key.empty() ? line : line.substr(line.find(':') + 2);
  return "";
}

const char* unit_of(const BenchOptions& options) {
  return on_data(options) ? "samples/s" : options.what == "grpo" ? "answers/s" : "tokens/s";
}

struct Measured {
  std::string who;
  json best;
};

void keep_better(Measured& of, const json& now) {
  if (now.is_null()) return;
  if (of.best.is_null() || now["rate"].get<double>() > of.best["rate"].get<double>()) of.best = now;
}

void print_table(const BenchOptions& options, const std::vector<Measured>& all) {
  std::printf("%-24s %12s %10s %9s %7s\n", "", unit_of(options), "seconds", "peak MiB", "ratio");
  const double ours = all.front().best["rate"];
  for (const Measured& one : all) {
    if (one.best.is_null()) continue;
    const double seconds = one.best["seconds"];
    std::printf("%-24s %12.1f %10.3f %9lld", one.who.c_str(), one.best["rate"].get<double>(), seconds,
                static_cast<long long>(one.best["peak_mib"].get<std::int64_t>()));
    if (&one != &all.front()) std::printf(" %7.2f", ours / one.best["rate"].get<double>());
    std::puts("");
  }
  const json& best = all.front().best;
  if (options.what == "sft" && !on_data(options)) {
    const double rate = best["teraflops"], products = best["product_teraflops"];
    std::printf("kgtrain: %.2f TFLOP/s, %.0f %% of the best product with the model's shapes (%.2f)", rate,
                100 * rate / products, products);
    if (options.peak > 0) std::printf(", MFU %.1f %%", 100 * rate / options.peak);
    std::puts("");
  }
  if (best.contains("copy_reads")) {
    const double read = best["weights_read"], copy = best["copy_reads"], reading = best["reading"];
    std::printf(
        "kgtrain: weights read at %.1f GB/s, %.0f %% of a copy's reading (%.1f), %.0f %% of pure reading (%.1f)\n",
        read, 100 * read / copy, copy, 100 * read / reading, reading);
  }
  if (options.what == "grpo")
    std::printf("kgtrain: sampling %.2f s, update %.2f s; sampler and learner differ by %.1e nats per token\n",
                best["sample_seconds"].get<double>(), best["train_seconds"].get<double>(),
                best["log_prob_difference"].get<double>());
}

void print_head(const BenchOptions& options, const std::string& dtype) {
  std::printf("%s of %s on %s, %s", options.what.c_str(), options.model.c_str(), options.device.c_str(), dtype.c_str());
  if (on_data(options))
    std::printf(": samples of %s, rows of %lld tokens, %lld a step\n", options.data.c_str(),
                static_cast<long long>(options.length), static_cast<long long>(options.batch_tokens));
  else if (options.what == "sft")
    std::printf(": %lld x %lld x %lld tokens a step\n", static_cast<long long>(options.rows),
                static_cast<long long>(options.documents), static_cast<long long>(options.length));
  else
    std::printf(": %lld prompts of %lld tokens, %lld answers of %lld to each\n",
                static_cast<long long>(options.prompts), static_cast<long long>(options.prompt_tokens),
                static_cast<long long>(options.completions), static_cast<long long>(options.new_tokens));
  std::printf("%s, load %s\n", first_line_of("/proc/cpuinfo", "model name").c_str(),
              first_line_of("/proc/loadavg", "").substr(0, 4).c_str());
}

// The request to a script. A model is written once, in the computing type, for all scripts that read it.
json request_of(const BenchOptions& options, const std::string& dtype, const fs::path& folder) {
  json request = {{"documents", options.documents},
                  {"length", options.length},
                  {"rows", options.rows},
                  {"prompts", options.prompts},
                  {"completions", options.completions},
                  {"prompt_tokens", options.prompt_tokens},
                  {"new_tokens", options.new_tokens},
                  {"steps", options.steps},
                  {"threads", options.threads},
                  {"batch_tokens", options.batch_tokens},
                  {"device", options.device},
                  {"dtype", dtype},
                  {"model", options.model},
                  {"folder", folder.string()}};
  if (options.model.ends_with(".json")) return request;
  const policy::LoadedModel model = policy::load_model(policy::find_model(options.model));
  policy::export_model(folder / "model", model.config, model.weights, model, dtype);
  request["model"] = (folder / "model").string();
  if (!on_data(options)) return request;
  std::ofstream lines(folder / "documents.jsonl");
  for (const Document& document : bench_documents(options, model)) {
    json mask = json::array();
    for (std::size_t i = 0; i < document.ids.size(); ++i)
      mask.push_back(static_cast<std::int64_t>(i) < document.prompt_length ? 0 : 1);
    lines << json{{"input_ids", document.ids}, {"completion_mask", mask}} << "\n";
  }
  request["documents_file"] = (folder / "documents.jsonl").string();
  return request;
}

}  // namespace

int run_bench(int argc, const char* const* argv) {
  BenchOptions options;
  if (!declare(options).parse(argc, argv)) return 0;
  if (options.what != "sft" && options.what != "grpo" && options.what != "decode")
    throw Error("nothing called \"" + options.what + "\" can be measured", "kgtrain bench",
                "kgtrain bench sft, grpo or decode");
  if (options.peers == "none" && options.json) {
    std::puts(measure_bench(options).dump().c_str());
    return 0;
  }
  if (on_data(options) && options.model.ends_with(".json"))
    throw Error("samples need a tokeniser, which a config.json does not have", "--data", "name a model by --model");
  if (!options.trace.empty()) throw Error("--trace records only kgtrain", "--trace", "add --peers none --json");
  if (options.python.empty())
    if (const char* named = std::getenv("KGTRAIN_PYTHON")) options.python = named;
  std::vector<Peer> peers = peers_of(options);
  if (options.python.empty() && !peers.empty()) {
    std::fprintf(stderr, "only kgtrain is measured: no Python with %s was given (--python)\n",
                 peers.front().name.c_str());
    peers.clear();
  }
  const std::string dtype =
      resolve_dtype(options.dtype, options.device == "cpu" ? at::Device(at::kCPU) : at::Device(at::kCUDA));
  const TemporaryFolder folder;
  const json request = peers.empty() ? json() : request_of(options, dtype, folder.path());
  if (!options.json) print_head(options, dtype);
  std::vector<Measured> all{{.who = "kgtrain"}};
  for (const Peer& peer : peers) all.push_back({.who = peer.name});
  for (int round = 0; round < options.rounds; ++round) {
    keep_better(all.front(), run_ours(argc, argv));
    for (std::size_t i = 0; i < peers.size(); ++i) keep_better(all[i + 1], run_peer(peers[i], options, request));
  }
  for (Measured& one : all)
    if (one.best.is_object() && one.best.contains("version")) one.who += " " + one.best["version"].get<std::string>();
  if (!options.json) {
    print_table(options, all);
    return 0;
  }
  json table;
  for (const Measured& one : all) table[one.who] = one.best;
  std::puts(table.dump().c_str());
  return 0;
}

}  // namespace kg::trainer
