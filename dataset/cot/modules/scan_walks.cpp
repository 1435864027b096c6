#include "dataset/cot/modules/axis_shape.h"
#include "dataset/cot/modules/maker.h"
#include "dataset/cot/modules/walks.h"

namespace kg::dataset::cot::modules {
namespace {

struct Scan {
  const char* name;
  const char* words;
  const char* begin;
  const char* along;   // a row: lines with $x the tile, c the carry; a is the result
  const char* column;  // s the carry of columns, $x the row: what follows
  const char* stored;  // for columns
  bool before;         // for columns: stored before what follows
  const char* torch;
};

const std::vector<Scan>& scans() {
  static const std::vector<Scan> rows = {
      {"cumsum", "cumsum", "0.0", "cumsum($x) + c", "s += $x", "s", false,
       "torch.cumsum(@x, dim=$d) ~ $x.cumsum(dim=$d) ~ $x.cumsum($d) ~ torch.cumsum(@x, $d)"},
      {"cumprod", "cumprod", "1.0", "cumprod($x) * c", "s *= $x", "s", false,
       "torch.cumprod(@x, dim=$d) ~ $x.cumprod(dim=$d) ~ $x.cumprod($d)"},
      {"exclusive", "exclusive cumsum", "0.0", "", "s += $x", "s", true,
       "torch.cumsum(@x, dim=$d) - $x ~ $x.cumsum($d) - $x ~ torch.cumsum(@x, $d).sub(@x)"},
      {"running_mean", "running mean", "0.0", "cumsum($x) + c", "s += $x", "s / (d + 1)", false,
       "torch.cumsum(@x, dim=$d) / torch.arange(1, $x.size($d) + 1, device=$x.device)# ~ $x.cumsum($d) / "
       "(torch.arange($x.shape[$d]) + 1)#"},
      {"cummax", "running max", "-inf", "", "s = max(s, $x)", "s", false,
       "torch.cummax(@x, dim=$d)[0] ~ torch.cummax(@x, dim=$d).values ~ $x.cummax($d)[0]"},
      {"cummin", "running min", "inf", "", "s = min(s, $x)", "s", false,
       "torch.cummin(@x, dim=$d)[0] ~ $x.cummin(dim=$d).values"},
  };
  return rows;
}

int scan_step(Maker& make, const Scan& scan, int value, int axis, int rank, const std::string& letter, bool reverse) {
  Node node;
  node.name = std::string(scan.name) + (reverse ? "_reverse" : "");
  node.operands = {value};
  node.words = std::string(scan.words) + (reverse ? " backwards" : "") + " over " + letter;
  node.axes = {axis};
  node.rank = rank;
  for (std::string way : ways_of(scan.torch)) {
    std::string tail;
    for (int i = axis + 1; i < rank; ++i) tail += ", None";
    if (const std::size_t at = way.find('#'); at != std::string::npos)
      way.replace(at, 1, tail.empty() ? "" : "[:" + tail + "]");
    if (reverse) {
      if (way.find(" - $x") != std::string::npos || way.find("sub(") != std::string::npos ||
          way.find("arange") != std::string::npos)
        continue;
      std::string turned;
      for (std::size_t i = 0; i < way.size(); ++i) {
        if ((way[i] == '@' || way[i] == '$') && i + 1 < way.size() && way[i + 1] == 'x')
          turned += "torch.flip(@x, dims=[$d])", ++i;
        else
          turned += way[i];
      }
      node.torch.push_back("torch.flip(" + turned + ", dims=[$d])");
      node.torch.push_back("(" + turned + ").flip($d)");
      if (std::string(scan.name) == "cumsum")
        node.torch.push_back("$x + $x.sum(dim=$d, keepdim=True) - torch.cumsum(@x, dim=$d)");
    } else {
      node.torch.push_back(way);
    }
  }
  return make.step(node);
}

Graph backwards(Maker& make, const std::vector<int>& inputs, int value, int scanned, int result) {
  const int first_node = static_cast<int>(inputs.size());
  // The carry of the following elements is the total minus those already passed.
  make.line(2, "c = 0.0");
  make.line(2, "for t in tiles(C):");
  make.loads(3, inputs);
  make.bind_range(first_node, scanned, 3);
  make.line(3, "c += sum(" + make.of(value) + ")");
  make.line(2, "for t in tiles(C):");
  make.loads(3, inputs);
  make.bind_range(first_node, scanned, 3);
  make.name(scanned, make.local());
  const std::string sum = make.local();
  make.line(3, sum + " = cumsum(" + make.of(value) + ")");
  make.line(3, make.of(scanned) + " = c - " + sum + " + " + make.of(value));
  make.bind_range(scanned + 1, result, 3);
  make.store(0, "r, t", result, 3);
  make.line(3, "c = c - " + sum + "[len(t) - 1]");
  return make.graph;
}

}  // namespace

// Along the last axis: tiles with a carry.
Graph scan_graph(Draw& draw) {
  Maker make(draw, "scan", "window_scan");
  make.graph.dtype = "float";
  const bool three = draw.chance(0.3);
  const std::string lead = three ? "B" : "R";
  if (three) make.extent("B", make.size({2, 4, 8, 16}, 2, 30), 2);
  make.extent(three ? "L" : "R", make.size({64, 128, 512, 1024, 4096, 32768}, 3, 900),
              3 + static_cast<std::int64_t>(draw.below(7)));
  make.extent("C", make.size({64, 256, 1024, 4000, 8192, 32768, 131072}, 20, 9000),
              30 + static_cast<std::int64_t>(draw.below(300)));
  const std::vector<std::string> shape =
      three ? std::vector<std::string>{"B", "L", "C"} : std::vector<std::string>{"R", "C"};
  const int axis = static_cast<int>(shape.size()) - 1;
  const int kind =
      static_cast<int>(draw.below(5));  // 0, 4: cumsum; 1: cumprod; 2: exclusive; 3: masked or weighted cumsum
  const Scan& scan = scans()[kind == 1 ? 1 : kind == 2 ? 2 : 0];
  const bool reverse = kind != 2 && kind != 1 && draw.chance(0.3);
  make.graph.axis_note = "dim " + std::to_string(axis) + " = C";
  std::vector<int> inputs = {make.input("x", shape, "R, C", "r, t", "normal")};
  if (kind == 3)
    inputs.push_back(
        make.input(draw.chance(0.6) ? "mask" : "w", shape, "R, C", "r, t", draw.chance(0.7) ? "mask" : "normal"));
  int value = 0;
  if (kind == 3)
    value = make.step({"mul", 2, "", 0, "$x * $y", "mul $y", "",
                       make.graph.inputs[1].draw == "mask"
                           ? "$x * $y ~ torch.mul(@x, @y) ~ $x * $y.float() ~ $x.masked_fill(~$y, 0.0)"
                           : "$x * $y ~ torch.mul(@x, @y) ~ $y * $x"},
                      inputs);
  else if (kind == 1)
    value = make.step({"near_one", 1, "", 0, "sigmoid($x) + 0.5", "sigmoid; add 0.5", "",
                       "torch.sigmoid(@x) + 0.5 ~ 0.5 + $x.sigmoid()"},
                      {0});
  else if (draw.chance(0.3))
    value = make.chain(0, 1);
  const int scanned = scan_step(make, scan, value, axis, static_cast<int>(shape.size()), "C", reverse);
  const int result = draw.chance(0.2) ? make.chain(scanned, 1) : scanned;
  make.output(result, shape, "R, C");
  make.line(1, "for r in cores(R):");
  const int first_node = static_cast<int>(inputs.size());
  if (reverse) return backwards(make, inputs, value, scanned, result);
  make.line(2, std::string("c = ") + scan.begin);
  make.line(2, "for t in tiles(C):");
  make.loads(3, inputs);
  make.bind_range(first_node, scanned, 3);
  const std::string whole = make.local();
  const bool exclusive = kind == 2;
  make.line(3, whole + " = " + make.filled_dsl(exclusive ? "cumsum($x) + c" : scan.along, {value}, {}, 3));
  if (exclusive) {
    make.name(scanned, make.local());
    make.line(3, make.of(scanned) + " = " + whole + " - " + make.of(value));
  } else {
    make.name(scanned, whole);
  }
  make.bind_range(scanned + 1, result, 3);
  make.store(0, "r, t", result, 3);
  make.line(3, "c = " + whole + "[len(t) - 1]");
  return make.graph;
}

Graph column_scan_graph(Draw& draw) {
  Maker make(draw, "column_scan", "window_scan");
  make.graph.dtype = "float";
  const AxisShape of = axis_shape(make);
  const int x = make.input("x", of.shape, of.program, of.at);
  const Scan& scan = scans()[draw.below(scans().size())];
  const bool reverse = !scan.before && std::string(scan.name) != "running_mean" && draw.chance(0.25);
  const bool product = std::string(scan.name) == "cumprod";
  const int value = product ? make.step({"near_one", 1, "", 0, "sigmoid($x) + 0.5", "sigmoid; add 0.5", "",
                                         "torch.sigmoid(@x) + 0.5 ~ 0.5 + $x.sigmoid()"},
                                        {0})
                            : 0;
  const int scanned = scan_step(make, scan, value, of.axis, of.rank, "D", reverse);
  const int result = draw.chance(0.2) ? make.chain(scanned, 1) : scanned;
  make.output(result, of.shape, of.program);
  make.line(1, of.loop);
  const std::string begin = scan.begin;
  make.line(2, begin == "0.0"   ? "s = zeros(len(t))"
               : begin == "1.0" ? "s = full(len(t), 1)"
                                : "s = full(len(t), " + begin + ")");
  std::string at = of.at;
  if (reverse) {
    make.line(2, "for i in range(D):");
    make.line(3, "d = D - 1 - i");
  } else {
    make.line(2, "for d in range(D):");
  }
  make.loads(3, {x});
  make.bind_range(1, value + 1, 3);
  make.name(scanned, "s");
  if (std::string(scan.stored) != "s") {
    make.line(3, make.filled_dsl(scan.column, {value}, {}, 3));
    make.name(scanned, make.local());
    make.line(3, make.of(scanned) + " = " + scan.stored);
    make.bind_range(scanned + 1, result, 3);
    make.store(0, at, result, 3);
    return make.graph;
  }
  if (!scan.before) make.line(3, make.filled_dsl(scan.column, {value}, {}, 3));
  make.bind_range(scanned + 1, result, 3);
  make.store(0, at, result, 3);
  if (scan.before) make.line(3, make.filled_dsl(scan.column, {value}, {}, 3));
  return make.graph;
}

}  // namespace kg::dataset::cot::modules
