// The kernel of hostile_calls.cpp: calls the functions of the runtime directly, with objects and numbers that no header
// gives them. What it does follows from the number that the first input holds.
#include "kernel_operator.h"

namespace {

using namespace AscendC;
using namespace kgnpu;

struct Draw {
  uint64_t state, rare;  // how seldom a number is odd
  __aicore__ uint64_t next() {
    state += 0x9E3779B97F4A7C15ULL;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  __aicore__ uint64_t below(uint64_t n) { return next() % n; }
  __aicore__ bool one_in(uint64_t n) { return below(n) == 0; }
  // Mostly what a kernel might say; now and then what it never would.
  __aicore__ int64_t number(uint64_t usual) {
    if (!one_in(rare)) return static_cast<int64_t>(below(usual + 1));
    switch (below(10)) {
      case 0:
        return -1 - static_cast<int64_t>(below(40));
      case 1:
        return -static_cast<int64_t>(below(100000));
      case 2:
        return static_cast<int64_t>(1ull << below(64));
      case 3:
        return static_cast<int64_t>((1ull << below(63)) - 1);
      case 4:
        return -static_cast<int64_t>(1ull << below(64));
      case 5:
        return 0x7FFFFFFF;
      case 6:
        return 0xFFFFFFFF;
      case 7:
        return static_cast<int64_t>(below(1ull << 20));
      case 8:
        return static_cast<int64_t>(below(1ull << 33));
      default:
        return static_cast<int64_t>(next());
    }
  }
  __aicore__ uint8_t width() {
    return one_in(2 * rare) ? static_cast<uint8_t>(next()) : static_cast<uint8_t>(1u << below(4));
  }
  __aicore__ Type type() { return one_in(2 * rare) ? static_cast<Type>(next()) : static_cast<Type>(below(13)); }
};

constexpr int kQueues = 12;
constexpr uint8_t kPositions[kQueues] = {9, 10, 11, 11, 9, 1, 3, 2, 4, 7, 6, 14};

struct State {
  Draw draw;
  Handle queues[kQueues];
  Local tensors[kQueues];
  BufPool pool;
  uint64_t gm[3];
};

__aicore__ Local tensor(State& s, int usual = -1) {
  Local one = s.tensors[usual >= 0 && !s.draw.one_in(s.draw.rare) ? usual : s.draw.below(kQueues)];
  if (s.draw.one_in(6)) one.address += static_cast<int32_t>(s.draw.below(64)) * 32;
  if (s.draw.one_in(s.draw.rare)) one.address = static_cast<int32_t>(s.draw.number(200000));
  if (s.draw.one_in(s.draw.rare)) one.bytes = static_cast<int32_t>(s.draw.number(200000));
  if (s.draw.one_in(2 * s.draw.rare)) one.buffer = static_cast<uint16_t>(s.draw.next());
  if (s.draw.one_in(2 * s.draw.rare)) one.generation = static_cast<uint8_t>(s.draw.next());
  if (s.draw.one_in(2 * s.draw.rare)) one.position = static_cast<uint8_t>(s.draw.next());
  return one;
}
__aicore__ const Local* maybe(State& s, Local& room, int usual = -1) {
  if (s.draw.one_in(2 * s.draw.rare)) return nullptr;
  if (s.draw.one_in(8 * s.draw.rare)) return reinterpret_cast<const Local*>(s.draw.next());
  room = tensor(s, usual);
  return &room;
}
__aicore__ uint64_t place(State& s) {
  if (s.draw.one_in(s.draw.rare)) return s.draw.next();
  if (s.draw.one_in(s.draw.rare)) return s.draw.below(1u << 20);
  return s.gm[s.draw.below(3)] + static_cast<uint64_t>(s.draw.one_in(3) ? s.draw.number(70000) : s.draw.below(64) * 32);
}
__aicore__ Stride stride(State& s) {
  if (s.draw.one_in(2)) return Stride{};
  return Stride{static_cast<uint16_t>(s.draw.number(4)), static_cast<uint16_t>(s.draw.number(16))};
}

__aicore__ void vector_call(State& s) {
  Local dst, a, b, c;
  VectorCall call;
  call.op =
      static_cast<Op>(s.draw.one_in(4 * s.draw.rare) ? s.draw.next() : s.draw.below(static_cast<uint64_t>(Op::kCount)));
  call.dst_type = s.draw.type();
  call.src_type = s.draw.one_in(3) ? s.draw.type() : call.dst_type;
  call.masking = static_cast<Masking>(s.draw.one_in(4 * s.draw.rare) ? s.draw.next() : s.draw.below(4));
  call.sources = static_cast<uint8_t>(s.draw.one_in(2 * s.draw.rare) ? s.draw.next() : s.draw.below(4));
  call.mode = static_cast<uint8_t>(s.draw.number(6));
  call.flag = static_cast<uint8_t>(s.draw.number(1));
  call.count = static_cast<int32_t>(s.draw.number(s.draw.one_in(2) ? 300 : 9000));
  call.repeat = static_cast<int32_t>(s.draw.number(12));
  call.dst = maybe(s, dst);
  call.src[0] = maybe(s, a);
  call.src[1] = s.draw.one_in(3) ? nullptr : maybe(s, b);
  call.src[2] = s.draw.one_in(2) ? nullptr : maybe(s, c);
  call.scalar = s.draw.one_in(2) ? s.draw.below(7) : s.draw.next();
  call.mask[0] = s.draw.one_in(2) ? s.draw.below(300) : s.draw.next();
  call.mask[1] = s.draw.one_in(2) ? 0 : s.draw.next();
  call.dst_stride = stride(s);
  for (auto& one : call.src_stride) one = stride(s);
  kgnpu_vector(&call);
}

__aicore__ void special_call(State& s) {
  Local tensors[8];
  Local lists[2][16];
  SpecialCall call;
  call.op = static_cast<Special>(s.draw.one_in(4 * s.draw.rare) ? s.draw.next()
                                                                : s.draw.below(static_cast<uint64_t>(Special::kCount)));
  call.name = s.draw.one_in(8 * s.draw.rare) ? reinterpret_cast<const char*>(s.draw.next()) : "Call";
  call.type = s.draw.type();
  call.type2 = s.draw.type();
  call.masking = static_cast<Masking>(s.draw.below(4));
  for (int i = 0; i < 8; ++i)
    call.tensor[i] = s.draw.one_in(12) ? nullptr : maybe(s, tensors[i], static_cast<int>(s.draw.below(5)));
  if (call.op == Special::kVnchwconv && !s.draw.one_in(10))
    for (int k = 0; k < 2; ++k) {
      for (auto& one : lists[k]) one = tensor(s, static_cast<int>(s.draw.below(5)));
      call.tensor[k] = lists[k];
    }
  constexpr uint64_t kUsual[] = {1, 2, 8, 64, 512, 4000};
  for (auto& one : call.number) one = s.draw.number(kUsual[s.draw.below(6)]);
  call.mask[0] = s.draw.next();
  call.mask[1] = s.draw.next();
  kgnpu_special(&call);
}

__aicore__ void copy_call(State& s) {
  Local a, b;
  CopyCall call;
  call.gm = place(s);
  call.local = maybe(s, a);
  call.local_from = s.draw.one_in(3) ? nullptr : maybe(s, b);
  call.blocks = s.draw.number(4);
  call.block_bytes = s.draw.one_in(2) ? s.draw.number(64) * 32 : s.draw.number(3000);
  call.gm_gap = s.draw.number(64);
  call.local_gap = s.draw.number(2) * 32;
  call.from_gap = s.draw.number(2) * 32;
  call.pad = static_cast<uint8_t>(s.draw.below(2));
  call.explicit_pad = static_cast<uint8_t>(s.draw.below(2));
  call.element_bytes = s.draw.width();
  call.left_bytes = static_cast<int32_t>(s.draw.number(8));
  call.right_bytes = static_cast<int32_t>(s.draw.number(8));
  switch (s.draw.below(3)) {
    case 0:
      return kgnpu_copy_in(&call);
    case 1:
      return kgnpu_copy_out(&call);
    default:
      return kgnpu_copy_local(&call);
  }
}

__aicore__ void queue_call(State& s) {
  Handle handle = s.queues[s.draw.below(kQueues)];
  if (s.draw.one_in(s.draw.rare)) handle.id = static_cast<uint16_t>(s.draw.next());
  Local one = tensor(s);
  QueueSpec spec{static_cast<uint8_t>(s.draw.number(14)), static_cast<uint8_t>(s.draw.number(14)),
                 static_cast<uint8_t>(s.draw.number(14)), static_cast<uint8_t>(s.draw.number(1)),
                 static_cast<int32_t>(s.draw.number(2))};
  const int from = static_cast<int>(s.draw.number(14)), to = static_cast<int>(s.draw.number(14));
  switch (s.draw.below(16)) {
    case 0:
      return kgnpu_queue_alloc(&handle, &one, 1);
    case 1:
      return kgnpu_queue_free(&handle, &one, 2);
    case 2:
      return kgnpu_queue_enqueue(&handle, &one, 3);
    case 3:
      return kgnpu_queue_dequeue(&handle, &one, 4);
    case 4:
      return kgnpu_queue_enqueue_between(&handle, &one, from, to, 5);
    case 5:
      return kgnpu_queue_dequeue_between(&handle, &one, from, to, 6);
    case 6:
      kgnpu_queue_waiting(&handle);
      return;
    case 7:
      kgnpu_queue_idle(&handle);
      return;
    case 8:
      return kgnpu_buffer_get(&handle, &one, s.draw.number(2000), s.draw.number(4000), 7);
    case 9:
      return kgnpu_init_buffer(&handle, &spec, static_cast<uint32_t>(s.draw.number(2)),
                               static_cast<uint32_t>(s.draw.number(3000)), 8);
    case 10: {
      BufPool parent = s.pool;
      if (s.draw.one_in(4)) parent.address = static_cast<int32_t>(s.draw.number(200000));
      if (s.draw.one_in(4)) parent.bytes = static_cast<int32_t>(s.draw.number(200000));
      if (s.draw.one_in(4)) parent.used = static_cast<int32_t>(s.draw.number(200000));
      if (s.draw.one_in(4)) parent.position = static_cast<uint8_t>(s.draw.number(14));
      return kgnpu_pool_open(&s.pool, s.draw.one_in(3) ? &parent : nullptr, s.draw.one_in(4) ? &parent : nullptr,
                             static_cast<uint32_t>(s.draw.number(4000)), 9);
    }
    case 11:
      if (s.draw.one_in(3)) s.pool.address = static_cast<int32_t>(s.draw.number(200000));
      if (s.draw.one_in(3)) s.pool.used = static_cast<int32_t>(s.draw.number(200000));
      return kgnpu_pool_buffer(&s.pool, &handle, &spec, static_cast<uint32_t>(s.draw.number(2)),
                               static_cast<uint32_t>(s.draw.number(2000)), 10);
    case 12:
      return kgnpu_pool_reset(&s.pool, 11);
    case 13:
      if (s.draw.one_in(6)) kgnpu_pipe_reset();
      return;
    case 14:
      if (s.draw.one_in(6)) {
        kgnpu_pipe_close();
        kgnpu_pipe_open();
      }
      return;
    default:
      s.tensors[s.draw.below(kQueues)] = one;
      return;
  }
}

__aicore__ void state_call(State& s) {
  const int a = static_cast<int>(s.draw.number(8)), b = static_cast<int>(s.draw.number(8)),
            c = static_cast<int>(s.draw.number(7));
  switch (s.draw.below(18)) {
    case 0:
      return kgnpu_set_flag(a, b, c, 20);
    case 1:
      return s.draw.one_in(8) ? kgnpu_wait_flag(a, b, c, 21) : kgnpu_set_flag(a, b, c, 22);
    case 2:
      return kgnpu_barrier(a, 23);
    case 3:
      kgnpu_event_fetch(a, b);
      return;
    case 4:
      kgnpu_event_alloc(a, b, 24);
      return;
    case 5:
      return kgnpu_event_release(a, b, c, 25);
    case 6:
      return kgnpu_cross_core_set(static_cast<int>(s.draw.number(2)), a, c, 26);
    case 7:
      return s.draw.one_in(20) ? kgnpu_cross_core_wait(c, 27) : kgnpu_barrier(PIPE_ALL, 27);
    case 8:
      return kgnpu_atomic(static_cast<int>(s.draw.number(3)), static_cast<int>(s.draw.number(12)));
    case 9:
      return kgnpu_set_mask(s.draw.next(), s.draw.next());
    case 10:
      return kgnpu_set_mask_mode(static_cast<int>(s.draw.below(2)));
    case 11:
      kgnpu_reduce_result(static_cast<int>(s.draw.number(2)));
      return;
    case 12:
      kgnpu_merged_lengths(static_cast<int>(s.draw.number(3)));
      return;
    case 13: {
      uint64_t addresses[8];
      for (auto& one : addresses) one = s.draw.next();
      return kgnpu_set_addresses(static_cast<int>(s.draw.number(7)), addresses);
    }
    case 14:
      kgnpu_address(static_cast<int>(s.draw.number(7)), static_cast<int>(s.draw.number(7)));
      return;
    case 15:
      return kgnpu_set_pad_value(s.draw.next());
    case 16:
      return kgnpu_clean_cache(place(s), static_cast<int>(s.draw.below(2)), 28);
    default:
      return s.draw.one_in(s.draw.rare)
                 ? kgnpu_sync_cores(static_cast<int>(s.draw.below(2)), static_cast<int>(s.draw.number(2)), 29)
                 : kgnpu_barrier(PIPE_ALL, 29);
  }
}

__aicore__ void scalar_call(State& s) {
  Local one = tensor(s);
  const int bytes = s.draw.width();
  switch (s.draw.below(10)) {
    case 0:
      kgnpu_local_load(&one, s.draw.number(2000), bytes, 30);
      return;
    case 1:
      return kgnpu_local_store(&one, s.draw.number(2000), bytes, s.draw.next(), 31);
    case 2:
      kgnpu_global_load(place(s), bytes, 32);
      return;
    case 3:
      return kgnpu_global_store(place(s), bytes, s.draw.next(), 33);
    case 4:
      return kgnpu_fill_global("Fill", place(s), static_cast<uint64_t>(s.draw.number(3000)), bytes, s.draw.next(), 34);
    case 5: {
      uint32_t shape[8] = {1, 2, 3, 4, 5, 6, 7, 8};
      return kgnpu_dump(s.draw.one_in(2) ? nullptr : &one, place(s), static_cast<int>(s.draw.number(11)), 1,
                        static_cast<uint32_t>(s.draw.number(20)), shape, static_cast<int>(s.draw.number(8)), 35);
    }
    case 6:
      if (s.draw.one_in(2))
        return kgnpu_matrix_at(static_cast<int>(s.draw.number(16)), s.draw.below(600000), &s.tensors[s.draw.below(5)],
                               "At", 36);
      return kgnpu_local_at(s.draw.one_in(4) ? s.draw.next() : s.draw.below(200000), &s.tensors[s.draw.below(5)], "At",
                            36);
    case 7:
      return kgnpu_stack_buffer(&s.tensors[s.draw.below(5)], 37);
    case 8: {
      uint8_t to[64];
      if (s.draw.one_in(4)) kgnpu_whole_tiling(s.draw.below(64), place(s), "Tiling", 39);
      if (s.draw.one_in(4)) s.draw.below(static_cast<uint64_t>(kgnpu_atomic_mode() + kgnpu_atomic_type() + 1));
      return kgnpu_read_tiling(to, s.draw.one_in(4) ? s.draw.next() : s.draw.below(64), place(s), "Tiling", 38,
                               static_cast<uint32_t>(s.draw.below(8)));
    }
    default:
      kgnpu_print(s.draw.one_in(2) ? "%d %s\n" : "%*.*f %c %p\n", static_cast<int>(s.draw.number(100)),
                  s.draw.number(60), s.draw.next());
      return;
  }
}

__aicore__ int64_t few(State& s) { return s.draw.number(6); }

__aicore__ void nd_to_nz_call(State& s) {
  Local a, b, c, d;

  NdToNzCall call;
  call.gm = place(s);
  call.local = maybe(s, a, 5);
  call.matrices = few(s);
  call.rows = s.draw.number(40);
  call.row_bytes = s.draw.number(200);
  call.src_matrix_stride = s.draw.number(2000);
  call.src_row_stride = s.draw.number(300);
  call.dst_c0_stride = s.draw.number(40) * 32;
  call.dst_row_stride = s.draw.one_in(3) ? s.draw.number(64) : 32;
  call.dst_matrix_stride = s.draw.number(3000);
  return kgnpu_copy_nd_to_nz(&call);
}

__aicore__ void load_fractals_call(State& s) {
  Local a, b, c, d;

  LoadFractalsCall call;
  call.dst = maybe(s, a, s.draw.one_in(2) ? 7 : 8);
  call.src = s.draw.one_in(4) ? nullptr : maybe(s, b, 5);
  call.gm = place(s);
  call.element_bytes = s.draw.width();
  call.start = static_cast<int32_t>(few(s));
  call.repeat = static_cast<int32_t>(few(s));
  call.src_stride = static_cast<int32_t>(few(s));
  call.dst_gap = static_cast<int32_t>(few(s));
  call.dst_square_gap = static_cast<int32_t>(few(s));
  call.transpose = static_cast<uint8_t>(s.draw.below(2));
  call.squares = static_cast<uint8_t>(s.draw.below(2));
  call.decreasing = static_cast<uint8_t>(s.draw.below(2));
  return kgnpu_load_fractals(&call);
}

__aicore__ void load_image_call(State& s) {
  Local a, b, c, d;

  LoadImageCall call;
  call.dst = maybe(s, a, s.draw.one_in(2) ? 7 : 8);
  call.src = maybe(s, b, 5);
  call.element_bytes = s.draw.width();
  for (auto& one : call.pad) one = static_cast<uint8_t>(s.draw.number(3));
  for (auto* one : {&call.height, &call.width, &call.channels, &call.k_extent, &call.m_extent})
    *one = static_cast<uint16_t>(s.draw.number(32));
  call.k_start = static_cast<uint16_t>(s.draw.number(4) * 16);
  call.m_start = static_cast<uint16_t>(s.draw.number(3) * 16);
  for (auto* one : {&call.stride_w, &call.stride_h, &call.filter_w, &call.filter_h, &call.dilation_w, &call.dilation_h})
    *one = static_cast<uint16_t>(1 + s.draw.number(2));
  call.transpose = static_cast<uint8_t>(s.draw.below(2));
  call.keep_shape = static_cast<uint8_t>(s.draw.below(2));
  call.right_matrix = static_cast<uint8_t>(s.draw.below(2));
  call.padding_value = s.draw.next();
  return kgnpu_load_image(&call);
}

__aicore__ void mmad_call(State& s) {
  Local a, b, c, d;

  MmadCall call;
  call.c = maybe(s, a, 9);
  call.a = maybe(s, b, 7);
  call.b = maybe(s, c, 8);
  call.bias = s.draw.one_in(2) ? nullptr : maybe(s, d, 10);
  call.c_type = s.draw.type();
  call.a_type = s.draw.type();
  call.m = static_cast<uint16_t>(s.draw.number(40));
  call.n = static_cast<uint16_t>(s.draw.number(40));
  call.k = static_cast<uint16_t>(s.draw.number(40));
  call.start = static_cast<MatrixStart>(s.draw.number(2));
  call.unit_flag = static_cast<uint8_t>(s.draw.number(3));
  call.k_in_sixteens = static_cast<uint8_t>(s.draw.below(2));
  return kgnpu_mmad(&call);
}

__aicore__ void fixpipe_call(State& s) {
  Local a, b, c, d;

  FixpipeCall call;
  call.gm = place(s);
  call.local = s.draw.one_in(2) ? nullptr : maybe(s, a, 5);
  call.src = maybe(s, b, 9);
  call.scales = s.draw.one_in(2) ? nullptr : maybe(s, c, 11);
  call.dst_type = s.draw.type();
  call.src_type = s.draw.one_in(2) ? Type::kFloat : s.draw.type();
  call.quantisation = static_cast<uint8_t>(s.draw.number(12));
  call.row_major = static_cast<uint8_t>(s.draw.below(2));
  call.relu = static_cast<uint8_t>(s.draw.below(2));
  call.split_channels = static_cast<uint8_t>(s.draw.below(2));
  call.m = s.draw.number(40);
  call.n = s.draw.number(40);
  call.src_stride = s.draw.number(40);
  call.dst_stride = s.draw.number(64);
  call.matrices = few(s);
  call.src_matrix_stride = few(s);
  call.dst_matrix_stride = s.draw.number(3000);
  call.scale = s.draw.next();
  if (s.draw.one_in(3)) kgnpu_set_fixpipe_scale(s.draw.next());
  if (s.draw.one_in(3)) kgnpu_set_fixpipe_scales(maybe(s, d, 11), 41);
  call.register_scales = static_cast<uint8_t>(s.draw.below(2));
  return kgnpu_fixpipe(&call);
}

__aicore__ void fill_matrix_call(State& s) {
  Local a, b, c, d;

  FillCall call;
  call.dst = maybe(s, a, static_cast<int>(5 + s.draw.below(4)));
  call.element_bytes = s.draw.width();
  call.repeat = static_cast<int32_t>(few(s));
  call.blocks = static_cast<int32_t>(few(s));
  call.gap = static_cast<int32_t>(few(s));
  return kgnpu_fill_matrix(&call);
}

__aicore__ void copy_to_table_call(State& s) {
  Local a, b, c, d;

  TableCopyCall call;
  call.dst = maybe(s, a, s.draw.one_in(2) ? 10 : 11);
  call.src = maybe(s, b, 5);
  call.dst_type = s.draw.type();
  call.src_type = s.draw.type();
  call.blocks = few(s);
  call.block_units = few(s);
  call.src_gap = few(s);
  call.dst_gap = few(s);
  return kgnpu_copy_to_table(&call);
}

__aicore__ void matmul_call(State& s) {
  Local a, b, c, d;

  MatmulCall call;
  MatrixPlace* const places[] = {&call.a, &call.b, &call.c, &call.bias};
  for (auto* one : places) {
    if (s.draw.one_in(4))
      one->local = maybe(s, one == &call.a ? a : one == &call.b ? b : one == &call.c ? c : d);
    else if (one != &call.bias)
      one->gm = place(s);
    one->type = s.draw.one_in(3) ? s.draw.type() : Type::kFloat;
    one->format = static_cast<MatrixFormat>(s.draw.one_in(20) ? s.draw.next() : s.draw.below(9));
    one->transposed = static_cast<uint8_t>(s.draw.below(2));
    one->rows = s.draw.number(40);
    one->columns = s.draw.number(40);
    one->row = few(s);
    one->column = few(s);
  }
  call.m = s.draw.number(30);
  call.n = s.draw.number(30);
  call.k = s.draw.number(30);
  call.base_m = static_cast<int32_t>(s.draw.number(16));
  call.base_n = static_cast<int32_t>(s.draw.number(16));
  call.copied_ka = static_cast<int32_t>(s.draw.number(16));
  call.copied_kb = static_cast<int32_t>(s.draw.number(16));
  call.kept_a = static_cast<int32_t>(s.draw.number(16));
  call.kept_b = static_cast<int32_t>(s.draw.number(16));
  call.atomic = static_cast<uint8_t>(s.draw.number(3));
  call.quantisation = static_cast<uint8_t>(s.draw.number(12));
  call.scale = s.draw.next();
  call.scales = s.draw.one_in(4) ? place(s) : 0;
  call.wait = static_cast<uint8_t>(s.draw.below(2));
  call.stage = static_cast<MatmulStage>(s.draw.one_in(40) ? s.draw.next() : s.draw.below(3));
  call.partial = s.draw.one_in(6);
  call.object = s.draw.below(3);
  call.registered = static_cast<uint8_t>(s.draw.below(3));
  call.copies = static_cast<uint8_t>(s.draw.below(4));
  call.base_k = static_cast<int32_t>(s.draw.number(16));
  if (s.draw.one_in(3)) {
    kgnpu_matmul_post(&call);
    return;
  }
  return kgnpu_matmul(&call);
}

// The parts of a product with copies of the kernel's own, in any order.
__aicore__ void matmul_part_call(State& s) {
  MatmulWork work;
  MatmulPlaceOut place_out;
  Local tensor;
  MatmulBlock block;
  block.row = few(s);
  block.column = few(s);
  block.inner = few(s);
  block.m = s.draw.number(16);
  block.n = s.draw.number(16);
  block.k = s.draw.number(16);
  switch (s.draw.below(7)) {
    case 0:
      return kgnpu_matmul_receive(&work);
    case 1:
      return kgnpu_matmul_room(static_cast<int>(s.draw.number(2)), &tensor);
    case 2:
      return kgnpu_matmul_in_l0c(&block, &tensor, &place_out);
    case 3:
      return kgnpu_matmul_write(&block);
    case 4:
      return kgnpu_matmul_done();
    case 5:
      if (s.draw.one_in(8)) kgnpu_matmul_serves(1);
      return;
    default:
      return kgnpu_matmul_block(&block);
  }
}

__aicore__ void cube_call(State& s) {
  switch (s.draw.below(12)) {
    case 0:
      return nd_to_nz_call(s);
    case 1:
      return load_fractals_call(s);
    case 2:
      return load_image_call(s);
    case 3:
      return mmad_call(s);
    case 4:
      return fixpipe_call(s);
    case 5:
      return fill_matrix_call(s);
    case 6:
      return copy_to_table_call(s);
    case 7:
      return kgnpu_set_image_padding(s.draw.next());
    case 8:
      return kgnpu_set_image_boundary(static_cast<uint32_t>(s.draw.number(1 << 14)) & ~31u, 1);
    case 9:
      return kgnpu_set_image_repeat(static_cast<uint32_t>(s.draw.below(40) == 0 ? 2 : 1), 1);
    case 10:
      return matmul_part_call(s);
    default:
      return matmul_call(s);
  }
}

__aicore__ void spill_or_group_call(State& s) {
  const uint64_t gm = s.gm[s.draw.below(3)] + static_cast<uint64_t>(s.draw.number(64)) * 64;
  const auto index = static_cast<uint32_t>(s.draw.number(2)), own = static_cast<uint32_t>(s.draw.number(3));
  switch (s.draw.below(8)) {
    case 0:
      return kgnpu_group_arrive(gm, index, own, static_cast<uint32_t>(s.draw.number(2)), 1);
    case 1:
      if (s.draw.one_in(8)) kgnpu_group_wait(gm, index, own, static_cast<uint32_t>(s.draw.number(1)), 1);
      return;
    case 2:
    case 3:
      return kgnpu_spill_init(gm, s.draw.number(4096), 1);
    case 4:
      return kgnpu_narrowed("Add", s.draw.number(1000), static_cast<int>(s.draw.number(1) == 0 ? 8 : 16), 1);
    default: {
      CopyCall call;
      call.gm = kgnpu_spill_at("ReadSpmBuffer", s.draw.number(4096), s.draw.number(4096), 1);
      call.local = &s.tensors[s.draw.below(7)];
      call.block_bytes = s.draw.number(4096);
      return kgnpu_copy_in(&call);
    }
  }
}

}  // namespace

extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  State s;
  s.gm[0] = reinterpret_cast<uint64_t>(x);
  s.gm[1] = reinterpret_cast<uint64_t>(y);
  s.gm[2] = reinterpret_cast<uint64_t>(z);
  s.draw.state = kgnpu_global_load(s.gm[0], 8, 1) + static_cast<uint64_t>(kgnpu_block_index());
  s.draw.rare = s.draw.one_in(2) ? 24 : 600;
  s.pool = BufPool{};
  s.pool.position = 11;
  s.pool.limit = 4;
  kgnpu_pipe_open();
  kgnpu_spill_init(s.gm[2], 4096, 1);
  for (int i = 0; i < kQueues; ++i) {
    s.queues[i] = Handle{};
    const QueueSpec spec{kPositions[i], kPositions[i], kPositions[i], static_cast<uint8_t>(i != 0 && i != 1), 1};
    const uint32_t bytes = i < 5 ? 32768 : i == 10 || i == 11 ? 512 : 16384;
    kgnpu_init_buffer(&s.queues[i], &spec, 1, bytes, 1);
    if (i < 2)
      kgnpu_queue_alloc(&s.queues[i], &s.tensors[i], 1);
    else
      kgnpu_buffer_get(&s.queues[i], &s.tensors[i], 0, -1, 1);
  }
  // Something to work on: whole of UB's and L1's tensors defined.
  for (int i = 0; i < 7; ++i) {
    CopyCall call;
    call.gm = s.gm[0];
    call.local = &s.tensors[i];
    call.block_bytes = 8192;
    kgnpu_copy_in(&call);
  }
  kgnpu_barrier(PIPE_ALL, 1);
  const uint64_t kind = s.draw.below(4);  // of the calls that come most
  for (int n = 0; n < 60; ++n) {
    if (s.draw.one_in(3)) kgnpu_barrier(PIPE_ALL, 2);
    const uint64_t which = s.draw.one_in(2) ? kind : s.draw.below(8);
    if (which == 0)
      vector_call(s);
    else if (which == 1)
      special_call(s);
    else if (which == 2)
      cube_call(s);
    else if (which == 3)
      copy_call(s);
    else if (which == 4)
      queue_call(s);
    else if (which == 5)
      state_call(s);
    else if (which == 6)
      scalar_call(s);
    else
      spill_or_group_call(s);
  }
}
