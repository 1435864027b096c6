#include "dataset/cot/modules/flat_shape.h"

namespace kg::dataset::cot::modules {

std::vector<std::string> flat_shape(Maker& make) {
  const int rank = 1 + static_cast<int>(make.draw.below(4));
  static const std::vector<std::vector<std::string>> letters = {
      {"N"}, {"R", "C"}, {"B", "L", "C"}, {"B", "F", "H", "W"}};
  const auto& shape = letters[static_cast<std::size_t>(rank) - 1];
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool last = i + 1 == shape.size();
    if (rank == 1)
      make.extent(shape[i], make.size({1024, 4096, 65536, 1048576, 16777216, 100000, 393216}, 100, 900000),
                  1000 + static_cast<std::int64_t>(make.draw.below(3000)));
    else
      make.extent(shape[i], make.size({16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192}, 3, 700),
                  last ? 17 + static_cast<std::int64_t>(make.draw.below(90))
                       : 2 + static_cast<std::int64_t>(make.draw.below(7)));
  }
  return shape;
}

void flat_loop(Maker& make, const std::vector<int>& inputs) {
  make.line(1, "for t in cores(tiles(N)):");
  make.loads(2, inputs);
}

std::vector<int> flat_inputs(Maker& make, const std::vector<std::string>& shape, int count, const char* kind) {
  static const char* roles[] = {"x", "y", "w"};
  std::vector<int> inputs;
  for (int i = 0; i < count; ++i) inputs.push_back(make.input(roles[i], shape, "N", "t", i == 0 ? kind : "normal"));
  return inputs;
}

void flat_body(Maker& make, const std::vector<int>& inputs) {
  flat_loop(make, inputs);
  const int first = static_cast<int>(inputs.size()), end = make.graph.value_count();
  const std::size_t results = make.graph.outputs.size();
  make.bind_range(first, results == 1 ? end - 1 : end, 2);
  for (std::size_t i = 0; i < results; ++i) make.store(static_cast<int>(i), "t", make.graph.outputs[i], 2);
}

}  // namespace kg::dataset::cot::modules
