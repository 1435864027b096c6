#include "trainer/model_options.h"

namespace kg::trainer {

Options declare(ExportOptions& values) {
  Options options(
      "kgtrain export",
      "Write a model as a Hugging Face directory, or as its difference to the model that the training began with.");
  declare_model(options, values.model);
  options.add("out", values.out, "folder to write; must not exist").required();
  options.add("dtype", values.dtype, "type of the weights in the file").choices({"bfloat16", "float32"});
  options.add("difference-to", values.difference_to,
              "write the difference to this model alone, a name that every user has; kgtrain reads it by itself, "
              "others do not");
  options.add("bits", values.bits, "of a difference: bits of a weight").range(2, 8);
  return options;
}

Options declare(GenerateOptions& values) {
  Options options("kgtrain generate", "Print answers of a model to a prompt or to a task of a data set.");
  declare_model(options, values.model);
  options.add("prompt", values.prompt, "what the user says; default: the prompt of --task");
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
