// Tokens/s of one kgtrain-generator for one worker and for several: the same requests over the same socket, all by one
// peer, then shared out. Answers do not depend on the batch, so both runs make the same tokens.
//   policy_workers_bench [--workers 8] [--groups 8] [--group 8] [--new-tokens 128] [--dtype bfloat16]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "base/child_process.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "base/program.h"
#include "rollout/generator_link.h"

namespace kg {
namespace {

struct Load {
  int workers = 8, groups = 8, group = 8, fresh = 128, rounds = 3;
};

proto::GenerateRequest request(int i, const Load& load, std::uint64_t seed) {
  proto::GenerateRequest generate;
  generate.set_count(static_cast<std::uint32_t>(load.group));
  proto::ChatMessage& chat = *generate.add_messages();
  chat.set_role("user");
  chat.set_content("Write an Ascend C kernel that adds " + std::to_string(i + 2) + " vectors of half precision.");
  generate.mutable_sampling()->set_temperature(1);
  generate.mutable_sampling()->set_seed(seed + static_cast<std::uint64_t>(i));
  generate.mutable_sampling()->set_max_new_tokens(load.fresh);
  return generate;
}

// Sends its requests at once and waits for the answers; returns their tokens.
std::int64_t work(zmq::context_t& context, const std::string& endpoint,
                  const std::vector<proto::GenerateRequest>& requests) {
  rollout::GeneratorLink link(context, endpoint);
  for (const proto::GenerateRequest& r : requests) link.ask(r);
  std::int64_t tokens = 0;
  const double deadline = monotonic_seconds() + 600;
  for (std::size_t answers = 0; answers < requests.size();) {
    if (monotonic_seconds() > deadline)
      throw Error("the generator did not answer in ten minutes", endpoint, "see its log", Error::Kind::kFailed);
    link.tick(monotonic_seconds());
    zmq::pollitem_t item{link.socket(), 0, ZMQ_POLLIN, 0};
    zmq::poll(&item, 1, std::chrono::milliseconds(100));
    for (const proto::GenerateReply& reply : link.read(monotonic_seconds()).replies) {
      if (!reply.error().empty())
        throw Error("the generator refused: " + reply.error(), endpoint, "", Error::Kind::kFailed);
      for (const proto::Completion& completion : reply.completions()) tokens += completion.token_ids_size();
      ++answers;
    }
  }
  return tokens;
}

double tokens_per_second(const std::string& endpoint, const Load& load, int workers, std::uint64_t seed) {
  zmq::context_t context;
  std::vector<std::vector<proto::GenerateRequest>> shares(static_cast<std::size_t>(workers));
  for (int i = 0; i < load.groups; ++i) shares[static_cast<std::size_t>(i % workers)].push_back(request(i, load, seed));
  std::vector<std::int64_t> tokens(shares.size());
  std::vector<std::thread> threads;
  const double start = monotonic_seconds();
  for (std::size_t w = 0; w < shares.size(); ++w)
    threads.emplace_back([&, w] { tokens[w] = work(context, endpoint, shares[w]); });
  for (std::thread& thread : threads) thread.join();
  const double seconds = monotonic_seconds() - start;
  std::int64_t all = 0;
  for (const std::int64_t n : tokens) all += n;
  std::printf("%d worker%s %6ld tokens in %6.2f s: %8.1f tokens/s\n", workers,
              workers == 1 ? ": " : "s:", static_cast<long>(all), seconds, static_cast<double>(all) / seconds);
  std::fflush(stdout);
  return static_cast<double>(all) / seconds;
}

int bench(int argc, char** argv) {
  Load load;
  std::string model = "smollm2-135m-instruct", dtype = "bfloat16";
  int threads = 2;
  Options options("policy_workers_bench", "Measures one generator under one worker and under several.");
  options.add("model", model, "the model");
  options.add("workers", load.workers, "how many share the generator").range(2, 64);
  options.add("groups", load.groups, "requests in all").range(1, 1024);
  options.add("group", load.group, "completions of a request").range(1, 64);
  options.add("new-tokens", load.fresh, "at most, of a completion").range(1, 4096);
  options.add("rounds", load.rounds, "how often; the best counts").range(1, 100);
  options.add("threads", threads, "of the generator").range(1, 1024);
  options.add("dtype", dtype, "of the weights").choices({"float32", "bfloat16", "int8"});
  if (!options.parse(argc, argv)) return 0;

  const TemporaryFolder folder;
  const std::string endpoint = "ipc://" + (folder.path() / "generator").string();
  ChildProcess generator(
      {.words = {KG_BINARY_DIR "/bin/kgtrain-generator", "--model", model, "--endpoint", endpoint, "--dtype", dtype,
                 "--threads", std::to_string(threads), "--max-batch", std::to_string(load.groups * load.group)},
       .input = ChildCommand::kNothing,
       .dies_with_this_thread = true});
  double one = 0, several = 0;
  tokens_per_second(endpoint, load, 1, /*seed=*/0);  // waits for the model, warms up
  for (int round = 1; round <= load.rounds; ++round) {
    const auto seed = static_cast<std::uint64_t>(round) * 1000;
    one = std::max(one, tokens_per_second(endpoint, load, 1, seed));
    several = std::max(several, tokens_per_second(endpoint, load, load.workers, seed));
  }
  std::printf("%d workers: %.2f of the rate of one\n", load.workers, several / one);
  return 0;
}

}  // namespace
}  // namespace kg

int main(int argc, char** argv) {
  return kg::run_program([&] { return kg::bench(argc, argv); });
}
