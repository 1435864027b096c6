#pragma once

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Instruction.h>

#include <string>

#include "npu/scalar/address_space.h"

// Where an instruction was written, in the form that clang's messages need: they take a place's line as one of the file
// and then apply its #line directives, while debug information has applied them already.
//
//   kernel.cpp, with 4 lines in front of the user's: place 5 (the user's) ─► line 9 of the file ─ clang ─►
//   "kernel.cpp:5"
llvm::DebugLoc place_in_file(const llvm::DebugLoc& place);

// A place that counts as one of our headers: what a pass adds to an instruction is not the kernel's, and costs it
// nothing.
llvm::DebugLoc place_in_own_header(const llvm::Instruction& one);

// The text of the line before that place; empty if the file cannot be read.
std::string text_before(const llvm::DebugLoc& place);

// Whether the text of a function or an instruction is in the emulator's headers; the kernel's own files cannot have
// such a name (sandbox/checks/language.h), nor can a way through other folders.
template <typename Place>
bool is_in_own_headers(const Place& place) {
  return place.getFilename().startswith(kg::npu::scalar::kOwnHeaders) && !place.getFilename().contains("..");
}
