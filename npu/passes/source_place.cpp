#include "source_place.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/LineIterator.h>
#include <llvm/Support/MemoryBuffer.h>

namespace {

// The number in `#line 7 "name"`; 0: it is not such a line. `elsewhere`: it names another file.
unsigned line_directive(llvm::StringRef text, llvm::StringRef file, bool& elsewhere) {
  text = text.ltrim();
  if (!text.consume_front("#")) return 0;
  text = text.ltrim();
  if (!text.consume_front("line")) return 0;
  text = text.ltrim();
  unsigned number = 0;
  if (text.consumeInteger(10, number)) return 0;
  const llvm::StringRef name = text.trim().trim('"');
  elsewhere = !name.empty() && !file.endswith(name);
  return number;
}

// The last line of the file that counts as `line`; `line` itself where none does.
unsigned line_of_file(llvm::StringRef file, unsigned line) {
  const auto read = llvm::MemoryBuffer::getFile(file);
  if (!read) return line;
  unsigned counted = 1, found = 0;
  bool elsewhere = false;
  for (llvm::line_iterator at(**read, /*SkipBlanks=*/false); !at.is_at_end(); ++at, ++counted) {
    if (counted == line && !elsewhere) found = static_cast<unsigned>(at.line_number());
    if (const unsigned next = line_directive(*at, file, elsewhere); next != 0) counted = next - 1;
  }
  return found == 0 ? line : found;
}

}  // namespace

llvm::DebugLoc place_in_file(const llvm::DebugLoc& place) {
  const llvm::DILocation* const at = place.get();
  if (at == nullptr) return place;
  return llvm::DILocation::get(at->getContext(), line_of_file(at->getFilename(), at->getLine()), at->getColumn(),
                               at->getScope(), at->getInlinedAt());
}

llvm::DebugLoc place_in_own_header(const llvm::Instruction& one) {
  const llvm::DILocation* const at = one.getDebugLoc();
  if (at == nullptr) return {};
  llvm::LLVMContext& context = one.getContext();
  llvm::DIFile* const file = llvm::DIFile::get(context, std::string(kg::npu::scalar::kOwnHeaders) + "passes", "/");
  return llvm::DILocation::get(context, 1, 0, llvm::DILexicalBlockFile::get(context, at->getScope(), file, 0),
                               at->getInlinedAt());
}

std::string text_before(const llvm::DebugLoc& place) {
  const llvm::DILocation* const at = place.get();
  if (at == nullptr || at->getColumn() == 0) return "";
  const auto read = llvm::MemoryBuffer::getFile(at->getFilename());
  if (!read) return "";
  const unsigned wanted = line_of_file(at->getFilename(), at->getLine());
  for (llvm::line_iterator line(**read, /*SkipBlanks=*/false); !line.is_at_end(); ++line)
    if (static_cast<unsigned>(line.line_number()) == wanted) return line->take_front(at->getColumn() - 1).str();
  return "";
}
