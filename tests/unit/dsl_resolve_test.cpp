#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dsl/check.h"
#include "dsl/interpreter.h"
#include "dsl/lower.h"
#include "dsl/parser.h"

// Lists of tensors, parameters that are written in place, optional parameters.
namespace kg::dsl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TensorShape tensor(const std::string& name, std::vector<std::int64_t> shape, bool output = false) {
  return {.dtype = proto::FLOAT32, .shape = std::move(shape), .name = name, .output = output};
}
TensorShape listed(const std::string& name, std::vector<std::int64_t> shape, bool output = false) {
  TensorShape made = tensor(name, std::move(shape), output);
  made.listed = true;
  return made;
}

std::vector<Values> run(const std::string& source, const Bindings& bindings, const std::vector<Values>& inputs) {
  return interpret(check(parse(source), bindings, {.tile = 2}), inputs);
}
Lowered lowered(const std::string& source, const Bindings& bindings) {
  LowerOptions options;
  options.bindings = bindings;
  options.entry_point = "entry";
  return lower(source, options);
}

const std::string kForeach =
    "kernel k(a: float[..]*, s: float[N]) -> b: float[..]*:\n  for i in tensors(a):\n    v = load s[i]\n    for t in "
    "cores(tiles(size(a[i]))):\n      store b[i, t] = load a[i, t] * v + len(a)\n";

Bindings lists() {
  Bindings bindings;
  bindings.tensors = {listed("x", {2, 2}), listed("x", {1}), tensor("s", {2}), listed("y", {2, 2}, true),
                      listed("y", {1}, true)};
  bindings.cores = 2;
  return bindings;
}

TEST(DslResolve, ALoopOverAListIsWrittenOut) {
  EXPECT_THAT(run(kForeach, lists(), {{1, 2, 3, 4}, {5}, {10, 20}}),
              ElementsAre(ElementsAre(12, 22, 32, 42), ElementsAre(102)));
}

