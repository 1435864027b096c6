#include "npu/scalar/image.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "npu/scalar/address_space.h"
#include "npu/scalar/elf_object.h"
#include "npu/scalar/line_table.h"

namespace kg::npu::scalar {

namespace {

// RISC-V ELF psABI, table of relocations.
enum Relocation : std::uint32_t {
  k32 = 1,
  k64 = 2,
  kBranch = 16,
  kJal = 17,
  kCall = 18,
  kCallPlt = 19,
  kHi20 = 26,
  kLo12I = 27,
  kLo12S = 28,
  kAdd8 = 33,
  kAdd16 = 34,
  kAdd32 = 35,
  kAdd64 = 36,
  kSub8 = 37,
  kSub16 = 38,
  kSub32 = 39,
  kSub64 = 40,
  kSub6 = 52,
  kSet6 = 53,
  kSet8 = 54,
  kSet16 = 55,
  kSet32 = 56,
  k32Pcrel = 57
};

constexpr std::uint64_t kWord = 4;
constexpr std::uint64_t kMostAlignment = 4096;

[[noreturn]] void refuse(const std::string& what) {
  throw Error("the compiled kernel cannot be loaded: " + what, "kernel object", "report this with the kernel's source",
              Error::Kind::kFailed);
}

// The bytes of a relocation's target, little-endian numbers in them.
class Patch {
 public:
  explicit Patch(std::uint8_t* bytes) : bytes_(bytes) {}
  template <typename T>
  T get() const {
    T value;
    std::memcpy(&value, bytes_, sizeof value);
    return value;
  }
  template <typename T>
  void put(std::uint64_t value) {
    const auto narrow = static_cast<T>(value);
    std::memcpy(bytes_, &narrow, sizeof narrow);
  }
  template <typename T>
  void add(std::uint64_t value) {
    put<T>(std::uint64_t{get<T>()} + value);
  }
  void set_bits(std::uint32_t mask, std::uint32_t value) { put<std::uint32_t>((get<std::uint32_t>() & ~mask) | value); }

