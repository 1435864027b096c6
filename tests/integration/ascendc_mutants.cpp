#include "ascendc_mutants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "ascendc_kernel_files.h"
#include "sandbox/checks/compilation.h"

namespace kg::npu::testing {
namespace {

struct Mutant {
  std::size_t parent;
  Mutation mutation;
};

constexpr Trial kTrials[] = {{.seed = 0, .inputs = 0, .garbage = 0xFF},
                             {.seed = 1, .inputs = 1, .garbage = 0x3C},
                             {.seed = 2, .inputs = 2, .garbage = 0xFF},
                             {.seed = 3, .inputs = 3, .garbage = 0x3C}};

// The same bits, but for the last few of a float: another order of the same operations is no mistake.
bool same(const proto::Tensor& a, const proto::Tensor& b) {
  if (a.data() == b.data()) return true;
  const std::vector<double> x = values_of(a), y = values_of(b);
  constexpr double kLastBits = 1e-6;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!(std::isnan(x[i]) && std::isnan(y[i])) && !(x[i] == y[i]) &&
        !(std::fabs(x[i] - y[i]) <= kLastBits * std::max(std::fabs(x[i]), std::fabs(y[i]))))
      return false;
  return true;
}

std::set<std::string> texts_of_warnings(const proto::CaseResult& result) {
  std::set<std::string> found;
  for (const proto::Fault& fault : result.faults())
    if (fault.severity() == proto::WARNING) found.insert(std::to_string(fault.line()) + " " + fault.message());
  return found;
}

// Which of the mutants the compiler refuses. The name of a mutant's file tells which it is, in an error or in the note
// that says where a header's error comes from.
std::set<std::size_t> refused(const std::vector<Body>& bodies) {
  const std::string source = bodies_source(bodies);
  const bool both = sandbox::has_cube_half(source);
  std::string messages = check_kernel(source, sandbox::prologue(sandbox::CoreType::kVector, both));
  if (both) messages += check_kernel(source, sandbox::prologue(sandbox::CoreType::kCube, both));
  std::set<std::size_t> found;
  for (std::size_t at = 0; (at = messages.find("mutant", at)) != std::string::npos; at += 6)
    if (const std::size_t which = std::strtoul(messages.c_str() + at + 6, nullptr, 10); which < bodies.size())
      found.insert(which);
  return found;
}

class Judge {
 public:
  Judge(const std::vector<Body>& parents, Tally& tally) : parents_(parents), tally_(tally) {}

  void judge(const std::vector<Mutant>& mutants) {
    std::vector<Body> bodies;
    for (const Mutant& mutant : mutants) {
      Body body = parents_[mutant.parent];
      body.text = "#line 1 \"mutant" + std::to_string(bodies.size()) + "\"\n" + mutant.mutation.text;
      bodies.push_back(body);
    }
    const std::set<std::size_t> not_compiled = refused(bodies);
    tally_.compiler += static_cast<int>(not_compiled.size());
    for (const std::size_t i : not_compiled) bodies[i].text = "";
    const Compiled compiled = compile_kernel(bodies_source(bodies), "k");
    ASSERT_TRUE(compiled.ok) << compiled.messages;
    for (std::size_t i = 0; i < bodies.size(); ++i)
      if (not_compiled.count(i) == 0) judge(mutants[i], bodies, i);
  }

 private:
  const proto::CaseResult& golden(std::size_t parent, std::size_t trial) {
    proto::CaseResult& result = golden_[{parent, trial}];
    if (!result.ran()) result = run_body(parents_, parent, kTrials[trial]);
    return result;
  }

  void judge(const Mutant& mutant, const std::vector<Body>& bodies, std::size_t which) {
    bool warned = false;
    for (std::size_t trial = 0; trial < std::size(kTrials); ++trial) {
      const auto result = run_body(bodies, which, kTrials[trial]);
      if (!result.ran() || !errors_of(result).empty()) return void(++tally_.fault);
      const proto::CaseResult& right = golden(mutant.parent, trial);
      if (!same(right.outputs(0), result.outputs(0))) return void(++tally_.numbers);
      const std::set<std::string> before = texts_of_warnings(right), now = texts_of_warnings(result);
      warned = warned || !std::includes(before.begin(), before.end(), now.begin(), now.end());
    }
    const Body& parent = parents_[mutant.parent];
    if (warned)
      ++tally_.warning;
    else if (mutant.mutation.does == Mutation::Does::kLess)
      ++tally_.less;
    else if (mutant.mutation.does == Mutation::Does::kMore)
      ++tally_.more;
    else if (why_equivalent(parent, mutant.mutation) != nullptr)
      ++tally_.argued;
    else
      tally_.survivors.push_back(std::string(parent.name) + ", line " + std::to_string(mutant.mutation.line) + ", " +
                                 mutant.mutation.what);
  }

  const std::vector<Body>& parents_;
  Tally& tally_;
  std::map<std::pair<std::size_t, std::size_t>, proto::CaseResult> golden_;
};

}  // namespace

void judge_mutants(const std::vector<Body>& parents, std::size_t step, Tally& tally) {
  std::vector<Mutant> chosen;
  const char* only = std::getenv("KG_MUTANTS_OF");  // the beginning of the parents' names, to look at some
  for (std::size_t parent = 0; parent < parents.size(); ++parent)
    for (Mutation& mutation : mutations_of(parents[parent].text))
      if ((only == nullptr || std::string(parents[parent].name).rfind(only, 0) == 0) && tally.made++ % step == 0)
        chosen.push_back({parent, std::move(mutation)});
  tally.judged += chosen.size();
  Judge judge(parents, tally);
  constexpr std::size_t kAtOnce = 100;
  for (std::size_t first = 0; first < chosen.size(); first += kAtOnce) {
    const auto begin = chosen.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = chosen.begin() + static_cast<std::ptrdiff_t>(std::min(first + kAtOnce, chosen.size()));
    judge.judge({begin, end});
    if (::testing::Test::HasFatalFailure()) return;
  }
}

Tally judge_mutants_of_all(std::size_t about) {
  const auto lists = right_kernels();
  std::size_t all = 0;
  for (const auto* list : lists)
    for (const Body& body : *list) all += mutations_of(body.text).size();
  const std::size_t step = about == 0 ? 1 : std::max<std::size_t>(all / about, 1);
  Tally tally;
  for (const auto* list : lists) judge_mutants(*list, step, tally);
  std::printf(
      "%zu mutants of %zu: told apart %d (%d refused by the compiler, %d by a fault, %d by numbers), equivalent %d (%d "
      "are warned of what they leave behind, %d do less and %d more in vain, %d argued), survivors %d\n",
      tally.judged, tally.made, tally.told(), tally.compiler, tally.fault, tally.numbers,
      tally.warning + tally.less + tally.more + tally.argued, tally.warning, tally.less, tally.more, tally.argued,
      tally.missed());
  for (const std::string& survivor : tally.survivors) std::printf("  survivor: %s\n", survivor.c_str());
  return tally;
}

}  // namespace kg::npu::testing
