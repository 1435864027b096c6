// Mutated object files against the loader, the interpreter and the calls of the runtime: whatever the bytes are,
// nothing may crash, break an invariant, or write outside the machine (with the preset asan, sanitizers watch that).
// Each batch runs in a child, so that a mutant that kills its process is named by its seed and the rest goes on.
//   KG_OBJECT_MUTANTS=1000000 KG_OBJECT_FIRST_SEED=1 build/asan/bin/object_mutants_test

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/random.h"
#include "npu/launch/device.h"
#include "npu/scalar/elf_object.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/fuzz/in_children.h"
#include "tests/integration/ascendc_kernel_files.h"

namespace kg::npu::testing {
namespace {

// One compiled source, with the bodies that its first input chooses from.
struct Original {
  std::string bytes;
  std::vector<proto::RunCase> cases;
  struct Part {
    std::uint64_t begin, size;
  };
  std::vector<Part> code, data, rest;  // sections that are executed, loaded or read; and everything else
};

Original original_of(const std::vector<Body>& bodies) {
  const Compiled compiled = compile_kernel(bodies_source(bodies), "k");
  if (!compiled.ok) throw Error("a kernel does not compile: " + compiled.messages, "object_mutants", "mend it");
  Original made;
  made.bytes = read_file(compiled.object);
  for (std::size_t i = 0; i < bodies.size(); ++i) made.cases.push_back(case_of(i, bodies[i].cores, 0));
  const scalar::ElfObject object(made.bytes);
  for (const Elf64_Shdr& section : object.sections()) {
    if (section.sh_type == SHT_NOBITS || section.sh_size == 0) continue;
    auto& list = (section.sh_flags & SHF_EXECINSTR) != 0 ? made.code
                 : (section.sh_flags & SHF_ALLOC) != 0   ? made.data
                                                         : made.rest;
    list.push_back({section.sh_offset, section.sh_size});
  }
  made.rest.push_back({0, sizeof(Elf64_Ehdr)});
  return made;
}

std::uint64_t place_in(const std::vector<Original::Part>& parts, Philox& random) {
  std::uint64_t total = 0;
  for (const auto& part : parts) total += part.size;
  std::uint64_t at = random.next_below(total);
  for (const auto& part : parts) {
    if (at < part.size) return part.begin + at;
    at -= part.size;
  }
  return 0;
}

// A number that calls trip over more often than over a random one.
std::uint64_t odd_number(Philox& random) {
  static constexpr std::uint64_t kOdd[] = {
      0, 1, 31, 32, 255, 256, 4095, 65535, 1ull << 31, (1ull << 31) - 1, ~0ull, 1ull << 63};
  return random.next_below(3) == 0 ? random.next_below(~0ull) : kOdd[random.next_below(std::size(kOdd))];
}

void mutate(std::string& bytes, const Original& from, Philox& random) {
  const auto write = [&](std::uint64_t at, std::uint64_t value, std::uint64_t size) {
    if (at + size <= bytes.size()) std::memcpy(bytes.data() + at, &value, size);
  };
  const auto word_of = [&](std::uint64_t at) {
    std::uint32_t word = 0;
    if (at + 4 <= bytes.size()) std::memcpy(&word, bytes.data() + at, 4);
    return word;
  };
  for (std::uint64_t n = 1 + random.next_below(4); n > 0; --n) {
    const std::uint64_t kind = random.next_below(12);
    if (kind < 6 && !from.code.empty()) {  // an instruction: a register, an immediate, another one's place, any bits
      const std::uint64_t at = place_in(from.code, random) / 4 * 4;
      const std::uint32_t word = word_of(at);
      if (kind < 2)
        write(at, word ^ 1u << random.next_below(32), 4);
      else if (kind < 4)
        write(at, (word & 0xFFFFF) | static_cast<std::uint32_t>(odd_number(random)) << 20, 4);
      else if (kind == 4)
        write(at, word_of(place_in(from.code, random) / 4 * 4), 4);
      else
        write(at, random.next_below(1ull << 32), 4);
    } else if (kind < 8 && !from.data.empty()) {
      write(place_in(from.data, random), odd_number(random), 1ull << random.next_below(4));
    } else {  // symbols, relocations, section headers, line tables, names
      const std::uint64_t at = kind == 8 ? random.next_below(bytes.size()) : place_in(from.rest, random);
      if (random.next_below(2) == 0)
        write(at / 8 * 8, odd_number(random), 8);
      else
        write(at, random.next_below(256), 1);
    }
  }
  if (random.next_below(64) == 0) bytes.resize(random.next_below(bytes.size()));
}

void try_mutant(const std::vector<Original>& originals, std::uint64_t seed) {
  Philox random(seed, /*stream=*/0);
  const Original& from = originals[random.next_below(originals.size())];
  std::string bytes = from.bytes;
  mutate(bytes, from, random);
  const kg::testing::FuzzFile file(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  Launch request;
  request.object = file.path();
  request.entry_point = "k";
  request.block_dim = 1 + static_cast<std::uint32_t>(random.next_below(2));
  request.jump_limit = 20'000;
  request.cycle_limit = 10'000'000;
  const proto::RunCase& run_case = from.cases[random.next_below(from.cases.size())];
  try {
    launch(request, run_case);
  } catch (const Error&) {  // refused by the loader
  }
}

std::vector<Original> all_originals() {
  std::vector<Original> originals;
  for (const char* file : {"right/vector", "right/library", "right/cube"}) {
    const std::vector<Body>& bodies = kernels_of(file);
    for (std::size_t i = 0; i < bodies.size(); i += 6)
      originals.push_back(original_of({bodies.begin() + static_cast<std::ptrdiff_t>(i),
                                       bodies.begin() + static_cast<std::ptrdiff_t>(std::min(i + 6, bodies.size()))}));
  }
  return originals;
}

TEST(ObjectMutants, EndWithAVerdictOrARefusal) {
  const std::vector<Original> originals = all_originals();
  EXPECT_EQ(try_in_children(number_from("KG_OBJECT_FIRST_SEED", 1), number_from("KG_OBJECT_MUTANTS", 2000),
                            [&](std::uint64_t seed) { try_mutant(originals, seed); }),
            0u);
}

}  // namespace
}  // namespace kg::npu::testing
