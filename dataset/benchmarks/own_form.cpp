#include "dataset/benchmarks/own_form.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <string>
#include <tuple>

#include "base/error.h"
#include "proto/dtype.h"

namespace kg::dataset::benchmarks {
namespace {

constexpr int kMostCases = 64, kMostTensors = 128, kMostExtents = 8, kMostOperators = 1 << 16, kMostAttributes = 64;
constexpr std::uint64_t kMostBytesAtFullSize = 1ull << 40, kMostBytesOfOperator = 1ull << 44,
                        kMostProductsOfOperator = 1ull << 52;
constexpr std::size_t kLongestText = 1 << 20, kLongestName = 128, kLongestAttribute = 1 << 13;

void require(bool good, const std::string& what, const std::string& where) {
  if (!good) throw Error("the module's process sent a malformed answer: " + what, where, "look at the module");
}

bool is_device_type(proto::DType dtype) {
  return dtype != proto::DTYPE_UNSPECIFIED && dtype != proto::FLOAT64 && dtype != proto::COMPLEX64;
}

bool is_name(const std::string& name) {
  return !name.empty() && name.size() <= kLongestName && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// 0: it has more than `most` bytes, or none.
template <typename Extents>
std::uint64_t bytes_of(const Extents& shape, proto::DType dtype, std::uint64_t most) {
  std::uint64_t bytes = proto::element_size(dtype);
  for (const auto extent : shape) {
    if (extent < 1 || static_cast<std::uint64_t>(extent) > most / bytes) return 0;
    bytes *= static_cast<std::uint64_t>(extent);
  }
  return bytes;
}

std::uint64_t require_spec(const proto::TensorSpec& spec, std::uint64_t most, const std::string& where) {
  require(is_name(spec.name()), "a tensor's name", where);
  require(is_device_type(spec.dtype()), "a tensor's type", where);
  require(spec.shape_size() <= kMostExtents, "a tensor of too many extents", where);
  require(spec.kind() == proto::REQUIRED && !spec.absent() && spec.in_place_of().empty() && !spec.without_parameter() &&
              !spec.has_distribution(),
          "a tensor that is not a plain one", where);
  const std::uint64_t bytes = bytes_of(spec.shape(), spec.dtype(), most);
  require(bytes > 0, "a tensor that is too large, or empty", where);
  return bytes;
}

bool is_bound(double value) { return std::isfinite(value) && value >= 0; }

void require_case(const proto::TaskCase& one, std::uint64_t most_bytes, const std::string& where) {
  const bool runs = !one.checked().empty();
  const std::uint64_t most = runs ? most_bytes : kMostBytesAtFullSize;
  require(one.inputs_size() <= kMostTensors && one.outputs_size() <= kMostTensors, "too many tensors", where);
  require(one.outputs_size() > 0 && (!runs || one.checked_size() == one.outputs_size()), "results", where);
  require(one.operator_bytes_size() <= kMostOperators &&
              (one.operator_products().empty() || one.operator_products_size() == one.operator_bytes_size()),
          "a case's form", where);
  require(one.attributes_size() <= kMostAttributes, "too many constants", where);
  for (const proto::Attribute& attribute : one.attributes())
    require(is_name(attribute.name()) && attribute.constant() && attribute.ByteSizeLong() <= kLongestAttribute,
            "a constant", where);
  require(one.call().size() + one.result_form().size() + one.label().size() <= kLongestText, "texts", where);
  std::uint64_t bytes = 0;
  for (const proto::TensorSpec& spec : one.inputs()) bytes += require_spec(spec, most, where);
  for (const proto::TensorSpec& spec : one.outputs()) bytes += require_spec(spec, most, where);
  require(bytes <= most, "tensors that are too large", where);
  for (int i = 0; i < one.checked_size(); ++i) {
    const proto::CheckedTensor& checked = one.checked(i);
    require(checked.outputs_size() == 1 && checked.outputs(0) == i && checked.dtype() == one.outputs(i).dtype() &&
                is_bound(checked.absolute()) && is_bound(checked.relative()),
            "how a result is checked", where);
  }
  for (const std::uint64_t moved : one.operator_bytes())
    require(moved <= kMostBytesOfOperator, "bytes that an operator moves", where);
  for (const std::uint64_t products : one.operator_products())
    require(products <= kMostProductsOfOperator, "products that an operator has", where);
}

// Each input and each result of the cases that run has its bytes, once.
void require_tensors(const OwnOperator& made) {
  std::set<std::tuple<std::uint32_t, int, std::uint32_t>> there;
  for (const proto::CaseTensor& tensor : made.tensors) {
    const std::string where = "a tensor's bytes";
    require(tensor.case_index() < static_cast<std::uint32_t>(made.task.cases_size()), "something that is not a case",
            where);
    const proto::TaskCase& one = made.task.cases(static_cast<int>(tensor.case_index()));
    const bool input = tensor.role() == proto::CaseTensor::INPUT;
    require(input || tensor.role() == proto::CaseTensor::GOLDEN_FP64, "a tensor's role", where);
    const auto& specs = input ? one.inputs() : one.outputs();
    require(!one.checked().empty() && tensor.index() < static_cast<std::uint32_t>(specs.size()), "a tensor's index",
            where);
    const proto::TensorSpec& spec = specs.Get(static_cast<int>(tensor.index()));
    require(std::equal(tensor.shape().begin(), tensor.shape().end(), spec.shape().begin(), spec.shape().end(),
                       [](std::uint64_t a, std::int64_t b) { return a == static_cast<std::uint64_t>(b); }),
            "a tensor's shape", where);
    require(tensor.dtype() == (input ? spec.dtype() : proto::FLOAT64), "a tensor's type", where);
    require(bytes_of(spec.shape(), tensor.dtype(), UINT64_MAX) == tensor.data().size(), "a tensor's size", where);
    require(there.emplace(tensor.case_index(), tensor.role(), tensor.index()).second, "a tensor twice", where);
  }
  std::size_t wanted = 0;
  for (const proto::TaskCase& one : made.task.cases())
    if (!one.checked().empty()) wanted += static_cast<std::size_t>(one.inputs_size() + one.outputs_size());
  require(there.size() == wanted, "fewer tensors than its cases have", "its tensors");
}

}  // namespace

void require_sound(const OwnOperator& made, std::uint64_t most_bytes) {
  const proto::Task& task = made.task;
  require(task.cases_size() > 0 && task.cases_size() <= kMostCases, "the number of cases", task.id());
  require(is_name(task.entry_point()) && is_name(task.op_name()), "a name", task.id());
  constexpr std::uint32_t kMostCores = 64;
  require(task.block_dim() > 0 && task.block_dim() <= kMostCores, "the number of cores", task.id());
  require(task.prompt_short().size() <= kLongestText, "texts", task.id());
  for (int i = 0; i < task.cases_size(); ++i)
    require_case(task.cases(i), most_bytes, task.id() + " case " + std::to_string(i));
  require(std::ranges::any_of(task.cases(), [](const proto::TaskCase& one) { return !one.checked().empty(); }),
          "no case that runs", task.id());
  require_tensors(made);
}

}  // namespace kg::dataset::benchmarks
