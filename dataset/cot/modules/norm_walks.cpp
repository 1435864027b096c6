#include "dataset/cot/modules/rows.h"
#include "dataset/cot/modules/walks.h"

namespace kg::dataset::cot::modules {
namespace {

// A step along the rows.
int along(Maker& make, const Rows& of, const Word& word, int value) {
  const int made = make.step(word, {value});
  make.node_of(made).axes = of.axes;
  make.node_of(made).rank = of.rank();
  make.known(made) = {.positive = true, .number = true};
  return made;
}

constexpr Word kMean = {"mean",     1,
                        "",         0,
                        "mean($x)", "mean over C",
                        "",         "torch.mean(@x, dim=$d, keepdim=True) ~ $x.mean(dim=$d, keepdim=True)"};
constexpr Word kMeanSquare = {"mean_square",
                              1,
                              "",
                              0,
                              "mean($x * $x)",
                              "mean square over C",
                              "mean(x ** 2)",
                              "$x.pow(2).mean(dim=$d, keepdim=True) ~ torch.mean($x * $x, dim=$d, keepdim=True) ~ "
                              "torch.mean($x ** 2, dim=$d, keepdim=True)"};
constexpr Word kSumSquare = {"sum_square",
                             1,
                             "",
                             0,
                             "sum($x * $x)",
                             "sum of squares over C",
                             "sum(x ** 2)",
                             "$x.pow(2).sum(dim=$d, keepdim=True) ~ torch.sum($x * $x, dim=$d, keepdim=True)"};
constexpr Word kMeanAbs = {"mean_abs",
                           1,
                           "",
                           0,
                           "mean(abs($x))",
                           "mean of abs over C",
                           "",
                           "$x.abs().mean(dim=$d, keepdim=True) ~ torch.mean(torch.abs(@x), dim=$d, keepdim=True)"};
constexpr Word kCentre = {"sub_number", 2, "", 0, "$x - $y", "sub $y", "", "$x - $y ~ torch.sub(@x, @y)"};
constexpr Word kRoots[] = {{"rstd", 1, "e", 0, "rsqrt($x + $a)", "add $a; rsqrt", "1 / sqrt(x + a)",
                            "torch.rsqrt($x + $a) ~ 1 / torch.sqrt($x + $a) ~ ($x + $a).rsqrt()"},
                           {"rstd_out", 1, "e", 0, "1 / (sqrt($x) + $a)", "sqrt; add $a; reciprocal", "",
                            "1 / (torch.sqrt(@x) + $a) ~ torch.reciprocal($x.sqrt() + $a)"}};
constexpr Word kInverse = {
    "inverse", 1, "e", 0, "1 / ($x + $a)", "add $a; reciprocal", "", "1 / ($x + $a) ~ torch.reciprocal($x + $a)"};
constexpr Word kScale = {"mul_number", 2, "", 0, "$x * $y", "mul $y", "", "$x * $y ~ torch.mul(@x, @y) ~ $y * $x"};
constexpr Word kJoins[] = {{"add", 2, "", 0, "$x + $y", "add $y", "", "$x + $y ~ torch.add(@x, @y) ~ $y + $x"},
                           {"sub", 2, "", 0, "$x - $y", "sub $y", "", "$x - $y ~ torch.sub(@x, @y)"},
                           {"scaled_sum", 2, "u", 0, "$x * $a + $y", "mul $a; add $y", "a * x + y ~ x * a + y",
                            "$x * $a + $y ~ $a * $x + $y ~ torch.add(@y, @x, alpha=$a)"},
                           {"scaled_add", 2, "u", 0, "$x + $a * $y", "add $a times $y", "x + a * y",
                            "$x + $a * $y ~ torch.add(@x, @y, alpha=$a)"}};

}  // namespace

// A norm of rows, perhaps of a sum, with weights, and some of its statistics as results of their own.
Graph norm_graph(Draw& draw) {
  Maker make(draw, "rows_norm", "outputs");
  make.graph.dtype = draw.chance(0.35) ? "half" : "float";
  const Rows of = rows(make, false);
  make.graph.stratum = "outputs";
  std::vector<int> tensors = {make.input("x", of.shape, of.program, of.at)}, vectors;
  const bool joined = draw.chance(0.5), third = joined && draw.chance(0.2), scaled = draw.chance(0.75);
  if (joined) tensors.push_back(make.input("y", of.shape, of.program, of.at));
  if (third) tensors.push_back(make.input("w", of.shape, of.program, of.at));
  const bool shifted = scaled && draw.chance(0.5);
  if (scaled) vectors.push_back(make.input("weight", {"C"}, "C", ":"));
  if (shifted) vectors.push_back(make.input("bias", {"C"}, "C", ":"));
  int sum = 0;
  if (joined) sum = make.step(kJoins[draw.chance(0.5) ? 0 : draw.below(std::size(kJoins))], {0, 1});
  if (third) sum = make.step(kJoins[0], {sum, 2});
  std::vector<std::pair<int, const char*>> extra;  // results that may be put out
  if (joined) extra.emplace_back(sum, "x");
  int centred = sum;
  if (draw.chance(0.45)) {
    const int mean = along(make, of, kMean, sum);
    extra.emplace_back(mean, "mean");
    centred = make.step(kCentre, {sum, mean});
    if (draw.chance(0.15)) extra.emplace_back(centred, "centred");
  }
  const double kind = draw.uniform(0, 1);
  const Word& size = kind < 0.75 ? kMeanSquare : kind < 0.87 ? kSumSquare : kMeanAbs;
  const int spread = along(make, of, size, centred);
  if (draw.chance(0.2)) extra.emplace_back(spread, "variance");
  const Word& root = kind >= 0.87 ? kInverse : kRoots[draw.chance(0.8) ? 0 : 1];
  const int inverse = make.step(root, {spread});
  make.known(inverse) = {.positive = true, .number = true};
  extra.emplace_back(inverse, "rstd");
  int value = make.step(kScale, {centred, inverse});
  for (std::size_t i = 0; i < vectors.size(); ++i) value = make.step(i == 0 ? kScale : kJoins[0], {value, vectors[i]});
  if (draw.chance(0.15)) value = make.chain(value, 1);
  struct Result {
    int value;
    const char* role;
    bool number;
  };
  std::vector<Result> results = {{value, "y_norm", false}};
  for (const auto& [one, role] : extra)
    if (draw.chance(0.5))
      results.insert(
          results.begin() + static_cast<std::ptrdiff_t>(draw.below(results.size()) + (draw.chance(0.8) ? 1 : 0)),
          {one, role, make.known(one).number});
  const RowPlace whole = place_of_rows(of), single = place_of_numbers(of, /*keep=*/true);
  for (const Result& one : results) {
    make.output(one.value, (one.number ? single : whole).shape, (one.number ? single : whole).program);
    make.graph.out_roles.emplace_back(one.role);
    make.graph.out_dtypes.emplace_back(one.number && draw.chance(0.8) ? "float" : "");
  }
  make.loads(1, vectors);
  make.line(1, of.loop);
  make.loads(2, tensors);
  make.bind_range(static_cast<int>(make.graph.inputs.size()), make.graph.value_count(), 2);
  for (std::size_t i = 0; i < results.size(); ++i)
    make.store(static_cast<int>(i), (results[i].number ? single : whole).at, results[i].value, 2);
  return make.graph;
}

}  // namespace kg::dataset::cot::modules