int times(const std::string& text, const std::string& what) {
  int count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

// Each queue of a direction holds an event id for each of its buffers between two turns, and there are eight.
TEST(DslResolve, CopiesOfManyTensorsShareQueues) {
  Bindings bindings;
  for (const char* name : {"x", "z"})
    for (int i = 0; i < 12; ++i) bindings.tensors.push_back(listed(name, {64}));
  for (int i = 0; i < 12; ++i) bindings.tensors.push_back(listed("y", {64}, true));
  bindings.cores = 1;
  const std::string program =
      "kernel k(a: float[..]*, c: float[..]*) -> b: float[..]*:\n  for i in tensors(a):\n    for t in "
      "cores(tiles(size(a[i]))):\n      store b[i, t] = load a[i, t] + load c[i, t]\n";
  const Lowered made = lowered(program, bindings);
  ASSERT_TRUE(made.ok) << made.refusal;
  EXPECT_EQ(times(made.source, "InQueue, 2, "), 4) << made.source;
  EXPECT_EQ(times(made.source, "OutQueue, 2, "), 4) << made.source;
}

// Nine inputs a to i of one loop: `each` stands for every one of them, with its name for $1.
Lowered with_nine_loads(const std::string& before, const std::string& each, const std::string& behind) {
  Bindings bindings;
  std::string parameters, lines;
  for (int i = 0; i < 9; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    bindings.tensors.push_back(tensor(name, {64}));
    parameters += (i ? ", " : "") + name + ": float[N]";
    std::string line = each;
    for (std::size_t at; (at = line.find("$1")) != std::string::npos;) line.replace(at, 2, name);
    lines += "    " + line + "\n";
  }
  bindings.tensors.push_back(tensor("z", {64}, true));
  bindings.cores = 1;
  return lowered("kernel k(" + parameters + ") -> z: float[N]:\n  for t in cores(tiles(N)):\n    " + before + "\n" +
                     lines + "    " + behind + "\n",
                 bindings);
}

TEST(DslResolve, MoreTilesAtOnceThanEventIdsAreRefused) {
  const Lowered made = with_nine_loads("s = zeros(len(t))", "v$1 = load $1[t]",
                                       "store z[t] = s + va + vb + vc + vd + ve + vf + vg + vh + vi");
  EXPECT_FALSE(made.ok) << made.source;
  EXPECT_THAT(made.refusal, HasSubstr("more than 8 tiles are loaded at the same time"));
}

TEST(DslResolve, LoadsBeyondTheEventIdsAreBegunWhereTheyAreUsed) {
  const Lowered made = with_nine_loads("s = zeros(len(t))", "s += load $1[t]", "store z[t] = s");
  ASSERT_TRUE(made.ok) << made.refusal;
  EXPECT_EQ(times(made.source, "InQueue, 1, "), 8) << made.source;
}

TEST(DslResolve, AListReachesTheKernelAsOneParameter) {
  const Lowered made = lowered(kForeach, lists());
  ASSERT_TRUE(made.ok) << made.refusal;
  EXPECT_THAT(made.source, HasSubstr("void entry(GM_ADDR a, GM_ADDR s, GM_ADDR b) {"));
  EXPECT_THAT(made.source, HasSubstr("ListTensorDesc aList((__gm__ void*)a);"));
  EXPECT_THAT(made.source, HasSubstr("a_1Gm.SetGlobalBuffer(aList.GetDataPtr<float>(1), 1);"));
}

TEST(DslResolve, WhatIsNoListIsSaidSo) {
  EXPECT_THAT(
      lowered("kernel k(a: float[N], s: float[M]) -> b: float[N]:\n  store b[:] = load a[:]\n", lists()).refusal,
      HasSubstr("the task gives a list of tensors here; declare it as a: half[..]*"));
  EXPECT_THAT(
      lowered("kernel k(a: float[..]*, s: float[M]) -> b: float[..]*:\n  store b[0, :] = load a[2, :]\n", lists())
          .refusal,
      HasSubstr("load a[2, :]: a has 2 tensors here"));
  EXPECT_THAT(
      lowered("kernel k(a: float[..]*, s: float[M]) -> b: float[..]*:\n  for i in range(2):\n    store b[i, :] = 0\n",
              lists())
          .refusal,
      HasSubstr("the first index says which tensor of b"));
}

Bindings in_place(bool own_parameter) {
  Bindings bindings;
  bindings.tensors = {tensor("x", {4}), tensor("alpha", {1}), tensor("y", {4}, true)};
  bindings.tensors[2].in_place_of = "x";
  bindings.tensors[2].without_parameter = !own_parameter;
  bindings.cores = 2;
  return bindings;
}

const std::string kScale =
    "kernel k(x: float[N], a: float[1]) -> x:\n  s = load a[0]\n  for t in cores(tiles(N)):\n    store x[t] = load "
    "x[t] * s\n";

TEST(DslResolve, AnInputIsWrittenInPlace) {
  EXPECT_THAT(run(kScale, in_place(false), {{1, 2, 3, 4}, {3}}), ElementsAre(ElementsAre(3, 6, 9, 12)));
  EXPECT_THAT(lowered(kScale, in_place(false)).source, HasSubstr("void entry(GM_ADDR x, GM_ADDR a) {"));
  EXPECT_THAT(lowered(kScale, in_place(true)).source, HasSubstr("void entry(GM_ADDR x, GM_ADDR a, GM_ADDR unused2) {"));
}

TEST(DslResolve, WhereAnOutputLiesIsTheTasks) {
  const std::string apart = "kernel k(x: float[N], a: float[1]) -> y: float[N]:\n  store y[:] = load x[:]\n";
  EXPECT_THAT(lowered(apart, in_place(false)).refusal,
              HasSubstr("the task's output y shares the memory of its input x; write that in place, as in -> x"));
  Bindings plain;
  plain.tensors = {tensor("x", {4}), tensor("alpha", {1}), tensor("y", {4}, true)};
  EXPECT_THAT(lowered(kScale, plain).refusal,
              HasSubstr("the task's output y does not share the memory of its input x"));
}

TEST(DslResolve, AnOptionalParameterKeepsItsPlace) {
  const std::string program =
      "kernel k(x: float[N], b: float[N]?) -> z: float[N]:\n  for t in cores(tiles(N)):\n    a = load x[t]\n    if "
      "given(b) and N "
      "> 1:\n      a = a + load b[t]\n    else:\n      a = a * 2\n    store z[t] = where(given(b), a, a + 1)\n";
  Bindings bindings;
  bindings.tensors = {tensor("x", {2}), tensor("bias", {2}), tensor("y", {2}, true)};
  EXPECT_THAT(run(program, bindings, {{1, 2}, {5, 6}}), ElementsAre(ElementsAre(6, 8)));
  bindings.tensors[1].absent = true;
  bindings.tensors[1].shape = {};
  EXPECT_THAT(run(program, bindings, {{1, 2}}), ElementsAre(ElementsAre(3, 5)));
  EXPECT_THAT(lowered(program, bindings).source, HasSubstr("void entry(GM_ADDR x, GM_ADDR unused1, GM_ADDR z) {"));
  EXPECT_THAT(
      lowered("kernel k(x: float[N], b: float[N]?) -> z: float[N]:\n  store z[:] = load x[:] + load b[:]\n", bindings)
          .refusal,
      HasSubstr("line 2: load b[:]: the task does not give b; put this into 'if given(b):'"));
  EXPECT_THAT(
      lowered("kernel k(x: float[N], b: float[N]) -> z: float[N]:\n  store z[:] = load x[:] + load b[:]\n", bindings)
          .refusal,
      HasSubstr("the task does not give b; declare it with '?'"));
}

}  // namespace
}  // namespace kg::dsl
