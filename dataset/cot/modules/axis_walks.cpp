#include "dataset/cot/modules/axis_shape.h"
#include "dataset/cot/modules/maker.h"
#include "dataset/cot/modules/walks.h"

namespace kg::dataset::cot::modules {

AxisShape axis_shape(Maker& make) {
  Draw& draw = make.draw;
  const int rank = draw.chance(0.25) ? 2 : draw.chance(0.7) ? 3 : 4;
  AxisShape made;
  const auto lead = [&](const char* letter) {
    make.extent(letter, make.size({4, 8, 16, 32, 64, 128, 256}, 2, 200), 2 + static_cast<std::int64_t>(draw.below(4)));
    made.shape.emplace_back(letter);
  };
  made.axis = rank == 2 ? 0 : rank == 3 ? (draw.chance(0.75) ? 1 : 0) : static_cast<int>(draw.below(3));
  static const char* leads[] = {"B", "F", "G"};
  for (int i = 0; i < made.axis; ++i) lead(leads[i]);
  make.extent("D", make.size({16, 32, 64, 128, 256, 512, 1024, 4096}, 3, 600),
              3 + static_cast<std::int64_t>(draw.below(9)));
  made.shape.emplace_back("D");
  const int behind = rank - made.axis - 1;
  static const char* tails[][2] = {{"E", ""}, {"H", "W"}};
  for (int i = 0; i < std::min(behind, 2); ++i) {
    const char* letter = behind == 1 ? tails[0][0] : tails[1][i];
    make.extent(
        letter, make.size({16, 32, 64, 128, 256, 1024, 4096}, 5, 900),
        behind == 1 ? 20 + static_cast<std::int64_t>(draw.below(200)) : 3 + static_cast<std::int64_t>(draw.below(12)));
    made.shape.emplace_back(letter);
  }
  if (behind == 3) {
    make.extent("E", make.size({16, 32, 64}, 5, 90), 3 + static_cast<std::int64_t>(draw.below(9)));
    made.shape.emplace_back("E");
  }
  made.rank = static_cast<int>(made.shape.size());
  std::string tail;
  for (int i = made.axis + 1; i < made.rank; ++i)
    tail += (tail.empty() ? "" : " * ") + made.shape[static_cast<std::size_t>(i)];
  std::string names, cuts;
  for (int i = 0; i < made.axis; ++i) {
    const char letter = static_cast<char>(std::tolower(made.shape[static_cast<std::size_t>(i)][0]));
    names += std::string(1, letter) + ", ";
    cuts += made.shape[static_cast<std::size_t>(i)] + ", ";
  }
  made.lead = names;
  made.loop = "for " + names + "t in cores(" + cuts + "tiles(" + tail + ")):";
  made.at = names + "d, t";
  for (const std::string& letter : made.shape) made.program += (made.program.empty() ? "" : ", ") + letter;
  make.graph.axis_note = "dim " + std::to_string(made.axis) + " = D";
  return made;
}

namespace {

struct Middle {
  const char* name;
  const char* words;
  const char* begin;
  const char* gather;  // $x the row of the axis
  const char* finish;
  const char* torch;
};

const std::vector<Middle>& middles() {
  static const std::vector<Middle> rows = {
      {"sum", "sum", "zeros(len(t))", "s += $x", "s",
       "torch.sum(@x, dim=$d$k) ~ $x.sum(dim=$d$k) ~ $x.sum($d$k) ~ torch.sum(@x, $d$k)"},
      {"mean", "mean", "zeros(len(t))", "s += $x", "s / D",
       "torch.mean(@x, dim=$d$k) ~ $x.mean(dim=$d$k) ~ $x.mean($d$k) ~ torch.sum(@x, dim=$d$k) / $x.shape[$d]"},
      {"max", "max", "full(len(t), -inf)", "s = max(s, $x)", "s",
       "torch.max(@x, dim=$d$k)[0] ~ $x.max(dim=$d$k).values ~ torch.amax(@x, dim=$d$k) ~ $x.amax($d$k) ~ "
       "torch.max(@x, $d$k).values"},
      {"min", "min", "full(len(t), inf)", "s = min(s, $x)", "s",
       "torch.min(@x, dim=$d$k)[0] ~ $x.min(dim=$d$k).values ~ torch.amin(@x, dim=$d$k) ~ $x.amin($d$k)"},
      {"prod", "product", "full(len(t), 1)", "s *= $x", "s",
       "torch.prod(@x, dim=$d$k) ~ $x.prod(dim=$d$k) ~ $x.prod($d$k)"},
      {"norm", "l2 norm", "zeros(len(t))", "s += $x * $x", "sqrt(s)",
       "torch.norm(@x, p=2, dim=$d$k) ~ $x.norm(dim=$d$k) ~ torch.linalg.vector_norm(@x, dim=$d$k) ~ "
       "torch.sqrt(torch.sum($x ** 2, dim=$d$k))"},
      {"norm1", "l1 norm", "zeros(len(t))", "s += abs($x)", "s",
       "$x.abs().sum(dim=$d$k) ~ torch.norm(@x, p=1, dim=$d$k) ~ torch.sum(torch.abs(@x), dim=$d$k)"},
      {"mean_square", "mean square", "zeros(len(t))", "s += $x * $x", "s / D",
       "torch.mean($x ** 2, dim=$d$k) ~ $x.pow(2).mean(dim=$d$k) ~ $x.square().mean($d$k)"},
      {"max_abs", "max of abs", "zeros(len(t))", "s = max(s, abs($x))", "s",
       "$x.abs().amax(dim=$d$k) ~ torch.amax(torch.abs(@x), dim=$d$k) ~ $x.abs().max(dim=$d$k)[0]"},
      {"mean_abs", "mean of abs", "zeros(len(t))", "s += abs($x)", "s / D",
       "$x.abs().mean(dim=$d$k) ~ torch.mean(torch.abs(@x), dim=$d$k)"},
      {"exp_sum", "sum of exp", "zeros(len(t))", "s += exp($x)", "s",
       "$x.exp().sum(dim=$d$k) ~ torch.sum(torch.exp(@x), dim=$d$k)"},
  };
  return rows;
}

std::vector<std::string> kept(const char* torch, bool keep) {
  auto ways = spellings(
      {.name = "", .arity = 1, .constants = "", .traits = 0, .dsl = "", .words = "", .formula = "", .torch = torch});
  for (std::string& way : ways)
    for (std::size_t at; (at = way.find("$k")) != std::string::npos;) way.replace(at, 2, keep ? ", keepdim=True" : "");
  return ways;
}

int middle_step(Maker& make, const Middle& middle, int value, const AxisShape& of, bool keep) {
  Node node;
  node.name = std::string(middle.name) + (keep ? "_keep" : "");
  node.operands = {value};
  node.words = std::string(middle.words) + " over D";
  node.axes = {of.axis};
  node.rank = of.rank;
  node.torch = kept(middle.torch, keep);
  const int made = make.step(node);
  make.known(made) = {.positive = std::string(middle.name).find("norm") != std::string::npos ||
                                  std::string(middle.name).find("square") != std::string::npos ||
                                  std::string(middle.name).find("abs") != std::string::npos};
  return made;
}

void gather(Maker& make, const Middle& middle, int value, int depth) {
  std::string text = middle.gather;
  for (std::size_t at; (at = text.find("$x")) != std::string::npos;) text.replace(at, 2, make.of(value));
  make.line(depth, text);
}

}  // namespace

Graph middle_reduce_graph(Draw& draw) {
  Maker make(draw, "middle", "reduction");
  const AxisShape of = axis_shape(make);
  std::vector<int> inputs = {make.input("x", of.shape, of.program, of.at)};
  if (draw.chance(0.12)) inputs.push_back(make.input("y", of.shape, of.program, of.at));
  const Middle& middle = middles()[draw.chance(0.7) ? draw.below(5) : draw.below(middles().size())];
  if (std::string(middle.name) == "prod") make.graph.dtype = "float";
  int value = inputs.size() > 1 ? make.chain(0, 1, {1}) : draw.chance(0.3) ? make.chain(0, 1) : 0;
  const int before = value;
  const bool keep = draw.chance(0.35);
  const int number = middle_step(make, middle, before, of, keep);
  value = draw.chance(0.25) ? make.chain(number, 1) : number;
  std::vector<std::string> shape = of.shape;
  std::string program, at = of.lead + (keep ? "0, t" : "t");
  if (keep)
    shape[static_cast<std::size_t>(of.axis)] = "1";
  else
    shape.erase(shape.begin() + of.axis);
  for (const std::string& letter : shape) program += (program.empty() ? "" : ", ") + letter;
  make.output(value, shape, program);
  make.line(1, of.loop);
  make.line(2, std::string("s = ") + middle.begin);
  make.line(2, "for d in range(D):");
  make.loads(3, inputs);
  make.bind_range(static_cast<int>(inputs.size()), before + 1, 3);
  gather(make, middle, before, 3);
  make.name(number, middle.finish);
  if (value == number) {
    make.line(2, "store {z0}[" + at + "] = " + middle.finish);
  } else {
    if (std::string(middle.finish) != "s") {
      make.name(number, make.local());
      make.line(2, make.of(number) + " = " + middle.finish);
    }
    make.store(0, at, value, 2);
  }
  return make.graph;
}

namespace {

// Over an axis and back: a first walk gathers a value, a second one uses it.
struct Again {
  const char* name;
  const char* words;
  const char* constants;
  bool largest_first;  // needs the axis's maximum m beforehand
  const char* gather;  // into s
  const char* finish;  // s becomes, empty: stays
  const char* result;  // in terms of $x, s, m
  const char* torch;
};

const std::vector<Again>& agains() {
  static const std::vector<Again> rows = {
      {"softmax", "softmax", "", true, "s += exp($x - m)", "", "exp($x - m) / s",
       "torch.softmax(@x, dim=$d) ~ F.softmax(@x, dim=$d) ~ $x.softmax(dim=$d) ~ M:nn.Softmax(dim=$d) ~ "
       "$x.softmax($d)"},
      {"log_softmax", "log softmax", "", true, "s += exp($x - m)", "m + log(s)", "$x - s",
       "torch.log_softmax(@x, dim=$d) ~ F.log_softmax(@x, dim=$d) ~ M:nn.LogSoftmax(dim=$d) ~ $x - torch.logsumexp(@x, "
       "dim=$d, keepdim=True)"},
      {"rms_norm", "rms norm $a", "e", false, "s += $x * $x", "rsqrt(s / D + $a)", "$x * s",
       "$x * torch.rsqrt($x.pow(2).mean(dim=$d, keepdim=True) + $a) ~ $x / torch.sqrt(torch.mean($x ** 2, dim=$d, "
       "keepdim=True) + $a)"},
      {"l2_normalise", "l2 normalise, at least $a", "e", false, "s += $x * $x", "max(sqrt(s), $a)", "$x / s",
       "F.normalize(@x, p=2, dim=$d, eps=$a) ~ $x / torch.norm(@x, p=2, dim=$d, keepdim=True).clamp(min=$a) ~ "
       "F.normalize(@x, dim=$d, eps=$a)"},
      {"l2_normalise_default", "l2 normalise, at least 1e-12", "", false, "s += $x * $x", "max(sqrt(s), 1e-12)",
       "$x / s", "F.normalize(@x, dim=$d) ~ F.normalize(@x, p=2.0, dim=$d)"},
      {"center", "sub mean", "", false, "s += $x", "s / D", "$x - s",
       "$x - $x.mean(dim=$d, keepdim=True) ~ $x - torch.mean(@x, dim=$d, keepdim=True) ~ $x - "
       "$x.mean($d).unsqueeze($d)"},
      {"l1_normalise", "l1 normalise", "", false, "s += abs($x)", "", "$x / s",
       "$x / $x.abs().sum(dim=$d, keepdim=True) ~ $x / torch.norm(@x, p=1, dim=$d, keepdim=True)"},
      {"div_max_abs", "div by max of abs", "", false, "s = max(s, abs($x))", "", "$x / s",
       "$x / $x.abs().amax(dim=$d, keepdim=True) ~ $x / torch.amax(torch.abs(@x), dim=$d, keepdim=True)"},
  };
  return rows;
}

}  // namespace

Graph middle_again_graph(Draw& draw) {
  Maker make(draw, "middle_again", "reduction");
  const AxisShape of = axis_shape(make);
  const int x = make.input("x", of.shape, of.program, of.at);
  const Again& again = agains()[draw.below(agains().size())];
  Node node;
  node.name = again.name;
  node.operands = {x};
  for (const char* kind = again.constants; *kind != '\0'; ++kind) node.constants.push_back(make.constant(*kind));
  node.words = std::string(again.words) + " over D";
  node.axes = {of.axis};
  node.rank = of.rank;
  node.torch = kept(again.torch, true);
  node.dsl = again.result;
  const int numbers = make.step(node);
  const int value = draw.chance(0.3) ? make.chain(numbers, 1) : numbers;
  make.output(value, of.shape, of.program);
  make.line(1, of.loop);
  if (again.largest_first) {
    make.line(2, "m = full(len(t), -inf)");
    make.line(2, "for d in range(D):");
    make.line(3, "m = max(m, " + make.load(x) + ")");
  }
  make.line(2, "s = zeros(len(t))");
  make.line(2, "for d in range(D):");
  make.loads(3, {x});
  make.line(3, make.filled_dsl(again.gather, {x}, {}, 3));
  if (*again.finish != '\0')
    make.line(2, "s = " + make.filled_dsl(again.finish, {x}, make.node_of(numbers).constants, 2));
  make.line(2, "for d in range(D):");
  make.loads(3, {x});
  make.bind_range(numbers, value, 3);
  make.store(0, of.at, value, 3);
  return make.graph;
}

}  // namespace kg::dataset::cot::modules
