#include "sandbox/checks/compilation.h"

#include "npu/scalar/address_space.h"

namespace kg::sandbox {
namespace {

// Flags of both compilations of a source.
std::vector<std::string> common_flags(const std::string& include_folder) {
  return {"-Xclang",
          "-fnative-half-type",
          "-Xclang",
          "-fallow-half-arguments-and-returns",
          "-std=gnu++17",
          "-O1",
          "-fno-exceptions",
          "-fno-rtti",
          "-fno-threadsafe-statics",
          "-fno-stack-protector",
          "-fno-asynchronous-unwind-tables",
          "-fno-strict-aliasing",
          "-ffp-contract=off",
          "-fno-math-errno",
          "-fno-builtin-memcpy",  // no loop becomes a call of a function that the device lacks
          "-fno-builtin-memmove",
          "-fno-builtin-memset",
          "-fvisibility=hidden",
          "-fno-caret-diagnostics",
          "-fno-color-diagnostics",
          "-ferror-limit=8",
          "-Wno-everything",
          "-I",
          include_folder};
}

// The scalar unit's instruction set, as its loader and interpreter have it: no compressed instructions, every symbol in
// the lower 2 GiB, nothing left to a linker's relaxation. Integers of 64 bits and a signed char, as on the device.
std::vector<std::string> target_flags(const std::string& include_folder) {
  std::vector<std::string> flags = {"--target=riscv64-unknown-linux-gnu",
                                    "-march=rv64imfd_zfh",
                                    "-mabi=lp64d",
                                    "-mno-relax",
                                    "-mcmodel=medlow",
                                    "-fno-pic",
                                    "-fsigned-char",
                                    "-mllvm",
                                    "-trap-unreachable",
                                    "-gdwarf-4",  // line numbers: for charging instructions, and for messages
                                    "-gline-tables-only",
                                    "-fdebug-prefix-map=" + include_folder + "/=" + npu::scalar::kOwnHeaders};
  // The C library's headers of this machine ask which processor they are for: a few of our own answer first.
  flags.insert(flags.end(), {"-isystem", include_folder + "/libc"});
  for (const char* folder : {KG_HOST_INCLUDE_FOLDERS}) flags.insert(flags.end(), {"-isystem", folder});
  return flags;
}

}  // namespace

std::vector<std::string> compile_flags(const std::string& include_folder, const std::string& compiler_headers) {
  std::vector<std::string> flags = {"-x",
                                    "cuda",           // the dialect: kgnpu/language.h says why
                                    "-nobuiltininc",  // without clang's wrappers for CUDA
                                    "--cuda-host-only",
                                    "-nocudainc",
                                    "-nocudalib",
                                    "-Xclang",
                                    "-fcuda-is-device",
                                    "-Xclang",
                                    "-fcuda-allow-variadic-functions"};
  for (const std::string& flag : common_flags(include_folder)) flags.push_back(flag);
  for (const std::string& flag : target_flags(include_folder)) flags.push_back(flag);
  for (const char* flag : {"-ffunction-sections", "-fno-optimize-sibling-calls",  // object_errors() sees calls
                           "-fno-gnu-inline-asm", "-Wconstant-conversion", "-Werror=vla",
                           "-Werror=weak-vtables"})  // no stack that grows at run time, no virtual functions
    flags.push_back(flag);
  if (!compiler_headers.empty()) {
    flags.push_back("-idirafter");
    flags.push_back(compiler_headers);
  }
  return flags;
}

std::vector<std::string> plain_flags(const std::string& include_folder) {
  std::vector<std::string> flags = common_flags(include_folder);
  flags.push_back("-fPIC");
  return flags;
}

std::vector<std::string> pass_flags(const std::string& pass) { return {"-fpass-plugin=" + pass}; }

std::vector<std::string> precompile_flags() { return {"-Xclang", "-emit-pch", "-c"}; }

bool has_cube_half(const std::string& source) {
  for (const char* word : {"Mmad", "LoadData", "Fixpipe", "Nd2NzParams", "atmul", "AIC", "__DAV_C220_CUBE__",
                           "TPosition::A1", "__cbuf__", "__cc__", "__cube__", "__mix__"})
    if (source.find(word) != std::string::npos) return true;
  return false;
}

std::string prologue(CoreType type, bool with_cube_half) {
  const bool cube = type == CoreType::kCube;
  return std::string("#define g_coreType ") + (cube ? "kg_core_type_aic" : "kg_core_type_aiv") + "\n#define " +
         (cube ? "__DAV_C220_CUBE__" : "__DAV_C220_VEC__") + " 1\n#define KG_CUBE_HALF " +
         (with_cube_half ? "1" : "0") +
         "\ntemplate <typename...> struct kg_core_kind { static constexpr int value = " + (cube ? "1" : "2") +
         "; };\n#line 1\n";
}

std::string epilogue(const std::string& entry_point) {
  return "\n#line 1 \"entry point\"\nKG_ENTRY_POINT(" + entry_point + ")\n";
}

std::string direct_prologue(CoreType type, bool with_cube_half) {
  return prologue(type, with_cube_half) + "#include \"kgnpu/launch.h\"\nKG_DIRECT_LAUNCHES\n#line 1 \"kernel.cpp\"\n";
}

std::string host_function_epilogue(const std::string& host_function, std::uint64_t streams) {
  return "\n#line 1 \"entry point\"\nKG_HOST_ENTRY_POINT(" + host_function + ", " + std::to_string(streams) + ")\n";
}

}  // namespace kg::sandbox
