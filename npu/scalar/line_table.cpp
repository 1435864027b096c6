#include "npu/scalar/line_table.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "npu/scalar/address_space.h"

namespace kg::npu::scalar {
namespace {

// Reads forward; past the end everything is 0 and `failed` is set.
class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  bool done() const { return failed_ || at_ >= bytes_.size(); }
  bool failed() const { return failed_; }
  void fail() { failed_ = true; }
  std::size_t left() const { return failed_ ? 0 : bytes_.size() - at_; }

  std::uint64_t fixed(int bytes) {
    std::uint64_t value = 0;
    if (left() < static_cast<std::size_t>(bytes)) {
      failed_ = true;
      return 0;
    }
    for (int i = 0; i < bytes; ++i) value |= std::uint64_t{bytes_[at_++]} << (8 * i);
    return value;
  }
  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = fixed(1);
      value |= (byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    failed_ = true;
    return 0;
  }
  std::int64_t sleb() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = fixed(1);
      value |= (byte & 0x7F) << shift;
      if ((byte & 0x80) != 0) continue;
      if (shift + 7 < 64 && (byte & 0x40) != 0) value |= ~0ULL << (shift + 7);
      return static_cast<std::int64_t>(value);
    }
    failed_ = true;
    return 0;
  }
  std::string_view text() {
    const std::size_t begin = at_;
    while (left() > 0 && bytes_[at_] != 0) ++at_;
    if (left() == 0) {
      failed_ = true;
      return {};
    }
    return {reinterpret_cast<const char*>(bytes_.data() + begin), at_++ - begin};
  }
  Reader part(std::uint64_t bytes) {
    if (bytes > left()) {
      failed_ = true;
      return Reader({});
    }
    Reader inner(bytes_.subspan(at_, bytes));
    at_ += bytes;
    return inner;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

// Headers of ours whose code is what a kernel asked the scalar unit to compute: arithmetic of half, bits, casts.
constexpr std::string_view kScalarWork[] = {"kgnpu/number.h", "kgnpu/scalar_calls.h", "kgnpu/scalar_math.h"};

// The owner of a file: by its whole path, so a detour through other folders does not match.
LineRow::Owner owner_of(std::string_view folder, std::string_view name) {
  std::string path(name);
  if (!name.starts_with('/')) path = std::string(folder) + "/" + path;
  if (!path.starts_with(kOwnHeaders) || path.find("..") != std::string::npos) return LineRow::Owner::kKernel;
  return std::any_of(std::begin(kScalarWork), std::end(kScalarWork),
                     [&](std::string_view one) { return path.ends_with(one); })
             ? LineRow::Owner::kScalarWork
             : LineRow::Owner::kHeader;
}

struct Header {
  std::uint8_t shortest = 1;  // instruction, in bytes
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1;
  std::uint8_t first_special = 13;
  std::vector<std::uint8_t> operands;  // number of operands of the standard opcodes
  std::vector<LineRow::Owner> owners;  // owners of the files, from number 1
};

bool read_header(Reader& reader, Header& header) {
  if (reader.fixed(2) != 4) return false;
  Reader rest = reader.part(reader.fixed(4));
  header.shortest = static_cast<std::uint8_t>(rest.fixed(1));
  rest.fixed(1);  // operations of a VLIW instruction
  rest.fixed(1);  // whether rows are statements at first
  header.line_base = static_cast<std::int8_t>(rest.fixed(1));
  header.line_range = static_cast<std::uint8_t>(rest.fixed(1));
  header.first_special = static_cast<std::uint8_t>(rest.fixed(1));
  if (rest.failed() || header.line_range == 0 || header.first_special == 0) return false;
  for (int i = 1; i < header.first_special; ++i) header.operands.push_back(static_cast<std::uint8_t>(rest.fixed(1)));
  std::vector<std::string_view> folders = {{}};
  for (std::string_view folder = rest.text(); !folder.empty(); folder = rest.text()) folders.push_back(folder);
  header.owners = {LineRow::Owner::kKernel};
  for (std::string_view name = rest.text(); !name.empty(); name = rest.text()) {
    const std::uint64_t folder = rest.uleb();
    rest.uleb();  // time
    rest.uleb();  // length
    header.owners.push_back(folder < folders.size() ? owner_of(folders[folder], name) : LineRow::Owner::kKernel);
  }
  return !rest.failed() && !reader.failed();
}

enum Standard : std::uint8_t {
  kCopy = 1,
  kAdvancePc = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kConstAddPc = 8,
  kFixedAdvancePc = 9
};
enum Extended : std::uint8_t { kEndSequence = 1, kSetAddress = 2 };

class Program {
 public:
  Program(const Header& header, const std::function<void(const LineRow&)>& visit) : header_(header), visit_(visit) {}

  void run(Reader& code) {
    while (!code.done()) {
      const auto opcode = static_cast<std::uint8_t>(code.fixed(1));
      if (opcode >= header_.first_special)
        special(opcode);
      else if (opcode == 0)
        extended(code);
      else
        standard(opcode, code);
    }
  }

 private:
  void row(bool ends = false) {
    const bool known = file_ < header_.owners.size() && line_ != 0;
    visit_({address_, static_cast<std::int32_t>(line_), known ? header_.owners[file_] : LineRow::Owner::kKernel, ends});
  }
  void special(std::uint8_t opcode) {
    const int adjusted = opcode - header_.first_special;
    address_ += static_cast<std::uint64_t>(adjusted / header_.line_range) * header_.shortest;
    line_ += static_cast<std::uint32_t>(header_.line_base + adjusted % header_.line_range);
    row();
  }
  void extended(Reader& code) {
    Reader one = code.part(code.uleb());
    switch (one.fixed(1)) {
      case kEndSequence:
        row(/*ends=*/true);
        address_ = 0;
        line_ = 1;
        file_ = 1;
        break;
      case kSetAddress:
        address_ = one.fixed(8);
        break;
      default:
        break;  // without effect on lines
    }
  }
  void standard(std::uint8_t opcode, Reader& code) {
    switch (opcode) {
      case kCopy:
        row();
        break;
      case kAdvancePc:
        address_ += code.uleb() * header_.shortest;
        break;
      case kAdvanceLine:
        line_ += static_cast<std::uint32_t>(code.sleb());
        break;
      case kSetFile:
        file_ = code.uleb();
        break;
      case kConstAddPc:
        address_ += static_cast<std::uint64_t>((255 - header_.first_special) / header_.line_range) * header_.shortest;
        break;
      case kFixedAdvancePc:
        address_ += code.fixed(2);
        break;
      default:
        for (int i = 0; i < header_.operands[opcode - 1u]; ++i) code.uleb();
    }
  }

  const Header& header_;
  const std::function<void(const LineRow&)>& visit_;
  std::uint64_t address_ = 0, file_ = 1;
  std::uint32_t line_ = 1;  // wraps where the bytes are malformed
};

}  // namespace

void read_line_table(std::span<const std::uint8_t> section, const std::function<void(const LineRow&)>& visit) {
  Reader reader(section);
  while (!reader.done()) {
    Reader unit = reader.part(reader.fixed(4));
    Header header;
    if (reader.failed() || !read_header(unit, header)) return;
    Program(header, visit).run(unit);
  }
}

}  // namespace kg::npu::scalar