 private:
  std::uint8_t* bytes_;
};

std::uint64_t patched_bytes(std::uint32_t type) {
  switch (type) {
    case k64:
    case kAdd64:
    case kSub64:
    case kCall:
    case kCallPlt:
      return 8;
    case kAdd16:
    case kSub16:
    case kSet16:
      return 2;
    case kAdd8:
    case kSub8:
    case kSub6:
    case kSet6:
    case kSet8:
      return 1;
    default:
      return 4;
  }
}

constexpr std::uint32_t kUpperMask = 0xFFFFF000, kIMask = 0xFFF00000, kSMask = 0xFE000F80;
// The upper part of a number made by two instructions: the lower part is signed.
std::uint32_t upper(std::uint64_t value) { return static_cast<std::uint32_t>(value + 0x800) & kUpperMask; }
std::uint32_t lower_i(std::uint64_t value) { return static_cast<std::uint32_t>(value & 0xFFF) << 20; }
std::uint32_t lower_s(std::uint64_t value) {
  const auto low = static_cast<std::uint32_t>(value & 0xFFF);
  return (low >> 5) << 25 | (low & 31) << 7;
}
std::uint32_t branch_bits(std::uint64_t distance) {
  const auto d = static_cast<std::uint32_t>(distance);
  return (d >> 12 & 1) << 31 | (d >> 5 & 63) << 25 | (d >> 1 & 15) << 8 | (d >> 11 & 1) << 7;
}
std::uint32_t jump_bits(std::uint64_t distance) {
  const auto d = static_cast<std::uint32_t>(distance);
  return (d >> 20 & 1) << 31 | (d >> 1 & 1023) << 21 | (d >> 11 & 1) << 20 | (d >> 12 & 255) << 12;
}

// `value`: symbol and addend; `place`: the address of the target.
void apply(std::uint32_t type, std::uint64_t value, std::uint64_t place, std::uint8_t* target) {
  Patch patch(target);
  const std::uint64_t distance = value - place;
  switch (type) {
    case k64:
      return patch.put<std::uint64_t>(value);
    case k32:
    case kSet32:
      return patch.put<std::uint32_t>(value);
    case k32Pcrel:
      return patch.put<std::uint32_t>(distance);
    case kBranch:
      return patch.set_bits(0xFE000F80, branch_bits(distance));
    case kJal:
      return patch.set_bits(kUpperMask, jump_bits(distance));
    case kCall:
    case kCallPlt:
      patch.set_bits(kUpperMask, upper(distance));
      return Patch(target + kWord).set_bits(kIMask, lower_i(distance));
    case kHi20:
      return patch.set_bits(kUpperMask, upper(value));
    case kLo12I:
      return patch.set_bits(kIMask, lower_i(value));
    case kLo12S:
      return patch.set_bits(kSMask, lower_s(value));
    case kAdd8:
      return patch.add<std::uint8_t>(value);
    case kAdd16:
      return patch.add<std::uint16_t>(value);
    case kAdd32:
      return patch.add<std::uint32_t>(value);
    case kAdd64:
      return patch.add<std::uint64_t>(value);
    case kSub8:
      return patch.add<std::uint8_t>(0 - value);
    case kSub16:
      return patch.add<std::uint16_t>(0 - value);
    case kSub32:
      return patch.add<std::uint32_t>(0 - value);
    case kSub64:
      return patch.add<std::uint64_t>(0 - value);
    case kSub6:
      return patch.put<std::uint8_t>((patch.get<std::uint8_t>() & 0xC0u) |
                                     ((patch.get<std::uint8_t>() - value) & 0x3F));
    case kSet6:
      return patch.put<std::uint8_t>((patch.get<std::uint8_t>() & 0xC0u) | (value & 0x3F));
    case kSet8:
      return patch.put<std::uint8_t>(value);
    case kSet16:
      return patch.put<std::uint16_t>(value);
    default:
      refuse("relocation of kind " + std::to_string(type));
  }
}

bool is_code(const Elf64_Shdr& section) { return (section.sh_flags & SHF_EXECINSTR) != 0; }

constexpr const char* kLines = ".debug_line";

}  // namespace

// Makes an image of an object, step by step.
class Loader {
 public:
  Loader(const std::string& object, FindCall find_call, Image& image)
      : object_(object), find_call_(find_call), image_(image) {}

  void load() {
    if (object_.machine() != EM_RISCV) refuse("it is not an object file for the scalar unit");
    place_sections();
    find_addresses();
    copy_sections();
    relocate();
    decode_code();
    mark_lines();
    keep_names();
  }

 private:
  void place(std::size_t index, std::uint64_t& at) {
    const Elf64_Shdr& section = object_.sections()[index];
    const std::uint64_t alignment = std::max<std::uint64_t>(section.sh_addralign, is_code(section) ? kWord : 1);
    if ((alignment & (alignment - 1)) != 0 || alignment > kMostAlignment) refuse("a section with an odd alignment");
    at = (at + alignment - 1) / alignment * alignment;
    if (section.sh_size > kMostImageBytes || at + section.sh_size > kMostImageBytes) refuse("it is too large");
    if (is_code(section) && section.sh_size % kWord != 0) refuse("code that does not end with an instruction");
    address_[index] = kCodeStart + at;
    at += section.sh_size;
    const std::string name = object_.section_name(section);
    Image::Extent& extent = image_.sections_[name];
    if (extent.begin == 0) extent.begin = address_[index];
    extent.end = kCodeStart + at;
  }

  bool is_block_local(const Elf64_Shdr& section) const { return object_.section_name(section) == kBlockLocal; }

