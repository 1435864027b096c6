#include "scalar_programs.h"

#include <elf.h>

#include <array>
#include <bit>
#include <cstring>
#include <iterator>

#include "base/random.h"
#include "npu/scalar/address_space.h"

namespace kg::npu::scalar::testing {
namespace {

// Formats as the `fmt` field has them. A register holds numbers of one format, as compiled code has it: f0 to f9 half,
// f10 to f20 single, f21 to f31 double.
enum Format : std::uint32_t { kSingle = 0, kDouble = 1, kHalf = 2 };

constexpr std::uint32_t kInput = 2, kOutput = 3, kFirstFree = 4;  // registers

std::uint32_t type_r(std::uint32_t opcode, std::uint32_t rd, std::uint32_t f3, std::uint32_t a, std::uint32_t b,
                     std::uint32_t f7) {
  return f7 << 25 | b << 20 | a << 15 | f3 << 12 | rd << 7 | opcode;
}
std::uint32_t type_i(std::uint32_t opcode, std::uint32_t rd, std::uint32_t f3, std::uint32_t a, std::int32_t n) {
  return static_cast<std::uint32_t>(n) << 20 | a << 15 | f3 << 12 | rd << 7 | opcode;
}
std::uint32_t type_s(std::uint32_t opcode, std::uint32_t f3, std::uint32_t base, std::uint32_t value, std::int32_t n) {
  const auto u = static_cast<std::uint32_t>(n);
  return (u >> 5 & 127) << 25 | value << 20 | base << 15 | f3 << 12 | (u & 31) << 7 | opcode;
}
std::uint32_t branch(std::uint32_t f3, std::uint32_t a, std::uint32_t b, std::uint32_t bytes) {
  return (bytes >> 12 & 1) << 31 | (bytes >> 5 & 63) << 25 | b << 20 | a << 15 | f3 << 12 | (bytes >> 1 & 15) << 8 |
         (bytes >> 11 & 1) << 7 | 0x63;
}
std::uint32_t jal(std::uint32_t rd, std::uint32_t bytes) {
  return (bytes >> 20 & 1) << 31 | (bytes >> 1 & 1023) << 21 | (bytes >> 11 & 1) << 20 | (bytes >> 12 & 255) << 12 |
         rd << 7 | 0x6F;
}
std::uint32_t lui(std::uint32_t rd, std::uint64_t upper) { return static_cast<std::uint32_t>(upper) | rd << 7 | 0x37; }

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed, /*stream=*/0) {}

  std::uint64_t below(std::uint64_t n) { return random_.next_below(n); }

  // Instructions that stay together: a jump may lead before or behind them, never between.
  std::vector<std::uint32_t> unit() {
    switch (below(16)) {
      case 0:
      case 1:
        return {integers()};
      case 2:
        return {immediates()};
      case 3:
        return division();
      case 4:  // sums of auipc beyond 2 GiB are not to be had (npu/scalar/decode.cpp)
        if (below(2) == 0) return {lui(any(), below(1 << 20) << 12)};
        return {static_cast<std::uint32_t>(below(0x7E000) << 12 | below(2) << 31) | any() << 7 | 0x17};
      case 5:
        return {memory()};
      case 6:
        return {type_i(0x0F, 0, 0, 0, 0xFF)};  // fence
      case 7:
      case 8:
        return {conversion()};
      case 9:
        return {fused()};
      default:
        return {floating()};
    }
  }

