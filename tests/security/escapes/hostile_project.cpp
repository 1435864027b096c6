#include "hostile_project.h"

namespace kg::sandbox::testing {
namespace {

constexpr const char* kProjectHead = R"(#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(HostileTilingData)
  TILING_DATA_FIELD_DEF(uint32_t, none);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Hostile, HostileTilingData)

#define TRY(call) do { errno = 0; const long result = (long)(call); printf(result < 0 ? "REFUSED %d\n" : "DONE %d\n", errno); fflush(stdout); } while (0)

static void* endless(void*) {
  for (volatile int i = 0;;) i = i + 1;
}
__attribute__((noinline, unused)) static int deep(int n) {
  volatile char here[4096];
  here[n % 4096] = (char)n;
  return deep(n + 1) + here[n % 7];
}
__attribute__((unused)) static void peek(const char* path) {
  char bytes[64] = {};
  const int file = open(path, O_RDONLY);
  if (file >= 0 && read(file, bytes, sizeof(bytes) - 1) >= 0) printf("DONE %s: %s\n", path, bytes);
}
)";

constexpr const char* kTail = R"(
  fflush(stdout);
  HostileTilingData data;
  data.set_none(0);
  data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(data.GetDataSize());
  context->SetBlockDim(1);
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class Hostile : public OpDef {
 public:
  explicit Hostile(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND}).ValueDepend(OPTIONAL);
    this->Output("z").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Attr("attack").AttrType(OPTIONAL).Int(0);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(Hostile);
}  // namespace ops
)";

constexpr const char* kKernel = R"(#include "kernel_operator.h"
extern "C" __global__ __aicore__ void hostile(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {}
)";

proto::ExecutionRequest project(const std::string& host) {
  proto::ExecutionRequest request;
  const auto add = [&](const char* path, const std::string& content) {
    proto::ProjectFile& file = *request.add_project();
    file.set_path(path);
    file.set_content(content);
  };
  add("op_host/hostile.cpp", host);
  add("op_kernel/hostile.cpp", kKernel);
  request.mutable_limits()->set_compile_seconds(60);
  request.mutable_limits()->set_run_seconds(1);
  request.mutable_limits()->set_run_memory_bytes(512 << 20);
  proto::RunCase& one = *request.add_cases();
  proto::Tensor& input = *one.add_inputs();
  input.set_name("x");
  input.set_dtype(proto::FLOAT32);
  input.add_shape(16);
  input.set_data(std::string(64, '\0'));
  proto::TensorSpec& output = *one.add_outputs();
  output.set_name("z");
  output.set_dtype(proto::FLOAT32);
  output.add_shape(16);
  proto::Attribute& attack = *one.add_attributes();
  attack.set_name("attack");
  attack.set_integer(0);
  return request;
}

}  // namespace

proto::ExecutionRequest hostile_project(const std::vector<Attack>& attacks, const std::string& bait) {
  std::string host = std::string("#define KG_SOURCES \"") + KG_SOURCE_DIR + "\"\n" + kProjectHead +
                     "static const char* const bait = \"" + bait + "\";\n";
  for (std::size_t i = 0; i < attacks.size(); ++i)
    host += "static void attack_" + std::to_string(i) + "() {\n" + attacks[i].code + "\n}\n";
  host +=
      "static ge::graphStatus TilingFunc(gert::TilingContext* context) {\n  (void)bait;\n  (void)&endless;\n  switch "
      "(*context->GetAttrs()->GetInt(0)) {\n";
  for (std::size_t i = 0; i < attacks.size(); ++i)
    host += "    case " + std::to_string(i) + ": attack_" + std::to_string(i) + "(); break;\n";
  return project(host + "  }\n" + kTail);
}

void choose_attack(proto::ExecutionRequest& request, std::size_t index) {
  request.mutable_cases(0)->mutable_attributes(0)->set_integer(static_cast<std::int64_t>(index));
}

proto::ExecutionRequest hostile_project(const std::string& code, const std::string& before) {
  return project(kProjectHead + before +
                 "static ge::graphStatus TilingFunc(gert::TilingContext* context) {\n  (void)&endless;\n" + code +
                 kTail);
}

}  // namespace kg::sandbox::testing
