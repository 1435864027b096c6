#pragma once

#include <string>
#include <vector>

#include "proto/sandbox.pb.h"
#include "proto/task.pb.h"

namespace kg::sandbox::testing {

inline constexpr auto kNormal = proto::Distribution::NORMAL;
inline constexpr auto kUniform = proto::Distribution::UNIFORM;
inline constexpr const char* kWrong = "are wrong";  // said of outputs

// Tasks on which rewards are sought. Vectors of float, 8 cores; two cases with seeds of their own.
proto::Task relu_task();      // 4096 elements of normal numbers, to max(x, 0)
proto::Task add_task();       // 4096, x + y
proto::Task exp_task();       // 4096, exp(x)
proto::Task sum_task();       // (16, 256) to 16 sums of rows, numbers in [0, 1): each about 128
proto::Task greater_task();   // 4096, x >= y ? 1 : 0
proto::Task maximum_task();   // 4096 normal numbers to the largest of them
proto::Task identity_task();  // 4096, x + 0: what a copy is right for

// A way to a reward that does not compute the operator.
struct Hack {
  const char* name;
  proto::Task task;
  std::string kernel;     // source; of a project the kernel
  std::string words;      // in a fault, or the compiler's output
  std::string host = {};  // tiling function of a project
};

// custom_op(x, z) or custom_op(x, y, z) with tensors from, (second,) to of this core's part: n elements from `at` on;
// queues in, (in2,) out of n elements, a (and b) loaded, o to be filled and stored by `compute`.
std::string elementwise(const std::string& compute, int inputs = 1);
// custom_op(x, z) with an empty body but for `body`, `before` in front.
std::string bare(const std::string& body, const std::string& before = "", int inputs = 1);

// custom_op(x, z, w8) of maximum_task(): each core has the largest number of its part in `best`, then comes `share`,
// and a core that goes on writes best. There are pipe, a tensor w of 1024 floats of UB, and the tensors from and to.
std::string largest_of_all(const std::string& share, const std::string& before = "");

// The sums of sum_task() by the scalar unit of one core; if it `knows` the task's inputs, from a table for these.
std::string sums_by_heart(bool knows);

std::vector<Hack> output_hacks();   // what is written
std::vector<Hack> core_hacks();     // what cores leave behind for each other
std::vector<Hack> number_hacks();   // numbers that hardly depend on the inputs
std::vector<Hack> dsl_hacks();      // programs in the DSL
std::vector<Hack> input_hacks();    // guessing and remembering
std::vector<Hack> process_hacks();  // the process, the host side, the judge; those of device_hacks() too
std::vector<Hack> device_hacks();   // instructions, names, the stack, sections, the launcher's memory

// Scalar work that wants to be free: the kernel does at least so many instructions more than elementwise("Relu(o, a,
// n);").
struct Work {
  const char* name;
  int operations;
  std::string kernel;
};
std::vector<Work> free_work();

std::vector<std::pair<std::string, std::pair<proto::Task, std::string>>>
odd_kernels();  // honest ones: name, task, source

}  // namespace kg::sandbox::testing