  // Of eight bytes: numbers of all formats and integers, many of them at the edges.
  std::uint64_t number(int format) {
    static constexpr std::uint64_t kEdges[] = {
        0, 1, ~0ULL, 1ULL << 63, (1ULL << 63) - 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 31, 63, 64};
    static constexpr std::uint16_t kHalves[] = {0,      0x8000, 1,      0x8001, 0x3C00, 0xBC00, 0x7BFF, 0xFBFF,
                                                0x7C00, 0xFC00, 0x7E00, 0x7C01, 0x3FF,  0x400,  0x3800, 0x4248};
    static constexpr float kSingles[] = {
        0.0f,           -0.0f,         1.0f,         -1.5f, 0x1p-149f, -0x1p-126f, 0x1.fffffep127f, 2147483648.0f,
        -2147483648.0f, 4294967296.0f, 9.223372e18f, 0.5f,  2.5f,      -0.5f,      65504.0f,        65520.0f};
    const bool edge = below(3) == 0;
    const std::uint64_t bits = below(1ULL << 32) << 32 | below(1ULL << 32);
    if (format < 0) return edge ? kEdges[below(std::size(kEdges))] : bits >> below(64);
    if (format == kHalf) return 0xFFFFFFFFFFFF0000ULL | (edge ? kHalves[below(std::size(kHalves))] : bits & 0xFFFF);
    const float single = kSingles[below(std::size(kSingles))];
    if (format == kSingle) return 0xFFFFFFFF00000000ULL | (edge ? special(single) : near_one(bits) & 0xFFFFFFFF);
    if (edge)
      return below(4) == 0 ? 0x7FF0000000000000ULL + below(2) + (below(2) << 63) + (below(2) << 51)
                           : std::bit_cast<std::uint64_t>(double{single});
    return below(2) == 0 ? bits
                         : std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-50);
  }
  static int format_of(std::uint32_t f) { return f < 10 ? kHalf : f < 21 ? kSingle : kDouble; }

 private:
  std::uint32_t special(float single) {
    return below(4) == 0 ? static_cast<std::uint32_t>(0x7F800000 + below(2) + (below(2) << 31) + (below(2) << 22))
                         : std::bit_cast<std::uint32_t>(single);
  }
  std::uint64_t near_one(std::uint64_t bits) {
    return below(2) == 0 ? bits : (bits & 0x80FFFFFF) | (120 + below(16)) << 23;
  }
  std::uint32_t any() { return static_cast<std::uint32_t>(below(28) + kFirstFree); }
  std::uint32_t source() { return below(16) == 0 ? 0 : any(); }
  std::uint32_t f(std::uint32_t format) {
    return static_cast<std::uint32_t>(format == kHalf     ? below(10)
                                      : format == kSingle ? 10 + below(11)
                                                          : 21 + below(11));
  }
  std::uint32_t format() { return static_cast<std::uint32_t>(below(3)); }
  std::uint32_t mode() { return below(2) == 0 ? 0 : 7; }

  std::uint32_t integers() {
    const bool narrow = below(3) == 0;
    const std::uint32_t opcode = narrow ? 0x3B : 0x33;
    static constexpr std::uint32_t kNarrow[] = {0, 1, 5};
    if (below(4) == 0) return type_r(opcode, any(), below(2) == 0 ? 0 : 5, source(), source(), 0x20);
    if (below(3) == 0)
      return type_r(opcode, any(), narrow ? 0 : static_cast<std::uint32_t>(below(4)), source(), source(), 1);
    return type_r(opcode, any(), narrow ? kNarrow[below(3)] : static_cast<std::uint32_t>(below(8)), source(), source(),
                  0);
  }
  std::uint32_t immediates() {
    const auto kind = static_cast<std::uint32_t>(below(8));
    const bool narrow = below(3) == 0;
    const std::uint32_t opcode = narrow ? 0x1B : 0x13;
    if (kind == 1 || kind == 5) {
      const auto shift = static_cast<std::int32_t>(below(narrow ? 32 : 64));
      return type_i(opcode, any(), kind, source(), kind == 5 && below(2) == 0 ? shift | 0x400 : shift);
    }
    return type_i(opcode, any(), narrow ? 0 : kind, source(), static_cast<std::int32_t>(below(4096)) - 2048);
  }
  std::vector<std::uint32_t> division() {  // by zero ends a kernel
    const std::uint32_t by = any();
    const bool narrow = below(3) == 0;
    return {type_i(0x13, by, 6, by, 1),
            type_r(narrow ? 0x3B : 0x33, any(), static_cast<std::uint32_t>(4 + below(4)), source(), by, 1)};
  }
  std::uint32_t memory() {
    const auto offset = static_cast<std::int32_t>(below(kRegistersOfTrial * 8 - 8));
    switch (below(4)) {
      case 0:
        return type_i(0x03, any(), static_cast<std::uint32_t>(below(7)), kInput, offset);
      case 1:
        return type_s(0x23, static_cast<std::uint32_t>(below(4)), kInput, source(), offset);
      default: {
        const std::uint32_t one = format(), width = one == kHalf ? 1 : one == kSingle ? 2 : 3;
        return below(2) == 0 ? type_i(0x07, f(one), width, kInput, offset)
                             : type_s(0x27, width, kInput, f(one), offset);
      }
    }
  }
  std::uint32_t floating() {
    const std::uint32_t one = format();
    switch (below(9)) {
      case 0:
      case 1:
      case 2:
        return type_r(0x53, f(one), mode(), f(one), f(one), static_cast<std::uint32_t>(below(4)) << 2 | one);
      case 3:
        return type_r(0x53, f(one), mode(), f(one), 0, 0x0B << 2 | one);
      case 4:
        return type_r(0x53, f(one), static_cast<std::uint32_t>(below(3)), f(one), f(one), 4 << 2 | one);
      case 5:
        return type_r(0x53, f(one), static_cast<std::uint32_t>(below(2)), f(one), f(one), 5 << 2 | one);
      case 6:
        return type_r(0x53, any(), static_cast<std::uint32_t>(below(3)), f(one), f(one), 0x14 << 2 | one);
      case 7:
        return type_r(0x53, any(), static_cast<std::uint32_t>(below(2)), f(one), 0, 0x1C << 2 | one);
      default:
        return type_r(0x53, f(one), 0, source(), 0, 0x1E << 2 | one);
    }
  }
  std::uint32_t conversion() {
    const std::uint32_t one = format();
    static constexpr std::uint32_t kModes[] = {0, 1, 2, 3, 4, 7};
    switch (below(3)) {
      case 0:
        return type_r(0x53, any(), kModes[below(6)], f(one), static_cast<std::uint32_t>(below(4)), 0x18 << 2 | one);
      case 1:
        return type_r(0x53, f(one), mode(), source(), static_cast<std::uint32_t>(below(4)), 0x1A << 2 | one);
      default: {
        const std::uint32_t other = (one + 1 + static_cast<std::uint32_t>(below(2))) % 3;
        return type_r(0x53, f(one), mode(), f(other), other, 0x08 << 2 | one);
      }
    }
  }
  std::uint32_t fused() {
    const std::uint32_t one = format();
    return f(one) << 27 | one << 25 | f(one) << 20 | f(one) << 15 | mode() << 12 | f(one) << 7 |
           (0x43 + 4 * static_cast<std::uint32_t>(below(4)));
  }

 public:
  // A jump over the next `words`.
  std::vector<std::uint32_t> jump(std::size_t words) {
    const auto bytes = static_cast<std::uint32_t>(4 * words);
    static constexpr std::uint32_t kConditions[] = {0, 1, 4, 5, 6, 7};
    switch (below(6)) {
      case 0:
        return {jal(any(), bytes + 4)};
      case 1: {
        const std::uint32_t base = any();
        return {0x17 | base << 7, type_i(0x67, any(), 0, base, static_cast<std::int32_t>(bytes) + 8)};
      }
      default:
        return {branch(kConditions[below(6)], source(), source(), bytes + 4)};
    }
  }

 private:
  Philox random_;
};

