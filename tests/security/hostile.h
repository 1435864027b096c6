#pragma once

#include <dlfcn.h>

#include <string>
#include <utility>
#include <vector>

namespace kg::sandbox::testing {

// The C library in the hands of a hostile kernel. The compiler refuses every function that is not the device's, by name
// or by symbol; but a kernel is native code, and copies of structures leave it the address of memmove, from which the
// rest of the library lies at distances that its author can look up, as is done here.
inline std::string hostile_library() {
  static const std::vector<std::pair<const char*, const char*>> kFunctions = {
      {"open", "int(const char*, int, ...)"},
      {"read", "long(int, void*, unsigned long)"},
      {"write", "long(int, const void*, unsigned long)"},
      {"socket", "int(int, int, int)"},
      {"fork", "int()"},
      {"vfork", "int()"},
      {"execve", "int(const char*, char* const*, char* const*)"},
      {"kill", "int(int, int)"},
      {"raise", "int(int)"},
      {"getuid", "unsigned()"},
      {"getenv", "char*(const char*)"},
      {"syscall", "long(long, ...)"},
      {"_exit", "void(int)"},
      {"close", "int(int)"},
      {"setpgid", "int(int, int)"},
      {"sleep", "unsigned(unsigned)"},
      {"malloc", "void*(unsigned long)"},
      {"pthread_create", "int(unsigned long*, const void*, void* (*)(void*), void*)"},
  };
  const char* origin = static_cast<const char*>(dlsym(RTLD_DEFAULT, "memmove"));
  std::string text =
      "extern \"C\" __aicore__ void* memmove(void*, const void*, unsigned long);\n"
      "template <typename F> __aicore__ inline F* reach(long distance) { return (F*)((char*)&memmove + distance); }\n";
  for (const auto& [name, type] : kFunctions)
    text += std::string("#define ") + name + " reach<" + type + ">(" +
            std::to_string(static_cast<const char*>(dlsym(RTLD_DEFAULT, name)) - origin) + ")\n";
  return text +
         "__aicore__ inline unsigned long length(const char* s) { unsigned long n = 0; while (s[n] != 0) ++n; return "
         "n; }\n"
         "__aicore__ inline void say(const char* s) { write(1, s, length(s)); }\n"
         "__aicore__ inline void read_out(const char* path) {\n"
         "  char bytes[4096];\n"
         "  int file = open(path, 0);\n"
         "  if (file < 0) return;\n"
         "  say(\"OPENED \"); say(path); say(\"\\n\");\n"
         "  long n = read(file, bytes, sizeof(bytes));\n"
         "  if (n > 0) write(1, bytes, n);\n"
         "}\n";
}

}  // namespace kg::sandbox::testing
