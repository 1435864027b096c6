#include "trainer/generate.h"

#include <cstdio>

#include "base/error.h"
#include "dataset/dataset.h"
#include "policy/decode_weights.h"
#include "policy/generator_engine.h"
#include "policy/model_io.h"
#include "trainer/model_options.h"
#include "trainer/task_works.h"
#include "trainer/trainable.h"

namespace kg::trainer {

int run_generate(int argc, const char* const* argv) {
  GenerateOptions options;
  if (!declare(options).parse(argc, argv)) return 0;
  if (options.prompt.empty() == options.task.empty())
    throw Error("give a --prompt or a --task, one of them", "kgtrain generate", "kgtrain tasks list --data FILE lists tasks");
  proto::SamplingParameters sampling;
  sampling.set_temperature(static_cast<float>(options.temperature));
  sampling.set_top_k(options.top_k);
  sampling.set_top_p(static_cast<float>(options.top_p));
  sampling.set_min_p(static_cast<float>(options.min_p));
  sampling.set_max_new_tokens(static_cast<std::int32_t>(options.max_new_tokens));
  sampling.set_seed(options.seed);

  proto::GenerateRequest request;
  request.set_count(static_cast<std::uint32_t>(options.samples));
  *request.mutable_sampling() = sampling;
  if (options.task.empty()) {
    proto::ChatMessage& message = *request.add_messages();
    message.set_role("user");
    message.set_content(options.prompt);
  } else {
    const auto data = dataset::Dataset::open(dataset::find_dataset(options.data), dataset::OpenMode::kRead);
    const auto task = data->task(options.task);
    if (!task) throw Error("no task " + options.task, options.data, "kgtrain tasks list --data FILE lists them");
    for (const proto::ChatMessage& message : make_work(*task, 1, options.prompt_form, 1, sampling, options.seed, "").messages)
      *request.add_messages() = message;
  }
  const policy::LoadedModel model = policy::load_model(policy::find_model(options.model));
  return 0;
}

}  // namespace kg::trainer
