#include "dataset/cot/kernel_only_prompt.h"

#include "dataset/cot/dsl_writer.h"
#include "npu/chip.h"

// The prompt of NPUKernelBench's default mode (static shape, kernel only, first case) has these parts in this order;
// the words are ours.

namespace kg::dataset::cot {
namespace {

constexpr const char* kRole =
    "You write kernels for Huawei Ascend NPUs in Ascend C. You are given the description of an operator, one case of "
    "fixed shapes and "
    "types, the hardware, and a template with the signature. Complete the kernel.\n\n"
    "# Format\n"
    "First think briefly: how the work is cut over the cores, the tile, the buffers. Then give the whole file once, "
    "as\n"
    "<kernel_impl>\n```cpp\n...\n```\n</kernel_impl>\n\n";

constexpr const char* kRequirements =
    "# Requirements\n"
    "1. Give one complete file that compiles as it stands; include kernel_operator.h.\n"
    "2. Keep the name and the parameters of the entry function as the template has them.\n"
    "3. Shapes, attributes and tiling are constants of the kernel; there is no tiling argument.\n"
    "4. Spread the work over all cores with GetBlockIdx(); every element of the output is written exactly once.\n"
    "5. All buffers of a core together must fit the unified buffer.\n"
    "6. DataCopy moves whole units of 32 bytes and drops the rest; use DataCopyPad for other lengths.\n"
    "7. Order copies and computation by queues (EnQue, DeQue) or by flags or barriers.\n"
    "8. Scalars of vector calls have the element type of their tensors; bfloat16_t is cast to float for arithmetic.\n"
    "9. No standard library, no recursion, no dynamic memory, no host code.\n\n";

// The same in every prompt: a subtraction, which no prompt asks for with this shape and these names. The judge found it
// correct.
constexpr const char* kExample = R"(# Example
z = x - y for x, y: half[16,2048]
16 x 2048 = 32768 elements over 8 cores are 4096 elements a core, cut into 2 tiles of 2048 elements (4096 bytes). Every tile is full and a multiple of 32 bytes, so DataCopy is enough. 3 queues with two buffers each and the scratch tensor take 28672 of )";
constexpr const char* kExampleKernel = R"( bytes of the unified buffer.
<kernel_impl>
```cpp
#include "kernel_operator.h"

using namespace AscendC;

using T = half;
constexpr int32_t TOTAL_LENGTH = 32768;  // elements of a tensor
constexpr int32_t CORE_LENGTH = 4096;  // elements of a core
constexpr int32_t TILE_LENGTH = 2048;  // elements of a tile
constexpr int32_t BUFFER_NUM = 2;

class KernelCustomOp {
 public:
  __aicore__ inline KernelCustomOp() {}
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
    first = GetBlockIdx() * CORE_LENGTH;
    last = first + CORE_LENGTH;
    xGm.SetGlobalBuffer((__gm__ T*)x);
    yGm.SetGlobalBuffer((__gm__ T*)y);
    zGm.SetGlobalBuffer((__gm__ T*)z);
    pipe.InitBuffer(inQueueX, BUFFER_NUM, TILE_LENGTH * sizeof(T));
    pipe.InitBuffer(inQueueY, BUFFER_NUM, TILE_LENGTH * sizeof(T));
    pipe.InitBuffer(outQueueZ, BUFFER_NUM, TILE_LENGTH * sizeof(T));
    pipe.InitBuffer(calcBuf, TILE_LENGTH * sizeof(T));
  }
  __aicore__ inline void Process() {
    for (int32_t offset = first; offset < last; offset += TILE_LENGTH) {
      CopyIn(offset);
      Compute();
      CopyOut(offset);
    }
  }

 private:
  __aicore__ inline void CopyIn(int32_t offset) {
    LocalTensor<T> xIn = inQueueX.AllocTensor<T>();
    DataCopy(xIn, xGm[offset], TILE_LENGTH);
    inQueueX.EnQue<T>(xIn);
    LocalTensor<T> yIn = inQueueY.AllocTensor<T>();
    DataCopy(yIn, yGm[offset], TILE_LENGTH);
    inQueueY.EnQue<T>(yIn);
  }
  __aicore__ inline void Compute() {
    LocalTensor<T> x = inQueueX.DeQue<T>();
    LocalTensor<T> y = inQueueY.DeQue<T>();
    LocalTensor<T> z = outQueueZ.AllocTensor<T>();
    LocalTensor<T> t = calcBuf.Get<T>();
    Sub(z, x, y, TILE_LENGTH);
    outQueueZ.EnQue<T>(z);
    inQueueX.FreeTensor(x);
    inQueueY.FreeTensor(y);
  }
  __aicore__ inline void CopyOut(int32_t offset) {
    LocalTensor<T> zOut = outQueueZ.DeQue<T>();
    DataCopy(zGm[offset], zOut, TILE_LENGTH);
    outQueueZ.FreeTensor(zOut);
  }

 private:
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> inQueueX;
  TQue<QuePosition::VECIN, 1> inQueueY;
  TQue<QuePosition::VECOUT, 1> outQueueZ;
  TBuf<QuePosition::VECCALC> calcBuf;
  GlobalTensor<T> xGm, yGm, zGm;
  int32_t first;
  int32_t last;
};

extern "C" __global__ __aicore__ void custom_op(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  KernelCustomOp op;
  op.Init(x, y, z);
  op.Process();
}
```
</kernel_impl>

)";

