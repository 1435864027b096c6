#include "dsl/compact_order.h"

#include <set>

namespace kg::dsl {
namespace {

// Tiles that each pipe may be using since the last barrier.
struct Pending {
  std::set<int> in, out, vector;
  void join(const Pending& other) {
    in.insert(other.in.begin(), other.in.end());
    out.insert(other.out.begin(), other.out.end());
    vector.insert(other.vector.begin(), other.vector.end());
  }
  bool operator==(const Pending&) const = default;
};

class Order {
 public:
  explicit Order(const Form& form) : form_(form), barriers_(form.steps.size(), false) {}

  std::vector<bool> run() {
    std::size_t at = 0;
    walk(at, form_.steps.size(), {});
    return barriers_;
  }

 private:
  // From `at` to the end of the block; leaves `at` after it.
  Pending walk(std::size_t& at, std::size_t end, Pending pending) {
    while (at < end) {
      const Step& step = form_.steps[at];
      if (step.kind == Step::Kind::kEnd || step.kind == Step::Kind::kElse) return pending;
      if (step.kind == Step::Kind::kFor) {
        const std::size_t body = at + 1;
        for (Pending before;;) {  // what one turn leaves pending, the next one meets
          before = pending;
          at = body;
          pending.join(walk(at, end, pending));
          if (pending == before) break;
        }
        ++at;
      } else if (step.kind == Step::Kind::kIf) {
        Pending after = walk(++at, end, pending);
        if (form_.steps[at].kind == Step::Kind::kElse)
          after.join(walk(++at, end, pending));
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

  void straight(std::size_t index, Pending& pending) {
    const Step& step = form_.steps[index];
    bool needed = barriers_[index];
    switch (step.kind) {
      case Step::Kind::kCopyIn:
        needed |= pending.in.contains(step.result) || pending.vector.contains(step.result);
        break;
      case Step::Kind::kCopyOut:
        needed |= pending.vector.contains(step.copy.tile);
        break;
      case Step::Kind::kVector:
        needed |= step.result >= 0 && pending.out.contains(form_.root(step.result));
        [[fallthrough]];
      case Step::Kind::kScalar:
        for (const int tile : step.sources) needed |= pending.in.contains(form_.root(tile));
        break;
      case Step::Kind::kBarrier:
        needed = true;
        break;
      default:
        break;
    }
    barriers_[index] = needed;
    if (needed) pending = {};
    if (step.kind == Step::Kind::kCopyIn) pending.in.insert(step.result);
    if (step.kind == Step::Kind::kCopyOut) pending.out.insert(step.copy.tile);
    if (step.kind == Step::Kind::kVector) {
      pending.vector.insert(form_.root(step.result));
      for (const int tile : step.sources) pending.vector.insert(form_.root(tile));
    }
  }

  const Form& form_;
  std::vector<bool> barriers_;
};

}  // namespace

std::vector<bool> barriers_before(const Form& form) { return Order(form).run(); }

}  // namespace kg::dsl
