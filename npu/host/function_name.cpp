#include "npu/host/function_name.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "base/file.h"

// Tiling functions are usually static, so only the file's full symbol table names them; dladdr knows exported ones.

namespace kg::npu {
namespace {

constexpr std::size_t kMostName = 300;  // a longer one tells a reader nothing

// A copy of what is at `offset`; zeros where the file has ended.
template <typename T>
T read_at(const std::string& file, std::uint64_t offset) {
  T value{};
  if (offset <= file.size() && sizeof(T) <= file.size() - offset) std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

std::string symbol_at(const std::string& file, std::uint64_t address) {
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  const auto section = [&](std::uint64_t i) {
    return read_at<Elf64_Shdr>(file, header.e_shoff + i * sizeof(Elf64_Shdr));
  };
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr table = section(i);
    if (table.sh_type != SHT_SYMTAB) continue;
    const std::uint64_t names = section(table.sh_link).sh_offset;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size && table.sh_offset + at < file.size();
         at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(file, table.sh_offset + at);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_value != address) continue;
      const std::uint64_t name = names + symbol.st_name;
      return name < file.size() ? std::string(file.c_str() + name) : std::string();
    }
  }
  return {};
}

}  // namespace

std::string function_name(const std::string& shared_object, const void* function) {
  Dl_info found{};
  if (dladdr(function, &found) == 0 || found.dli_fbase == nullptr) return {};
  const auto distance = static_cast<const char*>(function) - static_cast<const char*>(found.dli_fbase);
  std::string symbol;
  try {
    symbol = symbol_at(read_file(shared_object), static_cast<std::uint64_t>(distance));
  } catch (const Error&) {
    return {};
  }
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                     std::free);
  std::string name = plain == nullptr ? symbol : plain.get();
  if (name.find("lambda") != std::string::npos || name.size() > kMostName) return {};
  if (const std::size_t parameters = name.find("(gert::"); parameters != std::string::npos) name.resize(parameters);
  return name;
}

}  // namespace kg::npu
