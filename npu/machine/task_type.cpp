#include "npu/machine/task_type.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "npu/chip.h"
#include "npu/headers/kgnpu/abi.h"

namespace kg::npu {
namespace {

constexpr TaskLayout kVectorOnly{.cubes = 0, .vectors = 1, .places = chip::kVectorCores},
    kCubeOnly{.cubes = 1, .vectors = 0, .places = chip::kCubeCores},
    kMixed11{.cubes = 1, .vectors = 1, .places = chip::kCubeCores},
    kMixed12{.cubes = 1, .vectors = 2, .places = chip::kCubeCores};

// In the order of the documented enumeration.
TaskLayout declared(int type) {
  switch (type) {
    case kgnpu::kAicOnly:
    case kgnpu::kMixAic10:
      return kCubeOnly;
    case kgnpu::kMixAic11:
      return kMixed11;
    case kgnpu::kMixAic12:
      return kMixed12;
    default:
      return kVectorOnly;
  }
}

bool is_cube_work(std::string_view call) {
  return call == "kgnpu_mmad" || call == "kgnpu_fixpipe" || call == "kgnpu_load_fractals" ||
         call == "kgnpu_load_image" || call == "kgnpu_copy_nd_to_nz" || call == "kgnpu_fill_matrix" ||
         call == "kgnpu_matmul" || call == "kgnpu_matmul_post";
}

// Calls that mean a vector core is at work: the vector unit, and moving UB to GM.
bool is_vector_work(std::string_view call) {
  return call.starts_with("kgnpu_vector") || call == "kgnpu_copy_out" || call == "kgnpu_copy_local" ||
         call == "kgnpu_local_store";
}

}  // namespace

TaskLayout layout_of(const scalar::Image& vector, const scalar::Image* cube, std::int64_t tiling_key) {
  const scalar::Image::Extent types = vector.section("kgnpu_tasks");
  std::optional<int> standard;
  kgnpu::TaskType one;
  for (std::uint64_t at = types.begin; at < types.end && vector.copy(at, one); at += sizeof one) {
    if (one.has_key && one.key == tiling_key) return declared(one.type);
    if (!one.has_key) standard = one.type;
  }
  if (standard) return declared(*standard);
  // A Matmul object serves vector cores unless the source says ASCENDC_CUBE_ONLY.
  const auto calls = [&](const char* name) {
    return std::find(vector.calls().begin(), vector.calls().end(), name) != vector.calls().end();
  };
  if ((calls("kgnpu_matmul") || calls("kgnpu_matmul_post")) && !calls("kgnpu_matmul_on_cube")) return kMixed12;
  if (cube == nullptr || !std::any_of(cube->calls().begin(), cube->calls().end(), is_cube_work)) return kVectorOnly;
  return std::any_of(vector.calls().begin(), vector.calls().end(), is_vector_work) ? kMixed12 : kCubeOnly;
}

}  // namespace kg::npu
