#include "npu/machine/task_type.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

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

bool is_cube_work(const std::string& call) {
  return call == "kgnpu_mmad" || call == "kgnpu_fixpipe" || call == "kgnpu_load_fractals" ||
         call == "kgnpu_load_image" || call == "kgnpu_copy_nd_to_nz" || call == "kgnpu_fill_matrix" ||
         call == "kgnpu_matrix_at" || call == "kgnpu_matmul" || call == "kgnpu_matmul_post";
}

// Calls that mean a vector core is at work: the vector unit, and moving UB to GM.
bool is_vector_work(const std::string& call) {
  return call.starts_with("kgnpu_vector") || call == "kgnpu_copy_out" || call == "kgnpu_copy_local" ||
         call == "kgnpu_local_store";
}

// Whether a local variable, by its symbol, is of one of these functions: _ZZ, the function's encoding, E.
bool is_local_of(const std::string& variable, const std::set<std::string>& functions) {
  return std::any_of(functions.begin(), functions.end(), [&](const std::string& function) {
    const std::string encoding =
        function.starts_with("_Z") ? function.substr(2) : std::to_string(function.size()) + function;
    return variable.starts_with("_ZZ" + encoding + "E");
  });
}

// The task types that the kernel declares: in functions that it comes to, or that the compiler has put into their
// callers.
std::vector<kgnpu::TaskType> declarations_in(const scalar::Image& image, const scalar::Image::Reach& reach) {
  std::vector<kgnpu::TaskType> own;
  const std::set<std::string> all = image.functions();
  for (const auto& [address, name] : image.objects_in("kgnpu_tasks")) {
    kgnpu::TaskType one;
    if (image.copy(address, one) && (is_local_of(name, reach.functions) || !is_local_of(name, all))) own.push_back(one);
  }
  return own;
}

// What __cube__, __vector__ or __mix__ in front of the kernel say: language.h names their sections.
std::optional<TaskLayout> qualified(const scalar::Image& image, const scalar::Image::Reach& reach) {
  for (const TaskLayout& layout : {kVectorOnly, kCubeOnly, kMixed11, kMixed12}) {
    const scalar::Image::Extent cores =
        image.section(".text.kgnpu_cores_" + std::to_string(layout.cubes) + "_" + std::to_string(layout.vectors));
    for (const std::string& function : reach.functions) {
      const std::uint64_t address = image.address_of(function);
      if (address >= cores.begin && address < cores.end) return layout;
    }
  }
  return std::nullopt;
}

}  // namespace

TaskLayout layout_of(const Program::Half& vector, const Program::Half& cube, std::int64_t tiling_key) {
  const scalar::Image::Reach vectors = vector.image->reach_from(vector.entry);
  // In this order: of the template's selection, of the tiling key, of all.
  std::optional<int> selected, keyed, standard;
  for (const kgnpu::TaskType& one : declarations_in(*vector.image, vectors)) {
    if (one.has_key == kgnpu::kOfTemplate)
      selected = one.type;
    else if (one.has_key == 0)
      standard = one.type;
    else if (one.key == tiling_key && !keyed)
      keyed = one.type;
  }
  if (selected) return declared(*selected);
  if (keyed) return declared(*keyed);
  if (standard) return declared(*standard);
  if (const std::optional<TaskLayout> layout = qualified(*vector.image, vectors)) return *layout;
  // A Matmul object serves vector cores unless the source says ASCENDC_CUBE_ONLY.
  const auto& calls = vectors.calls;
  if ((calls.contains("kgnpu_matmul") || calls.contains("kgnpu_matmul_post")) &&
      !calls.contains("kgnpu_matmul_on_cube"))
    return kMixed12;
  if (cube.image == nullptr) return kVectorOnly;
  const scalar::Image::Reach cubes = cube.image->reach_from(cube.entry);
  if (!std::any_of(cubes.calls.begin(), cubes.calls.end(), is_cube_work)) return kVectorOnly;
  return std::any_of(calls.begin(), calls.end(), is_vector_work) ? kMixed12 : kCubeOnly;
}

}  // namespace kg::npu
