#include "sandbox/pytorch/python.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/child_process.h"
#include "base/error.h"

namespace kg::sandbox {
namespace {

// -I: ignore the current folder and the user's own packages.
constexpr const char* kQuestion = R"(
import importlib.metadata, importlib.util, json, os, sys, sysconfig
here = importlib.util.find_spec("torch").submodule_search_locations[0]  # loading it would take seconds
folders = {sys.prefix, sys.base_prefix, here, *(path for path in sys.path if os.path.isdir(path))}
headers = os.path.join(here, "include")
print(json.dumps({
    "program": sys.executable,
    "version": sys.version + " " + importlib.metadata.version("torch"),
    "folders": sorted(folders | {os.path.realpath(path) for path in folders}),
    "includes": [headers, os.path.join(headers, "torch/csrc/api/include"), sysconfig.get_paths()["include"]],
    "libraries": os.path.join(here, "lib")}))
)";

}  // namespace

Python find_python(const std::string& program) {
  const auto fail = [&](const std::string& what) {
    return Error(what, program.empty() ? "sandbox" : program,
                 "name a Python with PyTorch by --python or $KGTRAIN_PYTHON; the packages are in "
                 "dataset/benchmarks/requirements.txt",
                 Error::Kind::kEnvironment);
  };
  if (program.empty()) throw fail("an answer with a PyTorch module needs a Python, but none was given");
  const auto [end, output] = run_child({.words = {program, "-I", "-c", kQuestion},
                                        .input = ChildCommand::kNothing,
                                        .output = ChildCommand::kPipe,
                                        .errors = ChildCommand::kSameAsOutput,
                                        .hint = "name a Python with PyTorch by --python or $KGTRAIN_PYTHON"});
  const auto answer = nlohmann::json::parse(output.substr(output.find('{') == std::string::npos ? 0 : output.find('{')),
                                            nullptr, /*allow_exceptions=*/false);
  if (!end.success() || !answer.is_object()) throw fail("this Python cannot be used: " + output.substr(0, 500));
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

CellSpec cell_with_python(const Python& python) {
  CellSpec spec;
  add_system_libraries(spec);
  for (const fs::path& folder : python.folders) spec.mounts.push_back({folder, folder});
  // A system Python is in /usr/bin, where nothing else must be visible, and is often the end of a chain of
  // links (venv/bin/python, /usr/bin/python3, /usr/bin/python3.11).
  constexpr int kMostLinks = 16;
  fs::path program = python.program;
  for (int i = 0; i < kMostLinks && fs::is_symlink(program); ++i) {
    const fs::path target = fs::read_symlink(program);
    if (program.string().starts_with("/usr/bin/")) spec.links.push_back({target, program});
    program = (program.parent_path() / target).lexically_normal();
  }
  program = fs::canonical(program);
  if (program.string().starts_with("/usr/bin/")) spec.mounts.push_back({program, program});
  return spec;
}

}  // namespace kg::sandbox
