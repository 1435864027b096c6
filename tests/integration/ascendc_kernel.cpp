#include "ascendc_kernel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "npu/headers/kgnpu/number.h"
#include "npu/launch/device.h"
#include "npu/launch/object_files.h"
#include "proto/dtype.h"
#include "sandbox/checks/call_forms.h"
#include "sandbox/checks/compilation.h"
#include "sandbox/checks/language.h"
#include "sandbox/checks/object_check.h"
#ifdef KG_WARM_COMPILER
#include "sandbox/compiler/warm_compiler.h"
#endif

namespace kg::npu::testing {
namespace {

const fs::path& scratch() {
  static const TemporaryFolder made("kg-ascendc-test");
  return made.path();
}

std::string include_folder() { return std::string(KG_SOURCE_DIR) + "/npu/headers"; }

std::string run(const std::string& command, int& status) {
  std::string output;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  char buffer[4096];
  for (std::size_t n; (n = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) output.append(buffer, n);
  status = pclose(pipe);
  return output;
}

// clang++ with the flags of a kernel.
const std::vector<std::string>& command() {
  static const std::vector<std::string> words = [] {
    int status = 0;
    std::string compiler = run("command -v clang++", status);
    compiler.erase(compiler.find_last_not_of('\n') + 1);
    compiler = fs::canonical(compiler).string();
    std::vector<std::string> made = {compiler, "--driver-mode=g++"};
    const auto append = [&](const std::vector<std::string>& more) {
      made.insert(made.end(), more.begin(), more.end());
    };
    append(sandbox::compile_flags(include_folder(), sandbox::compiler_headers(compiler)));
#ifdef KG_KERNEL_PASSES
    append(sandbox::pass_flags(KG_KERNEL_PASSES));
#endif
    return made;
  }();
  return words;
}

std::string quoted(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "'" : " '") + word + "'";
  return text;
}

std::string run_compiler(const std::vector<std::string>& words, int& status) {
  std::vector<std::string> all = command();
  all.insert(all.end(), words.begin(), words.end());
  return run(quoted(all), status);
}

const fs::path& precompiled() {
  static const fs::path made = [] {
    const fs::path path = scratch() / "kernel_operator.pch";
    const fs::path source = scratch() / "precompiled.h";
    write_file_atomically(source,
                          sandbox::precompiled_source(include_folder(), sandbox::read_call_forms(include_folder())));
    int status = 0;
    std::vector<std::string> words = sandbox::precompile_flags();
    words.insert(words.end(), {source.string(), "-o", path.string()});
    const std::string output = run_compiler(words, status);
    EXPECT_EQ(status, 0) << output;
    return path;
  }();
  return made;
}

// The compiler's messages about `file`, with the header precompiled.
std::string compile_file(const std::string& file, const std::string& object, int& status) {
#ifdef KG_WARM_COMPILER
  // Starting clang takes longer than most kernels: once for all of them, as in the sandbox.
  static sandbox::WarmCompiler& warm = []() -> sandbox::WarmCompiler& {
    auto* made = new sandbox::WarmCompiler;  // never freed, as it asks
    std::vector<std::string> words = command();
    words.insert(words.end(), {"-include-pch", precompiled().string()});
    EXPECT_TRUE(made->warm(words));
    return *made;
  }();
  const std::string messages = object + ".messages";
  const pid_t child = fork();
  if (child == 0) {
    const int to = ::open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::dup2(to, STDERR_FILENO);
    if (::chdir(fs::path(file).parent_path().c_str()) != 0) ::_exit(1);  // messages about lines read kernel.cpp
    ::_exit(warm.compile(file, object));
  }
  waitpid(child, &status, 0);
  return read_file(messages);
#else
  return run_compiler({"-include-pch", precompiled().string(), "-c", "-o", object, file}, status);
#endif
}

// No kernel of any test may be faster than GM, or L2 where they stay there, takes for the outputs that it wrote whole.
void expect_no_faster_than_memory(const proto::CaseResult& result, const L2Before& l2) {
  if (!result.ran() || errors_of(result) != "") return;
  for (const proto::Fault& fault : result.faults())
    if (fault.fault_class() == "memory") return;  // some bytes were never written
  constexpr double kLaunch = 9250;
  const double bytes_per_cycle = (l2.tensors || l2.clean ? 5.2e12 : 1.8e12) / 1.85e9;
  double bytes = 0;
  for (const proto::Tensor& output : result.outputs()) bytes += static_cast<double>(output.data().size());
  EXPECT_GE(static_cast<double>(result.cycles()), kLaunch + bytes / bytes_per_cycle);
}

}  // namespace

Compiled compile_kernel(const std::string& source, const std::string& entry_point) {
  static std::map<std::string, Compiled> known;
  Compiled& compiled = known[entry_point + '\n' + source];
  if (!compiled.object.empty()) return compiled;
  const fs::path base = scratch() / ("kernel" + std::to_string(known.size()));
  compiled.object = base.string() + ".o";
  compiled.messages = sandbox::source_errors({{"kernel.cpp", source}}, include_folder());
  if (!compiled.messages.empty()) return compiled;
  const bool both = sandbox::has_cube_half(source);
  const auto compile = [&](sandbox::CoreType type, const std::string& object) {
    const fs::path folder = object + ".source";
    fs::create_directories(folder);
    const std::string file = folder / "kernel.cpp";
    write_file_atomically(
        file, sandbox::prologue(type, both) + sandbox::adapted_source(source) + sandbox::epilogue(entry_point));
    int status = 0;
    compiled.messages = compile_file(file, object, status);
    if (status == 0) compiled.messages += sandbox::object_errors(read_file(object), {{"kernel.cpp", source}});
    compiled.ok = status == 0 && compiled.messages.empty();
  };
  compile(sandbox::CoreType::kVector, compiled.object);
  if (compiled.ok && both) compile(sandbox::CoreType::kCube, cube_half(compiled.object));
  return compiled;
}

Compiled compile_unchecked(const std::string& source, const std::string& entry_point) {
  Compiled compiled;
  compiled.object = (scratch() / "unchecked.o").string();
  const bool both = sandbox::has_cube_half(source);
  const auto compile = [&](sandbox::CoreType type, const std::string& object) {
    const std::string file = object + ".cpp";
    write_file_atomically(file, sandbox::prologue(type, both) + source + sandbox::epilogue(entry_point));
    int status = 0;
    compiled.messages += run_compiler({"-c", "-o", object, file}, status);
    return status == 0;
  };
  compiled.ok = compile(sandbox::CoreType::kVector, compiled.object) &&
                (!both || compile(sandbox::CoreType::kCube, cube_half(compiled.object)));
  return compiled;
}

std::string check_folder() { return (scratch() / "check").string(); }

std::string check_kernel(const std::string& source, const std::string& before) {
  fs::create_directories(check_folder());
  const std::string file = check_folder() + "/kernel.cpp";
  write_file_atomically(file, before + sandbox::adapted_source(source));
  int status = 0;
  return run_compiler({"-ferror-limit=0", "-include-pch", precompiled().string(), "-fsyntax-only", file}, status);
}

proto::DType dtype_of(const std::string& type) {
  return type == "float"        ? proto::FLOAT32
         : type == "half"       ? proto::FLOAT16
         : type == "bfloat16_t" ? proto::BFLOAT16
         : type == "int8_t"     ? proto::INT8
         : type == "uint8_t"    ? proto::UINT8
         : type == "int16_t"    ? proto::INT16
         : type == "uint16_t"   ? proto::UINT16
         : type == "uint32_t"   ? proto::UINT32
         : type == "int64_t"    ? proto::INT64
                                : proto::INT32;
}

proto::Tensor tensor(const std::string& name, proto::DType dtype, const std::vector<double>& values) {
  proto::Tensor result;
  result.set_name(name);
  result.set_dtype(dtype);
  result.add_shape(static_cast<std::int64_t>(values.size()));
  std::string data;
  const auto append = [&](auto value) { data.append(reinterpret_cast<const char*>(&value), sizeof(value)); };
  for (const double value : values) {
    switch (dtype) {
      case proto::FLOAT32:
        append(static_cast<float>(value));
        break;
      case proto::FLOAT16:
        append(kgnpu::half_bits(static_cast<float>(value)));
        break;
      case proto::BFLOAT16:
        append(kgnpu::bfloat16_bits(static_cast<float>(value)));
        break;
      case proto::INT32:
        append(static_cast<std::int32_t>(value));
        break;
      case proto::UINT32:
        append(static_cast<std::uint32_t>(value));
        break;
      case proto::INT16:
        append(static_cast<std::int16_t>(value));
        break;
      case proto::UINT16:
        append(static_cast<std::uint16_t>(value));
        break;
      case proto::INT64:
        append(static_cast<std::int64_t>(value));
        break;
      default:
        append(static_cast<std::int8_t>(value));
        break;
    }
  }
  result.set_data(data);
  return result;
}

std::vector<double> values_of(const proto::Tensor& tensor) {
  std::vector<double> values;
  const std::size_t size = proto::element_size(tensor.dtype());
  const auto take = [&](auto value, std::size_t at) {
    std::memcpy(&value, tensor.data().data() + at, sizeof(value));
    return value;
  };
  for (std::size_t at = 0; at + size <= tensor.data().size(); at += size) {
    switch (tensor.dtype()) {
      case proto::FLOAT32:
        values.push_back(take(float{}, at));
        break;
      case proto::FLOAT16:
        values.push_back(kgnpu::half_value(take(std::uint16_t{}, at)));
        break;
      case proto::BFLOAT16:
        values.push_back(kgnpu::bfloat16_value(take(std::uint16_t{}, at)));
        break;
      case proto::INT32:
        values.push_back(take(std::int32_t{}, at));
        break;
      case proto::UINT32:
        values.push_back(take(std::uint32_t{}, at));
        break;
      case proto::INT16:
        values.push_back(take(std::int16_t{}, at));
        break;
      case proto::UINT16:
        values.push_back(take(std::uint16_t{}, at));
        break;
      case proto::INT64:
        values.push_back(static_cast<double>(take(std::int64_t{}, at)));
        break;
      case proto::UINT8:
        values.push_back(take(std::uint8_t{}, at));
        break;
      default:
        values.push_back(take(std::int8_t{}, at));
        break;
    }
  }
  return values;
}

void add_output(proto::RunCase& run_case, const std::string& name, proto::DType dtype, std::int64_t count) {
  proto::TensorSpec& spec = *run_case.add_outputs();
  spec.set_name(name);
  spec.set_dtype(dtype);
  spec.add_shape(count);
}

proto::CaseResult run_kernel(const std::string& source, const std::string& entry_point, const proto::RunCase& run_case,
                             const RunOptions& options) {
  proto::CaseResult result;
  const Compiled compiled = compile_kernel(source, entry_point);
  EXPECT_TRUE(compiled.ok) << compiled.messages;
  if (!compiled.ok) return result;
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    std::string bytes;
    try {
      Launch request;
      request.object = compiled.object;
      request.entry_point = entry_point;
      request.block_dim = options.block_dim;
      request.core_order_seed = options.seed;
      request.cycle_limit = options.cycle_limit;
      request.l2 = options.l2;
      request.garbage = options.garbage;
      request.want_timeline = options.want_timeline;
      bytes = launch(request, run_case).SerializeAsString();
    } catch (const Error& error) {
      std::fprintf(stderr, "%s\n", error.full_message().c_str());
      _exit(1);
    }
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t n = write(ends[1], bytes.data() + done, bytes.size() - done);
      if (n <= 0) _exit(1);
      done += static_cast<std::size_t>(n);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string bytes;
  char buffer[65536];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof(buffer))) > 0;) bytes.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(result.ParseFromString(bytes));
  expect_no_faster_than_memory(result, options.l2);
  return result;
}

