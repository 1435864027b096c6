#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "sandbox/cell/cell.h"
#include "sandbox/cell/work_folder.h"
#include "sandbox/checks/call_forms.h"

namespace kg::sandbox {

// What kernels are compiled with on this machine.
//
//   <cache>/toolchain/<key>/include, *.pch   key: compiler, linker, flags, content of the headers
struct Installation {
  fs::path compiler, linker;
  fs::path warm_compiler;  // kgtrain-compiler; empty: none
  fs::path pass;           // address_spaces and scalar_numbers (npu/passes); empty: none
  fs::path sources;        // the emulated NPU's headers as installed
  CallForms forms;         // of the calls that these declare
  fs::path precompiled;    // <cache>/toolchain/<key>
  std::string key;         // of everything besides the source that decides what comes out

  // Compilers see a copy of the headers, so that editing or updating them does not disturb a run.
  fs::path headers() const { return precompiled / "include"; }
  void copy_headers() const;
};

// Throws Error for what is missing, or a cache that cannot be written.
Installation find_installation(Isolation isolation, const fs::path& cache);

// The place where compilers run: their own files, the system's headers, and the writable work.compile().
CellSpec compiler_cell(const Installation& installed, const WorkFolder& work);

// Flags for kernels beside npu::compile_flags(), and those for the host side of operator projects.
const std::vector<std::string>& own_flags();
const std::vector<std::string>& host_flags();

}  // namespace kg::sandbox
