#include "sandbox/pytorch/python.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace kg::sandbox {
namespace {

// -I: nothing of the present folder or the user's own packages.
constexpr const char* kQuestion = R"(
import json, os, sys, sysconfig
import torch
here = os.path.dirname(torch.__file__)
folders = {sys.prefix, sys.base_prefix, here, *(path for path in sys.path if os.path.isdir(path))}
headers = os.path.join(here, "include")
print(json.dumps({
    "program": sys.executable,
    "version": sys.version + " " + torch.__version__,
    "folders": sorted(folders | {os.path.realpath(path) for path in folders}),
    "includes": [headers, os.path.join(headers, "torch/csrc/api/include"), sysconfig.get_paths()["include"]],
    "libraries": os.path.join(here, "lib")}))
)";

std::string quoted(const std::string& text) {
  std::string made = "'";
  for (const char c : text) made += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return made + "'";
}

}  // namespace

Python find_python(const std::string& program) {
  const auto fail = [&](const std::string& what) {
    return Error(what, program.empty() ? "sandbox" : program,
                 "name a Python with PyTorch by --python or $KGTRAIN_PYTHON; the packages are in "
                 "dataset/benchmarks/requirements.txt",
                 Error::Kind::kEnvironment);
  };
  if (program.empty()) throw fail("an answer with a PyTorch module needs a Python, and none was named");
  FILE* pipe = ::popen((quoted(program) + " -I -c " + quoted(kQuestion) + " 2>&1").c_str(), "re");
  if (pipe == nullptr) throw fail("cannot start Python");
  std::string output;
  char buffer[4096];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.append(buffer, got);
  const int status = ::pclose(pipe);
  const auto answer = nlohmann::json::parse(output.substr(output.find('{') == std::string::npos ? 0 : output.find('{')),
                                            nullptr, /*allow_exceptions=*/false);
  if (status != 0 || !answer.is_object()) throw fail("this Python cannot be used: " + output.substr(0, 500));
  Python found{.program = answer.at("program"),
               .version = answer.at("version"),
               .libraries = answer.at("libraries").get<std::string>()};
  answer.at("includes").get_to(found.includes);
  for (const std::string folder : answer.at("folders")) {
    const bool known = folder == "/usr" || folder.starts_with("/usr/lib") || folder == "/" ||
                       std::any_of(found.folders.begin(), found.folders.end(),
                                   [&](const fs::path& other) { return folder.starts_with(other.string() + "/"); });
    if (!known) found.folders.push_back(folder);
  }
  return found;
}

}  // namespace kg::sandbox
