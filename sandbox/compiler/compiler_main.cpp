#include "base/error.h"
#include "base/log.h"
#include "base/options.h"
#include "base/program.h"
#include "sandbox/cell/cell_process.h"
#include "sandbox/compiler/warm_compiler.h"

namespace kg::sandbox {
namespace {

int run_mode(int argc, const char* const* argv) {
  int control = -1;
  Options options("kgtrain-compiler run", "Compiles kernels inside a cell; started by kgtrain-sandbox.");
  options.add("control", control, "number of the control socket").required();
  if (argc < 2 || !options.parse(argc - 1, argv + 1)) return 0;
  WarmCompiler compiler;
  const InProcessCompiler hooks{[&](const std::vector<std::string>& command) { return compiler.warm(command); },
                                [&] { return compiler.compile("kernel.cpp", "kernel.o"); }};
  return run_cell(control, &hooks);
}

}  // namespace
}  // namespace kg::sandbox

int main(int argc, char** argv) {
  kg::start_logging("kgtrain-compiler");
  return kg::run_program([&] { return kg::sandbox::run_mode(argc, argv); });
}
