#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "policy/files/difference_name.h"
#include "policy/files/model_io.h"

namespace kg::policy {

// A model stored as its difference from another one: a folder with kDifferenceFile. Every 64 elements of a matrix share
// a scale in half precision and have `bits` bits each (levels scale * (k + 0.5), k from -2^(bits-1) to 2^(bits-1) - 1;
// the scale minimises the squared error); vectors are stored in half precision. At 3 bits a model takes 3.25 bits per
// element. The file: 8 bytes little-endian length of a JSON header ({"format", "base", "base_tensors", "bits",
// "tensors": [{"name", "shape"}]}), the header, then for each tensor its scales, then its codes, least significant bits
// first.
struct DifferenceOptions {
  std::string base;  // the name by which find_model() finds it on every machine
  int bits = 3;      // 2 to 8
};

// Returns the bytes written. Throws Error if the two models differ in their tensors or shapes.
std::uintmax_t write_difference(const std::filesystem::path& folder, const LoadedModel& model, const LoadedModel& base,
                                const DifferenceOptions& options);

bool is_difference(const std::filesystem::path& folder);
// The base plus the difference: fp32 weights; everything else is the base's. Throws Error if the base on this
// machine has other weights than the one the difference was computed from.
LoadedModel load_difference(const std::filesystem::path& folder);

}  // namespace kg::policy
