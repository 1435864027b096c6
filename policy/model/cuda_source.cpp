#include "policy/model/cuda_source.h"

namespace kg::policy {

// Values are read and written eight at a time, 16 bytes of bf16, wherever rows are whole eights. All arithmetic is in
// fp32.
const char* const kCudaSource = R"cuda(
template <typename T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Pack { T x[N]; };

template <int N, typename T>
__device__ void read(const T* from, float* to) {
  const Pack<T, N> pack = *reinterpret_cast<const Pack<T, N>*>(from);
#pragma unroll
  for (int i = 0; i < N; ++i) to[i] = widened(pack.x[i]);
}
template <int N, typename T>
__device__ void write(const float* from, T* to) {
  Pack<T, N> pack;
#pragma unroll
  for (int i = 0; i < N; ++i) narrow(from[i], pack.x[i]);
  *reinterpret_cast<Pack<T, N>*>(to) = pack;
}

__device__ i64 own_index() { return static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ float sigmoid(float x) { return 1.0f / (1.0f + __expf(-x)); }

// N elements of a row: y = silu(gate) * up. A row of gate and up is `stride` elements from the next, of y `width`.
template <int N, typename T>
__device__ void swiglu(const T* gate, const T* up, T* y, i64 rows, int width, i64 stride) {
  const int packs = width / N;
  const i64 own = own_index(), row = own / packs;
  if (row >= rows) return;
  const i64 column = own % packs * N, at = row * stride + column;
  float g[N], u[N];
  read<N>(gate + at, g);
  read<N>(up + at, u);
#pragma unroll
  for (int i = 0; i < N; ++i) u[i] *= g[i] * sigmoid(g[i]);
  write<N>(u, y + row * width + column);
}
template <int N, typename T>
__device__ void swiglu_backward(const T* dy, const T* gate, const T* up, T* dgate, T* dup, i64 rows, int width, i64 stride) {
  const int packs = width / N;
  const i64 own = own_index(), row = own / packs;
  if (row >= rows) return;
  const i64 column = own % packs * N, at = row * stride + column;
  float d[N], g[N], u[N];
  read<N>(dy + row * width + column, d);
  read<N>(gate + at, g);
  read<N>(up + at, u);
#pragma unroll
  for (int i = 0; i < N; ++i) {
    const float s = sigmoid(g[i]), by_gate = d[i] * u[i] * s * (1.0f + g[i] * (1.0f - s));
    u[i] = d[i] * g[i] * s;
    g[i] = by_gate;
  }
  write<N>(g, dgate + at);
  write<N>(u, dup + at);
}

__device__ float sum_of_warp(float x) {
  for (int lanes = 16; lanes > 0; lanes /= 2) x += __shfl_xor_sync(~0u, x, lanes);
  return x;
}

// A warp for each row, whose width is a multiple of 8: y = rms_norm(x) * weight. With `added` x + added, which goes to `sum`,
// stands for x.
template <typename T>
__device__ void rms_norm(const T* x, const T* added, const T* weight, T* sum, T* y, float* factors, i64 rows, int width,
                         float epsilon) {
  const i64 row = own_index() / 32, first = row * width;
  if (row >= rows) return;
  const int lane = threadIdx.x % 32;
  float squares = 0;
  for (int i = lane * 8; i < width; i += 256) {
    float v[8];
    read<8>(x + first + i, v);
    if (added != nullptr) {
      float a[8];
      read<8>(added + first + i, a);
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        T rounded;
        narrow(v[j] + a[j], rounded);
        v[j] = widened(rounded);
      }
      write<8>(v, sum + first + i);
    }
#pragma unroll
    for (int j = 0; j < 8; ++j) squares += v[j] * v[j];
  }
  const float factor = rsqrtf(sum_of_warp(squares) / width + epsilon);
  if (lane == 0) factors[row] = factor;
  const T* from = added != nullptr ? sum : x;
  for (int i = lane * 8; i < width; i += 256) {
    float v[8], w[8];
    read<8>(from + first + i, v);
    read<8>(weight + i, w);
#pragma unroll
    for (int j = 0; j < 8; ++j) v[j] *= factor * w[j];
    write<8>(v, y + first + i);
  }
}

// dx of rms_norm(x) for dy, plus `dsum` where it is given; of the gradient of the weight each block writes its share to its row
// of `partial` (blocks, width). A warp for each row, rows dealt out to 8 warps of a block; width at most 256 K.
template <int K, typename T>
__device__ void rms_norm_backward(const T* dy, const T* x, const T* weight, const float* factors, const T* dsum, T* dx,
                                  float* partial, i64 rows, int width) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float own[K * 8];
#pragma unroll
  for (int i = 0; i < K * 8; ++i) own[i] = 0;
  for (i64 row = blockIdx.x * 8ll + warp; row < rows; row += gridDim.x * 8ll) {
    const i64 first = row * width;
    const float factor = factors[row];
    float d[K * 8], v[K * 8], dot = 0;
#pragma unroll
    for (int k = 0; k < K; ++k) {
      const int at = (k * 32 + lane) * 8;
      if (at >= width) continue;
      float w[8];
      read<8>(dy + first + at, d + k * 8);
      read<8>(x + first + at, v + k * 8);
      read<8>(weight + at, w);
#pragma unroll
      for (int j = k * 8; j < k * 8 + 8; ++j) {
        own[j] += d[j] * v[j] * factor;
        d[j] *= w[j - k * 8];
        dot += d[j] * v[j];
      }
    }
    const float mean = sum_of_warp(dot) / width * factor * factor;
#pragma unroll
    for (int k = 0; k < K; ++k) {
      const int at = (k * 32 + lane) * 8;
      if (at >= width) continue;
      float above[8] = {0, 0, 0, 0, 0, 0, 0, 0};
      if (dsum != nullptr) read<8>(dsum + first + at, above);
#pragma unroll
      for (int j = 0; j < 8; ++j) above[j] += factor * (d[k * 8 + j] - mean * v[k * 8 + j]);
      write<8>(above, dx + first + at);
    }
  }
  __shared__ float total[K * 256];
  for (int turn = 0; turn < 8; ++turn) {
    if (turn == warp) {
#pragma unroll
      for (int k = 0; k < K; ++k)
#pragma unroll
        for (int j = 0; j < 8; ++j) {
          float& sum = total[(k * 32 + lane) * 8 + j];
          sum = turn == 0 ? own[k * 8 + j] : sum + own[k * 8 + j];
        }
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < width; i += blockDim.x) partial[static_cast<i64>(blockIdx.x) * width + i] = total[i];
}

// x (rows, heads, 2 half): elements i and i + half of each head are rotated by the angle i, N of them by one thread.
template <int N, typename T>
__device__ void rotate(const T* x, const float* cosine, const float* sine, T* y, i64 rows, int heads, int half, float sign) {
  const int packs = half / N;
  const i64 own = own_index();
  if (own >= rows * heads * packs) return;
  const int at = static_cast<int>(own % packs) * N;
  const i64 head = own / packs, row = head / heads, first = head * 2 * half + at;
  float low[N], high[N], c[N], s[N];
  read<N>(x + first, low);
  read<N>(x + first + half, high);
  read<N>(cosine + row * half + at, c);
  read<N>(sine + row * half + at, s);
#pragma unroll
  for (int i = 0; i < N; ++i) {
    const float turned = low[i] * c[i] - sign * high[i] * s[i];
    high[i] = high[i] * c[i] + sign * low[i] * s[i];
    low[i] = turned;
  }
  write<N>(low, y + first);
  write<N>(high, y + first + half);
}

// joined (rows, heads + 2 shared, 2 half) to query (rows, heads, 2 half), rotated, key (rows, shared, 2 half), rotated, and value,
// as key; sign -1 goes back. 8 pairs of elements by one thread.
template <typename T>
__device__ void split_heads(T* joined, const float* cosine, const float* sine, T* query, T* key, T* value, i64 rows, int heads,
                            int shared, int half, float sign) {
  const int packs = half / 8, all = heads + 2 * shared;
  const i64 own = own_index(), row = own / packs / all;
  if (row >= rows) return;
  const int at = static_cast<int>(own % packs) * 8, head = static_cast<int>(own / packs % all);
  T* const whole = joined + (row * all + head) * 2 * half + at;
  T* const part = (head < heads            ? query + (row * heads + head) * 2 * half
                   : head < heads + shared ? key + (row * shared + head - heads) * 2 * half
                                           : value + (row * shared + head - heads - shared) * 2 * half) +
                  at;
  const T* from = sign > 0 ? whole : part;
  T* to = sign > 0 ? part : whole;
  float low[8], high[8];
  read<8>(from, low);
  read<8>(from + half, high);
  if (head < heads + shared) {
    float c[8], s[8];
    read<8>(cosine + row * half + at, c);
    read<8>(sine + row * half + at, s);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const float turned = low[i] * c[i] - sign * high[i] * s[i];
      high[i] = high[i] * c[i] + sign * low[i] * s[i];
      low[i] = turned;
    }
  }
  write<8>(low, to);
  write<8>(high, to + half);
}

