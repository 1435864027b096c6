#include "dataset/cot/modules/flat_shape.h"

namespace kg::dataset::cot::modules {

std::vector<std::string> flat_shape(Maker& make) {
  const int rank = 1 + static_cast<int>(make.draw.below(4));
  static const std::vector<std::vector<std::string>> letters = {
      {"N"}, {"R", "C"}, {"B", "L", "C"}, {"B", "F", "H", "W"}};
  const auto& shape = letters[static_cast<std::size_t>(rank) - 1];
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool last = i + 1 == shape.size();
    const bool tiny = make.draw.chance(0.08);  // one element, a few: as tests have them
    if (tiny)
      make.extent(shape[i], make.draw.chance(0.4) ? 1 : 2 + static_cast<std::int64_t>(make.draw.below(30)), 32);
    else if (rank == 1)
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

std::vector<int> flat_inputs(Maker& make, const std::vector<std::string>& shape, int count, const std::string& kind,
                             const std::string& others) {
  static const char* roles[] = {"x", "y", "w"};
  std::vector<int> inputs;
  for (int i = 0; i < count; ++i)
    inputs.push_back(make.input(roles[i], shape, "N", "t",
                                i == 0                  ? kind
                                : !others.empty()       ? others
                                : make.draw.chance(0.3) ? "positive"
                                                        : "normal"));
  return inputs;
}

void flat_output(Maker& make, int value, const std::vector<std::string>& shape) {
  // Storing converts, so the program needs no statement for it.
  static constexpr Word casts[] = {{"to_half", 1, "", 0, "$x", "to half", "x ~ half(x) ~ cast(x)",
                                    "$x.half() ~ $x.to(torch.float16) ~ $x.to(dtype=torch.float16)"},
                                   {"to_float", 1, "", 0, "$x", "to float", "x ~ float(x) ~ cast(x)",
                                    "$x.float() ~ $x.to(torch.float32) ~ $x.to(dtype=torch.float32)"},
                                   {"to_bfloat16", 1, "", 0, "$x", "to bfloat16", "x ~ bfloat16(x) ~ cast(x)",
                                    "$x.bfloat16() ~ $x.to(torch.bfloat16)"}};
  if (make.graph.node(value) != nullptr && make.draw.chance(0.1)) {
    const Word& cast = make.graph.dtype == "float" ? casts[make.draw.chance(0.6) ? 0 : 2]
                       : make.draw.chance(0.8)     ? casts[1]
                                                   : casts[make.graph.dtype == "half" ? 2 : 0];
    value = make.step(cast, {value});
    make.graph.out_dtypes = {std::string(cast.name).substr(3)};
  }
  make.output(value, shape, "N");
}

void flat_body(Maker& make, const std::vector<int>& inputs) {
  flat_loop(make, inputs);
  const int first = static_cast<int>(inputs.size()), end = make.graph.value_count();
  const std::size_t results = make.graph.outputs.size();
  make.bind_range(first, results == 1 ? end - 1 : end, 2);
  for (std::size_t i = 0; i < results; ++i) make.store(static_cast<int>(i), "t", make.graph.outputs[i], 2);
}

}  // namespace kg::dataset::cot::modules
