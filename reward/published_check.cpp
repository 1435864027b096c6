#include "reward/published_check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/error.h"
#include "operators/number_format.h"
#include "proto/dtype.h"

namespace kg::reward {
namespace {

using proto::DType;
using Shape = std::vector<std::int64_t>;

constexpr double kTiny = 1e-7;  // added to a divisor by the checkers
constexpr std::int64_t kMostPairs = std::int64_t{1} << 32;

int rank_of(DType dtype) {
  switch (dtype) {
    case proto::BOOL:
      return 0;
    case proto::UINT8:
      return 1;
    case proto::INT8:
      return 2;
    case proto::INT16:
      return 3;
    case proto::INT32:
      return 4;
    case proto::INT64:
      return 5;
    case proto::FLOAT16:
      return 6;
    case proto::BFLOAT16:
      return 7;
    case proto::FLOAT32:
      return 8;
    case proto::FLOAT64:
      return 9;
    default:
      return -1;
  }
}

// Like torch.promote_types.
std::optional<DType> promoted(DType a, DType b) {
  if (a == b) return a;
  const int low = std::min(rank_of(a), rank_of(b)), high = std::max(rank_of(a), rank_of(b));
  if (low < 0) return std::nullopt;
  if (low == 1 && high == 2) return proto::INT16;
  if (low == 6 && high == 7) return proto::FLOAT32;
  return rank_of(a) == high ? a : b;
}

// |a - b| of two integers as PyTorch has it: it wraps.
double wrapped_difference(DType dtype, double a, double b) {
  const std::uint64_t difference = static_cast<std::uint64_t>(static_cast<std::int64_t>(a)) -
                                   static_cast<std::uint64_t>(static_cast<std::int64_t>(b));
  const auto absolute = [](auto value) {
    return value < 0 ? static_cast<decltype(value)>(-static_cast<std::int64_t>(value)) : value;
  };
  switch (dtype) {
    case proto::INT8:
      return static_cast<double>(absolute(static_cast<std::int8_t>(difference)));
    case proto::UINT8:
      return static_cast<double>(static_cast<std::uint8_t>(difference));
    case proto::INT16:
      return static_cast<double>(absolute(static_cast<std::int16_t>(difference)));
    case proto::INT32:
      return static_cast<double>(absolute(static_cast<std::int32_t>(difference)));
    default:
      return std::abs(static_cast<double>(static_cast<std::int64_t>(difference)));
  }
}

// One operation of PyTorch: 16-bit types compute in float and round.
double rounded(DType dtype, double value) {
  if (dtype == proto::FLOAT64) return value;
  return operators::round_to(dtype, static_cast<double>(static_cast<float>(value)));
}

struct Pair {
  DType expected, found, type;  // `type`: of the difference
  bool scalar = false;          // the expected tensor has no dimensions
  DType quotient() const { return operators::is_floating(type) ? type : proto::FLOAT32; }
  double difference(double a, double b) const {
    if (!operators::is_floating(type)) return wrapped_difference(type, a, b);
    return std::abs(rounded(type, type == proto::FLOAT64 ? a - b : static_cast<float>(a) - static_cast<float>(b)));
  }
  double quotient_by(double difference, double of, DType of_type) const {
    const DType divisor_type = operators::is_floating(of_type) ? of_type : proto::FLOAT32;
    const double tiny = divisor_type == proto::FLOAT64 ? kTiny : static_cast<float>(kTiny);
    const double divisor = rounded(divisor_type, of + tiny);
    return rounded(quotient(), quotient() == proto::FLOAT64
                                   ? difference / divisor
                                   : static_cast<float>(difference) / static_cast<float>(divisor));
  }
  double bound(double value) const { return operators::round_to(quotient(), value); }
};

class Tally {
 public:
  Tally(const proto::Check& check, Pair pair) : check_(check), pair_(pair), name_(check.name()) {
    absolute_ = pair_.bound(check.absolute());
    relative_ = pair_.bound(check.relative());
  }