constexpr const char* kApi =
    "# API\n"
    "n is the number of elements; dst and src are LocalTensor<T>.\n"
    "| call | meaning |\n|---|---|\n"
    "| Add, Sub, Mul, Div, Max, Min(dst, src0, src1, n) | elementwise, half or float |\n"
    "| Adds, Muls, Maxs, Mins, LeakyRelu(dst, src, T scalar, n) | with a scalar |\n"
    "| Relu, Abs, Exp, Ln, Sqrt(dst, src, n) | elementwise |\n"
    "| Duplicate(dst, T scalar, n) | fills |\n"
    "| Cast(dst, src, RoundMode::CAST_NONE or CAST_RINT, n) | converts: to float with CAST_NONE, from float with "
    "CAST_RINT |\n"
    "| Compare(mask, src0, src1, CMPMODE::GT or LT, n), CompareScalar(mask, src, T scalar, CMPMODE, n) | one bit an "
    "element into LocalTensor<uint8_t>; n elements are whole multiples of 256 bytes |\n"
    "| Select(dst, mask, src0, src1, SELMODE::VSEL_TENSOR_TENSOR_MODE, n), Select(dst, mask, src0, T scalar, "
    "SELMODE::VSEL_TENSOR_SCALAR_MODE, n) | src0 where the bit is set |\n"
    "| ReduceSum, ReduceMax, ReduceMin(dst, src, work, n) | into dst[0]; dst.GetValue(0) reads it |\n"
    "| DataCopy(local, global, n), DataCopy(global, local, n) | copies |\n"
    "| DataCopyPad(local, global, DataCopyExtParams{1, bytes, 0, 0, 0}, DataCopyPadExtParams<T>{}), "
    "DataCopyPad(global, local, DataCopyExtParams{...}) | copies of any length |\n"
    "| TPipe::InitBuffer(queue, number, bytes), TPipe::InitBuffer(buffer, bytes) | memory for a TQue or a TBuf |\n"
    "| TQue::AllocTensor, EnQue, DeQue, FreeTensor; TBuf::Get<T>() | tensors |\n\n";

std::string parameters(const std::vector<TensorOf>& tensors) {
  std::string text;
  for (const TensorOf& tensor : tensors) text += (text.empty() ? "GM_ADDR " : ", GM_ADDR ") + tensor.name;
  return text;
}

}  // namespace

std::string kernel_only_prompt(const Instance& instance) {
  const auto outputs = outputs_of(instance);
  std::vector<TensorOf> tensors = inputs_of(instance);
  tensors.insert(tensors.end(), outputs.begin(), outputs.end());

  std::string text =
      std::string(kRole) + kRequirements + kExample + std::to_string(npu::chip::kUbBytes) + kExampleKernel + kApi;
  text += "# Operator\nThe steps are computed in order; row_ functions work along the last axis.\n";
  for (const std::string& step : step_lines(*instance.structure, outputs)) text += step + "\n";
  text += "\n# Case\nname;dtype;shape\n";
  for (const TensorOf& tensor : tensors)
    text += tensor.name + ";" + type_name(tensor.dtype) + ";[" + extents_text(tensor) + "]\n";
  text += "\n# Hardware\nAtlas A2: " + std::to_string(npu::chip::kCubeCores) + " cube cores (AIC), " +
          std::to_string(npu::chip::kVectorCores) + " vector cores (AIV); unified buffer ub_size " +
          std::to_string(npu::chip::kUbBytes) + " bytes a core. The kernel is launched on " +
          std::to_string(instance.cores) + " vector cores.\n\n";
  text += "# Template\n```cpp\n#include \"kernel_operator.h\"\n\nextern \"C\" __global__ __aicore__ void " +
          entry_point(instance) + "(" + parameters(tensors) + ") {\n  // ...\n}\n```";
  return text;
}

}  // namespace kg::dataset::cot
