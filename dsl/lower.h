#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dsl/bind.h"
#include "dsl/emit_project.h"

namespace kg::dsl {

struct LowerOptions {
  Bindings bindings;
  std::string entry_point;  // name in the Ascend C; empty: the kernel's own name
  bool compact = false;
  bool want_forms = false;
  bool want_project = false;
};

struct Lowered {
  bool ok = false;
  std::string refusal;     // "line 3: load x[r]: ...", if it is not ok
  int line = 0;            // line of the refusal
  std::string source;      // Ascend C
  std::vector<int> lines;  // for each line of the source (from 0) the program's line, 0: none
  std::uint64_t workspace_bytes = 0;
  std::uint32_t blocks = 0;  // launch of a kernel with gemm: cube cores, each with two vector cores; 0: as given
  std::vector<ProjectPart> project;  // the operator project, if requested
  std::vector<int> project_lines;    // like `lines`, for the project's kernel
  std::vector<int> tensors;          // for each parameter its tensor of the task, by index
  // The passes' results as text, if requested.
  std::string tiling, initialisation, processing, unaligned;
};

// DSL to Ascend C, through the passes tiling, initialisation, processing, unaligned access. Deterministic; never throws
// because of a program's content.
Lowered lower(const std::string& program, const LowerOptions& options);

}  // namespace kg::dsl
