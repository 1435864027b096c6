#include "ascendc_kernel_files.h"

#include <map>
#include <sstream>

#include "base/error.h"
#include "base/file.h"

namespace kg::npu::testing {
namespace {

// What stands behind `word` if the line begins with it.
const char* behind(const std::string& line, const std::string& word) {
  return line.starts_with(word) ? line.c_str() + word.size() : nullptr;
}

Cores cores_named(const std::string& name, const std::string& where) {
  if (name == "vector") return Cores::kVector;
  if (name == "cube") return Cores::kCube;
  if (name == "mixed") return Cores::kMixed;
  throw Error{"cores: " + name, where, "write vector, cube or mixed"};
}

std::vector<Body> read_kernels(const std::string& path) {
  std::vector<Body> kernels;
  std::string cores;
  bool in_header = false, in_body = false;
  int number = 0;
  std::istringstream text(read_file(path));
  for (std::string line; std::getline(text, line);) {
    const std::string where = path + ":" + std::to_string(++number);
    if (line.starts_with("////")) {
      in_header = in_body = false;
    } else if (const char* name = behind(line, "// kernel: ")) {
      kernels.push_back({.name = name, .text = "", .errors = "?"});
      in_header = true;
      in_body = false;
    } else if (const char* kind = behind(line, "// cores: "); kind != nullptr && kernels.empty()) {
      cores = kind;
      cores_named(cores, where);
    } else if (in_header && line.starts_with("//")) {
      Body& kernel = kernels.back();
      if (const char* wanted = behind(line, "// expect: "))
        kernel.errors = std::string(wanted) == "correct" ? "" : wanted;
      else if (const char* blocks = behind(line, "// blocks: "))
        kernel.block_dim = static_cast<std::uint32_t>(std::stoul(blocks));
      else if (!line.starts_with("//   "))
        throw Error{"a header line that nothing reads: " + line, where,
                    "write kernel, expect, blocks or an indented remark"};
    } else if (in_header || in_body) {
      if (kernels.back().errors == "?")
        throw Error{kernels.back().name + " has no expectation", where, "add // expect: ..."};
      in_header = false;
      in_body = true;
      kernels.back().text += line + "\n";
    } else if (!line.empty()) {
      throw Error{"text outside of a kernel", where, "begin one with // kernel: NAME"};
    }
  }
  for (Body& kernel : kernels) {
    kernel.text.erase(kernel.text.find_last_not_of('\n') + 1);
    if (kernel.text.empty()) throw Error{kernel.name + " has no body", path, "write it behind its header"};
    kernel.cores = cores_named(cores, path);
  }
  if (kernels.empty()) throw Error{"no kernels in the file", path, "begin one with // kernel: NAME"};
  return kernels;
}

}  // namespace

const std::vector<Body>& kernels_of(const std::string& file) {
  static std::map<std::string, std::vector<Body>> read;  // node addresses stay
  const auto [at, is_new] = read.try_emplace(file);
  if (is_new) at->second = read_kernels(KG_SOURCE_DIR "/tests/integration/ascendc_kernels/" + file + ".kernels");
  return at->second;
}

std::vector<const std::vector<Body>*> right_kernels() {
  return {&kernels_of("right/vector"), &kernels_of("right/library"), &kernels_of("right/cube"),
          &kernels_of("right/mixed")};
}

}  // namespace kg::npu::testing
