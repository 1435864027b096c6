#include "npu/calls/rate_table.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "npu/chip.h"

namespace kg::npu {
namespace {

using kgnpu::Op;
using kgnpu::Type;

// The library rows count the instructions of the usual composition.
constexpr Operation kTable[] = {
    {Op::kAdd, "Add", Rate::kSimple},
    {Op::kSub, "Sub", Rate::kSimple},
    {Op::kMul, "Mul", Rate::kSimple},
    {Op::kDiv, "Div", Rate::kSlow},
    {Op::kMax, "Max", Rate::kSimple},
    {Op::kMin, "Min", Rate::kSimple},
    {Op::kAnd, "And", Rate::kSimple},
    {Op::kOr, "Or", Rate::kSimple},
    {Op::kMulAddDst, "MulAddDst", Rate::kHalf},
    {Op::kFusedMulAdd, "FusedMulAdd", Rate::kSimple},
    {Op::kFusedMulAddRelu, "FusedMulAddRelu", Rate::kSimple},
    {Op::kAddRelu, "AddRelu", Rate::kSimple},
    {Op::kSubRelu, "SubRelu", Rate::kSimple},
    {Op::kAbs, "Abs", Rate::kSimple},
    {Op::kExp, "Exp", Rate::kSlow},
    {Op::kLn, "Ln", Rate::kSlow},
    {Op::kSqrt, "Sqrt", Rate::kSlow},
    {Op::kRsqrt, "Rsqrt", Rate::kSimple},
    {Op::kReciprocal, "Reciprocal", Rate::kSimple},
    {Op::kRelu, "Relu", Rate::kSimple},
    {Op::kNot, "Not", Rate::kSimple},
    {Op::kAdds, "Adds", Rate::kSimple},
    {Op::kMuls, "Muls", Rate::kSimple},
    {Op::kMaxs, "Maxs", Rate::kSimple},
    {Op::kMins, "Mins", Rate::kSimple},
    {Op::kLeakyRelu, "LeakyRelu", Rate::kSimple},
    {Op::kAxpy, "Axpy", Rate::kSimple},
    {Op::kShiftLeft, "ShiftLeft", Rate::kSimple},
    {Op::kShiftRight, "ShiftRight", Rate::kSimple},
    {Op::kCopy, "Copy", Rate::kSimple},
    {Op::kCastScaled, "Cast", Rate::kCast},
    {Op::kAddReluCast, "AddReluCast", Rate::kSimple},
    {Op::kSubReluCast, "SubReluCast", Rate::kSimple},
    {Op::kMulCast, "MulCast", Rate::kSimple},
    {Op::kAddDeqRelu, "AddDeqRelu", Rate::kSimple},
    {Op::kCastDeq, "CastDeq", Rate::kCast},
    {Op::kCastDequant, "CastDequant", Rate::kCast},
    {Op::kDuplicate, "Duplicate", Rate::kSimple},
    {Op::kCast, "Cast", Rate::kCast},
    {Op::kCompare, "Compare", Rate::kSimple},
    {Op::kCompareScalar, "CompareScalar", Rate::kSimple},
    {Op::kSelect, "Select", Rate::kSimple},
    {Op::kSelectScalar, "Select", Rate::kSimple},
    {Op::kReduceSum, "ReduceSum", Rate::kWholeReduce},
    {Op::kReduceMax, "ReduceMax", Rate::kWholeReduce},
    {Op::kReduceMin, "ReduceMin", Rate::kWholeReduce},
    {Op::kWholeReduceSum, "WholeReduceSum", Rate::kWholeReduce},
    {Op::kWholeReduceMax, "WholeReduceMax", Rate::kWholeReduce},
    {Op::kWholeReduceMin, "WholeReduceMin", Rate::kWholeReduce},
    {Op::kBlockReduceSum, "BlockReduceSum", Rate::kBlockReduce},
    {Op::kBlockReduceMax, "BlockReduceMax", Rate::kBlockReduce},
    {Op::kBlockReduceMin, "BlockReduceMin", Rate::kBlockReduce},
    {Op::kPairReduceSum, "PairReduceSum", Rate::kBlockReduce},
    {Op::kRowSum, "Sum", Rate::kWholeReduce},
    {Op::kSigmoid, "Sigmoid", Rate::kLibrary, 2, 2},
    {Op::kTanh, "Tanh", Rate::kLibrary, 3, 2},
    {Op::kLog, "Log", Rate::kSlow},
    {Op::kLog2, "Log2", Rate::kLibrary, 1, 1},
    {Op::kLog10, "Log10", Rate::kLibrary, 1, 1},
    {Op::kSin, "Sin", Rate::kLibrary, 20, 0},
    {Op::kCos, "Cos", Rate::kLibrary, 20, 0},
    {Op::kTan, "Tan", Rate::kLibrary, 25, 1},
    {Op::kSinh, "Sinh", Rate::kLibrary, 4, 3},
    {Op::kCosh, "Cosh", Rate::kLibrary, 4, 3},
    {Op::kAsin, "Asin", Rate::kLibrary, 20, 1},
    {Op::kAcos, "Acos", Rate::kLibrary, 20, 1},
    {Op::kAtan, "Atan", Rate::kLibrary, 30, 1},
    {Op::kErf, "Erf", Rate::kLibrary, 18, 1},
    {Op::kErfc, "Erfc", Rate::kLibrary, 20, 2},
    {Op::kSign, "Sign", Rate::kLibrary, 5, 0},
    {Op::kFloor, "Floor", Rate::kSimple},
    {Op::kCeil, "Ceil", Rate::kSimple},
    {Op::kTrunc, "Trunc", Rate::kSimple},
    {Op::kRound, "Round", Rate::kSimple},
    {Op::kSilu, "Silu", Rate::kLibrary, 2, 2},
    {Op::kGelu, "Gelu", Rate::kLibrary, 7, 2},
    {Op::kSwish, "Swish", Rate::kLibrary, 2, 2},
    {Op::kPower, "Power", Rate::kLibrary, 6, 2},
    {Op::kPowerScalar, "Power", Rate::kLibrary, 6, 2},
    {Op::kPowerBase, "Power", Rate::kLibrary, 6, 2},
    {Op::kAcosh, "Acosh", Rate::kLibrary, 4, 2},
    {Op::kAsinh, "Asinh", Rate::kLibrary, 8, 3},
    {Op::kAtanh, "Atanh", Rate::kLibrary, 4, 2},
    {Op::kFrac, "Frac", Rate::kLibrary, 2, 0},
    {Op::kFmod, "Fmod", Rate::kLibrary, 4, 1},
    {Op::kXor, "Xor", Rate::kLibrary, 4, 0},
    {Op::kHypot, "Hypot", Rate::kLibrary, 8, 2},
    {Op::kLgamma, "Lgamma", Rate::kLibrary, 60, 8},
    {Op::kDigamma, "Digamma", Rate::kLibrary, 80, 12},
    {Op::kClampMax, "ClampMax", Rate::kSimple},
    {Op::kClampMin, "ClampMin", Rate::kSimple},
    {Op::kFasterGelu, "FasterGelu", Rate::kLibrary, 4, 2},
    {Op::kFasterGeluV2, "FasterGeluV2", Rate::kLibrary, 10, 0},
    {Op::kSwiGlu, "SwiGLU", Rate::kLibrary, 3, 2},
    {Op::kGeGlu, "GeGLU", Rate::kLibrary, 8, 2},
    {Op::kReGlu, "ReGlu", Rate::kLibrary, 2, 0},
};

struct TypeRow {
  std::size_t bytes;
  const char* name;
};
constexpr TypeRow kTypes[] = {{4, "float"},    {2, "half"},     {2, "bfloat16_t"}, {1, "int8_t"},   {1, "uint8_t"},
                              {2, "int16_t"},  {2, "uint16_t"}, {4, "int32_t"},    {4, "uint32_t"}, {8, "int64_t"},
                              {8, "uint64_t"}, {1, "bool"},     {1, "int4b_t"},    {0, "no type"}};

}  // namespace

const Operation& operation(Op op) {
  static const auto index = [] {
    std::array<const Operation*, static_cast<std::size_t>(Op::kCount)> table{};
    for (const Operation& row : kTable) table[static_cast<std::size_t>(row.op)] = &row;
    return table;
  }();
  static constexpr Operation kUnknown{Op::kCount, "an unknown call", Rate::kSimple};
  const auto i = static_cast<std::size_t>(op);
  return i < index.size() && index[i] != nullptr ? *index[i] : kUnknown;
}

std::size_t type_bytes(Type type) { return kTypes[static_cast<std::size_t>(type)].bytes; }
const char* type_name(Type type) { return kTypes[static_cast<std::size_t>(type)].name; }

double vector_cycles(Op op, Type dst, Type src, double repeats, double conflict) {
  const Operation& row = operation(op);
  const double bytes = static_cast<double>(type_bytes(src == Type::kNone ? dst : src));
  const double elements = chip::kRepeatBytes / (bytes > 0 ? bytes : 4);
  const double slow = elements / chip::kSlowElements;  // cycles a repeat
  switch (row.rate) {
    case Rate::kSimple:
    case Rate::kCast:  // a repeat is 256 bytes of the wider type: 128, 64 or 32 elements a cycle (int4b_t: assumed)
      return repeats * conflict;
    case Rate::kHalf:
      return repeats * std::max(chip::kMulAddCycles, conflict);
    case Rate::kSlow:
      return repeats * std::max(slow, conflict);
    case Rate::kWholeReduce:
      return repeats * std::max(chip::kReduceCycles, conflict);
    case Rate::kBlockReduce:
      return repeats * std::max(src == Type::kHalf ? chip::kReduceCycles : 1.0, conflict);
    case Rate::kGather:
      return repeats * std::max(elements / chip::kGatherElements, conflict);
    case Rate::kSort:
      return repeats * std::max(elements / chip::kSortElements, conflict);
    case Rate::kLibrary:
      // Each of its instructions has its own start-up.
      return repeats * (row.simple + row.slow * slow) + chip::kVectorStart * (row.simple + row.slow - 1);
  }
  return repeats * conflict;
}

}  // namespace kg::npu
