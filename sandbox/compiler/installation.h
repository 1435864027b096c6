#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "sandbox/cell/cell.h"
#include "sandbox/cell/work_folder.h"
#include "sandbox/checks/call_forms.h"

namespace kg::sandbox {

// The tools that compile kernels on this machine.
//
//   <cache>/toolchain/<key>/include, *.pch   key: compiler, linker, flags, content of the headers
struct Installation {
  fs::path compiler, linker;
  fs::path warm_compiler;  // kgtrain-compiler; empty: none
  fs::path pass;           // address_spaces and scalar_numbers (npu/passes); empty: none
  fs::path sources;        // the emulated NPU's installed headers
  CallForms forms;         // the forms of the calls that they declare
  fs::path precompiled;    // <cache>/toolchain/<key>
  std::string key;         // identifies everything besides the source that influences the result

  // Compilers see a copy of the headers, so editing or updating them does not disturb a run.
  fs::path headers() const { return precompiled / "include"; }
  void copy_headers() const;
};

// Throws Error if something is missing, or if the cache cannot be written.
Installation find_installation(Isolation isolation, const fs::path& cache);

// The place where compilers run, with their own files, the system's headers, and the writable work.compile().
CellSpec compiler_cell(const Installation& installed, const WorkFolder& work);

// Flags for kernels in addition to compile_flags(), and those for the host side of operator projects.
const std::vector<std::string>& own_flags();
const std::vector<std::string>& host_flags();

}  // namespace kg::sandbox
