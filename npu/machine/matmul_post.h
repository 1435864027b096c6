#pragma once

#include <cstdint>
#include <vector>

#include "npu/headers/kgnpu/abi_matmul.h"
#include "npu/machine/pipes.h"

namespace kg::npu {

struct Core;

// A product of the Matmul object between its computation and its writing: in columns of 16, 4 bytes an element, as L0C
// holds it.
struct MatmulResult {
  std::int64_t rows = 0;
  std::vector<std::uint8_t> data;
  std::vector<bool> row_known, column_known;  // false: computed from undefined data
  const std::uint8_t* at(std::int64_t row, std::int64_t column) const {
    return data.data() + ((column / 16 * rows + row) * 16 + column % 16) * 4;
  }
};

// A product that a core has asked of the group's cube core, which runs the kernel's own copies for it.
struct MatmulPost {
  MatmulPost(const kgnpu::MatmulCall& asked_for, Core& core) : call(asked_for), from(&core) {
    kgnpu::MatrixPlace* const places[] = {&call.a, &call.b, &call.c, &call.bias};
    for (int i = 0; i < 4; ++i) {
      if (places[i]->local == nullptr) continue;
      tensors[i] = *places[i]->local;  // the call's own are gone when it returns
      places[i]->local = &tensors[i];
    }
  }
  MatmulPost(const MatmulPost&) = delete;
  MatmulPost& operator=(const MatmulPost&) = delete;

  kgnpu::MatmulCall call;   // with its tensors
  kgnpu::Local tensors[4];  // A, B, C, bias
  Core* from = nullptr;
  Clock asked;  // what the vector core had done
  bool done = false;
  MatmulResult result;  // of the current block
  // Rooms in L1, two for A and two for B that take turns: when each may be filled again.
  Clock free[2][2];
  std::uint8_t turn[2] = {0, 0};
  std::int64_t room[2][2] = {};  // addresses in L1
};

}  // namespace kg::npu
