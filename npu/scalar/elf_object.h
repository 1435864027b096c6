#pragma once

#include <elf.h>

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kg::npu::scalar {

// An object file of the device (rv64), or an object or shared object of this machine's host code. Bounds-checked
// reading: a compiler that read hostile text made the file. Any other file has no sections and no symbols.
class ElfObject {
 public:
  explicit ElfObject(std::string bytes);

  int machine() const { return machine_; }  // EM_RISCV, EM_X86_64, ...; EM_NONE: no ELF file
  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  const std::vector<Elf64_Sym>& symbols() const { return symbols_; }          // from the symbol table
  const std::vector<Elf64_Sym>& dynamic_symbols() const { return dynamic_; }  // those the loader sees
  // The bytes of a section in the file; without those that are missing from the file.
  std::string_view content(const Elf64_Shdr& section) const;
  std::string name(const Elf64_Sym& symbol) const { return string(strings_, symbol.st_name); }
  std::string dynamic_name(const Elf64_Sym& symbol) const { return string(dynamic_strings_, symbol.st_name); }
  std::string section_name(const Elf64_Shdr& section) const { return string(section_names_, section.sh_name); }
  // Null if nothing defines it here.
  const Elf64_Shdr* section_of(const Elf64_Sym& symbol) const;
  // The relocations of the section, if it has any: visit(relocation, symbol).
  template <typename Visit>
  void for_each_relocation(const Elf64_Shdr& section, const Visit& visit) const {
    if (section.sh_type != SHT_RELA) return;
    for (std::uint64_t i = 0; i < section.sh_size / sizeof(Elf64_Rela); ++i) {
      const auto relocation = at<Elf64_Rela>(section.sh_offset + i * sizeof(Elf64_Rela));
      if (!relocation) return;
      if (const std::size_t symbol = ELF64_R_SYM(relocation->r_info); symbol < symbols_.size())
        visit(*relocation, symbols_[symbol]);
    }
  }
  template <typename T>
  std::optional<T> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

 private:
  std::string string(std::size_t table, std::uint64_t offset) const;

  std::string bytes_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<Elf64_Sym> symbols_, dynamic_;
  int machine_ = EM_NONE;
  std::size_t strings_ = 0, dynamic_strings_ = 0, section_names_ = 0;
};

}  // namespace kg::npu::scalar
