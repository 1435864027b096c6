#pragma once

#include <functional>
#include <string>
#include <vector>

#include "npu/machine/gm_traffic.h"

// Times of whole kernels that were read on a real Atlas A2 and published, each beside a kernel of our own of the same
// structure.
namespace kg::npu::testing {

struct PublishedPoint {
  std::string kernel;
  std::string kind;       // products, vector, scalar
  std::string structure;  // what ours does, as far as it is not said by the name
  std::string source;
  double chip;                   // microseconds, launch included
  std::function<double()> ours;  // the same
};

inline constexpr const char* kEvoKernel = "records of EvoKernel";

std::vector<PublishedPoint> published_products();
std::vector<PublishedPoint> published_row_kernels();
std::vector<PublishedPoint> published_vector_kernels();
std::vector<PublishedPoint> published_scalar_loops();

struct PublishedInput {
  const char* type;
  std::int64_t elements;
};

// The kernel `kernel` over inputs of zeros and one output, in microseconds. The source sees AscendC's names, and the
// inputs as `GM_ADDR in0, in1, ...`, the output as `out`. With `share`, the case has only that part of the published
// one, and the time without the launch is divided by it. `l2`: as the benchmark leaves it before each run.
double microseconds_of(const std::string& before, const std::string& body, const std::vector<PublishedInput>& inputs,
                       const PublishedInput& output, std::uint32_t cores, double share = 1, L2Before l2 = {});

// Every run after the first of a launch that is repeated; one that the profiler replays by itself, without what L2 held
// before (msOpProf's guide offers the replay of a range to keep that); and one behind a benchmark's own fill of a
// buffer larger than L2.
inline constexpr L2Before kRepeated = {.tensors = true};
inline constexpr L2Before kFlushed = {.clean = true};
L2Before behind_a_fill(double share = 1);

// "constexpr int NAME = VALUE;" for each.
std::string constants(const std::vector<std::pair<const char*, std::int64_t>>& values);

// The beginnings of a kernel of the vector cores: what stands before it, its tensors (inputs x, y, w of one type and
// the output z), its pipe, its queues `in` and `results`, and the buffer `work`.
std::string vector_source(const std::vector<std::pair<const char*, std::int64_t>>& values);
std::string vector_tensors(const char* type, int inputs, const char* result);
inline constexpr const char* kVectorQueues =
    "  TPipe pipe; TQue<QuePosition::VECIN, 2> in; TQue<QuePosition::VECOUT, 2> results; TBuf<> work;\n";

// docs/reference/times.md and its picture.
struct MeasuredPoint {
  PublishedPoint point;
  double ours;
};
bool is_near(const MeasuredPoint& one);       // within 25 % of the chip
double factor_off(const MeasuredPoint& one);  // from the chip, in either direction: at least 1
std::string times_page(const std::vector<MeasuredPoint>& points);
std::string times_picture(const std::vector<MeasuredPoint>& points);

}  // namespace kg::npu::testing
