#pragma once

#include <string>
#include <vector>

#include "dataset/cot/modules/maker.h"

namespace kg::dataset::cot::modules {

// A tensor that is walked along an axis D with axes behind it.
struct AxisShape {
  std::vector<std::string> shape;
  int axis = 1, rank = 3;
  std::string lead;     // "b, "
  std::string loop;     // "for b, t in cores(B, tiles(E)):"
  std::string at;       // "b, d, t"
  std::string program;  // "B, D, E"
};
AxisShape axis_shape(Maker& make);

}  // namespace kg::dataset::cot::modules
