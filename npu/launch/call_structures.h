#pragma once

#include "npu/headers/kgnpu/abi.h"
#include "npu/headers/kgnpu/abi_cube.h"
#include "npu/headers/kgnpu/abi_matmul.h"
#include "npu/headers/kgnpu/abi_pool.h"
#include "npu/headers/kgnpu/abi_special.h"
#include "npu/launch/call_frame.h"

// The structures that calls take, after their bytes have been copied in: every number is one that the headers can give
// (so that sizes and places computed from them do not overflow), and every pointer is the runtime's own. A kernel
// that fills in something else must have made the structure itself, and ends.

namespace kg::npu {

inline bool is_known(kgnpu::Type type) { return type <= kgnpu::Type::kNone; }
inline bool is_width(std::int64_t bytes) { return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8; }

void bring(CallFrame& frame, kgnpu::Local& tensor);
void bring(CallFrame& frame, kgnpu::Handle& handle);
void bring(CallFrame& frame, kgnpu::QueueSpec& spec);
void bring(CallFrame& frame, kgnpu::BufPool& pool);
void bring(CallFrame& frame, kgnpu::VectorCall& call);
void bring(CallFrame& frame, kgnpu::CopyCall& call);
void bring(CallFrame& frame, kgnpu::NdToNzCall& call);
void bring(CallFrame& frame, kgnpu::LoadFractalsCall& call);
void bring(CallFrame& frame, kgnpu::LoadImageCall& call);
void bring(CallFrame& frame, kgnpu::MmadCall& call);
void bring(CallFrame& frame, kgnpu::FixpipeCall& call);
void bring(CallFrame& frame, kgnpu::FillCall& call);
void bring(CallFrame& frame, kgnpu::TableCopyCall& call);
void bring(CallFrame& frame, kgnpu::MatmulCall& call);
void bring(CallFrame& frame, kgnpu::MatmulBlock& block);
inline void bring(CallFrame&, kgnpu::MatmulWork&) {}      // filled by the call
inline void bring(CallFrame&, kgnpu::MatmulPlaceOut&) {}  // likewise
void bring(CallFrame& frame, kgnpu::SpecialCall& call);

}  // namespace kg::npu
