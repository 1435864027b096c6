#include <chrono>
#include <cstdio>
#include <thread>

#include "base/error.h"
#include "base/suggestion.h"
#include "dataset/store/dataset.h"
#include "policy/files/model_io.h"
#include "policy/generation/generator_engine.h"
#include "trainer/commands.h"
#include "trainer/external_generator.h"
#include "trainer/model_options.h"
#include "trainer/sampling.h"
#include "trainer/task_works.h"

namespace kg::trainer {
namespace {

proto::GenerateRequest request_of(const GenerateOptions& options) {
  if (options.prompt.empty() == options.task.empty())
    throw Error("give either --prompt or --task", "kgtrain generate", "kgtrain tasks list --data FILE lists tasks");
  proto::GenerateRequest request;
  request.set_count(static_cast<std::uint32_t>(options.samples));
  proto::SamplingParameters& sampling = *request.mutable_sampling();
  sampling = sampling_of(options);
  sampling.set_seed(options.seed);
  proto::ChatMessage& message = *request.add_messages();
  message.set_role("user");
  message.set_content(options.prompt);
  if (options.task.empty()) return request;
  const auto data = dataset::Dataset::open(dataset::find_dataset(options.data), dataset::OpenMode::kRead);
  const auto task = data->task(options.task);
  if (!task)
    throw Error("no task \"" + options.task + "\" in " + options.data, "--task",
                suggestion(options.task, data->task_ids(), "tasks", "the data set has no tasks"));
  message =
      make_work(*task, /*work_id=*/1, options.prompt_form, /*samples=*/1, sampling, options.seed, "").messages.front();
  return request;
}

// By a server of somebody else's.
proto::GenerateReply ask_server(const GenerateOptions& options, const policy::LoadedModel& model,
                                const proto::GenerateRequest& request) {
  const auto server = open_server(options, model);
  server->submit(request);
  while (!server->step()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return server->take_finished().front().reply;
}

int print_reply(const proto::GenerateReply& reply, bool shown) {
  if (!reply.error().empty()) throw Error(reply.error(), "kgtrain generate", "shorten the prompt or --max-new-tokens");
  for (int i = 0; i < reply.completions_size(); ++i) {
    if (reply.completions_size() > 1) std::printf("---- answer %d\n", i + 1);
    std::printf("%s\n%s", shown ? "" : reply.completions(i).text().c_str(),
                reply.completions(i).truncated() ? "[cut off at the token limit]\n" : "");
  }
  return 0;
}

}  // namespace

int run_generate(int argc, const char* const* argv) {
  GenerateOptions options;
  if (!declare(options).parse(argc, argv)) return 0;
  const proto::GenerateRequest request = request_of(options);
  const policy::LoadedModel model = policy::load_model(policy::find_model(options.model));
  refuse_long_answers(options, model.config.context);
  if (!options.generator.empty()) return print_reply(ask_server(options, model, request), /*shown=*/false);
  policy::EngineOptions engine_options{.device = options.device,
                                       .dtype = policy::sampling_dtype(options.dtype, options.device),
                                       .threads = options.threads};
  const bool streams = options.samples == 1;  // a single answer is shown while it is written
  if (streams)
    engine_options.on_token = [](std::uint64_t, std::uint32_t, const std::string& text) {
      std::fputs(text.c_str(), stdout);
      std::fflush(stdout);
    };
  policy::GenerationEngine engine(model.config, model.tokenizer, model.chat_template, engine_options);
  engine.set_weights(policy::pack_weights(model.config, model.weights, options.device, engine_options.dtype),
                     /*version=*/1);
  return print_reply(policy::generate_all(engine, {request}).front(), /*shown=*/streams);
}

}  // namespace kg::trainer
