// The steps that `kgtrain sft` takes, for programs that take the same ones (loss_curves.py): a line of JSON a step,
// [{"ids": [...], "prompt": tokens that are given}, ...].
//
//   sft_batches DATA MODEL SEED STEPS BATCH_TOKENS SEQUENCE_LENGTH [LANGUAGE]
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "policy/files/model_io.h"
#include "trainer/sft_data.h"

int main(int argc, char** argv) {
  using namespace kg;
  using namespace kg::trainer;
  if (argc < 7) {
    std::fprintf(stderr, "usage: sft_batches DATA MODEL SEED STEPS BATCH_TOKENS SEQUENCE_LENGTH [LANGUAGE]\n");
    return 64;
  }
  try {
    const policy::LoadedModel model = policy::load_model(policy::find_model(argv[2]));
    const SftData data = load_sft_data(
        *dataset::Dataset::open(argv[1], dataset::OpenMode::kRead), model,
        {.split = "train", .language = argc > 7 ? argv[7] : "", .longest = std::strtoll(argv[6], nullptr, 10)});
    DocumentOrder order(data.lengths, std::strtoull(argv[3], nullptr, 10));
    DataPosition position;
    for (std::int64_t step = 0; step < std::strtoll(argv[4], nullptr, 10); ++step) {
      nlohmann::json documents = nlohmann::json::array();
      for (const std::size_t i : order.next(std::strtoll(argv[5], nullptr, 10), position))
        documents.push_back({{"ids", data.documents[i].ids}, {"prompt", data.documents[i].prompt_length}});
      std::puts(documents.dump().c_str());
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
