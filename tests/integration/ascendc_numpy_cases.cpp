#include "ascendc_numpy_cases.h"

#include <sstream>

namespace kg::npu::testing {
namespace {

using enum Inputs;

const NumpyCase kArithmetic[] = {
    NumpyCase{"Add", "half float int16_t int32_t", kTwo, "Add(z, x, y, n);"},
    NumpyCase{"Sub", "half float int16_t int32_t", kTwo, "Sub(z, x, y, n);"},
    NumpyCase{"Mul", "half float int16_t int32_t", kTwo, "Mul(z, x, y, n);"},
    NumpyCase{"Div", "half float", kTwo, "Div(z, x, y, n);"},
    NumpyCase{"Max", "half float int16_t int32_t", kTwo, "Max(z, x, y, n);"},
    NumpyCase{"Min", "half float int16_t int32_t", kTwo, "Min(z, x, y, n);"},
    NumpyCase{"And", "int16_t uint16_t", kTwo, "And(z, x, y, n);"},
    NumpyCase{"Or", "int16_t uint16_t", kTwo, "Or(z, x, y, n);"},
    NumpyCase{"Xor", "int16_t uint16_t", kTwo, "Xor(z, x, y, (uint32_t)n);"},
    NumpyCase{"AddRelu", "half float int16_t", kTwo, "AddRelu(z, x, y, n);"},
    NumpyCase{"SubRelu", "half float int16_t", kTwo, "SubRelu(z, x, y, n);"},
    NumpyCase{"FusedMulAdd", "half float", kThree, "FusedMulAdd(z, x, y, n);"},
    NumpyCase{"FusedMulAddRelu", "half float", kThree, "FusedMulAddRelu(z, x, y, n);"},
    NumpyCase{"MulAddDst", "half float half>float", kThree, "MulAddDst(z, x, y, n);"},
    NumpyCase{"Axpy", "half float half>float", kThree, "Axpy(z, x, (I)-0.7501f, n);"},
    NumpyCase{"Adds", "half float", kOne, "Adds(z, x, (I)0.333f, n);"},
    NumpyCase{"Muls", "half float", kOne, "Muls(z, x, (I)0.333f, n);"},
    NumpyCase{"Maxs", "half float", kOne, "Maxs(z, x, (I)0.333f, n);"},
    NumpyCase{"Mins", "half float", kOne, "Mins(z, x, (I)0.333f, n);"},
    NumpyCase{"AddsWhole", "int16_t int32_t", kOne, "Adds(z, x, (I)12345, n);"},
    NumpyCase{"MulsWhole", "int16_t int32_t", kOne, "Muls(z, x, (I)12345, n);"},
    NumpyCase{"MaxsWhole", "int16_t int32_t", kOne, "Maxs(z, x, (I)12345, n);"},
    NumpyCase{"MinsWhole", "int16_t int32_t", kOne, "Mins(z, x, (I)12345, n);"},
    NumpyCase{"LeakyRelu", "half float", kOne, "LeakyRelu(z, x, (I)0.01f, n);"},
    NumpyCase{"ShiftLeft", "int16_t uint16_t int32_t uint32_t", kOne, "ShiftLeft(z, x, (I)3, n);"},
    NumpyCase{"ShiftRight", "int16_t uint16_t int32_t uint32_t", kOne, "ShiftRight(z, x, (I)5, n);"},
    NumpyCase{"Duplicate", "half bfloat16_t int32_t", kOne, "Duplicate(z, x.GetValue(7), n);"},
    NumpyCase{"Abs", "half float", kOne, "Abs(z, x, n);"},
    NumpyCase{"Relu", "half float int32_t", kOne, "Relu(z, x, n);"},
    NumpyCase{"Not", "int16_t uint16_t", kOne, "Not(z, x, n);"},
    NumpyCase{"Sqrt", "half float", kOne, "Sqrt(z, x, n);"},
    NumpyCase{"Rsqrt", "half float", kFew, "Rsqrt(z, x, n);"},
    NumpyCase{"Reciprocal", "half float", kOne, "Reciprocal(z, x, n);"},
    NumpyCase{"Operators", "half float", kTwo, "c = x + y; c = c * x; z = c - y;"},
};

const NumpyCase kChoices[] = {
    NumpyCase{"CompareLT", "half float", kTwo, "Compare(z, x, y, CMPMODE::LT, n);", Outputs::kBits},
    NumpyCase{"CompareGT", "half float", kTwo, "Compare(z, x, y, CMPMODE::GT, n);", Outputs::kBits},
    NumpyCase{"CompareEQ", "half float int32_t", kTwo, "Compare(z, x, y, CMPMODE::EQ, n);", Outputs::kBits},
    NumpyCase{"CompareLE", "half float", kTwo, "Compare(z, x, y, CMPMODE::LE, n);", Outputs::kBits},
    NumpyCase{"CompareGE", "half float", kTwo, "Compare(z, x, y, CMPMODE::GE, n);", Outputs::kBits},
    NumpyCase{"CompareNE", "half float", kTwo, "Compare(z, x, y, CMPMODE::NE, n);", Outputs::kBits},
    NumpyCase{"CompareScalarLT", "half float", kOne, "CompareScalar(z, x, (I)0, CMPMODE::LT, n);", Outputs::kBits},
    NumpyCase{"CompareScalarGT", "half float", kOne, "CompareScalar(z, x, (I)0, CMPMODE::GT, n);", Outputs::kBits},
    NumpyCase{"CompareScalarEQ", "half float", kOne, "CompareScalar(z, x, (I)0, CMPMODE::EQ, n);", Outputs::kBits},
    NumpyCase{"CompareScalarLE", "half float", kOne, "CompareScalar(z, x, (I)0, CMPMODE::LE, n);", Outputs::kBits},
    NumpyCase{"CompareScalarGE", "half float", kOne, "CompareScalar(z, x, (I)0, CMPMODE::GE, n);", Outputs::kBits},
    NumpyCase{"CompareScalarNE", "half float", kOne, "CompareScalar(z, x, (I)0, CMPMODE::NE, n);", Outputs::kBits},
    NumpyCase{"SelectTensors", "half float", kThree,
              "Select(z, y.template ReinterpretCast<uint8_t>(), x, c, SELMODE::VSEL_TENSOR_TENSOR_MODE, n);"},
    NumpyCase{"SelectScalar", "half float", kThree,
              "Select(z, y.template ReinterpretCast<uint8_t>(), x, (I)0.333f, SELMODE::VSEL_TENSOR_SCALAR_MODE, n);"},
    NumpyCase{"ClampMax", "half float", kOne, "ClampMax(z, x, (I)0.333f, (uint32_t)n);"},
    NumpyCase{"ClampMin", "half float", kOne, "ClampMin(z, x, (I)0.333f, (uint32_t)n);"},
};

const char* const kToIntegers =
    "half>int32_t half>int16_t half>int8_t half>uint8_t float float>half float>bfloat16_t float>int64_t float>int32_t "
    "float>int16_t bfloat16_t>int32_t int16_t>half int32_t>float int64_t>float";
const NumpyCase kCasts[] = {
    NumpyCase{"CastNone",
              "half>float half>int8_t half>uint8_t float>half bfloat16_t>float uint8_t>half int8_t>half int16_t>half "
              "int16_t>float int32_t>float int32_t>int64_t int32_t>int16_t int64_t>int32_t",
              kOne, "Cast(z, x, RoundMode::CAST_NONE, n);"},
    NumpyCase{"CastRint", kToIntegers, kOne, "Cast(z, x, RoundMode::CAST_RINT, n);"},
    NumpyCase{"CastFloor", kToIntegers, kOne, "Cast(z, x, RoundMode::CAST_FLOOR, n);"},
    NumpyCase{"CastCeil", kToIntegers, kOne, "Cast(z, x, RoundMode::CAST_CEIL, n);"},
    NumpyCase{"CastRound", kToIntegers, kOne, "Cast(z, x, RoundMode::CAST_ROUND, n);"},
    NumpyCase{"CastTrunc", kToIntegers, kOne, "Cast(z, x, RoundMode::CAST_TRUNC, n);"},
    NumpyCase{"CastOdd", "float>half", kOne, "Cast(z, x, RoundMode::CAST_ODD, n);"},
    NumpyCase{"CastDeqScale", "int32_t>half", kOne, "SetDeqScale((half)0.25f); Cast(z, x, RoundMode::CAST_NONE, n);"},
    NumpyCase{"AddReluCast", "float>half half>int8_t int16_t>int8_t", kTwo, "AddReluCast(z, x, y, (uint32_t)n);"},
    NumpyCase{"SubReluCast", "float>half half>int8_t int16_t>int8_t", kTwo, "SubReluCast(z, x, y, (uint32_t)n);"},
    NumpyCase{"MulCast", "half>int8_t half>uint8_t", kTwo, "MulCast(z, x, y, (uint32_t)n);"},
    NumpyCase{"AddDeqRelu", "int32_t>half", kTwo, "SetDeqScale((half)0.25f); AddDeqRelu(z, x, y, (uint32_t)n);"},
    NumpyCase{"CastDeq", "int16_t>int8_t", kOne,
              "SetDeqScale(0.5f, (int16_t)-20, true);\n"
              "LocalTensor<int8_t> halves = y.template ReinterpretCast<int8_t>();\n"
              "CastDeq<int8_t, int16_t, false, false>(halves, x, (uint32_t)n);\n"
              "for (uint32_t i = 0; i < n; ++i) z.SetValue(i, halves.GetValue(i / 16 * 32 + i % 16));"},
    NumpyCase{"ScalarBfloat16", "float>bfloat16_t", kFew,
              "for (int i = 0; i < n; ++i) z.SetValue(i, ToBfloat16(x.GetValue(i)));"},
    NumpyCase{"ScalarFloat", "bfloat16_t>float", kOne,
              "for (int i = 0; i < n; ++i) z.SetValue(i, ToFloat(x.GetValue(i)));"},
};

const NumpyCase kFunctions[] = {
    NumpyCase{"Exp", "half float", kFew, "Exp(z, x, n);"},
    NumpyCase{"Ln", "half float", kFew, "Ln(z, x, n);"},
    NumpyCase{"Log", "half float", kFew, "Log(z, x, (uint32_t)n);"},
    NumpyCase{"LogOfAll", "half float", kFew, "Log(z, x);"},
    NumpyCase{"Log2", "half float", kFew, "Log2(z, x);"},
    NumpyCase{"Log10", "half float", kFew, "Log10(z, x);"},
    NumpyCase{"Sigmoid", "half float", kFew, "Sigmoid(z, x, (uint32_t)n);"},
    NumpyCase{"Tanh", "half float", kFew, "Tanh(z, x, (uint32_t)n);"},
    NumpyCase{"Sin", "half float", kFew, "Sin(z, x, (uint32_t)n);"},
    NumpyCase{"Cos", "half float", kFew, "Cos(z, x, (uint32_t)n);"},
    NumpyCase{"Tan", "half float", kFew, "Tan(z, x, (uint32_t)n);"},
    NumpyCase{"Sinh", "half float", kFew, "Sinh(z, x, (uint32_t)n);"},
    NumpyCase{"Cosh", "half float", kFew, "Cosh(z, x, (uint32_t)n);"},
    NumpyCase{"Asin", "half float", kFew, "Asin(z, x, (uint32_t)n);"},
    NumpyCase{"Acos", "half float", kFew, "Acos(z, x, (uint32_t)n);"},
    NumpyCase{"Atan", "half float", kFew, "Atan(z, x, (uint32_t)n);"},
    NumpyCase{"Asinh", "half float", kFew, "Asinh(z, x, (uint32_t)n);"},
    NumpyCase{"Acosh", "half float", kFew, "Acosh(z, x, (uint32_t)n);"},
    NumpyCase{"Atanh", "half float", kFew, "Atanh(z, x, (uint32_t)n);"},
    NumpyCase{"Erf", "half float", kFew, "Erf(z, x, (uint32_t)n);"},
    NumpyCase{"Erfc", "half float", kFew, "Erfc(z, x, (uint32_t)n);"},
    NumpyCase{"Lgamma", "half float", kMild, "Abs(x, x, n); Adds(x, x, (I)0.25f, n); Lgamma(z, x, (uint32_t)n);",
              Outputs::kEach, 1e-6},
    NumpyCase{"Digamma", "half float", kMild, "Abs(x, x, n); Adds(x, x, (I)0.25f, n); Digamma(z, x, (uint32_t)n);",
              Outputs::kEach, 1e-6},
    NumpyCase{"Floor", "half float", kOne, "Floor(z, x, (uint32_t)n);"},
    NumpyCase{"Ceil", "half float", kOne, "Ceil(z, x, (uint32_t)n);"},
    NumpyCase{"Trunc", "half float", kOne, "Trunc(z, x, (uint32_t)n);"},
    NumpyCase{"Round", "half float", kOne, "Round(z, x, (uint32_t)n);"},
    NumpyCase{"Frac", "half float", kMild, "Frac(z, x, (uint32_t)n);", Outputs::kEach, 1e-6},
    NumpyCase{"Sign", "half float", kOne, "Sign(z, x, (uint32_t)n);"},
    NumpyCase{"Silu", "half float", kMild, "Silu(z, x, (uint32_t)n);", Outputs::kEach, 1e-6},
    NumpyCase{"Swish", "half float", kMild, "Swish(z, x, (uint32_t)n, (I)0.75f);", Outputs::kEach, 1e-6},
    NumpyCase{"Gelu", "half float", kMild, "Gelu(z, x, (uint32_t)n);", Outputs::kEach, 1e-6},
    NumpyCase{"FasterGelu", "half float", kMild, "FasterGelu(z, x, (uint32_t)n);", Outputs::kEach, 1e-6},
    NumpyCase{"FasterGeluV2", "half float", kFew, "FasterGeluV2(z, x, (uint32_t)n);"},
    NumpyCase{"GeGLU", "half float", kMild, "GeGLU(z, x, y, (uint32_t)n);", Outputs::kEach, 1e-6},
    NumpyCase{"SwiGLU", "half float", kMild, "SwiGLU(z, x, y, 1.5f, (uint32_t)n);", Outputs::kEach, 1e-6},
    NumpyCase{"ReGlu", "half float", kMild, "ReGlu(z, x, y, (uint32_t)n);"},
    NumpyCase{"Fmod", "half float", kMild, "Fmod(z, x, y, (uint32_t)n);"},
    NumpyCase{"Hypot", "half float", kMild, "Hypot(z, x, y, (uint32_t)n);", Outputs::kEach, 1e-6},
    NumpyCase{"Power", "half float", kMild, "Abs(x, x, n); Power(z, x, y, (uint32_t)n);", Outputs::kEach, 1e-6},
    NumpyCase{"PowerScalar", "half float", kMild, "Power(z, x, (I)3, scratch, (uint32_t)n);", Outputs::kEach, 1e-6},
    NumpyCase{"PowerBase", "half float", kMild, "Power(z, (I)2, x, (uint32_t)n);", Outputs::kEach, 1e-6},
};

// Rows of 64 where a call works on rows.
const NumpyCase kReductions[] = {
    NumpyCase{"ReduceSum", "half float", kMild, "ReduceSum(z, x, work, n);", Outputs::kTile},
    NumpyCase{"ReduceMax", "half float", kMild, "ReduceMax(z, x, work, n);", Outputs::kTile},
    NumpyCase{"ReduceMin", "half float", kMild, "ReduceMin(z, x, work, n, false);", Outputs::kTile},
    NumpyCase{"WholeReduceSum", "half float", kMild,
              "WholeReduceSum(z, x, 256 / sizeof(I), n * sizeof(I) / 256, 1, 1, 8);", Outputs::kRepeats},
    NumpyCase{"WholeReduceMax", "half float", kMild,
              "WholeReduceMax(z, x, 256 / sizeof(I), n * sizeof(I) / 256, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);",
              Outputs::kRepeats},
    NumpyCase{"WholeReduceMin", "half float", kMild,
              "WholeReduceMin(z, x, 256 / sizeof(I), n * sizeof(I) / 256, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);",
              Outputs::kRepeats},
    NumpyCase{"BlockReduceSum", "half float", kMild,
              "BlockReduceSum(z, x, n * sizeof(I) / 256, 256 / sizeof(I), 1, 1, 8);", Outputs::kBlocks},
    NumpyCase{"BlockReduceMax", "half float", kMild,
              "BlockReduceMax(z, x, n * sizeof(I) / 256, 256 / sizeof(I), 1, 1, 8);", Outputs::kBlocks},
    NumpyCase{"BlockReduceMin", "half float", kMild,
              "BlockReduceMin(z, x, n * sizeof(I) / 256, 256 / sizeof(I), 1, 1, 8);", Outputs::kBlocks},
    NumpyCase{"PairReduceSum", "half float", kMild,
              "PairReduceSum(z, x, n * sizeof(I) / 256, 256 / sizeof(I), 1, 1, 8);", Outputs::kPairs},
    NumpyCase{"RepeatReduceSum", "float", kMild, "RepeatReduceSum(z, x, n / 64, 64, 1, 1, 1, 8);", Outputs::kRepeats},
    NumpyCase{"Sum", "float", kMild, "Sum(z, x, SumParams{n / 64, 64, 60});", Outputs::kRepeats},
    NumpyCase{"Mean", "float", kMild, "Mean<float>(z, x, scratch, MeanParams{n / 64, 64, 60});", Outputs::kRepeats,
              1e-6},
    NumpyCase{"CumSum", "float", kMild, "CumSum<float>(z, work, x, CumSumInfo{n / 64, 64});", Outputs::kEach, 1e-5},
    NumpyCase{"SoftMax", "half float", kMild,
              "SoftMaxTiling t; SoftMax<I>(z, x, scratch, t, SoftMaxShapeInfo{n / 64, 64, n / 64, 64});",
              Outputs::kEach, 1e-6},
    NumpyCase{"LogSoftMax", "float", kMild,
              "LogSoftMaxTiling t; LogSoftMax<float>(z, work, c, x, t, SoftMaxShapeInfo{n / 64, 64, n / 64, 64});",
              Outputs::kEach, 1e-6},
    NumpyCase{
        "SoftmaxGrad", "float", kMild,
        "SoftMaxTiling t; SoftmaxGrad<float, false>(z, x, y, scratch, t, false, SoftMaxShapeInfo{n / 64, 64, n / 64, "
        "64});",
        Outputs::kEach, 1e-5},
    NumpyCase{"LayerNorm", "float", kMild,
              "LayerNormTiling t; t.bLength = 1; t.sLength = n / 64; t.hLength = 64;\n"
              "LayerNorm<float>(z, work, c, x, y, y[64], 0.5f, t);",
              Outputs::kEach, 1e-5},
    NumpyCase{"LayerNormGrad", "float", kMild,
              "LayerNormGradTiling t; t.bLength = 1; t.sLength = n / 64; t.hLength = 64;\n"
              "Duplicate(work, 2.0f, 8); Duplicate(work[64], 0.5f, 8);\n"
              "LayerNormGrad<float>(z, c, y, x, work, work[64], y[64], 0.5f, t);",
              Outputs::kEach, 1e-5},
    NumpyCase{"LayerNormGradForGamma", "float", kMild,
              "LayerNormGradTiling t; t.bLength = n / 64; t.sLength = 1; t.hLength = 64;\n"
              "Duplicate(work, 2.0f, 8); Duplicate(work[64], 0.5f, 8);\n"
              "LayerNormGrad<float>(c, z, y, x, work, work[64], y[64], 0.5f, t, {DataFormat::ND});",
              Outputs::kEach, 1e-5},
    NumpyCase{"LayerNormGradBeta", "float", kMild,
              "LayerNormGradBetaTiling t; t.bLength = 1; t.sLength = n / 64; t.hLength = 64;\n"
              "LayerNormGradBeta<float>(z, z[64], x, y, t); DataCopy(z[128], z, 128);",
              Outputs::kEach, 1e-5},
    NumpyCase{
        "RmsNorm", "float", kMild,
        "RmsNormTiling t; t.bLength = 1; t.sLength = n / 64; t.hLength = 64; RmsNorm<float>(z, x, y, scratch, 0.5f, "
        "t);",
        Outputs::kEach, 1e-5},
    NumpyCase{"DeepNorm", "float", kMild,
              "DeepNormTiling t; t.bLength = 1; t.sLength = n / 64; t.hLength = 64;\n"
              "DeepNorm<float>(z, work, c, x, y, y[64], y[128], 2.0f, 0.5f, t);",
              Outputs::kEach, 1e-5},
    NumpyCase{"GroupNorm", "float", kMild,
              "GroupNormTiling t; t.n = 1; t.c = 8; t.hw = 32; t.g = 4; t.hwAlignSize = 32;\n"
              "GroupNorm<float>(z, work, c, x, y, y[8], 0.5f, t);",
              Outputs::kEach, 1e-5},
    NumpyCase{"SimpleSoftMax", "float", kMild,
              "SoftMaxTiling t; Duplicate(work, 2.0f, n); Duplicate(c, 1.0f, n);\n"
              "SimpleSoftMax<float>(z, work, c, x, t, SoftMaxShapeInfo{n / 64, 64, n / 64, 64});",
              Outputs::kEach, 1e-6},
    NumpyCase{
        "SoftmaxFlashV2", "half float", kMild,
        "SoftMaxTiling t; SoftmaxFlashV2<I, false>(z, work, c, x, work[64], work, c, t, SoftMaxShapeInfo{n / 64, 64, "
        "n / 64, 64});",
        Outputs::kEach, 1e-6},
    NumpyCase{
        "SoftmaxGradFront", "float", kMild,
        "SoftMaxTiling t; SoftmaxGradFront<float>(z, x, y, scratch, t, SoftMaxShapeInfo{n / 64, 64, n / 64, 64});",
        Outputs::kBlocks, 1e-5},
    NumpyCase{
        "SumByPattern", "float", kMild,
        "const uint32_t shape[] = {n / 64, 64}; ReduceSum<float, Pattern::Reduce::AR>(z, x, scratch, shape, true);",
        Outputs::kRepeats, 1e-5},
    NumpyCase{
        "MeanByPattern", "float", kMild,
        "const uint32_t shape[] = {n / 64, 64}; ReduceMean<float, Pattern::Reduce::AR>(z, x, scratch, shape, true);",
        Outputs::kRepeats, 1e-5},
    NumpyCase{
        "MaxByPattern", "half float", kMild,
        "const uint32_t shape[] = {n * sizeof(I) / 256, 256 / sizeof(I)}; ReduceMax<I, Pattern::Reduce::AR>(z, x, "
        "scratch, shape, true);",
        Outputs::kRepeats},
    NumpyCase{
        "MinByPattern", "half float", kMild,
        "const uint32_t shape[] = {n * sizeof(I) / 256, 256 / sizeof(I)}; ReduceMin<I, Pattern::Reduce::AR>(z, x, "
        "scratch, shape, true);",
        Outputs::kRepeats},
    NumpyCase{
        "ProdByPattern", "float", kMild,
        "const uint32_t shape[] = {n / 64, 64}; Muls(x, x, 0.25f, n); ReduceProd<float, Pattern::Reduce::AR>(z, x, "
        "scratch, shape, true);",
        Outputs::kRepeats, 1e-5},
    NumpyCase{"AscendQuant", "float>int8_t", kMild, "AscendQuant<float>(z, x, scratch, 10.0f, 3.0f, n);"},
    NumpyCase{"AscendAntiQuant", "int8_t>half", kOne,
              "AscendAntiQuant<int8_t, half, false>(z, x, (half)2, (half)0.5f, scratch, n / 64);"},
};

}  // namespace

std::span<const NumpyCase> numpy_cases() {
  static const std::vector<NumpyCase> all = [] {
    std::vector<NumpyCase> rows;
    const auto add = [&](const auto& table) { rows.insert(rows.end(), std::begin(table), std::end(table)); };
    add(kArithmetic), add(kChoices), add(kCasts), add(kFunctions), add(kReductions);
    return rows;
  }();
  return all;
}

std::vector<TypedCase> typed_cases() {
  std::vector<TypedCase> result;
  for (const NumpyCase& row : numpy_cases()) {
    std::istringstream types(row.types);
    for (std::string type; types >> type;) {
      const std::size_t to = type.find('>');
      TypedCase one{&row, type.substr(0, to), to == std::string::npos ? type : type.substr(to + 1), {}};
      if (row.outputs == Outputs::kBits) one.out = "uint8_t";
      one.name = std::string(row.name) + "_" + one.in + (to == std::string::npos ? "" : "_" + one.out);
      result.push_back(one);
    }
  }
  return result;
}

}  // namespace kg::npu::testing
