// The interpreter of the scalar unit against QEMU's, instruction by instruction: random programs, all registers
// compared after each few instructions.
//   KG_SCALAR_PROGRAMS=1000 build/release/bin/scalar_qemu_peer_test

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <set>

#include "base/file.h"
#include "npu/scalar/machine.h"
#include "scalar_programs.h"

namespace kg::npu::scalar::testing {
namespace {

constexpr std::uint64_t kInputAddress = 0x5800'0000;
constexpr std::size_t kTrials = 1000;

class Output : public Outside {
 public:
  explicit Output(std::size_t bytes) : bytes_(bytes, '\0') {}
  void load(std::uint64_t address, std::uint64_t, void*, int) override {
    throw std::runtime_error("a load of " + std::to_string(address));
  }
  void store(std::uint64_t address, std::uint64_t bytes, const void* from, int) override {
    const std::uint64_t at = address - kOutputStart;
    if (at + bytes > bytes_.size()) throw std::runtime_error("a store to " + std::to_string(address));
    std::memcpy(bytes_.data() + at, from, bytes);
  }
  [[noreturn]] void stop(Stop why, int) override {
    throw std::runtime_error("a stop " + std::to_string(static_cast<int>(why)));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::string by_interpreter(const ScalarProgram& program) {
  const Image image(object_of(program), [](const std::string&) { return RuntimeCall{}; });
  Stack stack;
  Output output(program.trials * kRegistersOfTrial * 8);
  Machine machine(image, stack, output);
  machine.run(image.address_of("k"), program.input);
  return output.bytes();
}

std::string by_qemu(const ScalarProgram& program, const fs::path& folder) {
  const fs::path file = folder / "program", result = folder / "output";
  write_file_atomically(file, executable_of(program, kInputAddress));
  fs::permissions(file, fs::perms::owner_all);
  const std::string command = "qemu-riscv64 -cpu rv64,Zfh=true '" + file.string() + "' > '" + result.string() + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return read_file(result);
}

std::string name_of(std::size_t slot) {
  return slot < 28 ? "x" + std::to_string(slot + 4) : "f" + std::to_string(slot - 28);
}

std::string hex(std::uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

// What differs in the first trial that does: registers, and what was done.
std::string difference(const ScalarProgram& program, const std::string& ours, const std::string& theirs) {
  const auto word = [](const std::string& bytes, std::size_t i) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + i * 8, 8);
    return value;
  };
  for (std::size_t i = 0; i < program.trials * kRegistersOfTrial; ++i) {
    if (word(ours, i) == word(theirs, i)) continue;
    const std::size_t trial = i / kRegistersOfTrial;
    std::string text = "trial " + std::to_string(trial) + ": " + name_of(i % kRegistersOfTrial) + " is " +
                       hex(word(ours, i)) + ", of QEMU " + hex(word(theirs, i)) + "\n";
    for (const std::uint32_t one : program.bodies[trial]) text += "  .word 0x" + hex(one).substr(8) + "\n";
    for (std::size_t slot = 0; slot < kRegistersOfTrial; ++slot)
      text += "  " + name_of(slot) + " = " + hex(word(program.input, trial * kRegistersOfTrial + slot)) + "\n";
    return text;
  }
  return "";
}

TEST(ScalarUnit, ComputesWhatQemuDoes) {
  if (std::system("command -v qemu-riscv64 > /dev/null") != 0)
    GTEST_SKIP() << "no qemu-riscv64 here; scripts/setup.sh --with-peers brings it";
  const char* const asked = std::getenv("KG_SCALAR_PROGRAMS");
  const std::uint64_t programs = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 40;
  const TemporaryFolder folder("kg-scalar");
  std::set<Op> met;
  std::uint64_t instructions = 0;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const ScalarProgram program = random_program(seed, kTrials, kInputAddress);
    for (const auto& body : program.bodies)
      for (const std::uint32_t word : body) {
        const Op op = decode(word, kCodeStart).op;
        ASSERT_NE(op, Op::kIllegal) << hex(word);
        met.insert(op);
        ++instructions;
      }
    const std::string ours = by_interpreter(program), theirs = by_qemu(program, folder.path());
    ASSERT_EQ(ours.size(), theirs.size());
    ASSERT_EQ(difference(program, ours, theirs), "") << "seed " << seed;
  }
  // All but what the loader puts in, and what no instruction is.
  EXPECT_EQ(met.size(), static_cast<std::size_t>(Op::kFmvDX) + 1 - 3);
  std::printf("%llu random instructions of %zu kinds agree\n", static_cast<unsigned long long>(instructions),
              met.size());
}

}  // namespace
}  // namespace kg::npu::scalar::testing
