#include "attack.h"
#include "tests/joined.h"
#include "tests/security/sandbox_fixture.h"

namespace kg::sandbox::testing {
namespace {

Attack before(const char* name, const std::string& text, End end, const char* words = "",
              bool needs_namespaces = false) {
  return {name, kernel("", text + "\n"), end, words, needs_namespaces};
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string macro_bomb() {
  std::string text = "#define A0 x, x, x, x, x, x, x, x\n";
  for (int i = 1; i <= 14; ++i)
    text += "#define A" + std::to_string(i) + " " + repeated("A" + std::to_string(i - 1) + ", ", 7) + "A" +
            std::to_string(i - 1) + "\n";
  return text + "int x; int many[] = {A14};";
}

constexpr const char* kFound = "file not found";

// files of the host
std::vector<Attack> files_of_the_host() {
  return {
      before("includes users", "#include \"/etc/passwd\"", End::kNoCompile, kFound, true),
      before("includes up and over", "#include \"../../../../../../etc/passwd\"", End::kNoCompile, kFound, true),
      before("includes its environment", "#include </proc/self/environ>", End::kNoCompile, kFound, true),
      before("includes a descriptor", "#include \"/proc/self/fd/0\"", End::kNoCompile, kFound, true),
      before("includes a device", "#include \"/dev/zero\"", End::kNoCompile, kFound, true),
      before("includes a terminal", "#include \"/dev/stdin\"", End::kNoCompile, kFound, true),
      before("includes a folder", "#include \"/\"", End::kNoCompile),
      before("includes what comes next", "#include_next <../../etc/passwd>", End::kNoCompile, "", true),
      before("includes by a macro", "#define FILE_NAME \"/etc/hostname\"\n#include FILE_NAME", End::kNoCompile, kFound,
             true),
      before("imports", "#import \"/etc/passwd\"", End::kNoCompile, kFound, true),
      before("asks for a file", "#if __has_include(\"/etc/passwd\")\n#error DONE\n#endif", End::kNothing, "", true),
      before("asks for the next file", "#if __has_include_next(\"/etc/shadow\")\n#error DONE\n#endif", End::kNothing,
             "", true),
      before("dependency", "#pragma GCC dependency \"/etc/passwd\"", End::kHarmless, "", true),
      before("embeds", "const unsigned char bytes[] = {\n#embed \"/etc/passwd\"\n};", End::kNoCompile),
      before("embeds by the assembler", "__asm__(\".incbin \\\"/etc/passwd\\\"\");", End::kNoCompile, "assembler"),
      before("line of another file", "#line 1 \"/etc/passwd\"\n#error here", End::kNoCompile, "here"),
      before("module of the compiler", "#pragma clang module import passwd", End::kHarmless),
      before("module file", "@import std;", End::kNoCompile),
      before("header unit", "import <vector>;", End::kNoCompile),
      before("system header", "#include <unistd.h>\n#include <sys/socket.h>\n#include <dlfcn.h>", End::kHarmless),
  };
}

// crashes
std::vector<Attack> crashes() {
  return {
      before("crash", "#pragma clang __debug crash", End::kNoCompile, "crash"),
      before("crash of LLVM", "#pragma clang __debug llvm_fatal_error", End::kNoCompile),
      before("unreachable in LLVM", "#pragma clang __debug llvm_unreachable", End::kHarmless),
      before("assertion", "#pragma clang __debug assert", End::kHarmless),
      before("crash of the parser", "#pragma clang __debug parser_crash", End::kNoCompile),
      before("stack of the compiler", "#pragma clang __debug overflow_stack", End::kNoCompile),
      before("deep brackets", "int x = " + repeated("(", 100000) + "1" + repeated(")", 100000) + ";", End::kNoCompile),
      before("deep operators", "int x = " + repeated("-+", 100000) + "1;", End::kHarmless),
      before("deep blocks", "void f() " + repeated("{", 100000) + repeated("}", 100000), End::kNoCompile),
      before("no end of a literal", "const char* text = R\"x(" + std::string(100000, 'x'), End::kNoCompile),
      before("bytes of no text", std::string("int \0\xff\xfe x;", 13), End::kNoCompile),
      before("name of a megabyte", "int " + std::string(1 << 20, 'n') + ";", End::kHarmless),
  };
}

// bombs
std::vector<Attack> bombs() {
  return {
      before("includes itself", "#include \"kernel.cpp\"", End::kNoCompile),
      before("includes itself by name", "#include __FILE__", End::kNoCompile),
      before("templates without end",
             "template <int N> struct T { static constexpr int v = T<N + 1>::v; };\nint x = T<0>::v;", End::kNoCompile,
             "template"),
      before(
          "templates in breadth",
          "template <int N, long I> struct T { static constexpr unsigned char v = T<N - 1, 2 * I>::v + T<N - 1, 2 * I "
          "+ 1>::v; };\n"
          "template <long I> struct T<0, I> { static constexpr unsigned char v = 1; };\nunsigned char x = T<26, 0>::v;",
          End::kNoCompile),
      before("constant loop", "constexpr int f() { int n = 0; for (;;) ++n; return n; }\nconstexpr int x = f();",
             End::kNoCompile, "constant"),
      before("constant recursion", "constexpr int f(int n) { return f(n + 1); }\nconstexpr int x = f(0);",
             End::kNoCompile, "constant"),
      before("macros", macro_bomb(), End::kNoCompile),
      before("macros in a condition",
             "#define A 1+1+1+1+1+1+1+1+1+1\n#define B A+A+A+A+A+A+A+A+A+A\n#define C B+B+B+B+B+B+B+B+B+B\n"
             "#define D C+C+C+C+C+C+C+C+C+C\n#define E D+D+D+D+D+D+D+D+D+D\n#define F E+E+E+E+E+E+E+E+E+E\n#define G "
             "F+F+F+F+F+F+F+F+F+F\n"
             "#define H G+G+G+G+G+G+G+G+G+G\n#if H+H+H+H\n#endif",
             End::kHarmless),
      before("file of gigabytes", "extern const char much[1ul << 31];\nconst char much[1ul << 31] = {1};",
             End::kNoCompile),
      before("array of all memory", "__aicore__ int f() { return sizeof(int[1ul << 60]); }", End::kHarmless),
      before("messages", repeated("#error " + std::string(1000, 'w') + "\n", 2000), End::kNoCompile),
      before("messages of templates",
             "template <typename T> struct A { typename T::none x; };\n" +
                 repeated("template struct A<A<A<A<int>>>>;\n", 5000),
             End::kNoCompile),
      before("lines", std::string(8 << 20, '\n'), End::kHarmless),
      before("strings", "const char* text = " + repeated("\"" + std::string(1000, 's') + "\"\n", 8000) + ";",
             End::kHarmless),
      before("vector of all widths", "typedef float wide __attribute__((vector_size(1 << 30)));\nwide x;",
             End::kHarmless),
      before("integer of all widths", "__aicore__ _ExtInt(8388608) f(_ExtInt(8388608) a) { return a * a / 3; }",
             End::kNoCompile),
      before("switch of all cases",
             "__aicore__ int f(long n) { switch (n) { case 0 ... 0x7fffffffffff: return 1; } return 0; }",
             End::kHarmless),
      before("alignment", "struct __attribute__((aligned(1 << 28))) A { char c; };\nconst A all[100] = {};",
             End::kHarmless),
  };
}

// extensions
std::vector<Attack> extensions() {
  return {
      before("plug-in by a pragma", "#pragma clang load(\"/work/plugin.so\")", End::kHarmless),
      before("optimisation by a pragma", "#pragma GCC optimize(\"-fplugin=/work/plugin.so\")", End::kHarmless),
      before("target by a pragma", "#pragma GCC target(\"avx512f\")", End::kHarmless),
      before("diagnostics into a file",
             "#pragma clang diagnostic push\n#pragma clang diagnostic error \"-Weverything\"", End::kHarmless),
      before("poisons the toolchain's names", "#pragma GCC poison extern void KG_ENTRY_POINT", End::kNoCompile),
      before("redefines the toolchain's names", "#undef KG_ENTRY_POINT\n#define KG_ENTRY_POINT(x)", End::kHarmless),
      before("redefines the language", "#define extern static\n#define const\n#define if while", End::kHarmless),
      before("ends the text early", "#if 0", End::kNoCompile),
      before("opens a comment", "/* to the end", End::kNoCompile),
      before("a main function", "int main() { return 0; }", End::kHarmless),
  };
}

}  // namespace

const std::vector<Attack>& compiler_attacks() {
  static const std::vector<Attack> attacks =
      kg::testing::joined({files_of_the_host(), crashes(), bombs(), extensions()});
  return attacks;
}

}  // namespace kg::sandbox::testing