  void add(double a, double b) {
    ++count_;
    if (name_ == "ratio") return add_ratio(a, b);
    if (fails(a, b) && failing_++ == 0) {
      first_ = count_ - 1;
      first_expected_ = a;
      first_found_ = b;
    }
  }

  // `expected_count`: elements of the expected tensor.
  bool pass(std::int64_t expected_count) const {
    if (name_ != "ratio") return failing_ == 0;
    const double most = static_cast<double>(expected_count) * check_.relative();
    return !(static_cast<double>(over_relative_) > most && static_cast<double>(over_absolute_) > most);
  }

  std::string why() const {
    char text[200];
    if (name_ == "ratio")
      std::snprintf(text, sizeof text, "%lld and %lld of %lld elements exceed %g",
                    static_cast<long long>(over_absolute_), static_cast<long long>(over_relative_),
                    static_cast<long long>(count_), check_.relative());
    else
      std::snprintf(text, sizeof text, "%lld of %lld elements; the first is element %lld: found %.9g, wanted %.9g",
                    static_cast<long long>(failing_), static_cast<long long>(count_), static_cast<long long>(first_),
                    first_found_, first_expected_);
    return text;
  }

 private:
  bool fails(double a, double b) const {
    const double difference = pair_.difference(a, b);
    if (name_ == "exact") return difference > 0;
    if (name_ == "scaled" || name_ == "scaled_float32") return difference > tolerance(a);
    const double quotient = pair_.quotient_by(difference, std::abs(a), pair_.expected);
    const bool exceeds = difference > absolute_ && quotient > relative_;
    if (name_ == "both_or_not_finite") return exceeds;
    return exceeds || !std::isfinite(a) || !std::isfinite(b) || !std::isfinite(difference) || !std::isfinite(quotient);
  }

  double tolerance(double a) const {
    // torch.maximum(1.0 of float32 without dimensions, |a|) keeps the type of |a|, unless that has no dimensions either
    // or is an integer.
    const bool single = !operators::is_floating(pair_.expected) || (pair_.scalar && pair_.expected != proto::FLOAT64);
    const DType type = single ? proto::FLOAT32 : pair_.expected;
    const double scale = std::isnan(a) ? a : std::max(1.0, std::abs(a));
    const double factor = type == proto::FLOAT64 ? check_.relative() : static_cast<float>(check_.relative());
    return rounded(type,
                   type == proto::FLOAT64 ? factor * scale : static_cast<float>(factor) * static_cast<float>(scale));
  }

  void add_ratio(double a, double b) {
    const double difference = pair_.difference(a, b);
    const double larger = std::isnan(a) || std::isnan(b) ? std::nan("") : std::max(std::abs(a), std::abs(b));
    over_absolute_ += difference > absolute_;
    over_relative_ += pair_.quotient_by(difference, larger, pair_.type) > relative_;
  }

  const proto::Check& check_;
  Pair pair_;
  std::string name_;
  double absolute_ = 0, relative_ = 0;
  std::int64_t count_ = 0, failing_ = 0, first_ = -1, over_absolute_ = 0, over_relative_ = 0;
  double first_expected_ = 0, first_found_ = 0;
};

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    shape[shape.size() - 1 - i] = x == 1 ? y : x;
  }
  return shape;
}

// The position of element `index` of the broadcast shape in a tensor of shape `own`.
std::size_t source(const Shape& shape, const Shape& own, std::int64_t index) {
  std::int64_t at = 0, stride = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t extent = shape[shape.size() - 1 - i], position = index % extent;
    index /= extent;
    if (i >= own.size()) continue;
    const std::int64_t own_extent = own[own.size() - 1 - i];
    if (own_extent != 1) at += position * stride;
    stride *= own_extent;
  }
  return static_cast<std::size_t>(at);
}

// Complex numbers as pairs of real ones; true if it did so.
bool split_complex(proto::Tensor& tensor) {
  if (tensor.dtype() != proto::COMPLEX64) return false;
  tensor.set_dtype(proto::FLOAT32);
  tensor.add_shape(2);
  return true;
}

