#include "dsl/process.h"

#include <algorithm>
#include <map>
#include <set>

#include "dsl/compact_order.h"

namespace kg::dsl {
namespace {

class Processor {
 public:
  Processor(const Form& form, bool on_cube)
      : form_(form), steps_(on_cube ? form.cube : form.steps), queues_(on_cube || !form.compact) {
    if (!queues_) barriers_ = barriers_before(form);
  }

  Code run() {
    for (index_ = 0; index_ < steps_.size(); ++index_) {
      const Step& step = steps_[index_];
      if (&steps_ == &form_.steps && queues_) allocate_outputs(step);
      if (!queues_ && barriers_[index_]) text(step.line, "PipeBarrier<PIPE_ALL>();");
      process(step);
      if (queues_) free_inputs(step);
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
        blocks_.push_back({index_, 0});
        text(step.line, "for (" + integer + " " + step.name + " = " + step.begin + "; " + step.name + " < " + step.end +
                            "; " + (step.stride.empty() ? "++" + step.name : step.name + " += " + step.stride) + ") {");
        ++depth_;
        return;
      case Step::Kind::kIf:
        blocks_.push_back({index_, 0});
        text(step.line, "if (" + step.value + ") {");
        ++depth_;
        return;
      case Step::Kind::kElse:
        ++blocks_.back().second;
        --depth_;
        text(step.line, "} else {");
        ++depth_;
        return;
      case Step::Kind::kEnd:
        blocks_.pop_back();
        --depth_;
        text(step.line, "}");
        return;
      case Step::Kind::kScalar:
        text(step.line,
             (step.type.empty() ? "" : step.type + " ") + step.name + " = " + resolved(form_, step.value) + ";");
        return;
      case Step::Kind::kBarrier:
        stored_.clear();
        if (queues_) text(step.line, "PipeBarrier<PIPE_ALL>();");
        text(step.line, step.all ? "SyncAll<false>();" : "SyncAll();");
        return;
      case Step::Kind::kSums:
        return sums(step);
      case Step::Kind::kGemm:
        return gemm(step);
      case Step::Kind::kVector:
        code_.uses_cumulative |= step.op.starts_with("Cumulative");
        put(Line::Kind::kVector, step);
        return;
      case Step::Kind::kCopyIn:
        code_.uses_workspace |= step.copy.tensor == kWorkspace;
        if (!queues_) return put(Line::Kind::kCopyIn, step);
        return copy_in(step);
      case Step::Kind::kCopyOut:
        code_.uses_workspace |= step.copy.tensor == kWorkspace;
        if (!queues_) return put(Line::Kind::kCopyOut, step);
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
    // Consecutive copies are all started before the first one is waited for.
    const bool more = index_ + 1 < steps_.size() && steps_[index_ + 1].kind == Step::Kind::kCopyIn;
    if (more) return;
    for (const int waiting : waiting_) {
      const Tile& each = form_.tile(waiting);
      text(step.line, each.name + " = " + queue(each) + ".DeQue<" + cpp_type(each.dtype) + ">();");
    }
    waiting_.clear();
  }

  void copy_out(const Step& step) {
    const Tile& tile = form_.tile(step.copy.tile);
    const bool sums = tile.home == Tile::Home::kL0c;
    if (!sums || summed_.insert(step.copy.tile).second) {
      text(step.line, queue(tile) + ".EnQue(" + tile.name + ");");
      text(step.line, tile.name + " = " + queue(tile) + ".DeQue<" + cpp_type(tile.dtype) + ">();");
    }
    if (!sums && writes_again(step.copy)) text(step.line, "PipeBarrier<PIPE_MTE3>();");
    put(Line::Kind::kCopyOut, step);
    if (sums) return;  // another store may follow
    stored_.push_back({&step.copy, blocks_});
    text(step.line, queue(tile) + ".FreeTensor(" + tile.name + ");");
  }

  // Whether an earlier store of the same turn may have written some of these bytes: stores to one place need an order.
  bool writes_again(const Copy& copy) const {
    return std::any_of(stored_.begin(), stored_.end(), [&](const Stored& earlier) {
      const Copy& other = *earlier.copy;
      if (other.tensor != copy.tensor || blocks_.empty() || earlier.blocks.empty() ||
          blocks_[0].first != earlier.blocks[0].first)
        return false;
      for (std::size_t i = 0; i < std::min(blocks_.size(), earlier.blocks.size()); ++i)
        if (blocks_[i].first == earlier.blocks[i].first && blocks_[i].second != earlier.blocks[i].second)
          return false;  // the one branch or the other
      return !lies_apart(other, copy);
    });
  }

  // The elements that a copy has at most.
  std::int64_t most_of(const Copy& copy) const {
    const bool number = !copy.count.empty() && copy.count.size() < 18 &&
                        copy.count.find_first_not_of("0123456789") == std::string::npos;
    return number ? std::stoll(copy.count) : form_.tile(copy.tile).capacity;
  }
  bool lies_apart(const Copy& a, const Copy& b) const {
    return a.place.terms == b.place.terms &&
           (a.place.constant + most_of(a) <= b.place.constant || b.place.constant + most_of(b) <= a.place.constant);
  }

  // Sums begin with the first product; their start only allocates, and fetches the row they may begin with.
  void sums(const Step& step) {
    const Tile& tile = form_.tile(step.result);
    if (!step.sources.empty()) {
      const std::string row = form_.tile(step.sources[0]).name, table = tile.name + "Table";
      text(step.line, "LocalTensor<float> " + table + " = " + table + "Queue.AllocTensor<float>();");
      text(step.line, "DataCopy(" + table + ", " + row + ", DataCopyParams(1, " + sixteens(step.n) + ", 0, 0));");
      text(step.line, table + "Queue.EnQue(" + table + ");");
      text(step.line, table + " = " + table + "Queue.DeQue<float>();");
    }
    text(step.line, declared(tile) + " = " + queue(tile) + ".AllocTensor<float>();");
    text(step.line, "bool " + tile.name + "Begins = true;");
    summed_.erase(step.result);
    tables_[step.result] = !step.sources.empty();
  }

  void gemm(const Step& step) {
    const std::string sums = form_.tile(step.result).name;
    std::string call = "Multiply<";
    for (const bool turned : step.turned) call += std::string(turned ? "true" : "false") + ", ";
    call.resize(call.size() - 2);
    call += ">(l0aQueue, l0bQueue, " + sums;
    for (const int source : step.sources) call += ", " + form_.tile(source).name;
    call += ", " + step.m + ", " + step.n + ", " + step.k + ", " + std::to_string(step.depth) + ", " + sums + "Begins";
    if (tables_[step.result]) call += ", " + sums + "Table";
    text(step.line, call + ");");
    text(step.line, sums + "Begins = false;");
    code_.uses_bias |= tables_[step.result];
  }

  void allocate_outputs(const Step& step) {
    for (const Tile& tile : form_.tiles)
      if (tile.home == Tile::Home::kOut && tile.bytes > 0 && tile.first == static_cast<int>(index_))
        text(step.line, declared(tile) + " = " + queue(tile) + ".AllocTensor<" + cpp_type(tile.dtype) + ">();");
  }

  void free_inputs(const Step& step) {
    for (std::size_t t = 0; t < form_.tiles.size(); ++t) {
      const Tile& tile = form_.tiles[t];
      const bool cube = Form::is_on_cube(tile);
      if (cube != (&steps_ == &form_.cube) || (!cube && tile.home != Tile::Home::kIn) || tile.bytes == 0 ||
          tile.last != static_cast<int>(index_))
        continue;
      done_.push_back(queue(tile) + ".FreeTensor(" + tile.name + ");");
      if (tables_[static_cast<int>(t)]) done_.push_back(tile.name + "TableQueue.FreeTensor(" + tile.name + "Table);");
    }
    if (!waiting_.empty()) return;  // a tile that nobody reads is first taken out of its queue
    for (const std::string& each : done_) text(step.line, each);
    done_.clear();
  }

  const Form& form_;
  const std::vector<Step>& steps_;
  bool queues_;
  Code code_;
  std::size_t index_ = 0;
  int depth_ = 0;
  using Blocks = std::vector<std::pair<std::size_t, int>>;  // the steps that open them, and the branch of each
  struct Stored {
    const Copy* copy;
    Blocks blocks;
  };
  Blocks blocks_;
  std::vector<Stored> stored_;  // since the last barrier
  std::vector<int> waiting_;
  std::vector<std::string> done_;
  std::vector<bool> barriers_;  // without queues
  std::set<int> summed_;        // sums that nothing is added to any more
  std::map<int, bool> tables_;  // sums that begin with a row
};

}  // namespace

Code process(const Form& form) {
  Code code = Processor(form, /*on_cube=*/false).run();
  for (const Parameter& parameter : form.checked.program.parameters) code.uses_workspace |= parameter.scratch;
  if (form.cube.empty()) return code;
  Code cube = Processor(form, /*on_cube=*/true).run();
  code.cube = std::move(cube.lines);
  code.uses_bias = cube.uses_bias;
  return code;
}

}  // namespace kg::dsl
