// Attention of generation; part of decode_kernels_body.h, whose rules hold here too.

namespace {

constexpr int kBlockVectors = kKvBlock / KG_LANES;

inline int blocks_of(const AttentionRow& row) { return (row.length + kKvBlock - 1) / kKvBlock; }

// Scores of kGroup query heads against kSide blocks of keys, all lanes of each (those beyond the length are ignored
// later). Blocks side by side keep enough sums in flight.
template <typename Kv, int kGroup, int kSide>
inline void score_blocks(const AttentionTask& task, const float* query, const std::int32_t* blocks, long after,
                         float* scores, long stride) {
  constexpr int kInLine = 64 / (kKvBlock * static_cast<int>(sizeof(Kv)));  // rows of a block in a cache line
  const Kv *keys[kSide], *next[kSide];
  for (int b = 0; b < kSide; ++b) {
    keys[b] = static_cast<const Kv*>(task.keys) + blocks[b] * task.block_stride;
    next[b] = static_cast<const Kv*>(task.keys) + blocks[b + kSide < after ? b + kSide : b] * task.block_stride;
  }
  Vec sum[kGroup][kSide * kBlockVectors] = {};
  for (int d = 0; d < task.head_size; ++d) {
    Vec weight[kGroup];
    for (int g = 0; g < kGroup; ++g) weight[g] = all(query[g * task.head_size + d]);
    if (d % kInLine == 0)
      for (int b = 0; b < kSide; ++b) __builtin_prefetch(next[b] + d * kKvBlock);
    for (int b = 0; b < kSide; ++b)
      for (int v = 0; v < kBlockVectors; ++v) {
        const Vec key = load(keys[b] + d * kKvBlock + v * KG_LANES);
        for (int g = 0; g < kGroup; ++g)
          sum[g][b * kBlockVectors + v] = fused(weight[g], key, sum[g][b * kBlockVectors + v]);
      }
  }
  for (int g = 0; g < kGroup; ++g)
    for (int v = 0; v < kSide * kBlockVectors; ++v) store(scores + g * stride + v * KG_LANES, sum[g][v]);
}

// For query heads from `first` on and blocks [begin, end) of a row.
template <typename Kv, int kGroup>
inline void score_range(const AttentionTask& task, const AttentionRow& row, int first, int begin, int end) {
  constexpr int kSide = KG_LANES == 16 ? 4 : kGroup <= 3 && KG_LANES == 8 ? 2 : 1;
  const float* query = row.query + first * task.head_size;
  const long stride = static_cast<long>(blocks_of(row)) * kKvBlock;
  int block = begin;
  for (; block + kSide <= end; block += kSide)
    score_blocks<Kv, kGroup, kSide>(task, query, row.blocks + block, blocks_of(row) - block,
                                    row.scores + block * kKvBlock, stride);
  for (; block < end; ++block)
    score_blocks<Kv, kGroup, 1>(task, query, row.blocks + block, blocks_of(row) - block, row.scores + block * kKvBlock,
                                stride);
}

// Turns scores into weights, not yet divided by their sum: `scale` gets 1 / sum.
template <int kGroup>
inline void weigh_scores(const AttentionRow& row, float* scale) {
  const long stride = static_cast<long>(blocks_of(row)) * kKvBlock;
  for (int g = 0; g < kGroup; ++g) {
    float* scores = row.scores + g * stride;
    for (long t = row.length; t < stride; ++t) scores[t] = -3e38f;
    Vec top = load(scores);
    for (long t = KG_LANES; t < stride; t += KG_LANES) {
      const Vec s = load(scores + t);
      top = select(s > top, s, top);
    }
    const Vec highest = all(max_lanes(top));
    Vec sum{};
    for (long t = 0; t < stride; t += KG_LANES) {
      const Vec e = exponential(load(scores + t) - highest);
      store(scores + t, e);
      sum += e;
    }
    scale[g] = 1.0f / sum_lanes(sum);
  }
}

// Adds the weighted values of blocks [begin, end) of a row to columns [column, column + kVectors * KG_LANES) of `out`.
template <typename Kv, int kGroup, int kVectors>
inline void add_columns(const AttentionTask& task, const AttentionRow& row, int begin, int end, int column,
                        float* out) {
  const long stride = static_cast<long>(blocks_of(row)) * kKvBlock;
  Vec sum[kGroup][kVectors];
  for (int g = 0; g < kGroup; ++g)
    for (int v = 0; v < kVectors; ++v) sum[g][v] = load(out + g * task.head_size + column + v * KG_LANES);
  for (int block = begin, t = begin * kKvBlock; block < end; ++block) {
    const Kv* values = static_cast<const Kv*>(task.values) + row.blocks[block] * task.block_stride + column;
    const int after = block + 1 < blocks_of(row) ? block + 1 : block;
    const Kv* next = static_cast<const Kv*>(task.values) + row.blocks[after] * task.block_stride + column;
    const int stop = t + kKvBlock < row.length ? t + kKvBlock : row.length;
    for (; t < stop; ++t, values += task.head_size, next += task.head_size) {
      for (int i = 0; i < kVectors * KG_LANES; i += 64 / static_cast<int>(sizeof(Kv))) __builtin_prefetch(next + i);
      for (int g = 0; g < kGroup; ++g) {
        const Vec weight = all(row.scores[g * stride + t]);
        for (int v = 0; v < kVectors; ++v) sum[g][v] = fused(weight, load(values + v * KG_LANES), sum[g][v]);
      }
    }
  }
  for (int g = 0; g < kGroup; ++g)
    for (int v = 0; v < kVectors; ++v) store(out + g * task.head_size + column + v * KG_LANES, sum[g][v]);
}

template <typename Kv, int kGroup>
inline void add_values(const AttentionTask& task, const AttentionRow& row, int first, int begin, int end) {
  float* out = row.out + first * task.head_size;
  constexpr int kWide = kGroup <= 3 ? 4 : 2;
  int column = 0;
  for (; column + kWide * KG_LANES <= task.head_size; column += kWide * KG_LANES)
    add_columns<Kv, kGroup, kWide>(task, row, begin, end, column, out);
  for (; column < task.head_size; column += KG_LANES) add_columns<Kv, kGroup, 1>(task, row, begin, end, column, out);
}

// The part of the shared blocks that all rows process one after the other: it stays in the nearest cache.
constexpr int kSharedAtOnce = 4;

template <typename Kv, int kGroup>
inline void attend_group(const AttentionTask& task, int first) {
  const int shared = task.count > 1 ? task.shared : 0, elements = kGroup * task.head_size;
  for (int begin = 0; begin < shared; begin += kSharedAtOnce) {
    const int end = begin + kSharedAtOnce < shared ? begin + kSharedAtOnce : shared;
    for (int r = 0; r < task.count; ++r) score_range<Kv, kGroup>(task, task.rows[r], first, begin, end);
  }
  float scale[kAttentionRows][kGroup];
  for (int r = 0; r < task.count; ++r) {
    const AttentionRow& row = task.rows[r];
    score_range<Kv, kGroup>(task, row, first, shared, blocks_of(row));
    weigh_scores<kGroup>(row, scale[r]);
    for (int i = 0; i < elements; i += KG_LANES) store(row.out + first * task.head_size + i, Vec{});
  }
  for (int begin = 0; begin < shared; begin += kSharedAtOnce) {
    const int end = begin + kSharedAtOnce < shared ? begin + kSharedAtOnce : shared;
    for (int r = 0; r < task.count; ++r) add_values<Kv, kGroup>(task, task.rows[r], first, begin, end);
  }
  for (int r = 0; r < task.count; ++r) {
    const AttentionRow& row = task.rows[r];
    add_values<Kv, kGroup>(task, row, first, shared, blocks_of(row));
    float* out = row.out + first * task.head_size;
    for (int i = 0; i < elements; i += KG_LANES) store(out + i, load(out + i) * all(scale[r][i / task.head_size]));
  }
}

template <typename Kv>
inline void attend_to(const AttentionTask& task) {
  for (int first = 0; first < task.group; first += 4) {
    switch (task.group - first) {
      case 1:
        attend_group<Kv, 1>(task, first);
        break;
      case 2:
        attend_group<Kv, 2>(task, first);
        break;
      case 3:
        attend_group<Kv, 3>(task, first);
        break;
      default:
        attend_group<Kv, 4>(task, first);
        break;
    }
  }
}

void attend(const AttentionTask& task) {
  if (task.element == KvElement::kBFloat16)
    attend_to<std::uint16_t>(task);
  else
    attend_to<float>(task);
}

}  // namespace