  // At the end of the stack.
  void place_block_local() {
    constexpr std::uint64_t kAlignment = 64;
    const auto& sections = object_.sections();
    std::uint64_t bytes = 0;
    std::vector<std::pair<std::size_t, std::uint64_t>> offsets;
    for (std::size_t i = 0; i < sections.size(); ++i) {
      if ((sections[i].sh_flags & SHF_ALLOC) == 0 || !is_block_local(sections[i])) continue;
      const std::uint64_t alignment = std::max<std::uint64_t>(sections[i].sh_addralign, 1);
      if (alignment > kAlignment || kAlignment % alignment != 0) refuse("a section with an odd alignment");
      bytes = (bytes + alignment - 1) / alignment * alignment;
      offsets.emplace_back(i, bytes);
      if (sections[i].sh_size > kMostBlockLocalBytes || bytes + sections[i].sh_size > kMostBlockLocalBytes)
        refuse("its __BLOCK_LOCAL__ variables are too large");
      bytes += sections[i].sh_size;
    }
    image_.block_local_.assign((bytes + kAlignment - 1) / kAlignment * kAlignment, 0);
    for (const auto& [i, offset] : offsets) address_[i] = block_local_start() + offset;
  }
  std::uint64_t block_local_start() const { return kStackStart + kStackBytes - image_.block_local_.size(); }

  // Where the content of a section is that has an address.
  std::uint8_t* content_at(std::uint64_t address) {
    return address >= kStackStart ? image_.block_local_.data() + (address - block_local_start())
                                  : image_.bytes_.data() + (address - kCodeStart);
  }

  // Code first; then the rest. Sections of one name are side by side, as a linker has them.
  void place_sections() {
    const auto& sections = object_.sections();
    address_.assign(sections.size(), 0);
    std::uint64_t at = 0;
    std::vector<std::size_t> code, data;
    for (std::size_t i = 0; i < sections.size(); ++i) {
      if ((sections[i].sh_flags & SHF_ALLOC) == 0) continue;
      if ((sections[i].sh_flags & SHF_TLS) != 0) refuse("it has thread-local variables");
      if (is_block_local(sections[i])) continue;
      (is_code(sections[i]) ? code : data).push_back(i);
    }
    const auto by_name = [&](std::size_t a, std::size_t b) {
      return object_.section_name(sections[a]) < object_.section_name(sections[b]);
    };
    std::stable_sort(code.begin(), code.end(), by_name);
    std::stable_sort(data.begin(), data.end(), by_name);
    for (const std::size_t i : code) place(i, at);
    image_.code_bytes_ = at;
    for (const std::size_t i : data) place(i, at);
    image_.bytes_.assign(at, 0);
    place_block_local();
  }

  void find_addresses() {
    symbols_.reserve(object_.symbols().size());
    for (const Elf64_Sym& symbol : object_.symbols()) symbols_.push_back(address_of(symbol));
  }

  std::uint64_t address_of(const Elf64_Sym& symbol) {
    if (symbol.st_shndx == SHN_ABS) return symbol.st_value;
    if (symbol.st_shndx != SHN_UNDEF)
      return symbol.st_shndx < address_.size() && address_[symbol.st_shndx] != 0
                 ? address_[symbol.st_shndx] + symbol.st_value
                 : 0;
    const std::string name = object_.name(symbol);
    for (const auto& [prefix, at_end] : {std::pair{"__start_", false}, std::pair{"__stop_", true}})
      if (name.starts_with(prefix)) {
        const auto extent = image_.section(name.substr(std::strlen(prefix)));
        return at_end ? extent.end : extent.begin;
      }
    if (const RuntimeCall call = name.empty() ? nullptr : find_call_(name)) {
      image_.calls_.push_back(call);
      image_.call_names_.push_back(name);
      return kCallStart + kWord * (image_.calls_.size() - 1);
    }
    if (name.empty() || ELF64_ST_BIND(symbol.st_info) == STB_WEAK) return 0;
    refuse("nothing defines '" + name + "'");
  }

