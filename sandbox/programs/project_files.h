#pragma once

#include <string>
#include <vector>

#include "proto/sandbox.pb.h"

namespace kg::sandbox {

// The files of an operator project, found by the folders op_host and op_kernel wherever they are: at the top, in the
// operator's folder, in NPUKernelBench's question/.
struct Project {
  struct File {
    std::string path;  // relative to the folder that holds op_host and op_kernel, if it is below it
    std::string content;
  };
  std::vector<File> files;
  std::vector<std::string> host_sources;    // files to compile, without the operator's aclnn interface (op_api)
  std::vector<std::string> kernel_sources;  // .cpp files in op_kernel
};

// Throws Error if it is not a project: no op_host or op_kernel source, or a path that leaves the project.
Project read_project(const proto::ExecutionRequest& request);

// All files, by name and content.
std::string content_of(const Project& project);

// The files that the host side's compilation can read, by name and content: all outside op_kernel, and those in
// op_kernel that one of these includes. A change in another file leaves the compiled host side as it is.
std::string host_content(const Project& project);

// The file with the kernel function `name`; throws Error with the files there are.
std::string kernel_file(const Project& project, const std::string& name);

// The content of REGISTER_TILING_DEFAULT and REGISTER_TILING_FOR_TILINGKEY in the kernel's files, as preprocessor lines
// that define KG_TILING_STRUCT.
std::string registered_tiling(const Project& project);

// Whether a file, or one in a folder, contains the text.
bool mentions(const Project& project, const std::string& where, const char* text);

// Whether the kernels have code for cube cores.
bool has_cube_half(const Project& project);

}  // namespace kg::sandbox