void append(std::vector<std::uint32_t>& code, const std::vector<std::uint32_t>& more) {
  code.insert(code.end(), more.begin(), more.end());
}

void append_moves(std::vector<std::uint32_t>& code, bool loads) {
  std::int32_t at = 0;
  for (std::uint32_t x = kFirstFree; x < 32; ++x, at += 8)
    code.push_back(loads ? type_i(0x03, x, 3, kInput, at) : type_s(0x23, 3, kOutput, x, at));
  for (std::uint32_t f = 0; f < 32; ++f, at += 8) {
    const int format = Writer::format_of(f);
    const std::uint32_t width = format == kHalf ? 1 : format == kSingle ? 2 : 3;
    code.push_back(loads ? type_i(0x07, f, width, kInput, at) : type_s(0x27, 3, kOutput, f, at));
  }
}

template <typename T>
void put(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}
std::string bytes_of(const std::vector<std::uint32_t>& code) {
  return {reinterpret_cast<const char*>(code.data()), code.size() * sizeof(std::uint32_t)};
}
Elf64_Ehdr elf_header(std::uint16_t type) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = type;
  header.e_machine = EM_RISCV;
  header.e_version = EV_CURRENT;
  header.e_flags = 0x4;  // double-precision registers for arguments
  header.e_ehsize = sizeof(Elf64_Ehdr);
  return header;
}

}  // namespace

