#pragma once

#include <cstdint>
#include <vector>

#include "dataset/synthesis/variant.h"

namespace kg::dataset {

// Variants of all structures: each with its types and `shapes` shapes, friendly and with tails in turn; those
// left out whose compact kernel would be too long (two inputs that must be cast, and a long computation). At most
// kMostShapes.
constexpr int kMostShapes = 16;
std::vector<Variant> builtin_variants(int shapes);

std::string task_id(const Variant& variant);

// `seed` decides the values of the inputs, nothing else.
proto::Task make_task(const Variant& variant, std::uint64_t seed);

}  // namespace kg::dataset
