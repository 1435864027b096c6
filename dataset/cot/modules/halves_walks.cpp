#include "dataset/cot/modules/maker.h"
#include "dataset/cot/modules/walks.h"

namespace kg::dataset::cot::modules {

namespace {

constexpr Word kGates[] = {
    {"glu", 1, "", 0, "$x * sigmoid($y)", "first half mul sigmoid of second", "x * sigmoid(y)",
     "F.glu(@x, dim=$d) ~ M:nn.GLU(dim=$d) ~ # * torch.sigmoid(%)"},
    {"swiglu", 1, "", 0, "silu($x) * $y", "silu of first half mul second", "silu(x) * y", "F.silu(#) * %"},
    {"swiglu_turned", 1, "", 0, "$x * silu($y)", "first half mul silu of second", "x * silu(y)", "# * F.silu(%)"},
    {"geglu", 1, "", 0, "$x * ($y * 0.5 * (1 + erf($y * 0.70710678)))", "first half mul gelu erf of second",
     "x * gelu_erf(y)", "# * F.gelu(%)"},
    {"geglu_tanh", 1, "", 0, "$x * gelu($y)", "first half mul gelu tanh of second", "x * gelu(y)",
     "# * F.gelu(%, approximate='tanh')"},
    {"reglu", 1, "", 0, "relu($x) * $y", "relu of first half mul second", "relu(x) * y",
     "F.relu(#) * % ~ torch.relu(#) * %"},
    {"bilinear", 1, "", 0, "$x * $y", "first half mul second", "x * y", "# * %"},
    {"half_sum", 1, "", 0, "$x + $y", "first half add second", "x + y", "# + %"},
    {"half_difference", 1, "", 0, "$x - $y", "first half sub second", "x - y", "# - %"},
    {"half_max", 1, "", 0, "max($x, $y)", "max of both halves", "max(x, y)", "torch.maximum(#, %) ~ torch.max(#, %)"},
};

// # and % are the halves, each taken in one of several ways.
std::vector<std::string> halves_ways(const Word& gate, bool last) {
  std::vector<std::string> ways;
  for (const std::string& way : spellings(gate)) {
    if (way.find('#') == std::string::npos) {
      ways.push_back(way);
      continue;
    }
    const std::string dots = last ? "..., " : ":, ";
    for (const auto& [first, second] :
         {std::pair<std::string, std::string>{"$x.chunk(2, dim=$d)[0]", "$x.chunk(2, dim=$d)[1]"},
          {"torch.chunk(@x, 2, dim=$d)[0]", "torch.chunk(@x, 2, dim=$d)[1]"},
          {"$x[" + dots + ":{G}]", "$x[" + dots + "{G}:]"},
          {"torch.split(@x, {G}, dim=$d)[0]", "torch.split(@x, {G}, dim=$d)[1]"},
          {"$x.narrow($d, 0, {G})", "$x.narrow($d, {G}, {G})"}}) {
      std::string text;
      for (const char c : way) text += c == '#' ? first : c == '%' ? second : std::string(1, c);
      ways.push_back(text);
    }
  }
  return ways;
}

}  // namespace

Graph halves_graph(Draw& draw) {
  Maker make(draw, "halves", "elementwise");
  const Word& gate = kGates[draw.below(std::size(kGates))];
  const bool last = draw.chance(0.65);
  const int rank = last ? 2 + static_cast<int>(draw.below(2)) : 3 + static_cast<int>(draw.below(2));
  const int axis = last ? rank - 1 : 1;
  std::vector<std::string> shape;
  const auto put = [&](const char* letter, std::int64_t full, std::int64_t small) {
    make.extent(letter, full, small);
    shape.emplace_back(letter);
  };
  const std::int64_t half = make.size({64, 128, 256, 512, 1024, 4096, 11008}, 3, 2000),
                     small = 5 + static_cast<std::int64_t>(draw.below(last ? 200 : 6));
  if (last) {
    if (rank == 3) put("B", make.size({2, 4, 8, 16}, 2, 20), 2);
    put(rank == 3 ? "L" : "R", make.size({128, 512, 1024, 2048}, 3, 900), 3 + static_cast<std::int64_t>(draw.below(9)));
    put("C", 2 * half, 2 * small);
  } else {
    put("B", make.size({4, 8, 16, 32}, 2, 60), 2 + static_cast<std::int64_t>(draw.below(3)));
    put("F", 2 * half, 2 * small);
    if (rank == 4) put("H", make.size({16, 32, 64}, 4, 90), 4);
    put("W", make.size({16, 32, 64, 256}, 4, 300), 5 + static_cast<std::int64_t>(draw.below(40)));
  }
  make.extent("G", half, small);
  const std::string program = last ? "R, C" : rank == 4 ? "B, F, H, W" : "B, F, W";
  const int x = make.input("x", shape, program, "");
  Node node;
  node.name = gate.name;
  node.operands = {x};
  node.words = gate.words;
  node.formula = gate.formula;
  node.axes = {axis};
  node.rank = rank;
  node.torch = halves_ways(gate, axis == rank - 1);
  const int halves = make.step(node);
  const int value = draw.chance(0.3) ? make.chain(halves, 1) : halves;
  std::vector<std::string> out = shape;
  out[static_cast<std::size_t>(axis)] = "G";
  make.output(value, out, last ? "R, G" : rank == 4 ? "B, G, H, W" : "B, G, W");
  make.graph.axis_note =
      "dim " + std::to_string(axis) + " = " + shape[static_cast<std::size_t>(axis)] + ", halves of G";
  const std::string first = make.local(), second = make.local();
  const std::string space = rank == 4 ? "H * W" : "W";
  make.line(1, last ? "for r, t in cores(R, tiles(G)):" : "for b, g, t in cores(B, G, tiles(" + space + ")):");
  make.line(2, first + (last ? " = load {0}[r, t]" : " = load {0}[b, g, t]"));
  make.line(2, second + (last ? " = load {0}[r, t + G]" : " = load {0}[b, g + G, t]"));
  std::string result = gate.dsl;
  for (const auto& [mark, text] : {std::pair{"$x", first}, std::pair{"$y", second}})
    for (std::size_t at; (at = result.find(mark)) != std::string::npos;) result.replace(at, 2, text);
  make.node_of(halves).dsl = result;
  make.bind_range(halves, value, 2);
  make.store(0, last ? "r, t" : "b, g, t", value, 2);
  return make.graph;
}

}  // namespace kg::dataset::cot::modules