  void copy_sections() {
    const auto& sections = object_.sections();
    for (std::size_t i = 0; i < sections.size(); ++i) {
      const std::string_view content = object_.content(sections[i]);
      if (address_[i] != 0)
        std::copy(content.begin(), content.end(), content_at(address_[i]));
      else if (lines_.empty() && object_.section_name(sections[i]) == kLines)
        lines_.assign(content.begin(), content.end()), lines_section_ = i;
    }
  }

  void relocate() {
    for (const Elf64_Shdr& section : object_.sections()) {
      if (section.sh_type != SHT_RELA || section.sh_info >= address_.size()) continue;
      const std::uint64_t base = address_[section.sh_info];
      std::uint8_t* bytes = nullptr;
      const std::uint64_t size = object_.content(object_.sections()[section.sh_info]).size();
      if (base != 0)
        bytes = content_at(base);
      else if (!lines_.empty() && section.sh_info == lines_section_)
        bytes = lines_.data();
      else
        continue;
      object_.for_each_relocation(section, [&](const Elf64_Rela& one, const Elf64_Sym& symbol) {
        const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(one.r_info));
        const std::uint64_t wanted = patched_bytes(type);
        if (one.r_offset > size || wanted > size - one.r_offset) refuse("a relocation outside its section");
        const auto index = static_cast<std::size_t>(&symbol - object_.symbols().data());
        if (base != 0 && is_code(object_.sections()[section.sh_info]))
          image_.references_.emplace(base + one.r_offset, symbols_[index] + static_cast<std::uint64_t>(one.r_addend));
        apply(type, symbols_[index] + static_cast<std::uint64_t>(one.r_addend), base + one.r_offset,
              bytes + one.r_offset);
      });
    }
  }

  void decode_code() {
    auto& code = image_.code_;
    code.reserve(image_.code_bytes_ / kWord + 1);
    for (std::uint64_t at = 0; at + kWord <= image_.code_bytes_; at += kWord) {
      std::uint32_t word;
      std::memcpy(&word, image_.bytes_.data() + at, kWord);
      code.push_back(decode(word, kCodeStart + at));
    }
    code.push_back({});
    const auto count = static_cast<std::int64_t>(code.size());
    for (std::int64_t i = 0; i < count; ++i) {
      Instruction& one = code[static_cast<std::size_t>(i)];
      if ((one.op >= Op::kBeq && one.op <= Op::kJal) && (i + one.immediate < 0 || i + one.immediate >= count))
        one.op = Op::kIllegal;  // leads out of the code
      if (i > 0) join_call(code[static_cast<std::size_t>(i) - 1], one);
    }
  }

  // A jump to an address that the instruction before has just made.
  void join_call(const Instruction& before, Instruction& jump) const {
    if (jump.op != Op::kJalr || before.op != Op::kLi || before.to != jump.a) return;
    const std::uint64_t target =
        static_cast<std::uint32_t>(before.immediate) + static_cast<std::uint64_t>(std::int64_t{jump.immediate});
    if (target % kWord != 0) return;
    if (target - kCodeStart < image_.code_bytes_) {
      jump.op = Op::kCallKnown;
      jump.immediate = static_cast<std::int32_t>((target - kCodeStart) / kWord);
    } else if ((target - kCallStart) / kWord < image_.calls_.size()) {
      jump.op = Op::kCallRuntime;
      jump.immediate = static_cast<std::int32_t>((target - kCallStart) / kWord);
    }
  }

