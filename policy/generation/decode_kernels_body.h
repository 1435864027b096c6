// Included once by each decode_kernels_<set>.cpp after it has defined KG_LANES (floats in a vector), KG_PANEL_VECTORS,
// KG_PANEL_ROWS, `fused(a, b, c)` = a * b + c and `all(v)`, a vector of v. No other header may be included here: an
// inline function compiled with a newer instruction set could be the copy that the linker keeps for the whole program.

namespace {

typedef float Vec __attribute__((vector_size(4 * KG_LANES), aligned(4), may_alias));
typedef std::uint32_t WordVec __attribute__((vector_size(4 * KG_LANES), aligned(4), may_alias));
typedef std::uint16_t HalfVec __attribute__((vector_size(2 * KG_LANES), aligned(2), may_alias));
typedef int IntVec __attribute__((vector_size(4 * KG_LANES), aligned(4), may_alias));

constexpr int kPanel = KG_PANEL_VECTORS * KG_LANES;

inline Vec load(const float* p) { return *reinterpret_cast<const Vec*>(p); }
inline Vec load(const std::uint16_t* p) {  // loads bfloat16: an fp32 number without its lower half
  return (Vec)(__builtin_convertvector(*reinterpret_cast<const HalfVec*>(p), WordVec) << 16);
}
inline void store(float* p, Vec v) { *reinterpret_cast<Vec*>(p) = v; }
inline Vec select(IntVec mask, Vec a, Vec b) { return mask ? a : b; }

inline float sum_lanes(Vec v) {
  float sum = 0;
  for (int i = 0; i < KG_LANES; ++i) sum += v[i];
  return sum;
}
inline float max_lanes(Vec v) {
  float top = v[0];
  for (int i = 1; i < KG_LANES; ++i) top = v[i] > top ? v[i] : top;
  return top;
}

// exp for arguments up to 88, at most 2 units in the last place off: x = n ln2 + r, polynomial of degree 6 in r
// (Cephes' expf).
inline Vec exponential(Vec x) {
  x = select(x > all(88.0f), all(88.0f), x);
  const IntVec tiny = x < all(-87.0f);
  x = select(tiny, all(-87.0f), x);
  // Adding 1.5 * 2^23 rounds to the nearest integer and leaves it in the low bits of the mantissa.
  const Vec shifted = fused(x, all(1.44269504088896341f), all(12582912.0f));
  const Vec n = shifted - all(12582912.0f);
  Vec r = fused(n, all(-0.693359375f), x);
  r = fused(n, all(2.12194440e-4f), r);
  Vec p = all(1.9875691500e-4f);
  p = fused(p, r, all(1.3981999507e-3f));
  p = fused(p, r, all(8.3334519073e-3f));
  p = fused(p, r, all(4.1665795894e-2f));
  p = fused(p, r, all(1.6666665459e-1f));
  p = fused(p, r, all(5.0000001201e-1f));
  p = fused(p * r, r, r + all(1.0f));
  const IntVec power = ((IntVec)shifted << 23) + (127 << 23);
  return select(tiny, Vec{}, p * (Vec)power);
}

// While one panel is used, the next one is fetched, a share every kFetchSteps steps of k, so that memory and arithmetic
// are busy at the same time.
constexpr int kFetchSteps = 8;
struct Fetch {
  const char* next;
  const char* end;
  long share;
  void step() {
    if (next >= end) return;
    for (const char* stop = next + share; next < stop; next += 64) __builtin_prefetch(next, 0, 2);
  }
};

// Prefetches `next`, a panel of `bytes` bytes or null, while this panel's k steps are processed in `passes` passes.
inline Fetch fetch_of(const void* next, long bytes, int k, int passes) {
  const auto* first = static_cast<const char*>(next);
  return {first, first + (next == nullptr ? 0 : bytes),
          (bytes * kFetchSteps / (static_cast<long>(k) * passes) + 64) / 64 * 64};
}

// Calls some.operator()<n>() for n rows at a time: first as many as fit into a pass, then the rest.
template <typename Some>
inline void in_passes(int rows, Some some) {
  for (; rows >= KG_PANEL_ROWS; rows -= KG_PANEL_ROWS) some.template operator()<KG_PANEL_ROWS>();
  if (KG_PANEL_ROWS > 4 && rows >= 4) {
    some.template operator()<4>();
    rows -= 4;
  }
  if (rows == 3) some.template operator()<3>();
  if (rows == 2) some.template operator()<2>();
  if (rows == 1) some.template operator()<1>();
}

// Sums over k are taken in runs, each added to y: a single sum over thousands of products would have ten times the
// rounding error in tokens with very large activations. The part of a panel that belongs to a run stays in the
// nearest cache for all rows.

// The layout of a panel. For each run: kScales words of scales, then a row of words for every kSteps steps of k.
struct Float32Panel {
  typedef float Word;
  static constexpr int kRun = 192, kSteps = 1, kScales = 0;
};
// A word holds two weights of a column: the even step of k in its low half, the next step in its high half.
struct BFloat16Panel {
  typedef std::uint32_t Word;
  static constexpr int kRun = 192, kSteps = 2, kScales = 0;
};
// A word holds four weights of a column, the first step's in its lowest byte; each column of a run has its scale
// (fp32).
struct Int8Panel {
  typedef std::uint32_t Word;
  static constexpr int kRun = kInt8Run, kSteps = 4, kScales = kPanel;
};
static_assert(kInt8Run % kFetchSteps == 0 && kFetchSteps % Int8Panel::kSteps == 0);

struct PanelOutput {
  float* y;
  long stride;
  int columns;
  bool accumulate;
};

template <int kRows>
inline void add_rows(const Vec (&sum)[kRows][KG_PANEL_VECTORS], const PanelOutput& out) {
  for (int r = 0; r < kRows; ++r) {
    float* y = out.y + r * out.stride;
    if (out.columns == kPanel) {
      for (int v = 0; v < KG_PANEL_VECTORS; ++v) {
        float* to = y + v * KG_LANES;
        store(to, out.accumulate ? load(to) + sum[r][v] : sum[r][v]);
      }
    } else {
      for (int c = 0; c < out.columns; ++c) {
        const float value = sum[r][c / KG_LANES][c % KG_LANES];
        y[c] = out.accumulate ? y[c] + value : value;
      }
    }
  }
}

template <int kRows>
inline void add_product(Vec (&sum)[kRows][KG_PANEL_VECTORS], const float* x, long x_stride,
                        const Vec (&w)[KG_PANEL_VECTORS]) {
  for (int r = 0; r < kRows; ++r) {
    const Vec a = all(x[r * x_stride]);
    for (int v = 0; v < KG_PANEL_VECTORS; ++v) sum[r][v] = fused(a, w[v], sum[r][v]);
  }
}

inline WordVec load_words(const std::uint32_t* p) { return *reinterpret_cast<const WordVec*>(p); }

// Weights of step `step` in one row of words, before scaling.
template <int kStep>
inline void unpack(Float32Panel, const float* words, Vec (&w)[KG_PANEL_VECTORS]) {
  for (int v = 0; v < KG_PANEL_VECTORS; ++v) w[v] = load(words + v * KG_LANES);
}
// An fp32 number is a bfloat16 one followed by 16 zero bits.
template <int kStep>
inline void unpack(BFloat16Panel, const std::uint32_t* words, Vec (&w)[KG_PANEL_VECTORS]) {
  for (int v = 0; v < KG_PANEL_VECTORS; ++v) {
    const WordVec both = load_words(words + v * KG_LANES);
    w[v] = (Vec)(kStep == 0 ? both << 16 : both & 0xffff0000u);
  }
}
template <int kStep>
inline void unpack(Int8Panel, const std::uint32_t* words, Vec (&w)[KG_PANEL_VECTORS]) {
  for (int v = 0; v < KG_PANEL_VECTORS; ++v) {
    const IntVec top = (IntVec)(load_words(words + v * KG_LANES) << (24 - 8 * kStep));
    w[v] = __builtin_convertvector(top >> 24, Vec);
  }
}

// The products of one row of words, from step i on; steps from `k` on are padding.
template <int kStep, int kRows, typename Panel>
inline void add_words(Panel form, const typename Panel::Word* words, int i, int k, const float* x, long x_stride,
                      Vec (&sum)[kRows][KG_PANEL_VECTORS]) {
  if (kStep > 0 && i + kStep >= k) return;
  Vec w[KG_PANEL_VECTORS];
  unpack<kStep>(form, words, w);
  add_product<kRows>(sum, x + i + kStep, x_stride, w);
  if constexpr (kStep + 1 < Panel::kSteps) add_words<kStep + 1, kRows>(form, words, i, k, x, x_stride, sum);
}

// Steps [begin, end) of k, one run, with its words at `words`; each sum is then multiplied by its column's scale.
template <int kRows, typename Panel>
inline void multiply_rows(Panel form, const float* x, long x_stride, int begin, int end,
                          const typename Panel::Word* words, const float* scales, Fetch& fetch,
                          const PanelOutput& out) {
  Vec sum[kRows][KG_PANEL_VECTORS] = {};
  for (int i = begin; i < end;) {
    const int stop = i + kFetchSteps < end ? i + kFetchSteps : end;
    fetch.step();
    for (; i < stop; i += Panel::kSteps, words += kPanel) add_words<0, kRows>(form, words, i, end, x, x_stride, sum);
  }
  if (scales != nullptr) {
    for (int v = 0; v < KG_PANEL_VECTORS; ++v) {
      const Vec scale = load(scales + v * KG_LANES);
      for (int r = 0; r < kRows; ++r) sum[r][v] *= scale;
    }
  }
  add_rows<kRows>(sum, out);
}

struct Rows {
  const float* x;
  long stride;
  int count;
};

// One run of k for all rows.
template <typename Panel>
inline void multiply_run(Panel form, const Rows& rows, int begin, int end, const typename Panel::Word* words,
                         const float* scales, Fetch& fetch, PanelOutput out) {
  const float* x = rows.x;
  in_passes(rows.count, [&]<int kRows>() {
    multiply_rows<kRows>(form, x, rows.stride, begin, end, words, scales, fetch, out);
    x += kRows * rows.stride;
    out.y += kRows * out.stride;
  });
}

template <int kStep, typename Panel>
inline void unpack_words(Panel form, const typename Panel::Word* words, float* to) {
  Vec w[KG_PANEL_VECTORS];
  unpack<kStep>(form, words, w);
  for (int v = 0; v < KG_PANEL_VECTORS; ++v) store(to + v * KG_LANES, w[v]);
  if constexpr (kStep + 1 < Panel::kSteps) unpack_words<kStep + 1>(form, words, to + kPanel);
}

template <typename Panel>
void multiply(Panel form, const float* x, std::int64_t x_stride, int rows, int k, const typename Panel::Word* panel,
              const typename Panel::Word* next, float* y, std::int64_t y_stride, int columns, bool accumulate) {
  constexpr int kRun = Panel::kRun, kRunWords = Panel::kScales + kRun / Panel::kSteps * kPanel;
  // With more rows than one pass takes, the weights would be unpacked again: so unpack them once, to the nearest cache.
  const bool unpacks = Panel::kSteps > 1 && rows > KG_PANEL_ROWS;
  alignas(64) float unpacked[Panel::kSteps > 1 ? kRun * kPanel : 1];
  const int passes = (rows + KG_PANEL_ROWS - 1) / KG_PANEL_ROWS;
  const long words = (k + kRun - 1) / kRun * Panel::kScales + (k + Panel::kSteps - 1) / Panel::kSteps * kPanel,
             bytes = words * static_cast<long>(sizeof(*panel));
  Fetch fetch = fetch_of(next, bytes, k, passes);
  const typename Panel::Word* part = panel;
  for (int begin = 0; begin < k; begin += kRun, part += kRunWords) {
    const int end = begin + kRun < k ? begin + kRun : k;
    const float* scales = Panel::kScales > 0 ? reinterpret_cast<const float*>(part) : nullptr;
    const PanelOutput out{y, y_stride, columns, accumulate || begin > 0};
    const Rows all{x, x_stride, rows};
    if (!unpacks) {
      multiply_run(form, all, begin, end, part + Panel::kScales, scales, fetch, out);
      continue;
    }
    const typename Panel::Word* from = part + Panel::kScales;
    for (int i = begin; i < end; i += Panel::kSteps, from += kPanel)
      unpack_words<0>(form, from, unpacked + (i - begin) * kPanel);
    multiply_run(Float32Panel{}, all, begin, end, unpacked, scales, fetch, out);
  }
}

void multiply_panel(const float* x, std::int64_t x_stride, int rows, int k, const float* panel, const float* next,
                    float* y, std::int64_t y_stride, int columns, bool accumulate) {
  multiply(Float32Panel{}, x, x_stride, rows, k, panel, next, y, y_stride, columns, accumulate);
}

void multiply_panel_bfloat16(const float* x, std::int64_t x_stride, int rows, int k, const std::uint32_t* panel,
                             const std::uint32_t* next, float* y, std::int64_t y_stride, int columns, bool accumulate) {
  multiply(BFloat16Panel{}, x, x_stride, rows, k, panel, next, y, y_stride, columns, accumulate);
}

void multiply_panel_int8(const float* x, std::int64_t x_stride, int rows, int k, const std::uint32_t* panel,
                         const std::uint32_t* next, float* y, std::int64_t y_stride, int columns, bool accumulate) {
  multiply(Int8Panel{}, x, x_stride, rows, k, panel, next, y, y_stride, columns, accumulate);
}

}  // namespace

