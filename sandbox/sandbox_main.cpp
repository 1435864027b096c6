#include <cstdio>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "base/options.h"
#include "base/program.h"
#include "sandbox/cell/cell_process.h"
#include "sandbox/check.h"
#include "sandbox/isolation_option.h"
#include "sandbox/pytorch/confined_worker.h"
#include "sandbox/server.h"

namespace kg::sandbox {
namespace {

int run_mode(int argc, const char* const* argv) {
  const std::string mode = argc > 1 ? argv[1] : "--help";
  int descriptor = -1;
  ServerOptions server;
  if (mode == "serve") {
    Options options("serve", "Answer execution requests on an inherited socket.");
    options.add("descriptor", descriptor, "number of the socket").required();
    declare_isolation(options, server.allow_less_isolation);
    options.add("cache", server.cache_folder, "folder for compiled kernels; empty: keep none");
    options.add("python", server.python, "Python with PyTorch, for answers that are modules");
    return options.parse(argc - 1, argv + 1) ? serve(descriptor, server) : 0;
  }
  if (mode == "run") {
    Options options("run", "Run jobs inside a cell; started by serve.");
    options.add("control", descriptor, "number of the control socket").required();
    return options.parse(argc - 1, argv + 1) ? run_cell(descriptor) : 0;
  }
  if (mode == "check") {
    Options options("check",
                    "Report what isolation and tools this host offers; exit status 3 if something is missing.");
    declare_isolation(options, server.allow_less_isolation);
    if (!options.parse(argc - 1, argv + 1)) return 0;
    return print_check(server.allow_less_isolation) ? 0 : 3;
  }
  if (mode == "worker") {
    ConfinedWorker worker;
    std::string scripts, file;
    Options options("worker", "Run a file's Python in a cell; started by kgtrain serve.");
    options.add("python", worker.python, "Python with PyTorch").required();
    options.add("scripts", scripts, "folder of the programs visible in the cell").required();
    options.add("script", worker.script, "the program, in that folder").required();
    options.add("file", file, "the untrusted file").required();
    options.add("seconds", worker.seconds, "seconds it may take").range(1, 3600);
    options.add("memory-bytes", worker.memory_bytes, "bytes of memory it may use");
    if (!options.parse(argc - 1, argv + 1)) return 0;
    worker.scripts = scripts;
    worker.file = file;
    return run_confined(worker);
  }
  const char* usage =
      "kgtrain-sandbox serve|run|worker|check: compiles and runs untrusted kernels; started by the other programs\n";
  if (mode == "--help") {
    std::fputs(usage, stdout);
    return 0;
  }
  throw Error("unknown mode '" + mode + "'", "command line", usage);
}

}  // namespace
}  // namespace kg::sandbox

int main(int argc, char** argv) {
  kg::start_logging("kgtrain-sandbox");
  return kg::run_program([&] { return kg::sandbox::run_mode(argc, argv); });
}
