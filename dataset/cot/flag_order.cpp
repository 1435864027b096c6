#include "dataset/cot/flag_order.h"

#include <array>
#include <set>
#include <string>
#include <vector>

namespace kg::dataset::cot {
namespace {

using dsl::Code;
using dsl::Form;
using dsl::Line;
using dsl::Step;

enum Pipe { kIn, kVector, kOut, kPipes };
constexpr std::array<const char*, kPipes> kNames = {"MTE2", "V", "MTE3"};

using Event = std::pair<Pipe, Pipe>;

// Tiles that the first pipe may still be using when the second needs them.
struct Pending {
  std::array<std::array<std::set<int>, kPipes>, kPipes> tiles;
  void join(const Pending& other) {
    for (int a = 0; a < kPipes; ++a)
      for (int b = 0; b < kPipes; ++b) tiles[a][b].insert(other.tiles[a][b].begin(), other.tiles[a][b].end());
  }
  bool operator==(const Pending&) const = default;
};

class PipeOrder {
 public:
  explicit PipeOrder(const Form& form) : form_(form), events_(form.steps.size()) {
    std::size_t at = 0;
    walk(at, {});
  }
  const std::set<Event>& before(std::size_t step) const { return events_[step]; }

 private:
  Pending walk(std::size_t& at, Pending pending) {
    while (at < form_.steps.size()) {
      const Step& step = form_.steps[at];
      if (step.kind == Step::Kind::kEnd || step.kind == Step::Kind::kElse) return pending;
      if (step.kind == Step::Kind::kFor) {
        const std::size_t body = at + 1;
        for (Pending before;;) {  // what one turn leaves pending, the next one meets
          before = pending;
          at = body;
          pending.join(walk(at, pending));
          if (pending == before) break;
        }
        ++at;
      } else if (step.kind == Step::Kind::kIf) {
        Pending after = walk(++at, pending);
        if (form_.steps[at].kind == Step::Kind::kElse)
          after.join(walk(++at, pending));
        else
          after.join(pending);
        pending = after;
        ++at;
      } else {
        straight(at++, pending);
      }
    }
    return pending;
  }

  void use(std::size_t index, Pending& pending, Pipe pipe, std::vector<int> tiles) {
    for (int& tile : tiles) tile = form_.root(tile);  // a part of a tile is the tile
    for (int other = 0; other < kPipes; ++other) {
      if (other == pipe) continue;
      auto& waiting = pending.tiles[other][pipe];
      bool needed = events_[index].contains({static_cast<Pipe>(other), pipe});
      for (const int tile : tiles) needed = needed || waiting.contains(tile);
      if (!needed) continue;
      events_[index].insert({static_cast<Pipe>(other), pipe});
      waiting.clear();
    }
    for (int other = 0; other < kPipes; ++other)
      if (other != pipe) pending.tiles[pipe][other].insert(tiles.begin(), tiles.end());
  }

  void straight(std::size_t index, Pending& pending) {
    const Step& step = form_.steps[index];
    std::vector<int> tiles = step.sources;
    tiles.insert(tiles.end(), step.scratch.begin(), step.scratch.end());
    if (step.result >= 0) tiles.push_back(step.result);
    switch (step.kind) {
      case Step::Kind::kCopyIn:
        use(index, pending, kIn, {step.result});
        break;
      case Step::Kind::kCopyOut:
        use(index, pending, kOut, {step.copy.tile});
        break;
      case Step::Kind::kVector:
        use(index, pending, kVector, tiles);
        break;
      case Step::Kind::kScalar:  // reads after the vector unit, which the compiler orders
        if (!step.sources.empty()) use(index, pending, kVector, step.sources);
        break;
      case Step::Kind::kBarrier:
        pending = {};
        break;
      default:
        break;
    }
  }

  const Form& form_;
  std::vector<std::set<Event>> events_;
};

std::string loop_head(const Step& step, bool index64) {
  return "for (" + std::string(index64 ? "int64_t " : "int32_t ") + step.name + " = " + step.begin + "; " + step.name +
         " < " + step.end + "; " + (step.stride.empty() ? "++" + step.name : step.name + " += " + step.stride) + ") {";
}

}  // namespace

Code flagged_code(const Form& form) {
  Code code;
  const PipeOrder order(form);
  int depth = 0;
  const auto text = [&](const Step& step, std::string what) {
    code.lines.push_back({.depth = depth, .line = step.line, .text = std::move(what), .step = {}});
  };
  for (std::size_t i = 0; i < form.steps.size(); ++i) {
    const Step& step = form.steps[i];
    for (const auto& [from, to] : order.before(i)) {
      const std::string event = "<HardEvent::" + std::string(kNames[from]) + "_" + kNames[to] + ">(EVENT_ID0);";
      text(step, "SetFlag" + event);
      text(step, "WaitFlag" + event);
    }
    switch (step.kind) {
      case Step::Kind::kFor:
        text(step, loop_head(step, form.index64));
        ++depth;
        break;
      case Step::Kind::kIf:
        text(step, "if (" + step.value + ") {");
        ++depth;
        break;
      case Step::Kind::kElse:
        --depth;
        text(step, "} else {");
        ++depth;
        break;
      case Step::Kind::kEnd:
        --depth;
        text(step, "}");
        break;
      case Step::Kind::kScalar:
        text(step, (step.type.empty() ? "" : step.type + " ") + step.name + " = " + resolved(form, step.value) + ";");
        break;
      case Step::Kind::kSums:
      case Step::Kind::kGemm:
        break;  // a cube core's step; these are the vector cores' steps
      case Step::Kind::kBarrier:
        text(step, "PipeBarrier<PIPE_ALL>();");
        text(step, step.all ? "SyncAll<false>();" : "SyncAll();");
        break;
      case Step::Kind::kVector:
        code.uses_cumulative |= step.op.starts_with("Cumulative");
        code.lines.push_back(
            {.kind = Line::Kind::kVector, .depth = depth, .line = step.line, .text = {}, .step = step});
        break;
      case Step::Kind::kCopyIn:
      case Step::Kind::kCopyOut:
        code.uses_workspace |= step.copy.tensor == dsl::kWorkspace;
        code.lines.push_back({.kind = step.kind == Step::Kind::kCopyIn ? Line::Kind::kCopyIn : Line::Kind::kCopyOut,
                              .depth = depth,
                              .line = step.line,
                              .text = {},
                              .step = step});
        break;
    }
  }
  return code;
}

}  // namespace kg::dataset::cot