  void mark_lines() {
    image_.lines_.assign(image_.code_.size(), 0);
    LineRow last;
    bool begun = false;
    read_line_table(lines_, [&](const LineRow& row) {
      if (begun && row.address > last.address)
        for (std::uint64_t at = last.address; at < row.address; at += kWord) {
          const std::uint64_t index = (at - kCodeStart) / kWord;
          if (at < kCodeStart || index >= image_.code_.size()) break;
          Instruction& one = image_.code_[index];
          one.charged = last.owner == LineRow::Owner::kHeader && !is_floating_arithmetic(one.op) ? 0 : 1;
          image_.lines_[index] = last.owner == LineRow::Owner::kKernel ? last.line : 0;
        }
      begun = !row.ends_sequence;
      last = row;
    });
  }

  void keep_names() {
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      const Elf64_Sym& symbol = object_.symbols()[i];
      const Elf64_Shdr* section = object_.section_of(symbol);
      if (section == nullptr || symbols_[i] == 0) continue;
      if (ELF64_ST_BIND(symbol.st_info) != STB_LOCAL) image_.symbols_.emplace(object_.name(symbol), symbols_[i]);
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC)
        image_.functions_[symbols_[i]] = {symbol.st_size, object_.name(symbol)};
      if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT)
        image_.objects_[object_.section_name(*section)].emplace(symbols_[i], object_.name(symbol));
    }
    image_.has_tags_ = image_.symbols_.contains(kTaggedMark);
  }

  ElfObject object_;
  FindCall find_call_;
  Image& image_;
  std::vector<std::uint64_t> address_;  // address of each section; 0: it needs no memory
  std::vector<std::uint64_t> symbols_;  // the address of each
  std::vector<std::uint8_t> lines_;
  std::size_t lines_section_ = 0;
};

Image::Image(const std::string& object, FindCall find_call) { Loader(object, find_call, *this).load(); }

Image::Reach Image::reach_from(std::uint64_t entry) const {
  Reach reach;
  std::vector<std::uint64_t> left = {entry};
  std::set<std::uint64_t> seen = {entry};
  const auto meet = [&](std::uint64_t address) {
    if (functions_.contains(address) && seen.insert(address).second) left.push_back(address);
  };
  while (!left.empty()) {
    const std::uint64_t address = left.back();
    left.pop_back();
    const auto found = functions_.find(address);
    if (found == functions_.end()) continue;
    reach.functions.insert(found->second.name);
    for (auto one = references_.lower_bound(address);
         one != references_.end() && one->first < address + found->second.bytes; ++one) {
      const std::uint64_t call = (one->second - kCallStart) / kWord;
      if (one->second >= kCallStart && call < call_names_.size())
        reach.calls.insert(call_names_[call]);
      else
        meet(one->second);
    }
  }
  return reach;
}

std::set<std::string> Image::functions() const {
  std::set<std::string> names;
  for (const auto& [address, function] : functions_) names.insert(function.name);
  return names;
}

std::uint64_t Image::address_of(const std::string& symbol) const {
  const auto found = symbols_.find(symbol);
  return found == symbols_.end() ? 0 : found->second;
}

Image::Extent Image::section(const std::string& name) const {
  const auto found = sections_.find(name);
  return found == sections_.end() ? Extent{} : found->second;
}

std::map<std::uint64_t, std::string> Image::objects_in(const std::string& section) const {
  const auto found = objects_.find(section);
  return found == objects_.end() ? std::map<std::uint64_t, std::string>{} : found->second;
}

Image::Extent Image::constants() const { return {kCodeStart + code_bytes_, kCodeStart + bytes_.size()}; }

const std::uint8_t* Image::read(std::uint64_t address, std::uint64_t bytes) const {
  const std::uint64_t offset = address - kCodeStart;
  if (offset > bytes_.size() || bytes > bytes_.size() - offset) return nullptr;
  return bytes_.data() + offset;
}

int Image::line_of(std::size_t instruction) const {
  constexpr std::size_t kFarBack = 512;
  for (std::size_t i = 0; i < kFarBack && i <= instruction && instruction < lines_.size(); ++i)
    if (lines_[instruction - i] != 0) return lines_[instruction - i];
  return 0;
}

}  // namespace kg::npu::scalar
