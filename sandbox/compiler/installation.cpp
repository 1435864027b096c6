#include "sandbox/compiler/installation.h"

#include <sys/stat.h>

#include <algorithm>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "sandbox/checks/compilation.h"
#include "sandbox/checks/language.h"
#include "sandbox/compiler/find_tools.h"

namespace kg::sandbox {
namespace {

constexpr const char* kWorkInside = "/work";
constexpr const char* kHeadersInside = "/kgtrain/include";
constexpr const char* kPrecompiledInside = "/kgtrain/precompiled";
constexpr const char* kPassInside = "/kgtrain/kgtrain-kernel-passes.so";

// Instantiating the header's templates during precompilation takes a kernel from 190 ms to 55 ms.
const std::vector<std::string> kOwnFlags = {
    "-fpch-instantiate-templates", "-fno-color-diagnostics", "-fno-crash-diagnostics", "-ferror-limit=20", "-Xclang",
    "-fno-pch-timestamp"};

const std::vector<std::string> kHostFlags = {"--driver-mode=g++",
                                             "-std=gnu++17",
                                             "-O1",
                                             "-fPIC",
                                             "-Wno-everything",
                                             "-fno-color-diagnostics",
                                             "-fno-crash-diagnostics",
                                             "-fno-caret-diagnostics",
                                             "-ferror-limit=8",
                                             "-fpch-instantiate-templates",
                                             "-Xclang",
                                             "-fno-pch-timestamp"};

std::string content_key(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::string all;
  for (const fs::path& file : files)
    all += file.lexically_relative(folder).string() + ' ' + hash128_hex_of_file(file) + '\n';
  return hash128_hex(all);
}

// A header for each line of published_headers.txt: its path, and what it includes.
void write_published_headers(const fs::path& folder) {
  std::istringstream lines(read_file(folder / "published_headers.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t space = std::min(line.find(' '), line.size());
    const fs::path header = folder / line.substr(0, space);
    const std::string target = space < line.size() ? line.substr(space + 1) : "kernel_operator.h";
    fs::create_directories(header.parent_path());
    write_file_atomically(header, "#pragma once\n\n#include \"" + target + "\"\n");
  }
}

std::string identity(const fs::path& program) {
  struct stat info{};
  ::stat(program.c_str(), &info);
  return program.string() + ' ' + std::to_string(info.st_size) + ' ' + std::to_string(info.st_mtime);
}

std::string key_of(const Installation& installed, Isolation isolation, const fs::path& cache) {
  std::string all = identity(installed.compiler) + '\n' + identity(installed.linker) + '\n' +
                    content_key(installed.sources) + '\n' + (installed.pass.empty() ? "" : identity(installed.pass)) +
                    '\n';
  all += isolation == Isolation::kLess ? cache.string() : kHeadersInside;
  for (const std::string& flag : compile_flags("include", "compiler")) all += '\n' + flag;
  for (const std::string& flag : plain_flags("include")) all += '\n' + flag;
  for (const std::string& flag : kOwnFlags) all += '\n' + flag;
  for (const std::string& flag : kHostFlags) all += '\n' + flag;
  return hash128_hex(all + '\n' + precompiled_source(installed.sources, installed.forms, /*with_tiling=*/true));
}

}  // namespace

const std::vector<std::string>& own_flags() { return kOwnFlags; }
const std::vector<std::string>& host_flags() { return kHostFlags; }

Installation find_installation(Isolation isolation, const fs::path& cache) {
  Installation installed;
  installed.compiler = find_compiler();
  installed.linker = find_linker();
  if (installed.compiler.empty())
    throw Error("no clang++ on this machine", "PATH", "apt-get install clang, or set KGTRAIN_CLANG",
                Error::Kind::kEnvironment);
  if (installed.linker.empty())
    throw Error("no linker on this machine", "PATH", "apt-get install binutils, or set KGTRAIN_LINKER",
                Error::Kind::kEnvironment);
  installed.warm_compiler = find_warm_compiler();
  installed.pass = find_kernel_passes(installed.compiler);
  installed.sources = header_folder();
  installed.forms = read_call_forms(installed.sources);
  installed.key = key_of(installed, isolation, cache);
  installed.precompiled = cache / "toolchain" / installed.key;
  std::error_code error;
  fs::create_directories(installed.headers(), error);
  if (error)
    throw Error("cannot make the folder: " + error.message(), installed.precompiled.string(),
                "set KGTRAIN_HOME to a writable folder", Error::Kind::kEnvironment);
  return installed;
}

void Installation::copy_headers() const {
  const fs::path to = headers();
  fs::copy(sources, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  write_published_headers(to);
  // Readable by the cell's user whatever the mask was.
  for (const auto& entry : fs::recursive_directory_iterator(to))
    ::chmod(entry.path().c_str(), entry.is_directory() ? 0755 : 0644);
  for (const fs::path& folder : {to, precompiled}) ::chmod(folder.c_str(), 0755);
}

CellSpec compiler_cell(const Installation& installed, const WorkFolder& work) {
  CellSpec spec;
  spec.program = installed.warm_compiler;
  spec.folder = kWorkInside;
  // The files of the host that the compiler needs: its own, system headers, libraries.
  add_system_libraries(spec);
  if (fs::is_directory("/usr/include")) spec.mounts.push_back({"/usr/include", "/usr/include"});
  for (const fs::path& program : {installed.compiler, installed.linker}) {
    // A compiler outside /usr is in <prefix>/bin, with its headers and libraries in <prefix>/lib.
    if (!program.string().starts_with("/usr/")) {
      const fs::path prefix = program.parent_path().parent_path();
      if (prefix != "/") spec.mounts.push_back({prefix, prefix});
    } else if (!program.string().starts_with("/usr/lib/")) {
      spec.mounts.push_back({program, program});
    }
  }
  if (!installed.pass.empty()) spec.mounts.push_back({installed.pass, kPassInside});
  spec.mounts.push_back({installed.headers(), kHeadersInside});
  spec.mounts.push_back({installed.precompiled, kPrecompiledInside});
  spec.mounts.push_back({work.compile(), kWorkInside, /*writable=*/true});
  return spec;
}

}  // namespace kg::sandbox