void take_real_parts(proto::Tensor& tensor) {
  std::string real;
  for (std::size_t at = 0; at + 8 <= tensor.data().size(); at += 8) real += tensor.data().substr(at, 4);
  tensor.set_dtype(proto::FLOAT32);
  tensor.set_data(std::move(real));
}

PublishedResult fail(const std::string& why) { return {.pass = false, .why = why}; }

// torch.allclose, or torch.equal where one of the two is of truth values: in PyTorch both want one type.
PublishedResult check_allclose(const proto::Check& check, const proto::Tensor& expected, const proto::Tensor& found) {
  const auto shape_text = [](const proto::Tensor& tensor) {
    std::string text = proto::dtype_name(tensor.dtype()) + "[";
    for (int i = 0; i < tensor.shape_size(); ++i) text += (i > 0 ? "," : "") + std::to_string(tensor.shape(i));
    return text + "]";
  };
  if (expected.dtype() != found.dtype() ||
      !std::equal(expected.shape().begin(), expected.shape().end(), found.shape().begin(), found.shape().end()))
    return fail("found " + shape_text(found) + ", wanted " + shape_text(expected));
  proto::Tensor a = expected, b = found;
  const bool complex = split_complex(a) && split_complex(b);
  const DType type = a.dtype();
  const std::int64_t count = proto::element_count(a.shape());
  std::int64_t failing = 0;
  std::string first;
  const auto look = [&](std::int64_t at, bool close, double wanted, double is) {
    if (close || failing++ > 0) return;
    char text[120];
    std::snprintf(text, sizeof text, "the first is element %lld: found %.9g, wanted %.9g", static_cast<long long>(at),
                  is, wanted);
    first = text;
  };
  const auto read = [&](const proto::Tensor& tensor, std::int64_t at) {
    return operators::read_element(type, tensor.data().data(), static_cast<std::size_t>(at));
  };
  // torch.allclose(expected, found): |expected - found| <= atol + rtol * |found|. Each operation rounds to the tensors'
  // type, integers are converted to float32 first; infinities must be the same, NaN is close to nothing.
  const DType in = operators::is_floating(type) ? type : proto::FLOAT32;
  const auto is_close = [&](double difference, double size) {
    if (type == proto::BOOL || !std::isfinite(difference)) return false;
    if (in == proto::FLOAT64) return difference <= check.absolute() + check.relative() * size;
    const auto relative = static_cast<float>(check.relative()), absolute = static_cast<float>(check.absolute());
    const auto scaled = static_cast<float>(rounded(in, relative * static_cast<float>(size)));
    return difference <= rounded(in, absolute + scaled);
  };
  const auto converted = [&](double value) {
    return operators::is_floating(type) ? value : static_cast<double>(static_cast<float>(value));
  };
  if (complex) {
    for (std::int64_t i = 0; i + 1 < count; i += 2) {
      const double difference = std::hypot(read(a, i) - read(b, i), read(a, i + 1) - read(b, i + 1));
      const double size = std::hypot(read(b, i), read(b, i + 1));
      const bool same = read(a, i) == read(b, i) && read(a, i + 1) == read(b, i + 1);
      look(i / 2, same || is_close(static_cast<float>(difference), static_cast<float>(size)), read(a, i), read(b, i));
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      const double wanted = read(a, i), is = read(b, i);
      const double difference = std::abs(rounded(in, converted(wanted) - converted(is)));
      look(i, wanted == is || is_close(difference, std::abs(converted(is))), wanted, is);
    }
  }
  if (failing == 0) return {};
  return fail(std::to_string(failing) + " of " + std::to_string(complex ? count / 2 : count) + " elements; " + first);
}