// For x scaled: the maximum, the sum of exp(x - maximum), and the sum of those times x.
struct Moments { float highest, sum, weighted; };
__device__ Moments joined(Moments a, Moments b) {
  if (a.highest < b.highest) { const Moments t = a; a = b; b = t; }
  if (b.sum == 0) return a;
  const float by = __expf(b.highest - a.highest);
  return {a.highest, a.sum + b.sum * by, a.weighted + b.weighted * by};
}
__device__ Moments from_lane(Moments m, int lanes) {
  return {__shfl_down_sync(~0u, m.highest, lanes), __shfl_down_sync(~0u, m.sum, lanes), __shfl_down_sync(~0u, m.weighted, lanes)};
}

// A block for each row of logits (n, V).
extern "C" __global__ void softmax_rows(const float* logits, const i64* targets, i64 vocabulary, float scale, float* log_sums,
                                        float* log_probs, float* entropies) {
  const float* row = logits + static_cast<i64>(blockIdx.x) * vocabulary;
  Moments own = {-__int_as_float(0x7f800000), 0, 0};
  for (i64 i = threadIdx.x; i < vocabulary; i += blockDim.x) {
    const float x = row[i] * scale;
    if (x == -__int_as_float(0x7f800000)) continue;  // cannot be drawn
    if (x > own.highest) {
      const float by = own.sum == 0 ? 0 : __expf(own.highest - x);
      own = {x, own.sum * by, own.weighted * by};
    }
    const float e = __expf(x - own.highest);
    own.sum += e;
    own.weighted += e * x;
    if (x != x) own.sum = x;
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) own = joined(own, from_lane(own, lanes));
  __shared__ Moments of_warps[32];
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = own;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < blockDim.x / 32; ++i) own = joined(own, of_warps[i]);
  const float log_sum = own.highest + logf(own.sum);
  log_sums[blockIdx.x] = log_sum;
  log_probs[blockIdx.x] = row[targets[blockIdx.x]] * scale - log_sum;
  entropies[blockIdx.x] = log_sum - own.weighted / own.sum;
}

