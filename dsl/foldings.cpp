#include "dsl/foldings.h"

#include <functional>
#include <numeric>
#include <optional>

#include "dsl/constant.h"

namespace kg::dsl {
namespace {

using Shape = std::vector<std::int64_t>;

constexpr std::size_t kMost = 64;

// The extents of one parameter against one shape, once the names have these values.
class Foldings {
 public:
  Foldings(const std::vector<ExprPtr>& extents, const Shape& shape) : extents_(extents), shape_(shape) {}

  // Every way to fold neighbouring dimensions, with the values that it gives; if there is none, to split them
  // (bind.h). `whole`: these are all extents, else at least one more follows.
  std::vector<ExtentValues> all(const ExtentValues& known, bool whole) {
    whole_ = whole;
    found_.clear();
    fold(0, 0, known);
    if (found_.empty()) split(known);
    return std::move(found_);
  }

 private:
  std::int64_t elements_of(std::size_t first, std::size_t end) const {
    const auto at = [&](std::size_t index) { return shape_.begin() + static_cast<std::ptrdiff_t>(index); };
    return std::accumulate(at(first), at(end), std::int64_t{1}, std::multiplies<>());
  }

  void fold(std::size_t extent, std::size_t dimension, const ExtentValues& values) {
    if (found_.size() >= kMost) return;
    if (extent == extents_.size()) {
      if ((dimension == shape_.size()) == whole_) found_.push_back(values);
      return;
    }
    const Expr& wanted = *extents_[extent];
    const std::optional<std::int64_t> value = constant_of(wanted, values);
    // The most dimensions first: so the leading ones are folded before others.
    for (std::size_t end = shape_.size(); end > dimension; --end) {
      const std::int64_t product = elements_of(dimension, end);
      if (value && *value != product) continue;
      if (value) {
        fold(extent + 1, end, values);
      } else if (wanted.kind == Expr::Kind::kName) {
        ExtentValues more = values;
        more.emplace(wanted.text, product);
        fold(extent + 1, end, more);
      }
    }
  }

  void split(const ExtentValues& known) {
    const std::int64_t elements = elements_of(0, shape_.size());
    std::int64_t declared = 1;
    bool numbers = true;
    const Expr* unknown = nullptr;
    for (const ExprPtr& extent : extents_) {
      const std::optional<std::int64_t> value = constant_of(*extent, known);
      numbers &= extent->kind == Expr::Kind::kNumber;
      if (value && (*value < 1 || *value > elements / declared)) return;
      if (!value && (unknown != nullptr || extent->kind != Expr::Kind::kName)) return;
      if (!value) unknown = extent.get();
      declared *= value.value_or(1);
    }
    if (elements % declared != 0) return;
    if (whole_ && ((extents_.size() <= shape_.size() && !numbers) || (unknown == nullptr && declared != elements)))
      return;
    found_.push_back(known);
    if (whole_ && unknown != nullptr) found_.back().emplace(unknown->text, elements / declared);
  }

  const std::vector<ExprPtr>& extents_;
  const Shape& shape_;
  bool whole_ = true;
  std::vector<ExtentValues> found_;
};

}  // namespace

std::vector<ExtentValues> foldings(const std::vector<ExprPtr>& extents, const Shape& shape, const ExtentValues& known,
                                   bool whole) {
  return Foldings(extents, shape).all(known, whole);
}

}  // namespace kg::dsl
