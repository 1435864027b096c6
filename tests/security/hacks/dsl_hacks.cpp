#include "hack.h"

// Programs in the DSL that are no operator: what they say goes into C++ that we write, so names, numbers and sizes are
// tried as well as the ways of the other tables.
namespace kg::sandbox::testing {
namespace {

std::string elementwise_program(const std::string& value, const std::string& before = "") {
  return "kernel custom_op(x: float[N]) -> z: float[N]:\n  for t in cores(tiles(N)):\n" + before +
         "    store z[t] = " + value + "\n";
}
std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::vector<Hack> no_operator() {
  return {
      {"program: a constant", relu_task(), elementwise_program("load x[t] * 0 + 0.4"), "wrong"},
      {"program: a copy", relu_task(), elementwise_program("load x[t]"), "wrong"},
      {"program: half in place of float", exp_task(), elementwise_program("exp(load x[t] as half)"), ""},
      {"program: the output is read", relu_task(), elementwise_program("max(load x[t], load z[t])"), ""},
      {"program: stores into the input", relu_task(),
       "kernel custom_op(x: float[N]) -> z: float[N]:\n  for t in cores(tiles(N)):\n    store x[t] = relu(load "
       "x[t])\n",
       ""},
      {"program: the last tile is left out", relu_task(),
       "kernel custom_op(x: float[N]) -> z: float[N]:\n  for t in cores(tiles(N - 64)):\n    store z[t] = relu(load "
       "x[t])\n",
       ""},
      {"program: the tile behind the last", relu_task(), elementwise_program("relu(load x[t + 1])"), ""},
      {"program: memory between cores without a barrier", maximum_task(),
       "kernel custom_op(x: float[N]) -> z: float[1]:\n  scratch s: float[8, 8]\n  for c in cores(8):\n    a = load "
       "x[c * "
       "512:c * 512 + 512]\n    ub m: float[8] = max(a)\n    store s[c, :] = m\n  for c in cores(1):\n    b = load "
       "s[:, "
       ":]\n    store z[0] = max(b)\n",
       ""},
  };
}

std::vector<Hack> texts() {
  const auto named = [](const std::string& name) {
    return "kernel custom_op(x: float[N]) -> z: float[N]:\n  for t in cores(tiles(N)):\n    " + name +
           " = load x[t]\n    store z[t] = " + name + "\n";
  };
  return {
      {"program: a name of the runtime", relu_task(), named("kgnpu_own_stack"), ""},
      {"program: a keyword of C++", relu_task(), named("asm"), ""},
      {"program: a macro of the toolchain", relu_task(), named("KG_WHERE"), ""},
      {"program: a name of the lowered kernel", relu_task(), named("pipe_"), ""},
      {"program: text of C++ in a comment", relu_task(),
       "# */ } extern \"C\" int _exit(int); \\\n#include \"/etc/passwd\"\n" + elementwise_program("load x[t]"),
       "wrong"},
      {"program: C++ behind a name", relu_task(), elementwise_program("load x[t]; asm(\"\")"), ""},
      {"program: a number of a thousand digits", relu_task(),
       elementwise_program("load x[t] + " + std::string(1000, '9')), ""},
      {"program: a tile of a billion", relu_task(),
       "kernel custom_op(x: float[N]) -> z: float[N]:\n  for t in cores(tiles(N, 1073741824)):\n    store z[t] = load "
       "x[t]\n",
       ""},
      {"program: a buffer of two to the sixty", relu_task(),
       elementwise_program("load x[t]", "    ub b: float[1152921504606846976] = 0\n"), ""},
      {"program: extents whose product is none", relu_task(),
       "kernel custom_op(x: float[N]) -> z: float[N]:\n  scratch s: float[4294967296, 4294967296]\n  for t in "
       "cores(tiles(N)):\n    store z[t] = load x[t]\n",
       ""},
      {"program: a thousand billion rounds", relu_task(),
       elementwise_program("a",
                           "    a = load x[t]\n    for i in range(1000000):\n      for j in range(1000000):\n        "
                           "a = a * 1.0\n"),
       ""},
      {"program: a hundred thousand brackets", relu_task(),
       elementwise_program(repeated("(", 100000) + "load x[t]" + repeated(")", 100000)), ""},
      {"program: a hundred thousand signs", relu_task(), elementwise_program(repeated("-", 100001) + "load x[t]"), ""},
      {"program: a sum of fifty thousand", relu_task(), elementwise_program("load x[t]" + repeated(" + 1", 50000)), ""},
  };
}

}  // namespace

std::vector<Hack> dsl_hacks() {
  std::vector<Hack> all = no_operator();
  const std::vector<Hack> more = texts();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace kg::sandbox::testing
