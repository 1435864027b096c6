#include "dataset/cot/modules/maker.h"
#include "dataset/cot/modules/walks.h"

namespace kg::dataset::cot::modules {
namespace {

struct Channels {
  std::vector<std::string> shape;  // B, F, H, W or B, F, L
  std::string space;               // "H * W"
  std::string program;
  std::vector<int> axes;  // batch and space
};

Channels channels(Maker& make, std::int64_t least_channels, std::int64_t multiple) {
  Draw& draw = make.draw;
  Channels made;
  make.graph.dtype = "float";
  make.extent("B", make.size({4, 8, 16, 32, 64, 112}, 2, 64), 2 + static_cast<std::int64_t>(draw.below(3)));
  const std::int64_t full = make.size({16, 32, 64, 128, 256}, 3, 100) / multiple * multiple;
  const std::int64_t small = multiple * (1 + static_cast<std::int64_t>(draw.below(multiple > 3 ? 2 : 3)));
  make.extent("F", std::max(full, std::max(small, least_channels)), std::max(small, least_channels));
  if (draw.chance(0.75)) {
    make.extent("H", make.size({16, 28, 32, 64, 128, 256, 512}, 5, 200), 3 + static_cast<std::int64_t>(draw.below(9)));
    make.extent("W", make.size({16, 28, 32, 64, 128, 256, 512}, 5, 200), 4 + static_cast<std::int64_t>(draw.below(14)));
    made = {.shape = {"B", "F", "H", "W"}, .space = "H * W", .program = "B, F, H, W", .axes = {0, 2, 3}};
  } else {
    make.extent("L", make.size({128, 512, 1024, 4096, 16384}, 20, 3000),
                20 + static_cast<std::int64_t>(draw.below(100)));
    made = {.shape = {"B", "F", "L"}, .space = "L", .program = "B, F, L", .axes = {0, 2}};
  }
  return made;
}

std::vector<std::string> ways(std::initializer_list<const char*> list) { return {list.begin(), list.end()}; }

// Each channel has its own numbers.
Graph channel_broadcast(Maker& make, const Channels& of) {
  Draw& draw = make.draw;
  const bool plane = of.shape.size() == 4;
  make.graph.nest = "channel_broadcast";
  make.graph.stratum = "elementwise";
  const int x = make.input("x", of.shape, of.program, "b, f, t");
  const int count = draw.chance(0.5) ? 1 : 2;
  std::vector<int> numbers;
  for (int i = 0; i < count; ++i) {
    numbers.push_back(make.input(i == 0 ? "weight" : "bias", {"F"}, "F", "f"));
    make.graph.inputs.back().parameter = draw.chance(0.6);
    if (make.graph.inputs.back().parameter)
      make.graph.inputs.back().construct = i == 0 ? "nn.Parameter(torch.ones({F}))" : "nn.Parameter(torch.zeros({F}))";
  }
  if (count == 2 && !make.graph.inputs[2].parameter) make.graph.inputs[1].parameter = false;  // parameters come last
  const std::string wide = plane ? "$y.view(1, -1, 1, 1)" : "$y.view(1, -1, 1)",
                    none = plane ? "$y[:, None, None]" : "$y[:, None]",
                    shaped = plane ? "$y.reshape(1, -1, 1, 1)" : "$y.unsqueeze(-1)";
  const bool prelu = count == 1 && draw.chance(0.3);
  int value = x;
  if (draw.chance(0.3)) value = make.chain(value, 1);
  if (prelu) {
    Node node;
    node.name = "prelu";
    node.operands = {value, numbers[0]};
    node.dsl = "where($x > 0, $x, $x * $y)";
    node.words = "prelu with $y";
    node.torch = {"F.prelu(@x, @y)", "torch.where($x > 0, @x, $x * " + wide + ")", "torch.prelu(@x, @y)"};
    if (make.graph.inputs[1].parameter) node.torch.push_back("P:nn.PReLU({F})");
    value = make.step(node);
  } else {
    static const std::vector<std::pair<const char*, const char*>> joins = {{"mul", "*"}, {"add", "+"}, {"sub", "-"}};
    for (int i = 0; i < count; ++i) {
      const auto& [word, sign] = joins[i == 0 && count == 2 ? 0 : draw.below(3)];
      Node node;
      node.name = std::string(word) + "_channel";
      node.operands = {value, numbers[static_cast<std::size_t>(i)]};
      node.dsl = std::string("$x ") + sign + " $y";
      node.words = std::string(word) + " $y of its channel";
      for (const std::string& one : {wide, none, shaped}) node.torch.push_back(std::string("$x ") + sign + " " + one);
      value = make.step(node);
    }
  }
  if (draw.chance(0.4)) value = make.chain(value, 1);
  make.output(value, of.shape, of.program);
  make.line(1, "for b, f, t in cores(B, F, tiles(" + of.space + ")):");
  std::vector<int> all = {x};
  all.insert(all.end(), numbers.begin(), numbers.end());
  make.loads(2, all);
  make.bind_range(static_cast<int>(make.graph.inputs.size()), value, 2);
  make.store(0, "b, f, t", value, 2);
  return make.graph;
}

// Channels over one another, at each place.
Graph channel_normalise(Maker& make, const Channels& of, int x) {
  make.graph.nest = "channel_normalise";
  make.graph.axis_note = "dim 1 = F";
  Node node;
  node.name = "channel_layer_norm";
  node.operands = {x};
  node.constants = {make.constant('e')};
  node.axes = {1};
  node.rank = static_cast<int>(of.shape.size());
  node.words = "layer norm $a over F";
  node.torch = ways(
      {"($x - $x.mean(dim=$d, keepdim=True)) / torch.sqrt($x.var(dim=$d, keepdim=True, unbiased=False) + $a)",
       "($x - $x.mean($d, keepdim=True)) * torch.rsqrt(torch.var(@x, dim=$d, keepdim=True, unbiased=False) + $a)"});
  const std::string eps = make.graph.constants.back().text;
  const int value = make.step(node);
  make.output(value, of.shape, of.program);
  make.line(1, "for b, t in cores(B, tiles(" + of.space + ")):");
  make.line(2, "s = zeros(len(t))");
  make.line(2, "for f in range(F):");
  make.line(3, "s += load {0}[b, f, t]");
  make.line(2, "m = s / F");
  make.line(2, "q = zeros(len(t))");
  make.line(2, "for f in range(F):");
  make.line(3, "a = load {0}[b, f, t] - m");
  make.line(3, "q += a * a");
  make.line(2, "k = rsqrt(q / F + " + eps + ")");
  make.line(2, "for f in range(F):");
  make.line(3, "store {z0}[b, f, t] = (load {0}[b, f, t] - m) * k");
  return make.graph;
}

Graph channel_statistic(Maker& make, const Channels& of, Node node) {
  const bool mean = make.draw.chance(0.6);
  node.name = mean ? "channel_mean" : "channel_sum";
  node.words = mean ? "mean over B and space" : "sum over B and space";
  node.torch = mean ? ways({"$x.mean(dim=$d)", "torch.mean(@x, dim=$d)", "$x.transpose(0, 1).flatten(1).mean(1)"})
                    : ways({"$x.sum(dim=$d)", "torch.sum(@x, dim=$d)"});
  const int value = make.step(std::move(node));
  make.output(value, {"F"}, "F");
  make.line(2, "s = 0");
  make.line(2, "for b in range(B):");
  make.line(3, "for t in tiles(" + of.space + "):");
  make.line(4, "s += sum(load {0}[b, f, t])");
  make.line(2, mean ? "store {z0}[f] = s / (B * " + of.space + ")" : "store {z0}[f] = s");
  return make.graph;
}

// groups 0: each channel separately.
void group_program(Maker& make, const Channels& of, std::int64_t groups, bool affine, int numbers, int value) {
  const bool instance = groups == 0;
  const std::string eps = make.graph.constants[0].text;
  const std::string count = std::to_string(groups);
  if (!instance) make.line(1, "n = F // " + count + " * " + of.space);
  if (affine && !instance) make.line(1, "c = F // " + count);
  make.line(1, instance ? "for b, f in cores(B, F):" : "for b, g in cores(B, " + count + "):");
  make.loads(2, {0});
  const std::string a = make.of(0), c = make.local();
  make.line(2, c + " = " + a + " - mean(" + a + ")");
  make.line(2, "k = rsqrt(mean(" + c + " * " + c + ") + " + eps + ")");
  if (instance && affine) {
    make.line(2, "store {z0}[b, f, :] = " + c + " * k * load {1}[f] + load {2}[f]");
  } else if (affine) {
    make.line(2, "for i in range(c):");
    make.line(3, "f = g * c + i");
    make.line(3, "store {z0}[b, f, :] = " + c + "[i * (" + of.space + "):(i + 1) * (" + of.space +
                     ")] * k * load {1}[f] + load {2}[f]");
  } else {
    make.node_of(numbers).dsl = c + " * k";
    make.bind_range(numbers, value, 2);
    make.store(0, make.graph.inputs[0].at, value, 2);
  }
}

}  // namespace

Graph channel_graph(Draw& draw) {
  Maker make(draw, "channel", "reduction");
  const Channels of = channels(make, 2, 1);
  const bool plane = of.shape.size() == 4;
  if (draw.chance(0.45)) return channel_broadcast(make, of);
  make.graph.axis_note = plane ? "dims 0, 2, 3 = B, H, W" : "dims 0, 2 = B, L";
  const int x = make.input("x", of.shape, of.program, "b, f, t");
  const std::string n = "B * " + of.space;
  const int kind = static_cast<int>(draw.below(4));  // 0, 1: normalise; 2: statistics; 3: channels over one another
  if (kind == 3) return channel_normalise(make, of, x);
  Node node;
  node.operands = {x};
  node.axes = of.axes;
  node.rank = static_cast<int>(of.shape.size());
  make.line(1, "for f in cores(F):");
  if (kind == 2) return channel_statistic(make, of, std::move(node));
  node.constants = {make.constant('e')};
  const std::string eps = make.graph.constants.back().text;
  node.name = "batch_norm";
  node.words = "batch norm $a";
  node.torch = ways(
      {"F.batch_norm(@x, None, None, training=True, eps=$a)",
       "($x - $x.mean(dim=$d, keepdim=True)) / torch.sqrt($x.var(dim=$d, keepdim=True, unbiased=False) + $a)",
       "($x - torch.mean(@x, dim=$d, keepdim=True)) * torch.rsqrt($x.var($d, unbiased=False, keepdim=True) + $a)"});
  node.torch.push_back(plane ? "M:nn.BatchNorm2d({F}, eps=$a, affine=False, track_running_stats=False)"
                             : "M:nn.BatchNorm1d({F}, eps=$a, affine=False, track_running_stats=False)");
  const int numbers = make.step(node);
  const int value = draw.chance(0.4) ? make.chain(numbers, 1) : numbers;
  make.output(value, of.shape, of.program);
  make.line(2, "s = 0");
  make.line(2, "q = 0");
  make.line(2, "for b in range(B):");
  make.line(3, "for t in tiles(" + of.space + "):");
  make.line(4, "a = load {0}[b, f, t]");
  make.line(4, "s += sum(a)");
  make.line(4, "q += sum(a * a)");
  make.line(2, "n = " + n);
  make.line(2, "m = s / n");
  make.line(2, "k = rsqrt(q / n - m * m + " + eps + ")");
  make.line(2, "for b in range(B):");
  make.line(3, "for t in tiles(" + of.space + "):");
  make.loads(4, {x});
  make.node_of(numbers).dsl = "($x - m) * k";
  make.bind_range(numbers, value, 4);
  make.store(0, "b, f, t", value, 4);
  return make.graph;
}

Graph group_graph(Draw& draw) {
  Maker make(draw, "group", "reduction");
  const std::int64_t groups = draw.of(std::vector<std::int64_t>{2, 3, 4, 8});
  const bool instance = draw.chance(0.3);
  const Channels of = channels(make, instance ? 2 : groups, instance ? 1 : groups);
  const bool plane = of.shape.size() == 4;
  const int x = make.input("x", of.shape, of.program, instance ? "b, f, :" : "b, g * n:g * n + n");
  const bool affine = draw.chance(0.35);
  std::vector<int> operands = {x};
  if (affine)
    for (const char* role : {"weight", "bias"}) {
      operands.push_back(make.input(role, {"F"}, "F", "f"));
      make.graph.inputs.back().parameter = true;
      make.graph.inputs.back().construct =
          role[0] == 'w' ? "nn.Parameter(torch.ones({F}))" : "nn.Parameter(torch.zeros({F}))";
    }
  Node node;
  node.name = instance ? "instance_norm" : "group_norm";
  node.operands = operands;
  node.constants = {make.constant('e')};
  const std::string weights = affine ? "weight=@y, bias=@w, " : "";
  if (instance) {
    make.graph.axis_note = plane ? "dims 2, 3 = H, W" : "dim 2 = L";
    node.words = affine ? "instance norm $a; mul $y; add $w" : "instance norm $a";
    node.torch = {"F.instance_norm(@x, " + weights + "eps=$a)"};
    if (!affine) node.torch.push_back(plane ? "M:nn.InstanceNorm2d({F}, eps=$a)" : "M:nn.InstanceNorm1d({F}, eps=$a)");
    if (affine)
      node.torch.push_back(plane ? "P:nn.InstanceNorm2d({F}, eps=$a, affine=True)"
                                 : "P:nn.InstanceNorm1d({F}, eps=$a, affine=True)");
  } else {
    make.graph.notes.push_back("groups " + std::to_string(groups));
    node.constants.push_back(make.fixed(std::to_string(groups), "count"));
    node.words = affine ? "group norm $a; mul $y; add $w" : "group norm $a";
    node.torch = {"F.group_norm(@x, $b, " + weights + "eps=$a)"};
    node.torch.push_back(affine ? "P:nn.GroupNorm($b, {F}, eps=$a)" : "M:nn.GroupNorm($b, {F}, eps=$a, affine=False)");
  }
  const int numbers = make.step(node);
  const int value = affine || draw.chance(0.6) ? numbers : make.chain(numbers, 1);
  make.output(value, of.shape, of.program);
  group_program(make, of, instance ? 0 : groups, affine, numbers, value);
  return make.graph;
}

}  // namespace kg::dataset::cot::modules