PublishedResult check_tensor(const proto::Check& check, const proto::Tensor& expected_as_is,
                             const proto::Tensor& found_as_is) {
  if (check.name() == "allclose") return check_allclose(check, expected_as_is, found_as_is);
  proto::Tensor expected = expected_as_is, found = found_as_is;
  // |a - b| of complex numbers is the length of the difference; the checkers that meet complex numbers bound it by
  // `both`.
  // A reference that is real looks at the real parts of what is complex.
  if (expected.dtype() != proto::COMPLEX64 && found.dtype() == proto::COMPLEX64) take_real_parts(found);
  const bool complex = expected.dtype() == proto::COMPLEX64 && found.dtype() == proto::COMPLEX64;
  if (complex != (split_complex(expected) && split_complex(found))) return fail("one of the tensors is complex");
  Pair pair{.expected = expected.dtype(),
            .found = found.dtype(),
            .type = proto::FLOAT32,
            .scalar = expected_as_is.shape().empty()};
  const bool both = check.name() == "both" || check.name() == "both_or_not_finite";
  if (both && pair.found == proto::BOOL) {  // the benchmark converts both to int then
    pair.found = proto::INT32;
    pair.expected = proto::INT32;
  }
  if (check.name() == "scaled_float32") {
    pair.expected = pair.found = proto::FLOAT32;
  }
  const auto type = promoted(pair.expected, pair.found);
  if (!type || pair.expected == proto::BOOL || pair.found == proto::BOOL)  // PyTorch does not subtract those
    return fail("the checker cannot compare " + proto::dtype_name(expected.dtype()) + " with " +
                proto::dtype_name(found.dtype()));
  pair.type = *type;
  const Shape a(expected.shape().begin(), expected.shape().end()), b(found.shape().begin(), found.shape().end());
  const auto shape = broadcast(a, b);
  if (!shape) return fail("the shapes do not fit");
  const std::int64_t count = proto::element_count(*shape);
  if (count > kMostPairs) return fail("the shapes broadcast to " + std::to_string(count) + " elements");
  Tally tally(check, pair);
  const auto value = [](const proto::Tensor& tensor, DType as, std::size_t at) {
    const double read = operators::read_element(tensor.dtype(), tensor.data().data(), at);
    return as == tensor.dtype() ? read : as == proto::INT32 ? std::trunc(read) : operators::round_to(as, read);
  };
  const bool same_shape = a == b;
  if (complex && both) {
    for (std::int64_t i = 0; i + 1 < count; i += 2) {
      const auto at = static_cast<std::size_t>(i);
      const double real = value(expected, pair.expected, at), imaginary = value(expected, pair.expected, at + 1);
      const double other_real = value(found, pair.found, at), other_imaginary = value(found, pair.found, at + 1);
      const double length = static_cast<float>(std::hypot(real, imaginary));
      const double distance =
          static_cast<float>(std::hypot(static_cast<float>(real) - static_cast<float>(other_real),
                                        static_cast<float>(imaginary) - static_cast<float>(other_imaginary)));
      // The same length, and off by the distance.
      tally.add(length, std::isfinite(length) && std::isfinite(distance) ? length - distance : std::nan(""));
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::size_t at = same_shape ? static_cast<std::size_t>(i) : source(*shape, a, i);
      const std::size_t other = same_shape ? static_cast<std::size_t>(i) : source(*shape, b, i);
      tally.add(value(expected, pair.expected, at), value(found, pair.found, other));
    }
  }
  if (tally.pass(proto::element_count(a))) return {};
  return fail(tally.why());
}

}  // namespace

PublishedResult check_as_published(const proto::Check& check, const std::vector<proto::Tensor>& expected,
                                   const std::vector<proto::Tensor>& found) {
  constexpr const char* kNames[] = {"both",    "both_or_not_finite", "exact", "scaled", "scaled_float32", "ratio",
                                    "allclose"};
  if (std::find(std::begin(kNames), std::end(kNames), check.name()) == std::end(kNames))
    throw Error("the rule \"" + check.name() + "\" is not known", "check of an imported task",
                "import the benchmark again");
  for (std::size_t i = 0; i < expected.size() && i < found.size(); ++i) {
    PublishedResult result = check_tensor(check, expected[i], found[i]);
    if (!result.pass) {
      result.why = "tensor " + std::to_string(i) + ": " + result.why;
      return result;
    }
  }
  return {};
}

}  // namespace kg::reward
