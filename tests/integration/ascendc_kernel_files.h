#pragma once

#include <string>
#include <vector>

#include "ascendc_bodies.h"

// Kernels of the tests as files, ascendc_kernels/{right,wrong}/*.kernels. In a file each kernel has a header that says
// what is expected:
//
//   //// A section: prose, for people.
//   // cores: vector              once, before the first kernel: vector, cube or mixed
//   // kernel: DeQueTwice
//   //   A remark about the kernel.
//   // expect: queue:3            class:line of each fault, a warning as ~class:line; or: correct
//   // blocks: 2                  cores that run it; 1 if not said
//   pipe.InitBuffer(in, 1, 1024);
//   ...
//
// The body begins in the line behind the header, which is its line 1, and ends before the next header or section.
namespace kg::npu::testing {

// The kernels of one file, "right/vector" say. Read once. Throws kg::Error with file and line where a header is wrong.
const std::vector<Body>& kernels_of(const std::string& file);

// Every file of correct kernels.
std::vector<const std::vector<Body>*> right_kernels();

}  // namespace kg::npu::testing
