#include "npu/scalar/elf_object.h"

#include <utility>

namespace kg::npu::scalar {

ElfObject::ElfObject(std::string bytes) : bytes_(std::move(bytes)) {
  const auto header = at<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB)
    return;
  machine_ = header->e_machine;
  for (std::size_t i = 0; i < header->e_shnum; ++i)
    if (const auto section = at<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr))) sections_.push_back(*section);
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
    const bool dynamic = section.sh_type == SHT_DYNSYM;
    (dynamic ? dynamic_strings_ : strings_) = section.sh_link;
    for (std::uint64_t i = 0; i < section.sh_size / sizeof(Elf64_Sym); ++i) {
      const auto symbol = at<Elf64_Sym>(section.sh_offset + i * sizeof(Elf64_Sym));
      if (!symbol) break;
      (dynamic ? dynamic_ : symbols_).push_back(*symbol);
    }
  }
  if (header->e_shstrndx < sections_.size()) section_names_ = header->e_shstrndx;
}

const Elf64_Shdr* ElfObject::section_of(const Elf64_Sym& symbol) const {
  return symbol.st_shndx < sections_.size() && symbol.st_shndx != SHN_UNDEF ? &sections_[symbol.st_shndx] : nullptr;
}

std::string_view ElfObject::content(const Elf64_Shdr& section) const {
  if (section.sh_type == SHT_NOBITS || section.sh_offset > bytes_.size()) return {};
  return std::string_view(bytes_).substr(section.sh_offset, section.sh_size);
}

std::string ElfObject::string(std::size_t table, std::uint64_t offset) const {
  if (table >= sections_.size() || offset >= sections_[table].sh_size) return {};
  const std::uint64_t begin = sections_[table].sh_offset + offset;
  if (begin >= bytes_.size()) return {};
  return bytes_.substr(begin, bytes_.find('\0', begin) - begin);
}

}  // namespace kg::npu::scalar
