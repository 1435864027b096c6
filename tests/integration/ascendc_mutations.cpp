#include "ascendc_mutations.h"

#include <algorithm>
#include <regex>

namespace kg::sandbox::ascendc::testing {
namespace {

class Mutator {
 public:
  explicit Mutator(const std::string& text) : text_(text) {}

  // Replaces each match, one at a time; `make` gives the new text, or the old one for "not here".
  template <typename Make>
  void each(const std::string& what, const char* pattern, Make make) {
    const std::regex expression(pattern);
    for (std::sregex_iterator it(text_.begin(), text_.end(), expression), end; it != end; ++it) {
      const std::string old = it->str(), changed = make(*it);
      if (changed == old) continue;
      const auto at = static_cast<std::size_t>(it->position());
      const int line = 1 + static_cast<int>(std::count(text_.begin(), text_.begin() + it->position(), '\n'));
      found_.push_back({what + ": " + old, line, text_.substr(0, at) + changed + text_.substr(at + old.size())});
    }
  }

  std::vector<Mutation> take() { return std::move(found_); }

 private:
  const std::string& text_;
  std::vector<Mutation> found_;
};

std::string gone(const std::smatch&) { return ";"; }

std::string scaled(const std::string& number, int times, int over, int plus) {
  return std::to_string(std::stol(number) * times / over + plus);
}

}  // namespace

std::vector<Mutation> mutations_of(const std::string& text) {
  Mutator mutator(text);
  // Order and queues.
  mutator.each("dropped SetFlag", R"(SetFlag<[^>]*>\([^;()]*\);)", gone);
  mutator.each("dropped WaitFlag", R"(WaitFlag<[^>]*>\([^;()]*\);)", gone);
  mutator.each("dropped raw flag", R"((set|wait)_flag\([^;()]*\);)", gone);
  mutator.each("dropped barrier", R"((PipeBarrier<[^>]*>\(\)|pipe_barrier\([^;()]*\));)", gone);
  mutator.each("dropped SyncAll", R"(SyncAll\(\);)", gone);
  mutator.each("dropped EnQue", R"(\w+\.EnQue\(\w+\);)", gone);
  mutator.each("dropped DeQue", R"(\w+ = (\w+)\.DeQue<\w+>\(\);)", gone);
  mutator.each("dropped FreeTensor", R"(\w+\.FreeTensor\(\w+\);)", gone);
  mutator.each("dropped cache clean", R"(DataCacheCleanAndInvalid<[^;]*;)", gone);
  mutator.each("dropped atomic mode", R"(SetAtomic(Add|Max|Min)<\w+>\(\);)", gone);
  mutator.each("dropped atomic end", R"(SetAtomicNone\(\);)", gone);
  // Counts, masks, repeats.
  const auto last_number = [](int times, int over, int plus) {
    return [=](const std::smatch& m) { return m[1].str() + scaled(m[2].str(), times, over, plus) + ");"; };
  };
  constexpr const char* kCount =
      R"(((?:Add|Sub|Mul|Div|Max|Min|Adds|Muls|Maxs|Mins|Abs|Exp|Ln|Sqrt|Rsqrt|Reciprocal|Relu|LeakyRelu|Axpy|Duplicate|Cast|Sigmoid|Tanh|Gelu|ReduceSum)\((?:[^;()]|\([^()]*\))*, )(\d+)\);)";
  mutator.each("half the count", kCount, last_number(1, 2, 0));
  mutator.each("count too large", kCount, last_number(2, 1, 4096));
  constexpr const char* kCopy = R"((DataCopy\((?:[^;(){}]|\([^()]*\))*, )(\d+)\);)";
  mutator.each("short copy", kCopy, last_number(1, 2, 0));
  mutator.each("long copy", kCopy, last_number(4, 1, 64));
  mutator.each("wrong mask", R"((, )(64|32)(, \d+, \{))",
               [](const std::smatch& m) { return m[1].str() + scaled(m[2].str(), 1, 2, 0) + m[3].str(); });
  mutator.each("wrong repeat", R"((, 64, )(\d+)(, \{))",
               [](const std::smatch& m) { return m[1].str() + scaled(m[2].str(), 1, 1, -1) + m[3].str(); });
  mutator.each("wrong stride", R"((\{1, 1, )(\d+)(,? ?\d*,? ?\d*,? ?\d*\}))",
               [](const std::smatch& m) { return m[1].str() + scaled(m[2].str(), 1, 1, 2) + m[3].str(); });
  mutator.each("wrong block length", R"((\{1, )(\d\d+)(, 0, 0, 0\}))",
               [](const std::smatch& m) { return m[1].str() + scaled(m[2].str(), 1, 2, 0) + m[3].str(); });
  // Operands, offsets, tiles, types, sizes.
  mutator.each("swapped operands", R"(((?:Sub|Div)\(\w+, )(\w+), (\w+), )", [](const std::smatch& m) {
    return m[2] == m[3] ? m.str() : m[1].str() + m[3].str() + ", " + m[2].str() + ", ";
  });
  mutator.each("source for destination", R"(((?:Adds|Muls)\()(\w+), (\w+), )", [](const std::smatch& m) {
    return m[2] == m[3] ? m.str() : m[1].str() + m[3].str() + ", " + m[3].str() + ", ";
  });
  mutator.each("wrong offset", R"((\[(?:i|GetBlockIdx\(\)) \* )(\d+)\])",
               [](const std::smatch& m) { return m[1].str() + scaled(m[2].str(), 1, 2, 0) + "]"; });
  mutator.each("one tile off", R"(\[i \* )", [](const std::smatch&) { return std::string("[(i + 1) * "); });
  mutator.each("one tile too few", R"((for \(int \w+ = 0; \w+ < )(\d+)(; ))",
               [](const std::smatch& m) { return m[1].str() + scaled(m[2].str(), 1, 1, -1) + m[3].str(); });
  mutator.each("one tile too many", R"((for \(int \w+ = 0; \w+ < )(\d+)(; ))",
               [](const std::smatch& m) { return m[1].str() + scaled(m[2].str(), 1, 1, 1) + m[3].str(); });
  mutator.each("missing cast", R"(Cast\((\w+), (\w+), RoundMode::\w+, (\d+)\);)", gone);
  mutator.each("wrong scalar type", R"(\(int32_t\)(\d+))", [](const std::smatch& m) { return m[1].str() + ".0f"; });
  mutator.each("buffer too small", R"((InitBuffer\((?:in|out|q|buf), (?:\d, )?)(1024|4096)\))",
               [](const std::smatch& m) { return m[1].str() + scaled(m[2].str(), 1, 64, 0) + ")"; });
  mutator.each("wrong event", R"(HardEvent::(MTE2_V|V_MTE3)>)",
               [](const std::smatch& m) { return m[1] == "MTE2_V" ? "HardEvent::V_MTE2>" : "HardEvent::MTE3_V>"; });
  mutator.each("missing vector call",
               R"((?:Add|Sub|Mul|Adds|Muls|Exp|Duplicate|ReduceSum|ReduceMax)\((?:[^;()]|\([^()]*\))*\);)", gone);
  mutator.each("misspelt call", R"(\b(Adds|Muls|DataCopy)\()", [](const std::smatch& m) { return m[1].str() + "s("; });
  return mutator.take();
}

}  // namespace kg::sandbox::ascendc::testing
