// The Matmul object whose copies are the kernel's own functions (MatmulCallBackFunc): its products run on the cube core
// of the group, block by block, with the kernel's code between the calls here.

#include <algorithm>
#include <cstring>

#include "npu/calls/matmul.h"
#include "npu/calls/matmul_time.h"
#include "npu/calls/matrix_operand.h"
#include "npu/calls/rate_table.h"
#include "npu/chip.h"
#include "npu/headers/kgnpu/abi_special.h"
#include "npu/machine/cube.h"
#include "npu/machine/gm_traffic.h"
#include "npu/machine/scheduler.h"

namespace kg::npu {
namespace {

using kgnpu::MatmulBlock;
using kgnpu::MatmulCall;
using kgnpu::MatmulStage;
using kgnpu::MatrixFormat;
using kgnpu::MatrixPlace;

constexpr const char* kName = "Matmul";

// The product that this cube core is at.
MatmulPost& current(Core& core) {
  auto& posts = core.device->matmul_posts[core.block];
  if (core.kind != CoreKind::kCube || posts.empty())
    core.fail(FaultClass::kArgument,
              "Matmul: no product is being computed here; only REGIST_MATMUL_OBJ serves callbacks");
  return *posts.front();
}

// Ends the kernel if the block is not one of the product's: a kernel can call what its headers call.
void check_block(Core& core, const MatmulCall& call, const MatmulBlock& block) {
  if (block.m > 0 && block.n > 0 && block.row >= 0 && block.column >= 0 && block.inner >= 0 &&
      block.row + block.m <= call.m && block.column + block.n <= call.n && block.inner <= call.k &&
      block.inner + block.k <= call.k && block.m <= call.base_m && block.n <= call.base_n && block.k <= call.base_k)
    return;
  core.fail(FaultClass::kArgument, "Matmul: a block that is not part of the product");
}

bool copies(const MatmulCall& call, int operand) { return (call.copies >> operand & 1) != 0; }

// The same of a block that is to be written: it has been computed.
void check_result(Core& core, const MatmulPost& post, const MatmulBlock& block) {
  check_block(core, post.call, block);
  if (post.result.row_known.size() == static_cast<std::size_t>(block.m) &&
      post.result.column_known.size() == static_cast<std::size_t>(block.n))
    return;
  core.fail(FaultClass::kArgument, "Matmul: a block that has not been computed");
}

// Rows of fractals in L1: callbacks leave 16 or, of bytes, 32 together.
std::int64_t rows_in_l1(std::int64_t rows, std::int64_t size) {
  const std::int64_t unit = size == 1 ? 32 : 16;
  return ceil_div(rows, unit) * unit;
}

// Of a block of an operand, whichever way it is stored.
std::int64_t room_bytes(const MatmulCall& call, int operand) {
  const MatrixPlace& x = operand == 0 ? call.a : call.b;
  const auto size = size_of(x.type);
  const std::int64_t side =
      operand == 0 ? std::min<std::int64_t>(call.base_m, call.m) : std::min<std::int64_t>(call.base_n, call.n);
  const std::int64_t depth = std::min<std::int64_t>(call.base_k, call.k);
  const auto whole = [](std::int64_t n) { return ceil_div(n, 32) * 32; };
  return whole(side) * whole(depth) * size;
}

// Places of the rooms in L1, A's before B's.
void lay_out(Core& core, MatmulPost& post) {
  std::int64_t at = 0;
  for (int operand = 0; operand < 2; ++operand)
    for (std::int64_t& room : post.room[operand]) {
      room = at;
      if (copies(post.call, operand)) at += room_bytes(post.call, operand);
    }
  if (at <= kind_of(Memory::kL1).bytes) return;
  core.fail(FaultClass::kUb, "Matmul: two base blocks of A and of B take ", at, " bytes of L1, which has ",
            kind_of(Memory::kL1).bytes, "; make baseM, baseN or baseK smaller");
}

// Operand `x` of the block that begins `inner` along K, where its copy left it or where it was.
MatrixPlace part_of(const MatrixPlace& x, int operand, const MatmulBlock& block) {
  MatrixPlace part = x;
  if (operand == 0) {
    part.row += block.row;
    part.column += block.inner;
  } else {
    part.row += block.inner;
    part.column += block.column;
  }
  return part;
}
MatrixPlace in_l1(const MatrixPlace& x, std::int64_t rows, std::int64_t columns, const kgnpu::Local& room) {
  MatrixPlace place;
  place.local = &room;
  place.type = x.type;
  place.format = MatrixFormat::kNz;
  place.transposed = x.transposed;
  place.rows = rows_in_l1(x.transposed ? columns : rows, size_of(x.type));
  place.columns = x.transposed ? rows : columns;
  return place;
}

// The default copy of a block to L1, as the pipe sees it.
void issue_copy(Core& core, const MatrixPlace& x, std::int64_t rows, std::int64_t columns) {
  if (x.gm == 0) return;
  GlobalMemory::Allocation* allocation = core.device->memory.find(x.gm);
  if (allocation == nullptr) return;  // it starts outside; the part that is used does not
  issue_move(core, kMte2, kName, blocks_in_gm(*allocation, x, 0, rows, 0, columns, /*writes=*/false));
}

kgnpu::Local room_of(Core& core, MatmulPost& post, int operand) {
  kgnpu::Local tensor;
  kgnpu_memory_at(operand == 0 ? kgnpu::position::kA1 : kgnpu::position::kB1,
                  static_cast<std::uint32_t>(post.room[operand][post.turn[operand]]),
                  static_cast<std::uint32_t>(room_bytes(post.call, operand)), &tensor, core.line);
  return tensor;
}

// The call for one block of C.
MatmulCall block_of(const MatmulCall& call, const MatmulBlock& block) {
  MatmulCall part = call;
  part.m = block.m;
  part.n = block.n;
  part.c.row += block.row;
  part.c.column += block.column;
  part.bias.column += block.column;
  return part;
}

}  // namespace
}  // namespace kg::npu

