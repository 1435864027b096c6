#include <algorithm>

#include "dsl/emit_text.h"

// Functions of a kernel that no single call of Ascend C does.
namespace kg::dsl {

namespace {

void add_cumulative(SourceText& text) {
  for (const char* line : {
           "// result[i] = src[0] + .. + src[i], or the product. Each turn combines with what stands `shift` elements "
           "before; shifts of",
           "// less than a block of 32 bytes are gathered. `padded` holds eight neutral elements in front of the "
           "values.",
           "template <bool sum>",
           "__aicore__ inline void Cumulative(const LocalTensor<float>& result, const LocalTensor<float>& src,",
           "                                  const LocalTensor<uint32_t>& offsets, const LocalTensor<float>& padded,",
           "                                  const LocalTensor<float>& shifted, int32_t count) {",
           "  const int32_t blocks = (count + 7) / 8 * 8;",
           "  LocalTensor<float> values = padded[8];",
           "  Duplicate(padded, sum ? 0.0f : 1.0f, 8);",
           "  DataCopy(values, src, blocks);",
           "  for (int32_t shift = 1; shift < count; shift *= 2) {",
           "    if (shift < 8) {",
           "      Gather(shifted, padded, offsets, static_cast<uint32_t>((8 - shift) * 4), count);",
           "      if (sum) {",
           "        Add(values, values, shifted, count);",
           "      } else {",
           "        Mul(values, values, shifted, count);",
           "      }",
           "    } else {",
           "      DataCopy(shifted, values, blocks);",
           "      if (sum) {",
           "        Add(values[shift], values[shift], shifted, count - shift);",
           "      } else {",
           "        Mul(values[shift], values[shift], shifted, count - shift);",
           "      }",
           "    }",
           "  }",
           "  DataCopy(result, values, blocks);",
           "}",
           "",
       })
    text.add(0, line);
}

void add_double(SourceText& text) {
  for (const char* line : {
           "// The float next to the double with these bits; what float cannot hold is zero or infinite.",
           "__aicore__ inline float FloatOfDouble(int64_t bits) {",
           "  const int64_t fraction = bits & ((int64_t(1) << 52) - 1), exponent = (bits >> 52 & 2047) - 896;",
           "  const int64_t kept = (fraction + (int64_t(1) << 28) - 1 + (fraction >> 29 & 1)) >> 29;",
           "  const int64_t size = exponent <= 0 ? 0 : exponent >= 255 ? int64_t(255) << 23 : (exponent << 23) + kept;",
           "  const uint32_t word = static_cast<uint32_t>(size) | (bits < 0 ? 0x80000000u : 0u);",
           "  return *reinterpret_cast<const float*>(&word);",
           "}",
           "",
       })
    text.add(0, line);
}

void add_panels(SourceText& text) {
  for (const char* line : {
           "// Rows of GM to L1, fractals of every 16 rows for themselves: elements of four bytes are transposed in "
           "squares of 16 x 16.",
           "template <typename T>",
           "__aicore__ inline void CopyPanels(const LocalTensor<T>& to, const GlobalTensor<T>& from, int32_t rows, "
           "int32_t columns,",
           "                                  int32_t pitch) {",
           "  for (int32_t row = 0; row < rows; row += 16) {",
           "    const int32_t height = rows - row < 16 ? rows - row : 16;",
           "    DataCopy(to[row * ((columns + 15) / 16 * 16)], from[row * pitch], Nd2NzParams(1, height, columns, 0, "
           "pitch, 16, 1, 0));",
           "  }",
           "}",
           "",
       })
    text.add(0, line);
}

// For rows further apart than the 16 bits of Nd2NzParams' srcDValue can say.
void add_single_rows(SourceText& text) {
  for (const char* line : {
           "// Rows of GM to fractals in L1, `panel` rows for themselves, one instruction a row.",
           "template <typename T>",
           "__aicore__ inline void CopyRows(const LocalTensor<T>& to, const GlobalTensor<T>& from, int32_t rows, "
           "int32_t "
           "columns,",
           "                                int64_t pitch, int32_t panel) {",
           "  constexpr int32_t unit = 32 / sizeof(T);  // elements in a row of a fractal",
           "  for (int32_t row = 0; row < rows; ++row) {",
           "    const int32_t first = row / panel * panel;",
           "    DataCopy(to[first * ((columns + 15) / 16 * 16) + (row - first) * unit], from[row * pitch],",
           "             Nd2NzParams(1, 1, columns, 0, columns, panel, 1, 0));",
           "  }",
           "}",
           "",
       })
    text.add(0, line);
}

// The parts of Multiply: what it is, the left operand to L0A, the right one to L0B, the product.
constexpr const char* kMultiplyHead[] = {
    "// sums += a b, along k in pieces of `depth`. L1 holds a as m x k, turned as k x m, and b as k x n, turned "
    "as n x k. The first",
    "// product begins the sums.",
    "template <bool turnedA, bool turnedB, typename T>",
    "__aicore__ inline void Multiply(TQue<TPosition::A2, 1>& l0aQueue, TQue<TPosition::B2, 1>& l0bQueue,",
    "                                const LocalTensor<float>& sums, const LocalTensor<T>& a, const "
    "LocalTensor<T>& b, int32_t m,",
};

constexpr const char* kLeftToL0a[] = {
    "  constexpr bool wide = sizeof(T) == 4;",
    "  constexpr int32_t unit = 32 / sizeof(T);  // elements in a row of a fractal",
    "  const int32_t ms = (m + 15) / 16, ns = (n + 15) / 16, ks = (k + 15) / 16;",
    "  for (int32_t at = 0; at < k; at += depth) {",
    "    const int32_t piece = k - at < depth ? k - at : depth, pieces = (piece + 15) / 16;",
    "    const int32_t fractals = pieces * 16 / unit;  // along k",
    "    LocalTensor<T> a2 = l0aQueue.AllocTensor<T>();",
    "    if constexpr (!turnedA) {",
    "      for (int32_t i = 0; i < ms; ++i) {",
    "        LoadData(a2[i * pieces * 256], a[at * ms * 16 + i * 16 * unit], LoadData2DParams(0, fractals, ms, "
    "0, "
    "0, false, 0));",
    "      }",
    "    } else if constexpr (wide) {",
    "      for (int32_t i = 0; i < pieces; ++i) {",
    "        LoadDataWithTranspose(a2[i * 256], a[(at / 16 + i) * ms * 256], LoadData2dTransposeParams(0, ms, 1, "
    "fractals - 1, 0));",
    "      }",
    "    } else {",
    "      for (int32_t i = 0; i < ms; ++i) {",
    "        LoadData(a2[i * pieces * 256], a[i * ks * 256 + at * 16], LoadData2DParams(0, pieces, 1, 0, 0, "
    "true, "
    "0));",
    "      }",
    "    }",
    "    l0aQueue.EnQue(a2);",
};

constexpr const char* kRightToL0b[] = {
    "    LocalTensor<T> b2 = l0bQueue.AllocTensor<T>();",
    "    if constexpr (turnedB) {",
    "      for (int32_t i = 0; i < fractals; ++i) {",
    "        LoadData(b2[i * ns * 16 * unit], b[(at / unit + i) * ns * 16 * unit], LoadData2DParams(0, ns, 1, 0, "
    "0, false, 0));",
    "      }",
    "    } else if constexpr (wide) {",
    "      for (int32_t i = 0; i < pieces; ++i) {",
    "        LoadDataWithTranspose(b2[i * ns * 256], b[(at / 16 + i) * ns * 256], LoadData2dTransposeParams(0, "
    "ns, 1, 0, ns - 1));",
    "      }",
    "    } else {",
    "      for (int32_t i = 0; i < pieces; ++i) {",
    "        LoadData(b2[i * ns * 256], b[(at / 16 + i) * 256], LoadData2DParams(0, ns, ks, 0, 0, true, 0));",
    "      }",
    "    }",
    "    l0bQueue.EnQue(b2);",
};

constexpr const char* kProductParams[] = {
    "    a2 = l0aQueue.DeQue<T>();",
    "    b2 = l0bQueue.DeQue<T>();",
    "    MmadParams params;",
    "    params.m = m == 1 ? 16 : m;  // one row alone would be a vector",
    "    params.n = n;",
    "    params.k = piece;",
    "    params.kDirectionAlign = wide;",
};

void add_multiply(SourceText& text, bool bias) {
  const auto add = [&](const auto& lines) {
    for (const char* line : lines) text.add(0, line);
  };
  add(kMultiplyHead);
  text.add(0, std::string("                                int32_t n, int32_t k, int32_t depth, bool begins") +
                  (bias ? ", const LocalTensor<float>& bias = LocalTensor<float>()) {" : ") {"));
  add(kLeftToL0a);
  add(kRightToL0b);
  add(kProductParams);
  if (bias) {
    text.add(0, "    const bool fromBias = begins && at == 0 && bias.GetSize() > 0;");
    text.add(0, "    params.cmatrixInitVal = begins && at == 0 && !fromBias;");
    text.add(0, "    params.cmatrixSource = fromBias;");
    text.add(0, "    if (fromBias) {");
    text.add(0, "      Mmad(sums, a2, b2, bias, params);");
    text.add(0, "    } else {");
    text.add(0, "      Mmad(sums, a2, b2, params);");
    text.add(0, "    }");
  } else {
    text.add(0, "    params.cmatrixInitVal = begins && at == 0;");
    text.add(0, "    Mmad(sums, a2, b2, params);");
  }
  for (const char* line : {"    l0aQueue.FreeTensor(a2);", "    l0bQueue.FreeTensor(b2);", "  }", "}", ""})
    text.add(0, line);
}

}  // namespace

void add_helpers(SourceText& text, const Form& form, const Code& code) {
  if (code.uses_cumulative) add_cumulative(text);
  const auto& parameters = form.checked.program.parameters;
  if (std::any_of(parameters.begin(), parameters.end(),
                  [](const Parameter& each) { return each.dtype == proto::FLOAT64; }))
    add_double(text);
  bool panels = false, single_rows = false;
  for (const Step& step : form.cube) {
    panels |= step.copy.panels && !step.copy.row_by_row;
    single_rows |= step.copy.row_by_row;
  }
  if (panels) add_panels(text);
  if (single_rows) add_single_rows(text);
  if (!form.cube.empty()) add_multiply(text, code.uses_bias);
}

}  // namespace kg::dsl
