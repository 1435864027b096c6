#pragma once

#include <string>
#include <vector>

#include "dataset/cot/modules/maker.h"

namespace kg::dataset::cot::modules {

// Extents of a tensor whose elements may be processed in any order; the module sees one to four axes.
std::vector<std::string> flat_shape(Maker& make);
// Up to three inputs with that shape, the first drawn as `kind`; the others as `others`, or if that is empty normal or
// positive.
std::vector<int> flat_inputs(Maker& make, const std::vector<std::string>& shape, int count, const std::string& kind,
                             const std::string& others = "");
// The result: now and then in another type than the graph's.
void flat_output(Maker& make, int value, const std::vector<std::string>& shape);
// The loop over tiles with the loads of these inputs.
void flat_loop(Maker& make, const std::vector<int>& inputs);
// The whole loop: the nodes as statements, the outputs at the end.
void flat_body(Maker& make, const std::vector<int>& inputs);

}  // namespace kg::dataset::cot::modules