using namespace kg::npu;

extern "C" {

int kgnpu_matmul_post(const kgnpu::MatmulCall* call) {
  Core& self = core();
  if (!begin_matmul(self, *call)) return 0;
  const bool alone = computes_alone(self);
  if (call->base_m <= 0 || call->base_n <= 0 || call->base_k <= 0)
    self.fail(FaultClass::kArgument,
              "Matmul: baseM, baseN or baseK of the tiling is not above 0; was the tiling read?");
  auto& posts = self.device->matmul_posts[self.block];
  if (alone) {
    posts.clear();
    self.cube.own_post = std::make_unique<MatmulPost>(*call, self);
    posts.push_back(self.cube.own_post.get());
    return 1;
  }
  MatmulPost post(*call, self);
  post.asked = self.pipes.publish(kS, self.number);
  posts.push_back(&post);
  Wait wait;
  wait.what = Wait::For::kProduct;
  wait.product = &post;
  wait.line = call->line;
  wait_until(wait);
  if (call->wait && call->stage != MatmulStage::kProduct) kgnpu_matmul_wait(call->line);
  return 0;
}

void kgnpu_matmul_receive(kgnpu::MatmulWork* work) {
  Core& self = core();
  *work = {};
  if (self.kind != CoreKind::kCube) return;
  auto& posts = self.device->matmul_posts[self.block];
  if (posts.empty()) {
    Wait wait;
    wait.what = Wait::For::kProducts;
    wait.line = self.line;
    wait_until(wait);
  }
  if (posts.empty()) return;
  MatmulPost& post = *posts.front();
  const MatmulCall& call = post.call;
  self.line = call.line;
  if (post.from != &self) {
    self.pipes.barrier(kAllPipes);
    self.pipes.wait(kS, post.asked);
    double& free_at = self.device->cube_free_at[self.block];
    self.pipes.start_at(std::max<double>({chip::kMatmulStart, free_at, post.asked.time + chip::kCrossCoreFlag}));
  }
  lay_out(self, post);
  if (call.stage == MatmulStage::kResult) post.result = kept_result(call, *post.from);
  work->served = call.registered != 0 ? call.registered : 1;
  work->m = call.m;
  work->n = call.n;
  work->k = call.k;
  work->base_m = call.base_m;
  work->base_n = call.base_n;
  work->base_k = call.base_k;
  work->a = call.a.gm;
  work->b = call.b.gm;
  work->a_row = call.a.row;
  work->b_column = call.b.column;
  work->user_info = call.user_info;
  work->self_data = call.self_data;
  work->stage = call.stage;
}

void kgnpu_matmul_room(int operand, kgnpu::Local* tensor) {
  Core& self = core();
  MatmulPost& post = current(self);
  if (operand != 0) operand = 1;
  self.pipes.wait(kMte2, post.free[operand][post.turn[operand]]);
  *tensor = room_of(self, post, operand);
}

void kgnpu_matmul_block(const kgnpu::MatmulBlock* block) {
  Core& self = core();
  MatmulPost& post = current(self);
  const MatmulCall& call = post.call;
  check_block(self, call, *block);
  if (block->k <= 0) return;
  if (block->inner == 0)
    post.result = start_of(block_of(call, *block), *post.from);
  else
    check_result(self, post, *block);
  MatmulCall part = call;
  part.m = block->m;
  part.n = block->n;
  part.k = block->k;
  MatrixPlace* const places[] = {&part.a, &part.b};
  const kgnpu::Local rooms[] = {copies(call, 0) ? room_of(self, post, 0) : kgnpu::Local{},
                                copies(call, 1) ? room_of(self, post, 1) : kgnpu::Local{}};
  for (int operand = 0; operand < 2; ++operand) {
    const std::int64_t rows = operand == 0 ? block->m : block->k, columns = operand == 0 ? block->k : block->n;
    MatrixPlace& place = *places[operand];
    if (copies(call, operand)) {
      place = in_l1(place, rows, columns, rooms[operand]);
    } else {
      place = part_of(place, operand, *block);
      issue_copy(self, place, rows, columns);
    }
  }
  // Whatever came to L1 is there before the cube unit begins.
  self.pipes.wait(kM, self.pipes.set(kMte2));
  self.issue(kM, unit_cycles(call.a.type, block->m, block->n, block->k), chip::kMmadLatency, kName,
             static_cast<std::uint64_t>(block->m * block->n * block->k));
  self.swaps = post.from->swaps = false;
  const auto owner = [&](int operand) -> Core& {
    return places[operand]->local != nullptr && !copies(call, operand) ? *post.from : self;
  };
  multiply_into(post.result, part, owner(0), owner(1));
  self.swaps = post.from->swaps = true;
  for (int operand = 0; operand < 2; ++operand) {
    if (!copies(call, operand)) continue;
    post.free[operand][post.turn[operand]] = self.pipes.set(kM);
    post.turn[operand] ^= 1;
  }
  if (call.stage == MatmulStage::kProduct && block->inner + block->k == call.k)
    post.from->cube.matmul_results[call.object] = post.result;
}

void kgnpu_matmul_in_l0c(const kgnpu::MatmulBlock* block, kgnpu::Local* tensor, kgnpu::MatmulPlaceOut* place) {
  Core& self = core();
  MatmulPost& post = current(self);
  check_result(self, post, *block);
  const MatmulCall part = block_of(post.call, *block);
  const std::int64_t rows = ceil_div(part.m, 16) * 16, columns = ceil_div(part.n, 16);
  kgnpu_memory_at(kgnpu::position::kCo1, 0, static_cast<std::uint32_t>(rows * columns * 64), tensor, self.line);
  LocalMemory& l0c = self.memory(Memory::kL0c);
  // The unit has finished, and the copy of the block before has read L0C.
  self.pipes.wait(kM, self.pipes.set(kFix));
  const Instruction instruction = self.issue(kM, 0, 0);
  touch_local(self, kName, instruction, 0, rows * columns * 64, /*writes=*/true, Memory::kL0c);
  for (std::int64_t i = 0; i < part.m; ++i)
    for (std::int64_t j = 0; j < part.n; ++j) {
      const std::int64_t to = ((j / 16 * rows + i) * 16 + j % 16) * 4;
      std::memcpy(l0c.data() + to, post.result.at(i, j), 4);
      l0c.set_defined(
          to, 4,
          post.result.row_known[static_cast<std::size_t>(i)] && post.result.column_known[static_cast<std::size_t>(j)]);
    }
  self.pipes.wait(kFix, self.pipes.set(kM));
  self.cube.unit_flag_mmad = self.pipes.set(kM);
  place->row_elements = part.c.columns;
  place->scale = part.scale;
  place->gm = part.c.gm;
  if (part.c.gm == 0)
    self.fail(FaultClass::kArgument,
              "Matmul: a callback for C writes to GM; GetTensorC and IterateAll need a GlobalTensor");
  const auto size = size_of(part.c.type);
  place->gm += static_cast<std::uint64_t>(element_place(part.c, 0, 0) * size);
}

void kgnpu_matmul_write(const kgnpu::MatmulBlock* block) {
  Core& self = core();
  MatmulPost& post = current(self);
  check_result(self, post, *block);
  const MatmulCall part = block_of(post.call, *block);
  const bool in_gm = part.c.gm != 0;
  GlobalMemory::Allocation* allocation = in_gm ? self.device->memory.find(part.c.gm) : nullptr;
  self.pipes.wait(kFix, self.pipes.set(kM));
  if (allocation != nullptr)
    issue_move(self, kFix, kName, blocks_in_gm(*allocation, part.c, 0, part.m, 0, part.n, /*writes=*/true));
  write_result(part, in_gm ? self : *post.from, post.result);
}

void kgnpu_matmul_done() {
  Core& self = core();
  MatmulPost& post = current(self);
  self.pipes.barrier(kAllPipes);
  const double end = self.pipes.finish();
  self.device->matmul_posts[self.block].pop_front();
  if (post.from == &self) return;
  self.device->cube_free_at[self.block] = end;
  post.from->cube.matmul_served.join(self.pipes.publish(kS, self.number));
  post.from->cube.matmul_done = std::max(post.from->cube.matmul_done, end + chip::kCrossCoreFlag);
  post.done = true;
}

}  // extern "C"