// y[i] = weight * ((i is the target) - exp(scale * logit[i] - log_sum)) for a block's row and share of the vocabulary.
template <typename T>
__device__ void logit_gradient(const float* logits, const i64* targets, const float* log_sums, const float* weights, i64 vocabulary,
                               float scale, T* y) {
  const i64 first = static_cast<i64>(blockIdx.x) * vocabulary, target = targets[blockIdx.x];
  const float log_sum = log_sums[blockIdx.x], weight = weights[blockIdx.x];
  for (i64 i = static_cast<i64>(blockIdx.y) * blockDim.x + threadIdx.x; i < vocabulary; i += static_cast<i64>(gridDim.y) * blockDim.x)
    narrow(weight * ((i == target ? 1.0f : 0.0f) - __expf(logits[first + i] * scale - log_sum)), y[first + i]);
}

#define KERNEL(NAME, SUFFIX, PARAMETERS) extern "C" __global__ void NAME##_##SUFFIX PARAMETERS
#define OF_PACK(N, T, TYPE)                                                                                                     \
  KERNEL(swiglu_##N, TYPE, (const T* gate, const T* up, T* y, i64 rows, int width, i64 stride)) {                               \
    swiglu<N>(gate, up, y, rows, width, stride);                                                                                \
  }                                                                                                                             \
  KERNEL(swiglu_backward_##N, TYPE,                                                                                             \
         (const T* dy, const T* gate, const T* up, T* dgate, T* dup, i64 rows, int width, i64 stride)) {                        \
    swiglu_backward<N>(dy, gate, up, dgate, dup, rows, width, stride);                                                          \
  }                                                                                                                             \
  KERNEL(rotate_##N, TYPE, (const T* x, const float* c, const float* s, T* y, i64 n, int heads, int half, float sign)) {        \
    rotate<N>(x, c, s, y, n, heads, half, sign);                                                                                \
  }
#define OF_WIDTH(K, T, TYPE)                                                                                                    \
  KERNEL(rms_norm_backward_##K, TYPE, (const T* dy, const T* x, const T* weight, const float* factors, const T* dsum, T* dx,    \
                                       float* partial, i64 rows, int width)) {                                                  \
    rms_norm_backward<K>(dy, x, weight, factors, dsum, dx, partial, rows, width);                                               \
  }
#define OF_TYPE(T, TYPE)                                                                                                        \
  OF_PACK(1, T, TYPE)                                                                                                           \
  OF_PACK(8, T, TYPE)                                                                                                           \
  OF_WIDTH(1, T, TYPE)                                                                                                          \
  OF_WIDTH(2, T, TYPE)                                                                                                          \
  OF_WIDTH(3, T, TYPE)                                                                                                          \
  OF_WIDTH(4, T, TYPE)                                                                                                          \
  OF_WIDTH(8, T, TYPE)                                                                                                          \
  OF_WIDTH(6, T, TYPE)                                                                                                          \
  KERNEL(rms_norm, TYPE, (const T* x, const T* added, const T* weight, T* sum, T* y, float* factors, i64 rows, int width,       \
                          float epsilon)) {                                                                                     \
    rms_norm(x, added, weight, sum, y, factors, rows, width, epsilon);                                                          \
  }                                                                                                                             \
  KERNEL(split_heads, TYPE, (T* joined, const float* c, const float* s, T* q, T* k, T* v, i64 rows, int heads, int shared,      \
                             int half, float sign)) {                                                                           \
    split_heads(joined, c, s, q, k, v, rows, heads, shared, half, sign);                                                        \
  }                                                                                                                             \
  KERNEL(logit_gradient, TYPE, (const float* logits, const i64* targets, const float* log_sums, const float* weights,           \
                                i64 vocabulary, float scale, T* y)) {                                                           \
    logit_gradient(logits, targets, log_sums, weights, vocabulary, scale, y);                                                   \
  }

OF_TYPE(float, float32)
OF_TYPE(bf16, bfloat16)
)cuda";

}  // namespace kg::policy
