#pragma once

// Put before a function: it is compiled once for each of these instruction sets, chosen at program start. For files
// that the compiler vectorises (-O3 -fopenmp-simd, in CMakeLists.txt).
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define KG_EACH_SET __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define KG_EACH_SET
#endif
