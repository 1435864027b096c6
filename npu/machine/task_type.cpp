#include "npu/machine/task_type.h"

#include <algorithm>
#include <string_view>

#include "base/file.h"
#include "npu/checks/elf_object.h"
#include "npu/chip.h"

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
         call == "kgnpu_matmul";
}

// Calls that mean a vector core is at work: the vector unit, and moving UB to GM.
bool is_vector_work(std::string_view call) {
  return call.starts_with("kgnpu_vector") || call == "kgnpu_copy_out" || call == "kgnpu_copy_local" ||
         call == "kgnpu_local_store";
}

}  // namespace

TaskLayout layout_of(const Half& vector, const Half& cube, std::int64_t tiling_key) {
  const kgnpu::Entry& entry = *vector.entry;
  const kgnpu::TaskType* standard = nullptr;
  const auto* const end = reinterpret_cast<const kgnpu::TaskType*>(entry.task_types_end);
  for (auto* one = reinterpret_cast<const kgnpu::TaskType*>(entry.task_types_begin); one != end; ++one) {
    if (one->has_key && one->key == tiling_key) return declared(one->type);
    if (!one->has_key) standard = one;
  }
  if (standard != nullptr) return declared(standard->type);
  // A Matmul object serves vector cores unless the source says ASCENDC_CUBE_ONLY.
  const auto calls = [&](const char* name) {
    return std::find(vector.calls.begin(), vector.calls.end(), name) != vector.calls.end();
  };
  if (calls("kgnpu_matmul") && !calls("kgnpu_matmul_on_cube")) return kMixed12;
  if (!std::any_of(cube.calls.begin(), cube.calls.end(), is_cube_work)) return kVectorOnly;
  return std::any_of(vector.calls.begin(), vector.calls.end(), is_vector_work) ? kMixed12 : kCubeOnly;
}

std::vector<std::string> undefined_functions(const std::string& shared_object) {
  const ElfObject object(read_file(shared_object));
  std::vector<std::string> names;
  for (const Elf64_Sym& symbol : object.dynamic_symbols())
    if (symbol.st_shndx == SHN_UNDEF && symbol.st_name != 0) names.push_back(object.dynamic_name(symbol));
  return names;
}

}  // namespace kg::npu
