#pragma once

#include "npu/headers/kgnpu/abi_matmul.h"
#include "npu/machine/core.h"

namespace kg::npu {

// Parts of a product of the Matmul object, shared by the object that the runtime runs alone (matmul.cpp) and the one
// whose copies are the kernel's (matmul_serve.cpp).

// A cube core that has objects of its own: of a kernel for cube cores only, or made in the cube half of a mixed one.
bool computes_alone(const Core& core);
// Ends the kernel if there is no cube core, or an extent is out of reach. False: this core has no part in the product.
bool begin_matmul(Core& core, const kgnpu::MatmulCall& call);
// Where the product starts: at 0, at the bias, or at what the object's last product left (partial).
MatmulResult start_of(const kgnpu::MatmulCall& call, Core& core);
// Adds A (m, k) times B (k, n). The operands belong to the cores that are told.
void multiply_into(MatmulResult& c, const kgnpu::MatmulCall& call, Core& a_core, Core& b_core);
void write_result(const kgnpu::MatmulCall& call, Core& core, const MatmulResult& result);
// The result that Iterate left for GetTensorC; ends the kernel if there is none of this size.
const MatmulResult& kept_result(const kgnpu::MatmulCall& call, Core& core);

}  // namespace kg::npu