ScalarProgram random_program(std::uint64_t seed, std::size_t trials, std::uint64_t input_address) {
  ScalarProgram made;
  made.trials = trials;
  Writer writer(seed);
  constexpr std::uint32_t kBytes = kRegistersOfTrial * 8;
  // Under Linux: call k, write(1, output, bytes), exit(0). Addresses are below 2 GiB and whole pages.
  made.code = {lui(kInput, input_address),
               0 /* the call */,
               lui(11, kOutputStart),
               type_i(0x13, 10, 0, 0, 1),
               lui(12, (trials * kBytes + 2048) & 0xFFFFF000),
               type_i(0x13, 12, 0, 12, static_cast<std::int32_t>(trials * kBytes & 0xFFF)),
               type_i(0x13, 17, 0, 0, 64),
               0x73,
               type_i(0x13, 10, 0, 0, 0),
               type_i(0x13, 17, 0, 0, 93),
               0x73};
  made.entry = made.code.size();
  made.code[1] = jal(1, static_cast<std::uint32_t>(made.entry - 1) * 4);
  made.code.push_back(lui(kOutput, kOutputStart));
  for (std::size_t t = 0; t < trials; ++t) {
    for (std::uint32_t x = kFirstFree; x < 32; ++x) put(made.input, writer.number(-1));
    for (std::uint32_t f = 0; f < 32; ++f) put(made.input, writer.number(Writer::format_of(f)));
    std::vector<std::uint32_t> body;
    for (std::uint64_t n = 4 + writer.below(12); n > 0; --n) {
      if (writer.below(8) != 0) {
        append(body, writer.unit());
        continue;
      }
      std::vector<std::uint32_t> over = writer.unit();
      if (writer.below(2) == 0) append(over, writer.unit());
      append(body, writer.jump(over.size()));
      append(body, over);
    }
    append_moves(made.code, /*loads=*/true);
    append(made.code, body);
    append_moves(made.code, /*loads=*/false);
    made.code.push_back(type_i(0x13, kInput, 0, kInput, kBytes));
    made.code.push_back(type_i(0x13, kOutput, 0, kOutput, kBytes));
    made.bodies.push_back(std::move(body));
  }
  made.code.push_back(0x8067);  // ret
  return made;
}

std::string object_of(const ScalarProgram& program) {
  const std::string text = bytes_of(program.code), names(std::string("\0.text\0.symtab\0.strtab\0", 23)),
                    strings(std::string("\0k\0", 3));
  Elf64_Sym symbols[2] = {};
  symbols[1].st_name = 1;
  symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbols[1].st_shndx = 1;
  symbols[1].st_value = program.entry * 4;
  symbols[1].st_size = text.size() - program.entry * 4;
  Elf64_Ehdr header = elf_header(ET_REL);
  Elf64_Shdr sections[5] = {};
  std::uint64_t at = sizeof header;
  const auto place = [&](Elf64_Shdr& one, std::uint32_t name, std::uint32_t type, std::uint64_t size) {
    one.sh_name = name;
    one.sh_type = type;
    one.sh_offset = at;
    one.sh_size = size;
    one.sh_addralign = 8;
    at += (size + 7) / 8 * 8;
  };
  place(sections[1], 1, SHT_PROGBITS, text.size());
  sections[1].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  place(sections[2], 7, SHT_SYMTAB, sizeof symbols);
  sections[2].sh_link = 3;
  sections[2].sh_info = 1;
  sections[2].sh_entsize = sizeof(Elf64_Sym);
  place(sections[3], 15, SHT_STRTAB, strings.size());
  place(sections[4], 15, SHT_STRTAB, names.size());
  header.e_shoff = at;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 5;
  header.e_shstrndx = 4;
  std::string bytes;
  put(bytes, header);
  const auto add = [&](const std::string& part) { bytes += part + std::string((8 - part.size() % 8) % 8, '\0'); };
  add(text);
  add({reinterpret_cast<const char*>(symbols), sizeof symbols});
  add(strings);
  add(names);
  for (const Elf64_Shdr& one : sections) put(bytes, one);
  return bytes;
}

std::string executable_of(const ScalarProgram& program, std::uint64_t input_address) {
  constexpr std::uint64_t kPage = 4096;
  const std::string text = bytes_of(program.code);
  const std::uint64_t input_offset = (kPage + text.size() + kPage - 1) / kPage * kPage;
  Elf64_Ehdr header = elf_header(ET_EXEC);
  header.e_entry = kCodeStart;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 3;
  const auto segment = [](std::uint32_t flags, std::uint64_t offset, std::uint64_t address, std::uint64_t file,
                          std::uint64_t memory) {
    Elf64_Phdr one{};
    one.p_type = PT_LOAD;
    one.p_flags = flags;
    one.p_offset = offset;
    one.p_vaddr = one.p_paddr = address;
    one.p_filesz = file;
    one.p_memsz = memory;
    one.p_align = kPage;
    return one;
  };
  std::string bytes;
  put(bytes, header);
  put(bytes, segment(PF_R | PF_X, kPage, kCodeStart, text.size(), text.size()));
  put(bytes, segment(PF_R | PF_W, input_offset, input_address, program.input.size(), program.input.size() + kPage));
  put(bytes, segment(PF_R | PF_W, 0, kOutputStart, 0, program.trials * kRegistersOfTrial * 8 + kPage));
  bytes.resize(kPage);
  bytes += text;
  bytes.resize(input_offset);
  return bytes + program.input;
}

}  // namespace kg::npu::scalar::testing
