extern "C" __global__ __aicore__ void foreach_grow(GM_ADDR x, GM_ADDR by, GM_ADDR workspace, GM_ADDR tiling) {}
