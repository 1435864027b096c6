#include "dsl/batch_rows.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "dsl/constant.h"
#include "dsl/scalar_text.h"
#include "npu/chip.h"

namespace kg::dsl {
namespace {

constexpr std::int64_t kLongestRow = 8192, kLargestBatch = 32768;  // bytes

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// `text` with another name for the variable `from`.
std::string renamed(const std::string& text, const std::string& from, const std::string& to) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end == at) ++end;
    const std::string word = text.substr(at, end - at);
    result += word == from ? to : word;
    at = end;
  }
  return result;
}

bool mentions(const std::string& text, const std::string& name) { return renamed(text, name, "") != text; }
bool copies(const Step& step) { return step.kind == Step::Kind::kCopyIn || step.kind == Step::Kind::kCopyOut; }

class Batcher {
 public:
  Batcher(Form& form, std::size_t loop) : form_(form), loop_(loop), head_(form.steps[loop]), end_(loop) {
    int depth = 0;
    do {
      depth += form.steps[end_].opens() ? 1 : form.steps[end_].kind == Step::Kind::kEnd ? -1 : 0;
    } while (depth > 0 && ++end_ > 0);
    const auto begin = form.steps.begin();
    body_.assign(begin + static_cast<std::ptrdiff_t>(loop + 1), begin + static_cast<std::ptrdiff_t>(end_));
  }

  bool run(std::int64_t rows) {
    if (head_.kind != Step::Kind::kFor || !head_.stride.empty() || head_.trips < 2) return false;
    rows = std::min(rows, static_cast<std::int64_t>(head_.trips));
    std::vector<std::size_t> chosen;
    int depth = 0;
    for (std::size_t i = 0; i < body_.size(); ++i) {
      depth += body_[i].opens() ? 1 : body_[i].kind == Step::Kind::kEnd ? -1 : 0;
      if (depth > 0 || pitch_of(body_[i]) == 0) continue;
      chosen.push_back(i);
      rows = std::min(rows, kLargestBatch / row_bytes(form_.tile(body_[i].copy.tile)));
    }
    if (chosen.empty() || rows < 2) return false;
    rewrite(chosen, rows);
    return true;
  }

 private:
  // Elements of GM between the rows of two turns; 0: this step stays unchanged.
  std::int64_t pitch_of(const Step& step) const {
    if (!copies(step) || step.copy.padded || step.copy.tensor == kWorkspace || !step.copy.blocks.empty()) return 0;
    const Copy& copy = step.copy;
    const Tile& tile = form_.tile(copy.tile);
    if (tile.view_of >= 0 || tile.capacity * element_bytes(tile.dtype) > kLongestRow ||
        mentions(copy.count, head_.name))
      return 0;
    std::int64_t pitch = 0;
    for (const auto& [term, coefficient] : copy.place.terms)
      if (cpp_name(term) == head_.name) pitch = coefficient;
    for (const Step& other : body_) {
      const bool defines = other.kind == Step::Kind::kScalar || other.kind == Step::Kind::kFor;
      if (defines && (mentions(copy.offset, other.name) || mentions(copy.count, other.name))) return 0;
      // Comparisons read whole repeats, beyond a row.
      if (other.op.starts_with("Compare") &&
          std::find(other.sources.begin(), other.sources.end(), copy.tile) != other.sources.end())
        return 0;
      // Stores keep their order.
      const bool stores = step.kind == Step::Kind::kCopyOut && other.kind == Step::Kind::kCopyOut;
      if (stores && other.copy.tensor == copy.tensor && other.copy.tile != copy.tile) return 0;
      if (other.kind == Step::Kind::kBarrier) return 0;
    }
    return pitch >= tile.capacity ? pitch : 0;
  }

  static std::int64_t row_bytes(const Tile& tile) {
    return align_up(tile.capacity * element_bytes(tile.dtype), npu::chip::kBlockBytes);
  }

