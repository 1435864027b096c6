#include "dataset/cot/modules/maker.h"
#include "dataset/cot/modules/walks.h"

namespace kg::dataset::cot::modules {
namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

// One axis of a window.
struct Window {
  std::int64_t kernel, stride, padding, dilation;
  std::int64_t out(std::int64_t size) const { return (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1; }
};

Window window(Maker& make, bool may_dilate) {
  Draw& draw = make.draw;
  Window made{};
  made.kernel = 2 + static_cast<std::int64_t>(draw.below(draw.chance(0.7) ? 3 : 8));
  made.stride = draw.chance(0.4) ? 1 : draw.chance(0.6) ? made.kernel : 1 + static_cast<std::int64_t>(draw.below(4));
  made.padding =
      draw.chance(0.5) ? 0 : 1 + static_cast<std::int64_t>(draw.below(static_cast<std::uint64_t>(made.kernel / 2)));
  made.dilation = may_dilate && made.kernel <= 3 && draw.chance(0.3) ? 2 + static_cast<std::int64_t>(draw.below(2)) : 1;
  return made;
}

void out_extent(Maker& make, const std::string& out, const std::string& in, const Window& by) {
  make.extent(out, by.out(make.graph.size(in, true)), by.out(make.graph.size(in, false)));
}

// The pooling of `axes` axes in PyTorch; constants a kernel, b stride, c padding, then dilation.
Node pooling(Maker& make, bool largest, const Window& by, int axes) {
  Node node;
  node.name = std::string(largest ? "max_pool" : "avg_pool") + number(axes);
  node.operands = {0};
  node.constants = {make.fixed(number(by.kernel), "kernel"), make.fixed(number(by.stride), "stride"),
                    make.fixed(number(by.padding), "padding")};
  if (by.dilation > 1) node.constants.push_back(make.fixed(number(by.dilation), "dilation"));
  node.words = std::string(largest ? "max" : "mean") + " of windows $a, every $b, padding $c" +
               (by.dilation > 1 ? ", dilation " + number(by.dilation) : "");
  const std::string name = std::string(largest ? "max_pool" : "avg_pool") + number(axes) + "d",
                    member = std::string(largest ? "MaxPool" : "AvgPool") + number(axes) + "d";
  const std::string more = by.dilation > 1 ? ", dilation=$e" : "";
  std::vector<std::string> arguments = {"kernel_size=$a, stride=$b, padding=$c" + more,
                                        "$a, stride=$b, padding=$c" + more, "$a, $b, $c" + more};
  if (by.padding == 0)
    arguments.push_back("$a, stride=$b" + more), arguments.push_back("kernel_size=$a, stride=$b" + more);
  if (by.stride == by.kernel && by.padding == 0) arguments.push_back("$a" + more);
  if (by.stride == by.kernel) arguments.push_back("$a, padding=$c" + more);
  for (std::string one : arguments) {
    if (const std::size_t at = one.find("$e"); at != std::string::npos) one.replace(at, 2, "$d");
    node.torch.push_back("F." + name + "(@x, " + one + ")");
    node.torch.push_back("M:nn." + member + "(" + one + ")");
  }
  return node;
}

std::string scaled(std::int64_t factor, const std::string& what) {
  return factor == 1 ? what : number(factor) + " * " + what;
}
std::string minus(const std::string& what, std::int64_t less) { return less == 0 ? what : what + " - " + number(less); }

void plane_program(Maker& make, const Window& by, bool largest, bool space, int pooled, int value) {
  const std::string p = number(by.padding), kernel = number(by.kernel);
  make.line(1, space ? "for p, e, i in cores(P, E, I):" : "for p, i in cores(P, I):");
  const std::string width = by.padding == 0 ? "W" : "W + " + number(2 * by.padding);
  make.line(2, largest ? "s = full(" + width + ", -inf)" : "s = zeros(" + width + ")");
  int depth = 2;
  // Only the rows that are there: those outside count as nothing.
  const auto walk = [&](const char* name, const char* at, const char* size) {
    const std::string from = minus(scaled(by.stride, at), by.padding);
    if (by.dilation > 1) {
      make.line(depth++, std::string("for ") + (name[0] == 'h' ? "i" : "e") + "1 in range(" + kernel + "):");
      return;
    }
    const std::int64_t end = by.kernel - by.padding;
    const std::string to =
        end == 0 ? scaled(by.stride, at) : scaled(by.stride, at) + (end > 0 ? " + " : " - ") + number(std::abs(end));
    make.line(depth++, by.padding == 0 ? std::string("for ") + name + " in range(" + from + ", " + to + "):"
                                       : std::string("for ") + name + " in range(max(" + from + ", 0), min(" + to +
                                             ", " + size + ")):");
  };
  if (space) walk("d", "e", "D");
  walk("h", "i", "H");
  std::string row = space ? "p, d, h" : "p, h";
  if (by.dilation > 1) {
    make.line(depth, "h = " + minus(scaled(by.stride, "i") + " + " + number(by.dilation) + " * i1", by.padding));
    if (by.padding > 0) make.line(depth++, "if (h >= 0) and (h < H):");
  }
  const std::string loaded = "load {0}[" + row + ", " + (by.padding == 0 ? ":" : "-" + p + ":W + " + p) + "]" +
                             (by.padding == 0 ? ""
                              : largest       ? " pad -inf"
                                              : " pad 0");
  make.line(depth, largest ? "s = max(s, " + loaded + ")" : "s += " + loaded);
  const std::string span = by.stride == 1 ? "J" : number(by.stride) + " * J - " + number(by.stride - 1),
                    every = by.stride == 1 ? "" : ":" + number(by.stride);
  const std::string a = make.local();
  make.line(2, a + " = s[0:" + span + every + "]");
  make.line(2, "for k in range(1, " + kernel + "):");
  const std::string k = scaled(by.dilation, "k"), part = "s[" + k + ":" + k + " + " + span + every + "]";
  make.line(3, largest ? a + " = max(" + a + ", " + part + ")" : a + " += " + part);
  std::int64_t cells = by.kernel * by.kernel * (space ? by.kernel : 1);
  make.node_of(pooled).dsl = largest ? a : a + " / " + number(cells);
  make.bind_range(pooled, value, 2);
  make.store(0, space ? "p, e, i, :" : "p, i, :", value, 2);
}

}  // namespace

Graph window_graph(Draw& draw) {
  Maker make(draw, "window", "window_scan");
  make.graph.dtype = "float";
  const bool largest = draw.chance(0.55);
  const Window by = window(make, largest);
  make.extent("B", make.size({4, 8, 16, 32, 64}, 2, 40), 2 + static_cast<std::int64_t>(draw.below(2)));
  make.extent("F", make.size({8, 16, 32, 64, 128, 192}, 2, 100), 2 + static_cast<std::int64_t>(draw.below(3)));
  make.extent("L", make.size({128, 256, 512, 1024, 4096, 65536}, 50, 4000),
              40 + static_cast<std::int64_t>(draw.below(120)));
  out_extent(make, "M", "L", by);
  make.input("x", {"B", "F", "L"}, "R, L", "");
  const int pooled = make.step(pooling(make, largest, by, 1));
  const int value = draw.chance(0.2) ? make.chain(pooled, 1) : pooled;
  make.output(value, {"B", "F", "M"}, "R, M");
  make.graph.axis_note = "windows over L";
  const std::string edge = largest ? "-inf" : "0", count = number(by.kernel);
  if (by.stride == 1) {
    // Shifted loads, as far as 32 bytes beyond the ends.
    make.line(1, "for r, t in cores(R, tiles(M)):");
    make.line(2, largest ? "s = full(len(t), -inf)" : "s = zeros(len(t))");
    make.line(2, "for k in range(" + count + "):");
    const std::string shift = by.padding == 0 ? "t + " + scaled(by.dilation, "k")
                                              : "t + (" + minus(scaled(by.dilation, "k"), by.padding) + ")";
    const std::string loaded = "load {0}[r, " + shift + "]" + (by.padding == 0 ? "" : " pad " + edge);
    make.line(3, largest ? "s = max(s, " + loaded + ")" : "s += " + loaded);
    make.node_of(pooled).dsl = largest ? "s" : "s / " + count;
    if (largest && value != pooled) make.name(pooled, "s");
    make.bind_range(largest && value != pooled ? pooled + 1 : pooled, value, 2);
    make.store(0, "r, t", value, 2);
    return make.graph;
  }
  // The row with its padding, then every stride-th element of it.
  make.line(1, "for r in cores(R):");
  const std::string a = make.local();
  make.line(2, a + " = load {0}[r, " +
                   (by.padding == 0 ? ":" : "-" + number(by.padding) + ":L + " + number(by.padding)) + "]" +
                   (by.padding == 0 ? "" : " pad " + edge));
  const std::string span = by.stride == 1 ? "M" : number(by.stride) + " * M - " + number(by.stride - 1);
  make.line(2, "s = " + a + "[0:" + span + ":" + number(by.stride) + "]");
  make.line(2, "for k in range(1, " + count + "):");
  const std::string k = scaled(by.dilation, "k");
  const std::string part = a + "[" + k + ":" + k + " + " + span + ":" + number(by.stride) + "]";
  make.line(3, largest ? "s = max(s, " + part + ")" : "s += " + part);
  make.node_of(pooled).dsl = largest ? "s" : "s / " + count;
  make.bind_range(pooled, value, 2);
  make.store(0, "r, :", value, 2);
  return make.graph;
}

// Windows of two and three axes, square.
Graph plane_window_graph(Draw& draw) {
  Maker make(draw, "plane_window", "window_scan");
  make.graph.dtype = "float";
  const bool largest = draw.chance(0.55), space = draw.chance(0.35);
  Window by = window(make, largest && !space);
  if (by.dilation > 1) by.padding = 0;
  make.extent("B", make.size({4, 8, 16, 32, 64}, 2, 40), 2);
  make.extent("F", make.size({8, 16, 32, 64}, 2, 60), 2);
  const auto side = [&] { return make.size({32, 56, 64, 112, 128, 224, 256, 512}, 20, 200); };
  const auto small = [&] { return 12 + static_cast<std::int64_t>(draw.below(14)); };
  std::vector<std::string> in = {"B", "F"}, out = {"B", "F"};
  if (space) {
    make.extent("D", side(), small());
    in.emplace_back("D");
    out.emplace_back("E");
  }
  make.extent("H", side(), small());
  make.extent("W", side(), small());
  for (const char* letter : {"H", "W"}) in.emplace_back(letter);
  for (const char* letter : {"I", "J"}) out.emplace_back(letter);
  if (space) out_extent(make, "E", "D", by);
  out_extent(make, "I", "H", by);
  out_extent(make, "J", "W", by);
  make.input("x", in, space ? "P, D, H, W" : "P, H, W", "");
  const int pooled = make.step(pooling(make, largest, by, space ? 3 : 2));
  const int value = draw.chance(0.15) ? make.chain(pooled, 1) : pooled;
  make.output(value, out, space ? "P, E, I, J" : "P, I, J");
  make.graph.axis_note = space ? "windows over D, H, W" : "windows over H, W";
  plane_program(make, by, largest, space, pooled, value);
  return make.graph;
}

namespace {

Graph rows_by_index(Maker& make) {
  Draw& draw = make.draw;
  make.extent("V", make.size({1000, 4096, 32000, 50000}, 20, 5000), 10 + static_cast<std::int64_t>(draw.below(30)));
  make.extent("C", make.size({64, 128, 512, 768, 1024}, 10, 900), 10 + static_cast<std::int64_t>(draw.below(90)));
  make.extent("R", make.size({128, 512, 2048, 8192}, 5, 900), 5 + static_cast<std::int64_t>(draw.below(30)));
  const int x = make.input("table", {"V", "C"}, "V, C", "i, :");
  const int index = make.input("index", {"R"}, "R", "r", "index");
  make.graph.inputs.back().index_below = "V";
  Node node;
  node.name = "rows_by_index";
  node.operands = {x, index};
  node.words = "rows $y of it";
  node.torch = {"$x[$y]", "torch.index_select(@x, 0, @y)", "F.embedding(@y, @x)", "$x.index_select(0, @y)"};
  node.dsl = "$x";
  const int picked = make.step(node);
  const int value = draw.chance(0.5) ? make.chain(picked, 1 + static_cast<int>(draw.below(2))) : picked;
  make.output(value, {"R", "C"}, "R, C");
  make.line(1, "for r in cores(R):");
  make.line(2, "i = " + make.load(index));
  make.loads(2, {x});
  make.name(picked, make.of(x));
  make.bind_range(picked + 1, value, 2);
  make.store(0, "r, :", value, 2);
  return make.graph;
}

}  // namespace

Graph pick_graph(Draw& draw) {
  Maker make(draw, "pick", "window_scan");
  make.graph.dtype = "float";
  make.graph.stratum = "elementwise";
  const int kind = static_cast<int>(draw.below(5));
  if (kind <= 1) return rows_by_index(make);
  make.extent("R", make.size({16, 128, 512, 2048}, 3, 900), 3 + static_cast<std::int64_t>(draw.below(20)));
  const std::int64_t begin = static_cast<std::int64_t>(draw.below(20)),
                     length = 5 + static_cast<std::int64_t>(draw.below(60));
  make.extent("C", make.size({128, 256, 512, 1024, 4096}, 90, 3000), 90 + static_cast<std::int64_t>(draw.below(60)));
  const int x = make.input("x", {"R", "C"}, "R, C", "");
  Node node;
  node.operands = {x};
  std::string loaded;
  std::vector<std::string> shape = {"R", "G"};
  if (kind == 2) {  // a part of each row
    make.extent("G", length, length);
    node.name = "slice";
    node.constants = {make.fixed(number(begin), "start"), make.fixed(number(length), "length")};
    node.words = "elements from $a, $b of them";
    node.torch = {"$x[:, $a:$a + $b]", "$x.narrow(1, $a, $b)", "torch.narrow(@x, 1, $a, $b)", "$x[..., $a:$a + $b]"};
    loaded = "load {0}[r, " + number(begin) + ":" + number(begin + length) + "]";
  } else if (kind == 3) {  // differences of neighbours
    const std::int64_t by = 1 + static_cast<std::int64_t>(draw.below(4));
    make.extent("G", make.graph.size("C", true) - by, make.graph.size("C", false) - by);
    node.name = "difference";
    node.constants = {make.fixed(number(by), "stride")};
    node.words = "it minus it $a before";
    node.torch = {"$x[:, $a:] - $x[:, :-$a]", "$x[..., $a:] - $x[..., :-$a]"};
    if (by == 1) node.torch.push_back("torch.diff(@x, dim=1)"), node.torch.push_back("torch.diff(@x)");
    loaded = "load {0}[r, " + number(by) + ":C] - load {0}[r, 0:C - " + number(by) + "]";
  } else {  // the part below or above the diagonal
    make.extent("G", make.graph.size("C", true), make.graph.size("C", false));
    shape = {"R", "C"};
    const bool lower = draw.chance(0.5);
    const std::int64_t diagonal = static_cast<std::int64_t>(draw.below(5)) - 2;
    node.name = lower ? "tril" : "triu";
    node.constants = {make.fixed(number(diagonal), "start")};
    node.words = std::string(lower ? "lower" : "upper") + " triangle $a";
    node.torch = {std::string("torch.") + node.name + "(@x, diagonal=$a)", "$x." + node.name + "($a)",
                  "$x." + node.name + "(diagonal=$a)"};
    if (diagonal == 0) node.torch.push_back(std::string("torch.") + node.name + "(@x)");
    const std::string place = diagonal == 0  ? "r"
                              : diagonal > 0 ? "r + " + number(diagonal)
                                             : "r - " + number(-diagonal);
    loaded = "where(float(arange(C)) " + std::string(lower ? "<= " : ">= ") + place + ", load {0}[r, :], 0)";
  }
  const int part = make.step(node);
  const int value = draw.chance(0.5) ? make.chain(part, 1) : part;
  make.node_of(part).dsl = loaded;
  make.output(value, shape, shape[1] == "G" ? "R, G" : "R, C");
  make.line(1, "for r in cores(R):");
  make.bind_range(part, value, 2);
  make.store(0, "r, :", value, 2);
  return make.graph;
}

}  // namespace kg::dataset::cot::modules
