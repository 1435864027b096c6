#include "reward/judge_version.h"

#include "base/hash.h"
#include "reward/code_hash.h"
#include "reward/judge_sources.h"
#include "sandbox/compiler/find_tools.h"

namespace kg::reward {

std::vector<JudgePart> judge_parts() {
  std::vector<JudgePart> parts;
  for (const auto& [name, hash] : kJudgeSources) parts.push_back({name, hash});
  // Kernels are compiled with the headers now on this host, which may be newer than the program.
  parts.push_back({"headers in use", code_hash(sandbox::header_folder(), ".")});
  const fs::path compiler = sandbox::find_compiler();
  parts.push_back({"compiler", sandbox::compiler_version(compiler)});
  parts.push_back({"kernel passes", sandbox::find_kernel_passes(compiler).empty() ? "none" : "in use"});
  return parts;
}

std::string version_of(const std::vector<JudgePart>& parts) {
  std::string all;
  for (const JudgePart& part : parts) all += part.name + '\0' + part.state + '\0';
  return hash128_hex(all).substr(0, 16);
}

const std::string& judge_version() {
  static const std::string version = version_of(judge_parts());
  return version;
}

}  // namespace kg::reward
