// C (ROWS, COLUMNS) = A (ROWS, INNER) * B (INNER, COLUMNS) + bias by the Matmul object, with tails in every direction;
// A_TURNED and B_TURNED: the matrix comes transposed. BIAS, SCALE (0: none), BY_COLUMN as their names say.
#include "lib/matmul_intf.h"
using namespace AscendC;
using namespace matmul;

extern "C" __global__ __aicore__ void k_(GM_ADDR ag, GM_ADDR bg, GM_ADDR sg, GM_ADDR biasg, GM_ADDR cg, GM_ADDR ws) {
  TPipe pipe;
  TCubeTiling t;
  t.usedCoreNum = 1;
  t.M = t.singleCoreM = ROWS;
  t.N = t.singleCoreN = COLUMNS;
  t.Ka = t.Kb = t.singleCoreK = INNER;
  t.baseM = 16;
  t.baseN = 32;
  t.baseK = 32;
  t.depthA1 = t.depthB1 = t.stepM = t.stepN = t.stepKa = t.stepKb = 1;
  t.isBias = BIAS;
  Matmul<MatmulType<TPosition::GM, CubeFormat::ND, IN, A_TURNED>,
         MatmulType<TPosition::GM, CubeFormat::ND, IN, B_TURNED>, MatmulType<TPosition::GM, CubeFormat::ND, OUT>,
         MatmulType<TPosition::GM, CubeFormat::ND, ACC>>
      mm;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
  GlobalTensor<IN> a, b;
  GlobalTensor<OUT> c;
  GlobalTensor<uint64_t> s;
  GlobalTensor<ACC> bias;
  a.SetGlobalBuffer((__gm__ IN*)ag);
  b.SetGlobalBuffer((__gm__ IN*)bg);
  c.SetGlobalBuffer((__gm__ OUT*)cg);
  s.SetGlobalBuffer((__gm__ uint64_t*)sg);
  bias.SetGlobalBuffer((__gm__ ACC*)biasg);
  mm.SetTensorA(a, A_TURNED);
  mm.SetTensorB(b, B_TURNED);
  if constexpr (BIAS) mm.SetBias(bias);
  if constexpr (BY_COLUMN)
    mm.SetQuantVector(s);
  else if constexpr (SCALE != 0)
    mm.SetQuantScalar(SCALE);
  mm.IterateAll(c);
  mm.End();
}
