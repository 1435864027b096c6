#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/sandbox.pb.h"
#include "sandbox/sandbox.h"

namespace kg::dataset::cot {

// A kernel of a few lines on one core, with one input and one output, that shows what the emulated NPU does.
struct Probe {
  proto::DType in = proto::FLOAT32, out = proto::FLOAT32;
  std::vector<double> input;  // elements of x
  std::int64_t output_elements = 8;
  std::string body;  // gx, gz, pipe, buf and a, b, c (tensors of In at 0, 16 KB, 32 KB), d (of Out at 48 KB)
  std::int64_t buffer_bytes = 96 * 1024;
  bool bare = false;  // the body declares its own buffers
};

inline std::vector<double> ones(std::size_t count) { return std::vector<double>(count, 1.0); }  // an input

struct Probed {
  bool compiled = false, ran = false;
  std::string message;  // first compiler error or fault
  std::uint64_t cycles = 0;
  std::vector<double> output;
};

std::string source_of(const Probe& probe);
Probed run_probe(sandbox::Sandbox& sandbox, const Probe& probe);

}  // namespace kg::dataset::cot
