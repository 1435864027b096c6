#include "npu/calls/elementwise.h"

#include <array>
#include <memory>

namespace kg::npu {
namespace {

constexpr std::size_t kOps = static_cast<std::size_t>(kgnpu::Op::kCount);
constexpr std::size_t kTypes = static_cast<std::size_t>(kgnpu::Type::kNone) + 1;
using Index = std::array<const Elementwise*, kOps * kTypes * kTypes>;

std::size_t slot(kgnpu::Op op, kgnpu::Type dst, kgnpu::Type src) {
  return (static_cast<std::size_t>(op) * kTypes + static_cast<std::size_t>(dst)) * kTypes +
         static_cast<std::size_t>(src);
}

const Index& index() {
  static const auto made = [] {
    auto table = std::make_unique<Index>();
    for (const auto rows :
         {arithmetic_table(), integer_table(), transcendental_table(), cast_table(), mixed_table(), library_table()})
      for (const Elementwise& row : rows) (*table)[slot(row.op, row.dst, row.src)] = &row;
    return table;
  }();
  return *made;
}

}  // namespace

const Elementwise* find_elementwise(kgnpu::Op op, kgnpu::Type dst, kgnpu::Type src) {
  if (op >= kgnpu::Op::kCount || dst > kgnpu::Type::kNone || src > kgnpu::Type::kNone) return nullptr;
  return index()[slot(op, dst, src)];
}

}  // namespace kg::npu
