#include "tests/integration/dsl_random_programs.h"

#include "base/random.h"

namespace kg::sandbox::dsl::testing {
namespace {

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed, 0) {}

  RandomProgram make() {
    program_.cores = static_cast<int>(1 + pick(48));
    inputs_ = 1 + pick(3);
    const std::int64_t kind = pick(5);
    if (kind == 0) flat();
    if (kind == 1 || kind == 2) by_rows();
    if (kind == 3) by_grid();
    if (kind == 4) over_cores();
    return std::move(program_);
  }

 private:
  std::int64_t pick(std::int64_t below) {
    return static_cast<std::int64_t>(random_.next_below(static_cast<std::uint64_t>(below)));
  }
  template <typename T>
  const T& one_of(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(pick(static_cast<std::int64_t>(list.size())))];
  }
  std::string number() { return one_of<std::string>({"0.5", "2", "-1.5", "0.25", "1", "-0.75", "3"}); }

  proto::DType real_type() {
    return one_of<proto::DType>({proto::FLOAT32, proto::FLOAT32, proto::FLOAT16, proto::BFLOAT16});
  }
  static std::string name_of(proto::DType dtype) { return dsl::dtype_name(dtype); }

  // Head of the program, with inputs x, y, w of this shape.
  void head(const std::string& extents, const std::vector<std::int64_t>& shape, proto::DType out,
            const std::string& out_extents, const std::vector<std::int64_t>& out_shape) {
    std::string parameters;
    for (std::int64_t i = 0; i < inputs_; ++i) {
      proto::DType dtype = real_type();
      if (pick(8) == 0)
        dtype = one_of<proto::DType>({proto::INT8, proto::UINT8, proto::BOOL, proto::INT32, proto::INT16});
      const bool whole = dtype != proto::FLOAT32 && dtype != proto::FLOAT16 && dtype != proto::BFLOAT16;
      In in{dtype, shape, numbers(elements_of(shape), whole ? 0 : -2, 2, random_.next_below(1000000))};
      if (whole)
        for (double& value : in.values) value = std::floor(value);
      program_.inputs.push_back(in);
      parameters += (parameters.empty() ? "" : ", ") + tensor(i) + ": " + name_of(dtype) + "[" + extents + "]";
    }
    program_.outputs.push_back({out, out_shape});
    program_.source = "kernel k(" + parameters + ") -> z: " + name_of(out) + "[" + out_extents + "]:\n";
  }
  static std::string tensor(std::int64_t i) { return std::string(1, "xyw"[i]); }

  void line(int depth, const std::string& text) {
    program_.source += std::string(static_cast<std::size_t>(depth) * 2, ' ') + text + "\n";
  }

  // Loads all inputs into a, b, c, as float or all in half.
  void loads(int depth, const std::string& index) {
    bool half = pick(6) == 0;
    for (const In& in : program_.inputs) half = half && in.dtype == proto::FLOAT16;
    program_.exact_half = half;
    for (std::int64_t i = 0; i < inputs_; ++i) {
      const proto::DType dtype = program_.inputs[static_cast<std::size_t>(i)].dtype;
      const std::string load = "load " + tensor(i) + "[" + index + "]" + (half ? " as half" : "");
      const bool whole = dtype == proto::INT32 || dtype == proto::INT16;
      line(depth, std::string(1, "abc"[i]) + " = " + (whole ? "float(" + load + ")" : load));
      loaded_.push_back(std::string(1, "abc"[i]));
    }
    values_ = loaded_;
  }

  std::string expression(int depth) {
    if (depth == 0 || pick(5) == 0) return one_of(values_);
    const std::string a = expression(depth - 1);
    switch (pick(16)) {
      case 0:
        return "(" + a + " + " + expression(depth - 1) + ")";
      case 1:
        return "(" + a + " - " + expression(depth - 1) + ")";
      case 2:
        return a + " * " + expression(0);
      case 3:
        return "(" + a + " + " + number() + ")";
      case 4:
        return a + " * " + number();
      case 5:
        return "max(" + a + ", " + expression(0) + ")";
      case 6:
        return "min(" + a + ", " + number() + ")";
      case 7:
        return "exp(min(" + a + ", 2))";
      case 8:
        return one_of<std::string>({"sigmoid", "tanh", "silu", "relu", "abs", "gelu", "softplus"}) + "(clamp(" + a +
               ", -4, 4))";
      case 9:
        return "sqrt(abs(" + a + ") + 0.5)";
      case 10:
        return "log(abs(" + a + ") + 1)";
      case 11:
        return "(" + a + " / (abs(" + expression(0) + ") + 1))";
      case 12:
        return "where(" + one_of(loaded_) + one_of<std::string>({" > ", " < ", " >= ", " <= ", " != "}) +
               (pick(2) == 0 ? one_of(loaded_) : number()) + ", " + a + ", " + expression(0) + ")";
      case 13:
        return "(" + number() + " - " + a + ")";
      case 14:
        return "clamp(" + a + ", -1, 1.5) ** 2";
      default:
        return "-" + a;
    }
  }

  void variables(int depth) {
    for (std::int64_t i = pick(4); i > 0; --i) {
      const std::string name = "v" + std::to_string(values_.size());
      line(depth, name + " = " + expression(2));
      values_.push_back(name);
    }
    if (pick(3) == 0) line(depth, values_.back() + " = " + expression(1));
  }

  void flat() {
    const std::int64_t n = 1 + pick(pick(2) == 0 ? 300 : 40000);
    head("N", {n}, real_type(), "N", {n});
    const std::string tile = pick(2) == 0 ? "" : ", " + std::to_string(1 + pick(2000));
    line(1, "for t in cores(tiles(N" + tile + ")):");
    loads(2, "t");
    variables(2);
    line(2, "store z[t] = " + expression(3));
  }

  void by_rows() {
    const std::int64_t rows = 1 + pick(60), columns = 1 + pick(pick(8) == 0 ? 20000 : 1500);
    const bool reduces = pick(3) == 0;
    head("R, C", {rows, columns}, real_type(), reduces ? "R" : "R, C",
         reduces ? std::vector<std::int64_t>{rows} : std::vector<std::int64_t>{rows, columns});
    line(1, "for r in cores(R):");
    loads(2, "r, :");
    variables(2);
    line(2, "s = " + one_of<std::string>({"max", "min", "mean"}) + "(" + expression(1) + ")");
    if (pick(3) == 0) line(2, "if r % 2 == 0:\n      s = s * 0.5 + 1");
    if (reduces)
      line(2, "store z[r] = s * 0.5");
    else
      line(2, "store z[r, :] = " + expression(2) + one_of<std::string>({" + ", " * ", " - "}) + "s");
  }

  void by_grid() {
    const std::int64_t b = 1 + pick(6), d = 1 + pick(12), e = 1 + pick(900);
    head("B, D, E", {b, d, e}, real_type(), "B, E", {b, e});
    line(1, "for b0, t in cores(B, tiles(E" + std::string(pick(2) == 0 ? "" : ", 64") + ")):");
    line(2, "acc = zeros(len(t))");
    line(2, "for d in range(D):");
    loads(3, "b0, d, t");
    const bool adds = pick(2) == 0;
    line(3, (adds ? "acc += float(" : "acc = max(acc, float(") + expression(1) + (adds ? ")" : "))"));
    line(2, "store z[b0, t] = acc * 0.5");
  }

  void over_cores() {
    const std::int64_t n = 1 + pick(20000);
    head("N", {n}, proto::FLOAT32, "1", {1});
    line(1, "s = 0");
    line(1, "for t in cores(tiles(N)):");
    loads(2, "t");
    variables(2);
    line(2, "s += sum(" + expression(1) + ")");
    line(1, "store z[0] = all_sum(s) / N");
  }

  Philox random_;
  RandomProgram program_;
  std::int64_t inputs_ = 1;
  std::vector<std::string> loaded_, values_;
};

}  // namespace

RandomProgram random_program(std::uint64_t seed) { return Maker(seed).make(); }

}  // namespace kg::sandbox::dsl::testing
