#include "sandbox/checks/object_check.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "base/text.h"
#include "npu/headers/kgnpu/abi_launch.h"
#include "npu/scalar/address_space.h"
#include "npu/scalar/elf_object.h"

namespace kg::sandbox {
namespace {

using npu::scalar::ElfObject;

std::string demangled(const std::string& name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  const std::string result = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return result;
}

// "a::b<int>::f(int, T<x>)" is written f in the source.
std::string last_word(std::string text) {
  if (const std::size_t open = text.find('('); open != std::string::npos) text.resize(open);
  if (const std::size_t open = text.find('<'); open != std::string::npos && open > 0) text.resize(open);
  const std::size_t begin = text.find_last_of(": ");
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

// "<file>:<line>: error: ", the line of the first occurrence of the word.
std::string place(const Sources& sources, const std::string& word) {
  for (const auto& [name, text] : sources)
    for (std::size_t at = word.empty() ? std::string::npos : text.find(word); at != std::string::npos;
         at = text.find(word, at + 1)) {
      if ((at > 0 && is_word(text[at - 1])) || (at + word.size() < text.size() && is_word(text[at + word.size()])))
        continue;
      const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      return name + ":" + std::to_string(line) + ": error: ";
    }
  return "kernel.cpp: error: ";
}

// The symbols that a kernel's object may leave to the scalar unit's loader: the runtime, the compiler's copies of
// whole structures, and the begin and end of the headers' sections.
bool is_provided(const std::string& name) {
  static const std::set<std::string> others = {"memcpy",
                                               "memset",
                                               "memmove",
                                               "__start_kgnpu_keys",
                                               "__stop_kgnpu_keys",
                                               "__start_kgnpu_tasks",
                                               "__stop_kgnpu_tasks"};
  return name.empty() || name.starts_with("kgnpu_") || others.contains(name);
}

std::string undefined_errors(const ElfObject& object, const Sources& sources) {
  std::string errors;
  for (const Elf64_Sym& symbol : object.symbols()) {
    const std::string name = object.name(symbol);
    if (symbol.st_shndx != SHN_UNDEF || is_provided(name)) continue;
    const std::string readable = demangled(name);
    if (name == "__tls_get_addr") continue;  // said by its variable
    if (name.starts_with("__cxa_guard") || name.starts_with("_ZTV")) continue;
    errors += place(sources, last_word(readable)) + "'" + readable +
              "' is called but nothing defines it for the device; define it with __aicore__, or use a call of Ascend C "
              "(functions of the C and C++ libraries are functions of the host)\n";
  }
  return errors;
}

constexpr const char* kBeforeTheKernel =
    "kernel.cpp: error: code that would run before the kernel (constructor or destructor attribute); the "
    "device runs only the kernel\n";

// Functions that the loader calls by their name or their kind.
std::string loader_errors(const ElfObject& object) {
  for (const Elf64_Sym& symbol : object.symbols()) {
    const std::string name = object.name(symbol);
    const bool by_name = ELF64_ST_BIND(symbol.st_info) != STB_LOCAL && (name == "_init" || name == "_fini");
    const bool called = by_name || ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC;
    if (called && object.section_of(symbol) != nullptr) return kBeforeTheKernel;
  }
  for (const Elf64_Shdr& section : object.sections())
    if (section.sh_type == SHT_INIT_ARRAY || section.sh_type == SHT_FINI_ARRAY ||
        section.sh_type == SHT_PREINIT_ARRAY || object.section_name(section).starts_with(".ctors") ||
        object.section_name(section).starts_with(".dtors"))
      return kBeforeTheKernel;
  return {};
}

// The device's compiler places variables and functions; the loader knows its sections and the headers' own by their
// names.
std::string section_errors(const ElfObject& object) {
  static const std::vector<std::string> compilers_own = {
      ".text",  ".rodata", ".srodata", ".data",           ".sdata",  ".bss",          ".sbss",
      ".tdata", ".tbss",   ".comment", ".note.GNU-stack", ".debug_", ".llvm_addrsig", ".riscv."};
  static const std::set<std::string> ours = {"kgnpu_keys", "kgnpu_tasks", kgnpu::kLaunches, npu::scalar::kBlockLocal};
  const auto known = [&](const std::string& name) {
    return ours.contains(name) || std::any_of(compilers_own.begin(), compilers_own.end(), [&](const std::string& one) {
             return name == one || name.starts_with(one.ends_with('.') || one.ends_with('_') ? one : one + ".");
           });
  };
  for (const Elf64_Shdr& section : object.sections()) {
    const std::string name = object.section_name(section);
    switch (section.sh_type) {
      case SHT_NULL:
      case SHT_SYMTAB:
      case SHT_STRTAB:
      case SHT_GROUP:
        continue;
      case SHT_RELA:
        if (name.starts_with(".rela") && known(name.substr(5))) continue;
        break;
      default:
        if (known(name)) continue;
    }
    return "kernel.cpp: error: a variable or function in its own section, '" + name +
           "'; remove the section attribute or pragma, the device's compiler places them\n";
  }
  return {};
}

std::string variable_errors(const ElfObject& object, const Sources& sources) {
  std::string errors;
  std::set<std::string> names;
  for (const Elf64_Sym& symbol : object.symbols()) names.insert(object.name(symbol));
  // The guard of a static variable in a function, which is reported itself: _ZGVZ1fvE1x for _ZZ1fvE1x.
  const auto is_guard = [&](const std::string& name) {
    return name.starts_with("_ZGV") && names.contains("_Z" + name.substr(4));
  };
  for (const Elf64_Sym& symbol : object.symbols()) {
    const int type = ELF64_ST_TYPE(symbol.st_info);
    const Elf64_Shdr* section = object.section_of(symbol);
    if (section == nullptr || (type != STT_OBJECT && type != STT_TLS)) continue;
    const std::string name = object.name(symbol), readable = demangled(name);
    if (name.starts_with("_ZTV")) {
      const std::string type_name = last_word(readable.substr(readable.rfind(' ') + 1));
      errors +=
          place(sources, type_name) + "'" + type_name +
          "' has virtual functions; the device has none: use templates (a base class that takes the derived class)\n";
    } else if ((section->sh_flags & SHF_WRITE) != 0 && !is_guard(name) &&
               !object.section_name(*section).starts_with(".data.rel.ro") &&
               object.section_name(*section) != kgnpu::kLaunches &&
               object.section_name(*section) != npu::scalar::kBlockLocal) {
      errors += place(sources, last_word(readable)) + "'" + readable + "' is a variable that outlives the call (" +
                (type == STT_TLS ? "thread_local" : "static") +
                "); the device has none: make it a local variable or a member of the kernel's class\n";
    }
  }
  return errors;
}

std::string block_local_errors(const ElfObject& object) {
  std::uint64_t bytes = 0;
  for (const Elf64_Shdr& section : object.sections())
    if (object.section_name(section) == npu::scalar::kBlockLocal) bytes += section.sh_size;
  if (bytes <= npu::scalar::kMostBlockLocalBytes) return {};
  return "kernel.cpp: error: the __BLOCK_LOCAL__ variables have " + std::to_string(bytes) + " bytes; at most " +
         std::to_string(npu::scalar::kMostBlockLocalBytes) + " of a core's stack are theirs\n";
}

// The call graph, from relocations, since each function has its own section; and from calls of a function to
// itself, which the assembler may have resolved.
class CallGraph {
 public:
  CallGraph(const ElfObject& object) {
    for (const Elf64_Sym& symbol : object.symbols())
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && object.section_of(symbol) != nullptr)
        functions_.push_back({object.name(symbol), symbol.st_shndx, symbol.st_value, symbol.st_value + symbol.st_size});
    calls_.resize(functions_.size());
    for (const Elf64_Shdr& section : object.sections()) add_relocations(object, section);
    for (std::size_t i = 0; i < functions_.size(); ++i) add_own_calls(object, i);
  }

  // The functions of one cycle in calling order; empty: there is none.
  std::vector<std::string> cycle() const {
    std::vector<char> state(functions_.size(), 0);  // 0 new, 1 on the path, 2 done
    for (std::size_t root = 0; root < functions_.size(); ++root) {
      std::vector<std::pair<std::size_t, std::set<std::size_t>::const_iterator>> path;
      const auto enter = [&](std::size_t f) {
        state[f] = 1;
        path.emplace_back(f, calls_[f].begin());
      };
      if (state[root] == 0) enter(root);
      while (!path.empty()) {
        auto& [f, next] = path.back();
        if (next == calls_[f].end()) {
          state[f] = 2;
          path.pop_back();
        } else if (const std::size_t callee = *next++; state[callee] == 1) {
          std::vector<std::string> names;
          std::size_t i = 0;
          while (path[i].first != callee) ++i;
          for (; i < path.size(); ++i) names.push_back(functions_[path[i].first].name);
          return names;
        } else if (state[callee] == 0) {
          enter(callee);
        }
      }
    }
    return {};
  }

 private:
  std::optional<std::size_t> function_at(std::size_t section, std::uint64_t offset) const {
    for (std::size_t i = 0; i < functions_.size(); ++i)
      if (functions_[i].section == section && offset >= functions_[i].begin && offset < functions_[i].end) return i;
    return std::nullopt;
  }

  void add_relocations(const ElfObject& object, const Elf64_Shdr& section) {
    object.for_each_relocation(section, [&](const Elf64_Rela& relocation, const Elf64_Sym& symbol) {
      const auto type = ELF64_R_TYPE(relocation.r_info);
      relocated_.emplace(section.sh_info, relocation.r_offset);
      const auto caller = function_at(section.sh_info, relocation.r_offset);
      if (!caller || (type != R_RISCV_CALL && type != R_RISCV_CALL_PLT && type != R_RISCV_JAL)) return;
      const std::uint64_t target = symbol.st_value + static_cast<std::uint64_t>(relocation.r_addend);
      if (const auto callee = function_at(symbol.st_shndx, target)) calls_[*caller].insert(*callee);
    });
  }

  // auipc and jalr that lead to where the function begins.
  void add_own_calls(const ElfObject& object, std::size_t f) {
    constexpr std::uint64_t kWord = 4;
    const Function& function = functions_[f];
    const std::uint64_t start = object.sections()[function.section].sh_offset;
    for (std::uint64_t offset = function.begin; offset + 2 * kWord <= function.end; offset += kWord) {
      const auto upper = object.at<std::uint32_t>(start + offset),
                 jump = object.at<std::uint32_t>(start + offset + kWord);
      if (!upper || !jump || (*upper & 0x7F) != 0x17 || (*jump & 0x707F) != 0x67) continue;
      const auto distance = static_cast<std::int32_t>(*upper & 0xFFFFF000) + (static_cast<std::int32_t>(*jump) >> 20);
      if (offset + static_cast<std::uint64_t>(std::int64_t{distance}) == function.begin &&
          !relocated_.contains({function.section, offset}))
        calls_[f].insert(f);
    }
  }

  struct Function {
    std::string name;
    std::size_t section;
    std::uint64_t begin, end;
  };
  std::vector<Function> functions_;
  std::vector<std::set<std::size_t>> calls_;
  std::set<std::pair<std::size_t, std::uint64_t>> relocated_;  // section and offset
};

std::string recursion_error(const ElfObject& object, const Sources& sources) {
  const std::vector<std::string> names = CallGraph(object).cycle();
  if (names.empty()) return {};
  std::ostringstream text;
  text << place(sources, last_word(demangled(names.front()))) << "recursion, which the device does not have: ";
  for (const std::string& name : names) text << "'" << demangled(name) << "' calls ";
  if (names.size() == 1)
    text << "itself";
  else
    text << "'" << demangled(names.front()) << "'";
  text << "; write a loop\n";
  return text.str();
}

}  // namespace

std::string object_errors(const std::string& bytes, const Sources& sources) {
  const ElfObject object(bytes);
  return undefined_errors(object, sources) + variable_errors(object, sources) + loader_errors(object) +
         section_errors(object) + block_local_errors(object) + recursion_error(object, sources);
}

}  // namespace kg::sandbox
