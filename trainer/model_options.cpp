#include "trainer/model_options.h"

namespace kg::trainer {

Options declare(ExportOptions& values) {
  Options options(
      "kgtrain export",
      "Writes a model as a Hugging Face directory, or as its difference from the model that training began with.");
  declare_model(options, values.model);
  options.add("out", values.out, "folder to write; must not exist").required();
  options.add("dtype", values.dtype, "type of the weights in the file").choices({"bfloat16", "float32"});
  options.add("difference-to", values.difference_to,
              "write only the difference from this model, which every user must have under this name; kgtrain can read "
              "it, other programs cannot");
  options.add("bits", values.bits, "bits per weight, for --difference-to").range(2, 8);
  return options;
}

Options declare(GenerateOptions& values) {
  Options options("kgtrain generate", "Prints a model's answers to a prompt or to a task of a data set.");
  declare_model(options, values.model);
  options.add("prompt", values.prompt, "the user's message; default: the prompt of --task");
  options.add("data", values.data, "data set that holds the task");
  options.add("task", values.task, "id of the task to answer");
  declare_prompt_form(options, values.prompt_form);
  options.add("samples", values.samples, "number of answers").range(1, 1e6);
  declare_sampling(options, values, /*greedy=*/true);
  options.add("seed", values.seed, "random seed for sampling");
  declare_device(options, values);
  declare_server(options, values);
  return options;
}

}  // namespace kg::trainer
