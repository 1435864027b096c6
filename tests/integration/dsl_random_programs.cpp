#include "tests/integration/dsl_random_programs.h"

#include "base/random.h"

namespace kg::dsl::testing {
namespace {

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed, 0) {}

  RandomProgram make() {
    program_.cores = static_cast<int>(1 + pick(48));
    inputs_ = 1 + pick(3);
    const std::int64_t kind = pick(12);
    if (kind == 0) flat();
    if (kind == 1 || kind == 2) by_rows();
    if (kind == 3) by_grid();
    if (kind == 4) over_cores();
    if (kind == 5) by_slices();
    if (kind == 6) in_two_phases();
    if (kind == 7 || kind == 8) products();
    if (kind == 9) in_place();
    if (kind == 10) lists();
    if (kind == 11) long_rows();
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
  static bool is_whole(proto::DType dtype) {
    return dtype != proto::FLOAT32 && dtype != proto::FLOAT16 && dtype != proto::BFLOAT16;
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
      const bool whole = is_whole(dtype);
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

  // Of loaded values only: what is rounded in another way would compare in another way.
  std::string mask() {
    const auto one = [&] {
      return one_of(loaded_) + one_of<std::string>({" > ", " < ", " >= ", " <= ", " != "}) +
             (pick(2) == 0 ? one_of(loaded_) : number());
    };
    if (pick(3) != 0) return one();
    const std::string joined = "(" + one() + ")" + one_of<std::string>({" & ", " | "}) + "(" + one() + ")";
    return pick(4) == 0 ? "not (" + joined + ")" : joined;
  }

  std::string expression(int depth) {
    if (depth == 0 || pick(5) == 0) return one_of(values_);
    const std::string a = expression(depth - 1);
    switch (pick(compares_ ? 18 : 17)) {
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
      case 17:
        return "where(" + mask() + ", " + a + ", " + expression(0) + ")";
      case 13:
        return "(" + number() + " - " + a + ")";
      case 12:
        return "(" + a + " * " + number() + " + " + expression(0) + " * " + number() + ")";
      case 15:
        return "(" + a + " * " + expression(0) + " - " + expression(0) + " * " + number() + " + " + expression(0) +
               " * " + expression(0) + ")";
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

  // Parts of rows, some from whole blocks of 32 bytes on, with the sums of others.
  void by_slices() {
    const std::int64_t rows = 1 + pick(150), length = 1 + pick(500), columns = length + 2 + pick(600);
    head("R, C", {rows, columns}, real_type(), "R, L", {rows, length});
    line(1, "for r in cores(R):");
    loads(2, "r, :");
    const std::vector<std::string> whole = values_;
    values_.clear();
    for (std::int64_t i = 0; i < 1 + pick(3); ++i) {
      std::int64_t from = pick(columns - length);
      if (pick(2) == 0) from = from / 16 * 16;
      const std::string name = "p" + std::to_string(i);
      line(2, name + " = " + one_of(whole) + "[" + std::to_string(from) + ":" + std::to_string(from) + " + L]");
      values_.push_back(name);
    }
    loaded_ = values_;
    if (pick(3) == 0) line(2, values_.back() + " = " + expression(1));
    variables(2);
    line(2, "store z[r, :] = " + expression(2) + " * 0.5 + " + one_of<std::string>({"max", "min", "mean"}) + "(" +
                one_of(whole) + ")");
  }

  // Through a scratch tensor, cut in another way behind the barrier.
  void in_two_phases() {
    const std::int64_t rows = 1 + pick(40), columns = 1 + pick(900);
    head("R, C", {rows, columns}, real_type(), "R, C", {rows, columns});
    const bool half = pick(4) == 0;
    line(1, std::string("scratch s: ") + (half ? "half" : "float") + "[R, C]");
    line(1, "for r in cores(R):");
    loads(2, "r, :");
    variables(2);
    line(2, "store s[r, :] = clamp(" + (program_.exact_half ? "float(" + expression(2) + ")" : expression(2)) +
                ", -8, 8)");
    program_.exact_half |= half;
    line(1, "barrier");
    line(1,
         "for t in cores(tiles(R * C" + std::string(pick(2) == 0 ? "" : ", " + std::to_string(1 + pick(900))) + ")):");
    line(2, "a = load s[t]");
    loaded_ = values_ = {"a"};
    compares_ = false;  // of a value that is rounded in another way
    line(2, "store z[t] = " + expression(2));
  }

  // The first input is the output.
  void in_place() {
    const std::int64_t rows = 1 + pick(60), columns = 1 + pick(900);
    const bool flat = pick(2) == 0;
    do {  // whole numbers would turn a rounding into one
      program_.inputs.clear();
      program_.outputs.clear();
      head("R, C", {rows, columns}, proto::FLOAT32, "R, C", {rows, columns});
    } while (is_whole(program_.inputs[0].dtype));
    program_.source = program_.source.substr(0, program_.source.find("->")) + "-> x:\n";
    program_.outputs = {{program_.inputs[0].dtype, {rows, columns}, "", "in1"}};
    line(1, flat ? "for t in cores(tiles(R * C)):" : "for r in cores(R):");
    loads(2, flat ? "t" : "r, :");
    variables(2);
    line(2, "store x[" + std::string(flat ? "t" : "r, :") + "] = " + expression(2));
  }

  // Lists of one to four tensors, of any shape each.
  void lists() {
    const std::int64_t count = 1 + pick(4);
    const proto::DType dtype = real_type(), out = real_type();
    const bool sums = pick(3) == 0;
    for (std::int64_t of = 0; of < inputs_; ++of)
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t n =
            of == 0 ? 1 + pick(pick(2) == 0 ? 60 : 9000) : elements_of(program_.inputs[index(i)].shape);
        program_.inputs.push_back({dtype, {n}, numbers(n, -2, 2, random_.next_below(1000000)), "list" + tensor(of)});
      }
    std::string parameters;
    for (std::int64_t of = 0; of < inputs_; ++of)
      parameters += (of == 0 ? "" : ", ") + tensor(of) + ": " + name_of(dtype) + "[..]*";
    for (std::int64_t i = 0; i < count; ++i)
      program_.outputs.push_back({out, program_.inputs[index(i)].shape, "listz"});
    program_.source = "kernel k(" + parameters + ") -> z: " + name_of(out) + "[..]*:\n";
    line(1, "for i in tensors(x):");
    if (sums) {
      line(2, "s = 0.0");
      line(2, "for t in cores(tiles(size(x[i]))):");
      line(3, "s += sum(load x[i, t] * 0.125)");
      line(2, "s = all_sum(s)");
    }
    line(2, "for t in cores(tiles(size(x[i]))):");
    loads(3, "i, t");
    variables(3);
    line(3, "store z[i, t] = " + expression(2) + (program_.exact_half ? "" : " + i * 0.5") +
                (sums ? " + s / size(x[i])" : ""));
  }

  // Rows that UB does not hold.
  void long_rows() {
    const std::int64_t rows = 1 + pick(3), columns = 30000 + pick(60000);
    inputs_ = 1 + pick(2);
    const bool reduces = pick(3) == 0;
    head("R, C", {rows, columns}, real_type(), reduces ? "R" : "R, C",
         reduces ? std::vector<std::int64_t>{rows} : std::vector<std::int64_t>{rows, columns});
    line(1, "for r in cores(R):");
    loads(2, "r, :");
    if (program_.exact_half) {
      values_.clear();
      for (const std::string& name : loaded_) {
        line(2, "f" + name + " = float(" + name + ")");
        values_.push_back("f" + name);
      }
      loaded_ = values_;
      program_.exact_half = false;
    }
    if (pick(2) == 0) line(2, values_.back() + " = " + expression(1));
    const std::string value = expression(1);
    switch (pick(4)) {
      case 0:
        line(2, "u = " + value);
        line(2, "u = exp(u - max(u))");
        line(2, "s = 1 / sum(u)");
        break;
      case 1:
        line(2, "u = " + value);
        line(2, "u = u - mean(u)");
        line(2, "s = rsqrt(mean(u * u) + 0.5)");
        break;
      case 2:
        line(2, "u = clamp(" + value + ", -2, 2)");
        line(2, "s = mean(abs(u)) + " + one_of<std::string>({"max", "min"}) + "(u)");
        break;
      default:
        line(2, "u = clamp(" + value + ", -2, 2) * 0.001");
        line(2, one_of<std::string>({"u = cumsum(u)", "u = flip(cumsum(flip(u)))", "u = cumsum(u) - u"}));
        line(2, "s = u[" + std::to_string(pick(columns)) + "]");
    }
    line(2, reduces ? "store z[r] = s * 0.5" : "store z[r, :] = u * s + " + expression(0));
  }

  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

  // Products on the cube cores, with the vector cores behind them in some.
  void products() {
    const std::int64_t m = 1 + pick(150), n = 1 + pick(150), k = 1 + pick(200);
    const bool turned_a = pick(2) == 0, turned_b = pick(2) == 0, bias = pick(3) == 0, after = pick(2) == 0;
    const proto::DType dtype = real_type(), out = real_type();
    const std::string type = name_of(dtype);
    const auto input = [&](proto::DType of, std::vector<std::int64_t> shape) {
      program_.inputs.push_back({of, shape, numbers(elements_of(shape), -1, 1, random_.next_below(1000000))});
    };
    input(dtype, turned_a ? std::vector<std::int64_t>{k, m} : std::vector<std::int64_t>{m, k});
    input(dtype, turned_b ? std::vector<std::int64_t>{n, k} : std::vector<std::int64_t>{k, n});
    if (bias || after) input(proto::FLOAT32, {n});
    program_.outputs.push_back({out, {m, n}});
    program_.source = "kernel k(x: " + type + (turned_a ? "[K, M], y: " : "[M, K], y: ") + type +
                      (turned_b ? "[N, K]" : "[K, N]") + (bias || after ? ", g: float[N]" : "") +
                      ") -> z: " + name_of(out) + "[M, N]:\n";
    const auto tiles = [&](const std::string& extent, std::int64_t most) {
      return "tiles(" + extent + (pick(3) == 0 ? ")" : ", " + std::to_string(1 + pick(most)) + ")");
    };
    if (after) line(1, "scratch s: float[M, N]");
    line(1, "for m, n in cores(" + tiles("M", 128) + ", " + tiles("N", 128) + "):");
    line(2, "l0c c: float[m, n] = " + std::string(bias ? "load g[n]" : "0"));
    line(2, "for k in " + tiles("K", 150) + ":");
    line(3, "l1 p = load x[" + std::string(turned_a ? "k, m" : "m, k") + "]");
    line(3, "l1 q = load y[" + std::string(turned_b ? "n, k" : "k, n") + "]");
    line(3,
         "c += gemm(" + std::string(turned_a ? "transpose(p)" : "p") + ", " + (turned_b ? "transpose(q)" : "q") + ")");
    line(2, std::string("store ") + (after ? "s" : "z") + "[m, n] = " + (pick(3) == 0 ? "relu(c)" : "c"));
    if (!after) return;
    line(1, "barrier");
    line(1, "b = load g[:]");
    line(1, "for r in cores(M):");
    line(2, "a = load s[r, :]");
    values_ = {"a", "b"};
    loaded_ = {"b"};
    variables(2);
    line(2, "store z[r, :] = " + expression(2) + " + a");
  }

  Philox random_;
  RandomProgram program_;
  bool compares_ = true;
  std::int64_t inputs_ = 1;
  std::vector<std::string> loaded_, values_;
};

}  // namespace

RandomProgram random_program(std::uint64_t seed) { return Maker(seed).make(); }

}  // namespace kg::dsl::testing