  void rewrite(const std::vector<std::size_t>& chosen, std::int64_t rows) {
    // All turns at once need no loop over batches.
    const bool whole =
        is_number(head_.begin) && is_number(head_.end) && std::stoll(head_.end) - std::stoll(head_.begin) <= rows;
    first_ = whole ? head_.begin : head_.name + "First";
    last_ = whole ? head_.end : head_.name + "Last";
    Step outer = head_, inner = head_, limit;
    outer.name = first_;
    outer.stride = std::to_string(rows);
    outer.trips = std::ceil(head_.trips / static_cast<double>(rows));
    inner.begin = first_;
    inner.end = last_;
    inner.trips = head_.trips / outer.trips;
    limit.kind = Step::Kind::kScalar;
    limit.line = head_.line;
    limit.name = last_;
    limit.type = form_.index64 ? "const int64_t" : "const int32_t";
    const std::string next = first_ + " + " + outer.stride;
    limit.value = next + " < " + head_.end + " ? " + next + " : " + head_.end;
    std::vector<Step> made, rest = body_, after;
    if (!whole) {
      made.push_back(outer);
      made.push_back(limit);
    }
    for (const std::size_t i : chosen)
      (body_[i].kind == Step::Kind::kCopyIn ? made : after)
          .push_back(batched(body_[i], rows, pitch_of(body_[i]), rest));
    made.push_back(inner);
    for (std::size_t i = 0; i < rest.size(); ++i)
      if (std::find(chosen.begin(), chosen.end(), i) == chosen.end()) made.push_back(rest[i]);
    Step& end = form_.steps[end_];
    made.push_back(end);
    made.insert(made.end(), after.begin(), after.end());
    if (!whole) made.push_back(end);
    auto& steps = form_.steps;
    const auto at = steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(loop_),
                                steps.begin() + static_cast<std::ptrdiff_t>(end_ + 1));
    steps.insert(at, made.begin(), made.end());
  }

  // The copy of all rows; in `rest` its tile becomes the current row.
  Step batched(Step step, std::int64_t rows, std::int64_t pitch, std::vector<Step>& rest) {
    const int tile = step.copy.tile;
    const std::int64_t unit = npu::chip::kBlockBytes / element_bytes(form_.tile(tile).dtype);
    const std::string& count = step.copy.count;
    const std::string width = is_number(count) ? std::to_string(align_up(std::stoll(count), unit))
                                               : "((" + count + " + " + std::to_string(unit - 1) + ") / " +
                                                     std::to_string(unit) + " * " + std::to_string(unit) + ")";
    const bool from_zero = first_ == "0";
    Tile row = form_.tile(tile);
    row.name = "";
    row.home = Tile::Home::kWork;
    row.view_of = tile;
    row.start = (from_zero ? head_.name : "(" + head_.name + " - " + first_ + ")") + " * " + width;
    // Parts of the tile become parts of the current row.
    for (Tile& part : form_.tiles)
      if (part.view_of == tile) part.start = row.start + (part.start == "0" ? "" : " + (" + part.start + ")");
    form_.tile(tile).capacity = rows * align_up(form_.tile(tile).capacity, unit);
    const int view = static_cast<int>(form_.tiles.size());
    form_.tiles.push_back(std::move(row));
    for (Step& each : rest) replace(each, tile, view);
    step.copy.offset = renamed(step.copy.offset, head_.name, first_);
    step.copy.blocks = is_number(first_) && is_number(last_) ? std::to_string(std::stoll(last_) - std::stoll(first_))
                       : from_zero                           ? last_
                                                             : last_ + " - " + first_;
    step.copy.block_pitch = pitch;
    step.elements = form_.tile(tile).capacity;
    return step;
  }

  void replace(Step& step, int from, int to) const {
    std::replace(step.sources.begin(), step.sources.end(), from, to);
    if (step.result == from) step.result = to;
    const std::string mark = "\x01" + std::to_string(from) + "\x01";
    for (std::size_t at = step.value.find(mark); at != std::string::npos; at = step.value.find(mark, at + 1))
      step.value.replace(at, mark.size(), "\x01" + std::to_string(to) + "\x01");
  }

  Form& form_;
  std::size_t loop_;
  Step head_;
  std::size_t end_;
  std::vector<Step> body_;
  std::string first_, last_;
};

}  // namespace

bool batch_rows(Form& form, std::size_t loop, std::int64_t rows) { return Batcher(form, loop).run(rows); }

}  // namespace kg::dsl
