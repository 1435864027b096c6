#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "npu/scalar/instruction.h"

namespace kg::npu::scalar {

class Machine;
// A runtime call: takes its arguments from the machine's registers and memory (calls.h).
using RuntimeCall = void (*)(Machine&);
// Finds a call by name; null: there is none.
using FindCall = RuntimeCall (*)(const std::string& name);

// A kernel's object file, laid out and decoded. A compiler that read hostile text made the file, so it is not
// trusted: whatever it contains, nothing outside the image is read or written, and every jump in it leads
// to one of its instructions or to a fault.
//
// The object is relocatable (rv64, medlow, no relaxation), so the loader acts as the linker: it places the sections to
// be loaded, resolves kgnpu_* names to calls of the runtime, and applies the relocations.
class Image {
 public:
  // Throws Error with the reason if the toolchain cannot have made the object.
  Image(const std::string& object, FindCall find_call);

  // The address of a symbol that the object defines; 0: it does not.
  std::uint64_t address_of(const std::string& symbol) const;
  // All sections with this name, one after the other: start and end. Empty: both 0.
  struct Extent {
    std::uint64_t begin = 0, end = 0;
  };
  Extent section(const std::string& name) const;
  // What running from an address can come to: runtime calls, and functions of the object by their symbols. A function
  // counts as a whole, and one whose address is taken as called.
  struct Reach {
    std::set<std::string> calls, functions;
  };
  Reach reach_from(std::uint64_t entry) const;
  std::set<std::string> functions() const;  // symbols of all
  // Symbols of data objects in sections with that name, by address.
  std::map<std::uint64_t, std::string> objects_in(const std::string& section) const;

  // Whether pointers with an address space carry it (passes/address_spaces).
  bool has_tags() const { return has_tags_; }

  // Constants, which lie behind the code.
  Extent constants() const;
  // `bytes` of code or constants from there; null if they are not completely inside.
  const std::uint8_t* read(std::uint64_t address, std::uint64_t bytes) const;
  template <typename T>
  bool copy(std::uint64_t address, T& to) const;

  // The first content of the variables that each core has for itself; they end where the stack ends.
  const std::vector<std::uint8_t>& block_local() const { return block_local_; }

  // The code that the machine runs. The last instruction is an illegal one, so that running past the end stops.
  const std::vector<Instruction>& code() const { return code_; }
  RuntimeCall call(std::size_t index) const { return calls_[index]; }
  std::size_t call_count() const { return calls_.size(); }
  // The line of an instruction in the kernel's own text, or of the last one before it that has one; 0: none.
  int line_of(std::size_t instruction) const;

 private:
  friend class Loader;
  std::vector<std::uint8_t> bytes_;  // from kCodeStart: code first, then constants
  std::uint64_t code_bytes_ = 0;
  std::vector<std::uint8_t> block_local_;
  bool has_tags_ = false;
  std::vector<Instruction> code_;
  std::vector<std::int32_t> lines_;
  std::vector<RuntimeCall> calls_;
  std::vector<std::string> call_names_;
  std::map<std::string, std::uint64_t> symbols_;
  struct Function {
    std::uint64_t bytes = 0;
    std::string name;
  };
  std::map<std::uint64_t, Function> functions_;             // by address
  std::multimap<std::uint64_t, std::uint64_t> references_;  // from places in the code to what they name
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
