#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "npu/scalar/instruction.h"

namespace kg::npu::scalar {

class Machine;
// A call of the runtime: takes its arguments from the machine's registers and memory (calls.h).
using RuntimeCall = void (*)(Machine&);
// By name; null: there is no such call.
using FindCall = RuntimeCall (*)(const std::string& name);

// A kernel's object file, laid out and decoded. The file was made by a compiler that read hostile text, and is not
// trusted: whatever it holds, nothing outside the image is read or written, and every jump that the image can make ends
// at an instruction of it or as a fault.
//
// The object is relocatable (rv64, medlow, no relaxation), so the loader is the linker: it places the sections that
// take memory, resolves kgnpu_* names to calls of the runtime, and applies the relocations.
class Image {
 public:
  // Throws Error with the reason if the object is none that the toolchain makes.
  Image(const std::string& object, FindCall find_call);

  // The address of a symbol that the object defines; 0: it defines none.
  std::uint64_t address_of(const std::string& symbol) const;
  // All sections of a name, one after the other: where they begin and end. Empty: both 0.
  struct Extent {
    std::uint64_t begin = 0, end = 0;
  };
  Extent section(const std::string& name) const;
  // Names of the runtime's calls that the object uses.
  const std::vector<std::string>& calls() const { return call_names_; }
  // Symbols of data objects in sections of that name, by address.
  std::map<std::uint64_t, std::string> objects_in(const std::string& section) const;

  // Whether pointers with an address space carry it (passes/address_spaces).
  bool has_tags() const { return has_tags_; }

  // `bytes` of code or constants from there; null if they are not all inside.
  const std::uint8_t* read(std::uint64_t address, std::uint64_t bytes) const;
  template <typename T>
  bool copy(std::uint64_t address, T& to) const;

  // What the machine runs. The last instruction is an illegal one, so that running past the end stops.
  const std::vector<Instruction>& code() const { return code_; }
  RuntimeCall call(std::size_t index) const { return calls_[index]; }
  std::size_t call_count() const { return calls_.size(); }
  // The line in the kernel's own text of an instruction, or of the last one before it that has one; 0: none.
  int line_of(std::size_t instruction) const;

 private:
  friend class Loader;
  std::vector<std::uint8_t> bytes_;  // from kCodeStart: code first, then constants
  std::uint64_t code_bytes_ = 0;
  bool has_tags_ = false;
  std::vector<Instruction> code_;
  std::vector<std::int32_t> lines_;
  std::vector<RuntimeCall> calls_;
  std::vector<std::string> call_names_;
  std::map<std::string, std::uint64_t> symbols_;
  std::map<std::string, Extent> sections_;
  std::map<std::string, std::map<std::uint64_t, std::string>> objects_;
};

template <typename T>
bool Image::copy(std::uint64_t address, T& to) const {
  const std::uint8_t* from = read(address, sizeof(T));
  if (from == nullptr) return false;
  __builtin_memcpy(&to, from, sizeof(T));
  return true;
}

}  // namespace kg::npu::scalar
