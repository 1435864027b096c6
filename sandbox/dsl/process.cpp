#include "sandbox/dsl/process.h"

#include "sandbox/dsl/compact_order.h"

namespace kg::sandbox::dsl {
namespace {

class Processor {
 public:
  explicit Processor(const Form& form) : form_(form) {
    if (form.compact) barriers_ = barriers_before(form);
  }

  Code run() {
    for (index_ = 0; index_ < form_.steps.size(); ++index_) {
      const Step& step = form_.steps[index_];
      if (!form_.compact) allocate_outputs(step);
      if (form_.compact && barriers_[index_]) text(step.line, "PipeBarrier<PIPE_ALL>();");
      process(step);
      if (!form_.compact) free_inputs(step);
    }
    return std::move(code_);
  }

 private:
  void text(int line, std::string what) {
    code_.lines.push_back({.depth = depth_, .line = line, .text = std::move(what)});
  }
  void put(Line::Kind kind, const Step& step) {
    code_.lines.push_back({.kind = kind, .depth = depth_, .line = step.line, .step = step});
  }

  void process(const Step& step) {
    const std::string integer = form_.index64 ? "int64_t" : "int32_t";
    switch (step.kind) {
      case Step::Kind::kFor:
        text(step.line, "for (" + integer + " " + step.name + " = " + step.begin + "; " + step.name + " < " + step.end +
                            "; " + (step.stride.empty() ? "++" + step.name : step.name + " += " + step.stride) + ") {");
        ++depth_;
        return;
      case Step::Kind::kIf:
        text(step.line, "if (" + step.value + ") {");
        ++depth_;
        return;
      case Step::Kind::kElse:
        --depth_;
        text(step.line, "} else {");
        ++depth_;
        return;
      case Step::Kind::kEnd:
        --depth_;
        text(step.line, "}");
        return;
      case Step::Kind::kScalar:
        text(step.line,
             (step.type.empty() ? "" : step.type + " ") + step.name + " = " + resolved(form_, step.value) + ";");
        return;
      case Step::Kind::kBarrier:
        if (!form_.compact) text(step.line, "PipeBarrier<PIPE_ALL>();");
        text(step.line, "SyncAll();");
        return;
      case Step::Kind::kVector:
        code_.uses_cumulative |= step.op.starts_with("Cumulative");
        put(Line::Kind::kVector, step);
        return;
      case Step::Kind::kCopyIn:
        code_.uses_workspace |= step.copy.tensor == kWorkspace;
        if (form_.compact) return put(Line::Kind::kCopyIn, step);
        return copy_in(step);
      case Step::Kind::kCopyOut:
        code_.uses_workspace |= step.copy.tensor == kWorkspace;
        if (form_.compact) return put(Line::Kind::kCopyOut, step);
        return copy_out(step);
    }
  }

  std::string declared(const Tile& tile) const { return "LocalTensor<" + cpp_type(tile.dtype) + "> " + tile.name; }
  std::string queue(const Tile& tile) const { return form_.tile(tile.queue).name + "Queue"; }

  void copy_in(const Step& step) {
    const Tile& tile = form_.tile(step.result);
    text(step.line, declared(tile) + " = " + queue(tile) + ".AllocTensor<" + cpp_type(tile.dtype) + ">();");
    put(Line::Kind::kCopyIn, step);
    text(step.line, queue(tile) + ".EnQue(" + tile.name + ");");
    waiting_.push_back(step.result);
    // Copies that stand together are all under way before the first is waited for.
    const bool more = index_ + 1 < form_.steps.size() && form_.steps[index_ + 1].kind == Step::Kind::kCopyIn;
    if (more) return;
    for (const int waiting : waiting_) {
      const Tile& each = form_.tile(waiting);
      text(step.line, each.name + " = " + queue(each) + ".DeQue<" + cpp_type(each.dtype) + ">();");
    }
    waiting_.clear();
  }

  void copy_out(const Step& step) {
    const Tile& tile = form_.tile(step.copy.tile);
    text(step.line, queue(tile) + ".EnQue(" + tile.name + ");");
    text(step.line, tile.name + " = " + queue(tile) + ".DeQue<" + cpp_type(tile.dtype) + ">();");
    put(Line::Kind::kCopyOut, step);
    text(step.line, queue(tile) + ".FreeTensor(" + tile.name + ");");
  }

  void allocate_outputs(const Step& step) {
    if (step.result < 0) return;
    const Tile& tile = form_.tile(step.result);
    if (tile.home == Tile::Home::kOut && tile.first == static_cast<int>(index_))
      text(step.line, declared(tile) + " = " + queue(tile) + ".AllocTensor<" + cpp_type(tile.dtype) + ">();");
  }

  void free_inputs(const Step& step) {
    for (const Tile& tile : form_.tiles)
      if (tile.home == Tile::Home::kIn && tile.bytes > 0 && tile.last == static_cast<int>(index_))
        done_.push_back(queue(tile) + ".FreeTensor(" + tile.name + ");");
    if (!waiting_.empty()) return;  // one that nobody reads is taken out of its queue first
    for (const std::string& each : done_) text(step.line, each);
    done_.clear();
  }

  const Form& form_;
  Code code_;
  std::size_t index_ = 0;
  int depth_ = 0;
  std::vector<int> waiting_;
  std::vector<std::string> done_;
  std::vector<bool> barriers_;  // compact
};

}  // namespace

Code process(const Form& form) { return Processor(form).run(); }

}  // namespace kg::sandbox::dsl
