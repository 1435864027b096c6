#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tests/integration/dsl_fixture.h"

// Products of matrices on the cube cores: every type and order of the operands, sizes that nothing divides, epilogues.
namespace kg::dsl::testing {
namespace {

struct Shape {
  std::int64_t m, n, k;
};

struct Variant {
  proto::DType in = proto::FLOAT16, out = proto::FLOAT32;
  Shape shape{48, 64, 96};
  bool turned_a = false, turned_b = false, bias = false, relu = false;
  std::string sizes[3];  // of the tiles of m, n and k; empty: the compiler's choice
  int cores = 24;
};

std::string tiles(const std::string& extent, const std::string& size) {
  return "tiles(" + extent + (size.empty() ? ")" : ", " + size + ")");
}

std::string program_of(const Variant& v) {
  const std::string type = dsl::dtype_name(v.in), a = v.turned_a ? "K, M" : "M, K", b = v.turned_b ? "N, K" : "K, N";
  return "kernel gemm_of(a: " + type + "[" + a + "], b: " + type + "[" + b + "]" + (v.bias ? ", g: float[N]" : "") +
         ") -> z: " + dsl::dtype_name(v.out) + "[M, N]:\n  for m, n in cores(" + tiles("M", v.sizes[0]) + ", " +
         tiles("N", v.sizes[1]) + "):\n    l0c c: float[m, n] = " + (v.bias ? "load g[n]" : "0") + "\n    for k in " +
         tiles("K", v.sizes[2]) + ":\n      l1 p = load a[" + (v.turned_a ? "k, m" : "m, k") +
         "]\n      l1 q = load b[" + (v.turned_b ? "n, k" : "k, n") + "]\n      c += gemm(" +
         (v.turned_a ? "transpose(p)" : "p") + ", " + (v.turned_b ? "transpose(q)" : "q") +
         ")\n    store z[m, n] = " + (v.relu ? "relu(c)" : "c") + "\n";
}

std::string text_of(const Variant& v) {
  const std::string letters = std::string(v.turned_a ? "T" : "N") + (v.turned_b ? "T" : "N") + (v.bias ? " bias" : "") +
                              (v.relu ? " relu" : "");
  return dsl::dtype_name(v.in) + " " + letters + " " + std::to_string(v.shape.m) + " x " + std::to_string(v.shape.n) +
         " x " + std::to_string(v.shape.k) + " in tiles " + v.sizes[0] + ", " + v.sizes[1] + ", " + v.sizes[2];
}

In input(proto::DType dtype, std::vector<std::int64_t> shape, std::uint64_t seed) {
  In in{dtype, shape, numbers(elements_of(shape), -1, 1, seed)};
  for (double& value : in.values) value = rounded_to(dtype, value);
  return in;
}

std::vector<In> inputs_of(const Variant& v) {
  const auto& [m, n, k] = v.shape;
  std::vector<In> in = {input(v.in, v.turned_a ? std::vector<std::int64_t>{k, m} : std::vector<std::int64_t>{m, k}, 1),
                        input(v.in, v.turned_b ? std::vector<std::int64_t>{n, k} : std::vector<std::int64_t>{k, n}, 2)};
  if (v.bias) in.push_back(input(proto::FLOAT32, {n}, 3));
  return in;
}

// By the definition.
Values product_of(const Variant& v, const std::vector<In>& in) {
  const auto& [m, n, k] = v.shape;
  const auto at = [](const In& from, std::int64_t i) { return from.values[static_cast<std::size_t>(i)]; };
  Values values;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = v.bias ? at(in[2], j) : 0;
      for (std::int64_t x = 0; x < k; ++x)
        sum += at(in[0], v.turned_a ? x * m + i : i * k + x) * at(in[1], v.turned_b ? j * k + x : x * n + j);
      values.push_back(v.relu ? std::max(sum, 0.0) : sum);
    }
  return values;
}

// Faults of any severity.
std::string faults_of(const proto::ExecutionResult& result) {
  std::string text = errors_of(result);
  for (const proto::CaseResult& one : result.cases())
    for (const proto::Fault& fault : one.faults()) text += fault.fault_class() + ": " + fault.message() + "\n";
  return text;
}

double tolerance(proto::DType out) { return out == proto::FLOAT32 ? 1e-5 : out == proto::FLOAT16 ? 1e-3 : 1e-2; }

void expect_right(const Variant& v) {
  SCOPED_TRACE(text_of(v));
  const std::vector<In> in = inputs_of(v);
  const std::vector<Out> out = {{v.out, {v.shape.m, v.shape.n}}};
  const auto result = shared_sandbox().execute(request_for(program_of(v), in, out, v.cores));
  ASSERT_EQ(faults_of(result), "") << result.compiler_output() << lowered_text(program_of(v), in, out, v.cores);
  const Values found = values_of(result.cases(0).outputs(0));
  EXPECT_EQ(difference(found, product_of(v, in), tolerance(v.out), tolerance(v.out)), "");
  const Checked checked = check(parse(program_of(v)), bindings_for(in, out, v.cores), {});
  std::vector<Values> values;
  for (const In& each : in) values.push_back(each.values);
  EXPECT_EQ(difference(interpret(checked, values).at(0), found, tolerance(v.out), tolerance(v.out)), "");
}

TEST(DslGemm, EveryTypeAndOrderOfTheOperandsIsRight) {
  for (const proto::DType in : {proto::FLOAT16, proto::BFLOAT16, proto::FLOAT32})
    for (const bool turned_a : {false, true})
      for (const bool turned_b : {false, true})
        expect_right({.in = in, .turned_a = turned_a, .turned_b = turned_b, .sizes = {"32", "32", "64"}});
}

TEST(DslGemm, SizesThatNothingDividesAreRight) {
  for (const proto::DType in : {proto::FLOAT16, proto::FLOAT32})
    for (const bool turned : {false, true})
      for (const Shape shape : {Shape{37, 53, 71}, Shape{1, 17, 9}, Shape{130, 1, 33}, Shape{16, 260, 20}})
        expect_right({.in = in, .shape = shape, .turned_a = turned, .turned_b = !turned, .sizes = {"24", "40", "28"}});
}

TEST(DslGemm, RowsFurtherApartThanAnInstructionCanSayAreRight) {
  for (const proto::DType in : {proto::FLOAT16, proto::FLOAT32}) {
    expect_right({.in = in, .shape = {5, 65'600, 37}, .sizes = {"", "500", "24"}});
    expect_right({.in = in, .shape = {65'600, 5, 37}, .turned_a = true, .sizes = {"500", "", "24"}});
  }
}

TEST(DslGemm, BiasAndReluAreOfTheCubeCores) {
  for (const Shape shape : {Shape{64, 128, 64}, Shape{33, 75, 50}})
    for (const proto::DType out : {proto::FLOAT32, proto::FLOAT16, proto::BFLOAT16})
      expect_right({.in = out == proto::FLOAT32 ? proto::FLOAT16 : out,
                    .out = out,
                    .shape = shape,
                    .bias = true,
                    .relu = true,
                    .sizes = {"32", "64", "48"}});
}

TEST(DslGemm, TheCompilerChoosesTilesThatAreRight) {
  for (const Shape shape : {Shape{512, 384, 256}, Shape{100, 1000, 300}, Shape{7, 2000, 64}, Shape{2000, 24, 40}})
    for (const proto::DType in : {proto::FLOAT16, proto::FLOAT32}) expect_right({.in = in, .shape = shape});
}

TEST(DslGemm, MoreCubeCoresThanTheChipHasAreNotLaunched) {
  expect_right({.shape = {512, 512, 64}, .sizes = {"32", "64", "64"}, .cores = 48});
}

constexpr const char* kEpilogue =
    "kernel linear_gelu(a: half[M, K], b: half[N, K], g: float[N]) -> z: half[M, N]:\n"
    "  scratch s: float[M, N]\n"
    "  for m, n in cores(tiles(M), tiles(N)):\n"
    "    l0c c: float[m, n] = 0\n"
    "    for k in tiles(K):\n"
    "      l1 p = load a[m, k]\n"
    "      l1 q = load b[n, k]\n"
    "      c += gemm(p, transpose(q))\n"
    "    store s[m, n] = c\n"
    "  barrier\n"
    "  w = load g[:]\n"
    "  for r in cores(M):\n"
    "    store z[r, :] = gelu(load s[r, :] + w)\n";

TEST(DslGemm, TheVectorCoresTakeOverBehindABarrier) {
  const Variant v{.shape = {96, 200, 130}, .turned_b = true, .bias = true};
  const std::vector<In> in = inputs_of(v);
  const std::vector<Out> out = {{proto::FLOAT16, {96, 200}}};
  const auto result = shared_sandbox().execute(request_for(kEpilogue, in, out, 24));
  ASSERT_EQ(faults_of(result), "") << result.compiler_output() << lowered_text(kEpilogue, in, out, 24);
  Values wanted = product_of(v, in);
  for (double& x : wanted) x /= 1 + std::exp(-1.5957691216 * (x + 0.044715 * x * x * x));
  EXPECT_EQ(difference(values_of(result.cases(0).outputs(0)), wanted, 1e-3, 1e-3), "");
  const Lowered compact = lowered_of(kEpilogue, in, out, 24, /*compact=*/true);
  const auto again = shared_sandbox().execute(compact_request(compact, in, out, 24));
  ASSERT_EQ(faults_of(again), "") << again.compiler_output() << compact.source;
  EXPECT_EQ(difference(values_of(again.cases(0).outputs(0)), wanted, 1e-3, 1e-3), "");
}

// Each product has tiles of its own in L1 and L0C, more than there are event ids; `kg` is a name as any other.
TEST(DslGemm, ManyProductsBehindOneAnotherShareQueues) {
  constexpr int kProducts = 7;
  constexpr std::int64_t kSide = 40;
  std::string head = "kernel chain(x: float[M, M], w: float[M, M]) -> z: float[M, M]:\n", body, from = "x";
  for (int i = 0; i < kProducts; ++i) {
    const std::string n = std::to_string(i), to = i + 1 == kProducts ? "z" : "s" + n;
    if (to != "z") head += "  scratch " + to + ": float[M, M]\n";
    body += (i > 0 ? "  barrier\n  for m" : "  for m") + n + ", n" + n + " in cores(tiles(M), tiles(M)):\n    l0c c" +
            n + ": float[m" + n + ", n" + n + "] = 0\n    for kg in tiles(M):\n      l1 p" + n + " = load " + from +
            "[m" + n + ", kg]\n      l1 q" + n + " = load w[kg, n" + n + "]\n      c" + n + " += gemm(p" + n + ", q" +
            n + ")\n    store " + to + "[m" + n + ", n" + n + "] = c" + n + "\n";
    from = to;
  }
  const std::vector<In> in = {input(proto::FLOAT32, {kSide, kSide}, 1), input(proto::FLOAT32, {kSide, kSide}, 2)};
  const std::vector<Out> out = {{proto::FLOAT32, {kSide, kSide}}};
  const auto result = shared_sandbox().execute(request_for(head + body, in, out, 24));
  ASSERT_EQ(faults_of(result), "") << result.compiler_output() << lowered_text(head + body, in, out, 24);
  Values wanted = in[0].values;
  for (int i = 0; i < kProducts; ++i)
    wanted = product_of({.shape = {kSide, kSide, kSide}}, {{proto::FLOAT32, {kSide, kSide}, wanted}, in[1]});
  const double scale = std::abs(*std::max_element(wanted.begin(), wanted.end()));
  EXPECT_EQ(difference(values_of(result.cases(0).outputs(0)), wanted, 1e-4, 1e-5 * scale), "");
}

TEST(DslGemm, ProjectsOfBothKindsOfCoreRun) {
  const Variant v{.shape = {40, 72, 50}, .turned_b = true, .bias = true};
  const std::vector<In> in = inputs_of(v);
  LowerOptions options;
  options.bindings = bindings_for(in, {{proto::FLOAT16, {40, 72}}}, 24);
  options.want_project = true;
  const Lowered lowered = lower(kEpilogue, options);
  ASSERT_TRUE(lowered.ok) << lowered.refusal;
  proto::ExecutionRequest request = request_for("", in, {{proto::FLOAT16, {40, 72}}}, 1, proto::ASCENDC);
  const char* names[] = {"a", "b", "g"};
  for (int i = 0; i < 3; ++i) request.mutable_cases(0)->mutable_inputs(i)->set_name(names[i]);
  request.mutable_cases(0)->mutable_outputs(0)->set_name("z");
  for (const ProjectPart& part : lowered.project) {
    proto::ProjectFile& file = *request.add_project();
    file.set_path(part.path);
    file.set_content(part.text);
  }
  const auto result = shared_sandbox().execute(request);
  ASSERT_EQ(faults_of(result), "") << result.compiler_output() << lowered.project[1].text << lowered.project[2].text;
  EXPECT_EQ(result.cases(0).host().block_dim(), 24u);
  Values wanted = product_of(v, in);
  for (double& x : wanted) x /= 1 + std::exp(-1.5957691216 * (x + 0.044715 * x * x * x));
  EXPECT_EQ(difference(values_of(result.cases(0).outputs(0)), wanted, 1e-3, 1e-3), "");
}

// 1024^3 of half on 24 cores: copies to L1 and lines of L2 take more than the cube, which would need 10,923 cycles. In
// slices of 64 along K, rows of 128 bytes that make lines of L2 busy with four times as much, it would take 34,800.
TEST(DslGemm, ALargeProductCopiesInLongRows) {
  const Variant v{.out = proto::FLOAT16, .shape = {1024, 1024, 1024}};
  const std::vector<In> in = inputs_of(v);
  const auto result = shared_sandbox().execute(request_for(program_of(v), in, {{proto::FLOAT16, {1024, 1024}}}, 24));
  ASSERT_EQ(errors_of(result), "") << result.compiler_output();
  EXPECT_EQ(difference(values_of(result.cases(0).outputs(0)), product_of(v, in), 2e-2, 1e-3), "");
  const double cycles = static_cast<double>(result.cases(0).cycles()) - 9250;
  std::printf("1024^3 of half: %.0f cycles without the launch\n", cycles);
  EXPECT_LT(cycles, 30000);
}

}  // namespace
}  // namespace kg::dsl::testing