#include "policy/generation/decode_attention_body.h"

namespace {

void rms_norm(const float* x, const float* weight, float epsilon, int width, float* y) {
  Vec squares{};
  int i = 0;
  for (; i + KG_LANES <= width; i += KG_LANES) squares = fused(load(x + i), load(x + i), squares);
  float sum = sum_lanes(squares);
  for (; i < width; ++i) sum += x[i] * x[i];
  const float scale = 1.0f / __builtin_sqrtf(sum / static_cast<float>(width) + epsilon);
  for (i = 0; i + KG_LANES <= width; i += KG_LANES) store(y + i, load(x + i) * all(scale) * load(weight + i));
  for (; i < width; ++i) y[i] = x[i] * scale * weight[i];
}

void swiglu(const float* gate_up, int width, float* y) {
  const float* up = gate_up + width;
  int i = 0;
  for (; i + KG_LANES <= width; i += KG_LANES) {
    const Vec gate = load(gate_up + i);
    store(y + i, gate / (all(1.0f) + exponential(-gate)) * load(up + i));
  }
  for (; i < width; ++i) y[i] = gate_up[i] / (1.0f + __builtin_expf(-gate_up[i])) * up[i];
}

float maximum(const float* x, std::int64_t n) {
  float top = x[0];
  std::int64_t i = 0;
  if (n >= KG_LANES) {
    Vec lanes = load(x);
    for (; i + KG_LANES <= n; i += KG_LANES) {
      const Vec v = load(x + i);
      lanes = select(v > lanes, v, lanes);
    }
    top = max_lanes(lanes);
  }
  for (; i < n; ++i) top = x[i] > top ? x[i] : top;
  return top;
}

inline Vec weight_of(Vec x, Vec top, Vec scale, Vec cutoff) {
  return select(x < cutoff, Vec{}, exponential((x - top) * scale));
}

void exponentials(const float* x, std::int64_t n, float top, float scale, float cutoff, float* out) {
  std::int64_t i = 0;
  for (; i + KG_LANES <= n; i += KG_LANES) store(out + i, weight_of(load(x + i), all(top), all(scale), all(cutoff)));
  if (i == n) return;
  // The tail uses the same instructions, padded.
  float padded[KG_LANES];
  for (int l = 0; l < KG_LANES; ++l) padded[l] = i + l < n ? x[i + l] : cutoff - 1.0f;
  store(padded, weight_of(load(padded), all(top), all(scale), all(cutoff)));
  for (int l = 0; i + l < n; ++l) out[i + l] = padded[l];
}

void exponential_sums(const float* x, std::int64_t n, float top, float scale, float cutoff, float* runs) {
  float weights[kSoftmaxRun];
  for (std::int64_t begin = 0; begin < n; begin += kSoftmaxRun) {
    const std::int64_t size = n - begin < kSoftmaxRun ? n - begin : kSoftmaxRun;
    exponentials(x + begin, size, top, scale, cutoff, weights);
    Vec lanes{};
    std::int64_t i = 0;
    for (; i + KG_LANES <= size; i += KG_LANES) lanes += load(weights + i);
    float sum = sum_lanes(lanes);
    for (; i < size; ++i) sum += weights[i];
    *runs++ = sum;
  }
}

}  // namespace
