// Calls of the runtime that no header makes: a kernel (hostile_calls_kernel.cpp) draws them from a seed, with forged
// tensors, sizes, places and pointers between usual ones. Whatever it asks for, nothing may crash, break an invariant,
// or reach memory that is not the emulated device's (with the preset asan, sanitizers watch that).
//   KG_HOSTILE_CALLS=1000000 KG_HOSTILE_FIRST_SEED=1 build/asan/bin/hostile_calls_test

#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "npu/launch/device.h"
#include "tests/fuzz/in_children.h"
#include "tests/integration/ascendc_kernel.h"

namespace kg::npu::testing {
namespace {

constexpr std::size_t kBytes = 65536;

proto::Tensor bytes_of(const std::string& name, const std::string& data) {
  proto::Tensor made;
  made.set_name(name);
  made.set_dtype(proto::UINT8);
  made.add_shape(static_cast<std::int64_t>(data.size()));
  made.set_data(data);
  return made;
}

void call(const std::string& object, std::uint64_t seed) {
  std::string input(kBytes, '\0');
  for (std::size_t i = 0; i < sizeof seed; ++i) input[i] = static_cast<char>(seed >> 8 * i);
  for (std::size_t i = sizeof seed; i < kBytes; ++i) input[i] = static_cast<char>(i * 37 % 64);
  proto::RunCase run_case;
  *run_case.add_inputs() = bytes_of("x", input);
  *run_case.add_inputs() = bytes_of("y", std::string(4096, '\1'));
  add_output(run_case, "z", proto::UINT8, kBytes);
  Launch request;
  request.object = object;
  request.entry_point = "k";
  request.block_dim = 1;
  request.jump_limit = 200'000;
  request.cycle_limit = 100'000'000;
  launch(request, run_case);
}

TEST(HostileCalls, EndWithAVerdict) {
  const Compiled compiled = compile_unchecked(read_file(KG_SOURCE_DIR "/tests/fuzz/hostile_calls_kernel.cpp"), "k");
  ASSERT_TRUE(compiled.ok) << compiled.messages;
  EXPECT_EQ(try_in_children(number_from("KG_HOSTILE_FIRST_SEED", 1), number_from("KG_HOSTILE_CALLS", 3000),
                            [&](std::uint64_t seed) { call(compiled.object, seed); }),
            0u);
}

}  // namespace
}  // namespace kg::npu::testing
