// Writes a model of two small layers whose tokens are bytes: RL runs of seconds for tests/integration/kill_rl.py.
#include <cstdio>

#include "tests/support/trainer_tiny_model.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_tiny_model FOLDER\n", stderr);
    return 2;
  }
  kg::policy::LoadedModel model = kg::trainer::tiny_model();
  model.config.context = 8192;  // a prompt's bytes
  kg::policy::export_model(argv[1], model.config, model.weights, model, "float32");
  return 0;
}
