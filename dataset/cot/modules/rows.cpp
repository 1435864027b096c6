#include "dataset/cot/modules/rows.h"

namespace kg::dataset::cot::modules {
namespace {

Node row_step(const RowStep& row, int operand, const Rows& of, std::vector<int> constants) {
  Node node;
  node.name = row.name;
  node.operands = {operand};
  node.constants = std::move(constants);
  node.dsl = row.dsl;
  node.words = std::string(row.words) + " over " + of.letters;
  node.axes = of.axes;
  node.rank = of.rank();
  for (std::string way : ways_of(row.torch)) {
    if (way.starts_with("1:")) {
      if (of.axes.size() > 1) continue;
      way = way.substr(2);
    }
    const std::size_t at = way.find("{C}");  // the sizes of a row, in layer_norm's form
    if (at != std::string::npos && of.axes.size() > 1) {
      std::string sizes;
      for (const int axis : of.axes)
        sizes += (sizes.empty() ? "" : ", ") + ("{" + of.shape[static_cast<std::size_t>(axis)] + "}");
      way.replace(at, 3, way[at - 1] == '(' && way.substr(at + 3, 2) == ",)" ? sizes : "(" + sizes + ")");
      if (const std::size_t tail = way.find(",)"); tail != std::string::npos) way.replace(tail, 2, ")");
    }
    node.torch.push_back(way);
  }
  return node;
}

std::int64_t many_rows(Maker& make) { return make.size({2, 4, 8, 16, 32, 64, 128, 256, 1024, 4096}, 2, 300); }
std::int64_t few_rows(Maker& make) { return 2 + static_cast<std::int64_t>(make.draw.below(6)); }

// A row of several axes.
Rows spanning(Maker& make) {
  Draw& draw = make.draw;
  const bool planes = draw.chance(0.6);
  make.extent("B", many_rows(make), few_rows(make));
  make.extent("F", make.size({3, 8, 16, 32, 64}, 2, 40), 2 + static_cast<std::int64_t>(draw.below(4)));
  make.extent("H", make.size({16, 28, 32, 56, 64, 128, 256}, 5, 90), 4 + static_cast<std::int64_t>(draw.below(7)));
  make.extent("W", make.size({16, 28, 32, 56, 64, 128, 256}, 5, 90), 5 + static_cast<std::int64_t>(draw.below(9)));
  Rows made = {.shape = {"B", "F", "H", "W"},
               .lead = {"B"},
               .axes = {1, 2, 3},
               .letters = "F, H, W",
               .program = "B, F, H, W",
               .program_lead = "B",
               .loop = "for b in cores(B):",
               .at = "b, :",
               .number_at = "b"};
  if (planes) {
    made.lead = {"B", "F"};
    made.axes = {2, 3};
    made.letters = "H, W";
    made.program_lead = "B, F";
    made.loop = "for b, f in cores(B, F):";
    made.at = "b, f, :";
    made.number_at = "b, f";
  }
  return made;
}

}  // namespace

RowPlace place_of_rows(const Rows& of) { return {of.shape, of.program, of.at}; }

RowPlace place_of_numbers(const Rows& of, bool keep) {
  RowPlace place{of.lead, of.program_lead, of.number_at};
  for (std::size_t i = 0; keep && i < of.axes.size(); ++i) {
    place.shape.push_back("1");
    place.program += ", 1";
    place.at += ", 0";
  }
  return place;
}

void row_body(Maker& make, const Rows& of, const std::vector<int>& inputs, int value, const RowPlace& place) {
  make.line(1, of.loop);
  make.loads(2, inputs);
  make.bind_range(static_cast<int>(make.graph.inputs.size()), value, 2);
  make.store(0, place.at, value, 2);
}

Rows rows(Maker& make, bool may_span) {
  Draw& draw = make.draw;
  const bool is_long = draw.chance(0.4);
  const std::int64_t columns = is_long
                                   ? make.size({16384, 32768, 65536, 131072, 262144, 393216, 1048576}, 13000, 200000)
                                   : make.size({64, 128, 256, 512, 768, 1024, 2048, 4096}, 10, 5000);
  if (is_long) make.graph.stratum = "long_row";
  const std::int64_t small =
      is_long ? 900 + static_cast<std::int64_t>(draw.below(1100)) : 10 + static_cast<std::int64_t>(draw.below(300));
  if (may_span && draw.chance(0.2)) return spanning(make);
  Rows made = {.shape = {"R", "C"},
               .lead = {"R"},
               .axes = {1},
               .letters = "C",
               .program = "R, C",
               .program_lead = "R",
               .loop = "for r in cores(R):",
               .at = "r, :",
               .number_at = "r"};
  if (draw.chance(0.4)) {  // leading axes fold
    const bool four = draw.chance(0.4);
    made.shape = four ? std::vector<std::string>{"B", "F", "L", "C"} : std::vector<std::string>{"B", "L", "C"};
    made.lead = {made.shape.begin(), made.shape.end() - 1};
    made.axes = {four ? 3 : 2};
    make.extent("B", make.size({2, 4, 8, 16, 32}, 2, 30), 2 + static_cast<std::int64_t>(draw.below(3)));
    if (four) make.extent("F", make.size({4, 8, 12, 16}, 2, 20), 2);
    make.extent("L", many_rows(make), few_rows(make));
  } else {
    make.extent("R", many_rows(make), 3 + static_cast<std::int64_t>(draw.below(20)));
  }
  make.extent("C", columns, small);
  make.graph.axis_note = made.rank() == 2 ? "" : "rows of C";
  return made;
}

int add_row_step(Maker& make, const Rows& of, int operand, bool shaped) {
  const std::span<const RowStep> table = row_steps();
  for (;;) {
    const RowStep& row = table[make.draw.below(table.size())];
    if (row.positive && !make.known(operand).positive) continue;
    if (shaped && row.no_span && of.axes.size() > 1) continue;
    std::vector<int> constants;
    for (const char* kind = row.constants; *kind != '\0'; ++kind) constants.push_back(make.constant(*kind));
    const int value = make.step(row_step(row, operand, of, constants));
    make.known(value) = {.positive = row.gives_positive, .bounded = true};
    return value;
  }
}

const Reduction& reduction_for(Maker& make, int operand) {
  for (;;) {
    const Reduction& one =
        reductions()[make.draw.chance(0.5) ? make.draw.below(4) : make.draw.below(reductions().size())];
    if (std::string(one.name) == "count_positive" && !make.known(operand).exact) continue;
    return one;
  }
}

}  // namespace kg::dataset::cot::modules