namespace {
std::string faults_of(const proto::CaseResult& result, proto::FaultSeverity severity) {
  std::string text;
  for (const proto::Fault& fault : result.faults())
    if (fault.severity() == severity)
      text += (text.empty() ? "" : " ") + fault.fault_class() + ":" + std::to_string(fault.line());
  return text;
}
}  // namespace

std::string errors_of(const proto::CaseResult& result) { return faults_of(result, proto::ERROR); }
std::string warnings_of(const proto::CaseResult& result) { return faults_of(result, proto::WARNING); }

std::string vector_kernel(const std::string& in_type, const std::string& out_type, int n, const std::string& compute) {
  const std::string count = std::to_string(n);
  return R"(#include "kernel_operator.h"
using namespace AscendC;
using I = )" +
         in_type + ";\nusing O = " + out_type + R"(;
constexpr int32_t n = )" +
         count + R"(;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR yg, GM_ADDR zg) {
  TPipe pipe; TQue<QuePosition::VECIN, 1> inX, inY; TQue<QuePosition::VECOUT, 1> outZ; TBuf<> tmp;
  GlobalTensor<I> xGm, yGm; GlobalTensor<O> zGm;
  xGm.SetGlobalBuffer((__gm__ I*)xg); yGm.SetGlobalBuffer((__gm__ I*)yg); zGm.SetGlobalBuffer((__gm__ O*)zg);
  pipe.InitBuffer(inX, 1, n * sizeof(I)); pipe.InitBuffer(inY, 1, n * sizeof(I)); pipe.InitBuffer(outZ, 1, n * sizeof(O) + 256);
  pipe.InitBuffer(tmp, n * 4 + 2048);
  LocalTensor<I> x = inX.AllocTensor<I>(); LocalTensor<I> y = inY.AllocTensor<I>();
  DataCopyPad(x, xGm, DataCopyExtParams{1, n * sizeof(I), 0, 0, 0}, DataCopyPadExtParams<I>{false, 0, 0, I()});
  DataCopyPad(y, yGm, DataCopyExtParams{1, n * sizeof(I), 0, 0, 0}, DataCopyPadExtParams<I>{false, 0, 0, I()});
  inX.EnQue(x); inY.EnQue(y);
  x = inX.DeQue<I>(); y = inY.DeQue<I>();
  LocalTensor<O> z = outZ.AllocTensor<O>();
  LocalTensor<O> work = tmp.Get<O>();
  {
)" + compute +
         R"(
  }
  outZ.EnQue(z);
  z = outZ.DeQue<O>();
  DataCopyPad(zGm, z, DataCopyExtParams{1, (uint32_t)(n * sizeof(O)), 0, 0, 0});
  outZ.FreeTensor(z); inX.FreeTensor(x); inY.FreeTensor(y);
}
)";
}

}  // namespace kg::npu::testing
