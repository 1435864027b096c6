#include "ascendc_mutations.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <regex>

namespace kg::npu::testing {
namespace {

// The end of the call whose name starts at `at`: behind its closing parenthesis.
std::size_t end_of_call(const std::string& text, std::size_t at) {
  int depth = 0;
  for (std::size_t i = text.find('(', at); i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1;
  }
  return text.size();
}

using Does = Mutation::Does;

class Mutator {
 public:
  explicit Mutator(const std::string& text) : text_(text) {}

  // Replaces each match, one at a time; `make` gives the new text, or the old one for "not here".
  template <typename Make>
  void each(const std::string& what, const char* pattern, Make make, Does does = Does::kOther) {
    const std::regex expression(pattern);
    for (std::sregex_iterator it(text_.begin(), text_.end(), expression), end; it != end; ++it)
      replace(what + ": " + it->str(), static_cast<std::size_t>(it->position()), it->str().size(), make(*it), does);
  }

  // Removes each statement that is a call of one of the names.
  void drop_calls(const std::string& what, const char* names, Does does) {
    each_call(names, [&](std::size_t at, std::size_t end) {
      if (text_[at - (at > 0)] != '.' && end < text_.size() && text_[end] == ';')
        replace(what + ": " + text_.substr(at, end - at), at, end - at, "", does);
    });
  }

  // Changes each number above 1 in the arguments of a call of one of the names.
  void change_numbers(const std::string& what, const char* names, const std::function<long(long)>& change) {
    each_call(names, [&](std::size_t at, std::size_t end) {
      for (std::size_t i = text_.find('(', at); i < end; ++i) {
        if (!std::isdigit(static_cast<unsigned char>(text_[i]))) continue;
        std::size_t stop = i;
        while (stop < end && (std::isalnum(static_cast<unsigned char>(text_[stop])) || text_[stop] == '.')) ++stop;
        const std::string number = text_.substr(i, stop - i);
        const bool plain = number.find_first_not_of("0123456789") == std::string::npos && number.size() < 7;
        const bool part_of_name =
            std::isalpha(static_cast<unsigned char>(text_[i - 1])) != 0 || text_[i - 1] == '_' || text_[i - 1] == '.';
        if (plain && !part_of_name && std::stol(number) > 1)
          replace(what + " (" + number + "): " + text_.substr(at, end - at), i, number.size(),
                  std::to_string(change(std::stol(number))));
        i = stop;
      }
    });
  }

  std::vector<Mutation> take() { return std::move(found_); }

 private:
  void each_call(const char* names, const std::function<void(std::size_t, std::size_t)>& visit) {
    const std::regex expression(std::string("\\b(?:") + names + R"()(?:<[^;()]*?>)?(?= ?\())");
    for (std::sregex_iterator it(text_.begin(), text_.end(), expression), end; it != end; ++it) {
      const auto at = static_cast<std::size_t>(it->position());
      visit(at, end_of_call(text_, at));
    }
  }
  void replace(const std::string& what, std::size_t at, std::size_t size, const std::string& with,
               Does does = Does::kOther) {
    if (text_.compare(at, size, with) == 0) return;
    const auto begin = text_.begin();
    const int line = 1 + static_cast<int>(std::count(begin, begin + static_cast<std::ptrdiff_t>(at), '\n'));
    found_.push_back({what, line, text_.substr(0, at) + with + text_.substr(at + size), does});
  }

  const std::string& text_;
  std::vector<Mutation> found_;
};

constexpr Does kDoesLess = Does::kLess, kDoesMore = Does::kMore;

std::string gone(const std::smatch&) { return ""; }

std::string scaled(const std::string& number, int times, int over, int plus) {
  return std::to_string(std::stol(number) * times / over + plus);
}
// The second group of a match, a number, changed; the first and third stay.
auto number_in(int times, int over, int plus) {
  return [=](const std::smatch& m) { return m[1].str() + scaled(m[2].str(), times, over, plus) + m[3].str(); };
}
// The first group becomes what `swap` says.
auto exchanged(std::vector<std::pair<std::string, std::string>> pairs) {
  return [=](const std::smatch& m) {
    for (const auto& [from, to] : pairs)
      if (m[1] == from)
        return std::string(m[0]).replace(static_cast<std::size_t>(m.position(1) - m.position(0)), from.size(), to);
    return m.str();
  };
}

void order_and_queues(Mutator& mutator) {
  mutator.drop_calls("dropped SetFlag", "SetFlag|set_flag|CrossCoreSetFlag|ffts_cross_core_sync", Does::kOther);
  mutator.drop_calls("dropped WaitFlag", "WaitFlag|wait_flag|CrossCoreWaitFlag|wait_flag_dev", Does::kOther);
  mutator.drop_calls("dropped barrier", "PipeBarrier|pipe_barrier", Does::kOther);
  mutator.drop_calls("dropped SyncAll", "SyncAll", Does::kOther);
  mutator.each("dropped EnQue", R"(\w+\.EnQue(<[^;()]*>)?\(\w+\);)", gone);
  mutator.each("dropped DeQue", R"(\w+ = (\w+)\.DeQue<[^;()]*>\(\);)", gone);
  mutator.each("EnQue behind DeQue", R"(((\w+)\.EnQue\(\w+\);)\s*(\w+ = \2\.DeQue<\w+>\(\);))",
               [](const std::smatch& m) { return m[3].str() + " " + m[1].str(); });
  mutator.each("another queue", R"(\b(in|out)\.(?:EnQue|FreeTensor|AllocTensor<\w+>|DeQue<\w+>)\()",
               exchanged({{"in", "out"}, {"out", "in"}}));
  mutator.each("dropped FreeTensor", R"(\w+\.FreeTensor\(\w+\);)", gone);
  mutator.drop_calls("dropped cache clean", "DataCacheCleanAndInvalid", Does::kOther);
  mutator.drop_calls("dropped atomic mode", "SetAtomic(?:Add|Max|Min)", Does::kOther);
  mutator.drop_calls("dropped atomic end", "SetAtomicNone", Does::kOther);
  mutator.drop_calls("dropped mask call", "SetMaskCount|SetMaskNorm|SetVectorMask|ResetMask|set_vector_mask",
                     Does::kOther);
  mutator.each("wrong event", R"(HardEvent::((\w+?)_(\w+?))>)",
               [](const std::smatch& m) { return "HardEvent::" + m[3].str() + "_" + m[2].str() + ">"; });
  mutator.each("wrong event id", R"(((?:Set|Wait)Flag(?:<[^;()]*>)?\()(\d)(\)))", number_in(1, 1, 1));
  mutator.each("wrong event id", R"((EVENT_ID)(\d)())", number_in(1, 1, 1));
  mutator.each("wrong position", R"((?:QuePosition|TPosition)::(VECIN|VECOUT|A1|B1|A2|B2|CO1|C1|C2)\b)",
               exchanged({{"VECIN", "VECOUT"},
                          {"VECOUT", "VECIN"},
                          {"A1", "A2"},
                          {"B1", "B2"},
                          {"A2", "B2"},
                          {"B2", "A2"},
                          {"CO1", "A1"},
                          {"C1", "C2"},
                          {"C2", "CO1"}}));
  mutator.each("missing guard", "if (ASCEND_IS_AIC|ASCEND_IS_AIV)",
               exchanged({{"ASCEND_IS_AIC", "(true)"}, {"ASCEND_IS_AIV", "(true)"}}));
}

constexpr const char* kComputes =
    "Add|Sub|Mul|Div|Max|Min|Adds|Muls|Maxs|Mins|Abs|Exp|Ln|Sqrt|Rsqrt|Reciprocal|Relu|LeakyRelu|Axpy|Duplicate|"
    "ReduceSum|ReduceMax|ReduceMin|WholeReduceSum|WholeReduceMax|BlockReduceSum|Sigmoid|Tanh|Gelu|SoftMax|LayerNorm|"
    "RmsNorm|Sort32|Sort|MrgSort|Extract|TopK|Gather|GatherMask|Brcb|Transpose|TransDataTo5HD|CreateVecIndex|"
    "ArithProgression|CompareScalar|Compare|Select|BroadCast|CumSum|Mean|Copy|ShiftLeft|ShiftRight|And|Or|Not|vadd|"
    "vmuls|vexp|Mmad|LoadData|Fixpipe";
// Whose numbers are shapes, strides, repeats and masks.
constexpr const char* kShaped =
    "WholeReduceSum|WholeReduceMax|BlockReduceSum|Sort32|Sort|MrgSort4Info|Extract|TopK|Gather|GatherMask|Brcb|"
    "CreateVecIndex|ArithProgression|CompareScalar|Compare|Select|Mean|Copy|DataCopyParams|DataCopyExtParams|"
    "Nd2NzParams|LoadData2DParams|FixpipeParamsV220|SoftMaxShapeInfo|CumSumInfo|vadd|vmuls|SetVectorMask";

void counts_and_shapes(Mutator& mutator) {
  constexpr const char* kCount =
      R"(((?:Add|Sub|Mul|Div|Max|Min|Adds|Muls|Maxs|Mins|Abs|Exp|Ln|Sqrt|Rsqrt|Reciprocal|Relu|LeakyRelu|Axpy|Duplicate|Cast|Sigmoid|Tanh|Gelu|ReduceSum|ReduceMax)\((?:[^;()]|\([^()]*\))*, )(\d+)(\);))";
  mutator.each("half the count", kCount, number_in(1, 2, 0), kDoesLess);
  mutator.each("count too large", kCount, number_in(2, 1, 4096));
  mutator.each("count as large again", kCount, number_in(2, 1, 0), kDoesMore);
  constexpr const char* kCopy = R"((DataCopy\((?:[^;(){}]|\([^()]*\))*, )(\d+)(\);))";
  mutator.each("short copy", kCopy, number_in(1, 2, 0), kDoesLess);
  mutator.each("long copy", kCopy, number_in(4, 1, 64));
  mutator.each("copy of one unit more", kCopy, number_in(1, 1, 16), kDoesMore);
  mutator.each("wrong mask", R"((, )(64|32)(, \d+, \{))", number_in(1, 2, 0), kDoesLess);
  mutator.each("wrong repeat", R"((, 64, )(\d+)(, \{))", number_in(1, 1, -1), kDoesLess);
  mutator.each("one repeat more", R"((, 64, )(\d+)(, \{))", number_in(1, 1, 1), kDoesMore);
  mutator.each("wrong stride", R"((\{1, 1, )(\d+)(,? ?\d*,? ?\d*,? ?\d*\}))", number_in(1, 1, 2));
  mutator.each("wrong last stride", R"((\{\d+, \d+, [\d, ]*)\b([1-9]\d*)(\}))", number_in(0, 1, 0));
  mutator.each("wrong block length", R"((\{\d+, )(\d\d+)(, \d+, \d+(?:, 0)?\}))", number_in(1, 2, 0), kDoesLess);
  mutator.each("wrong block count", R"((\{)([2-9]|\d\d+)(, \d+, \d+, \d+(?:, 0)?\}))", number_in(1, 1, -1), kDoesLess);
  mutator.change_numbers("half a number", kShaped, [](long n) { return n / 2; });
  mutator.change_numbers("twice a number", kShaped, [](long n) { return n * 2; });
  mutator.each("half a dimension", R"(((?:mm\.[mnk]|t\.(?:M|N|Ka|Kb|single\w+)|s\w*\.\w+) = )(\d\d+)(;))",
               number_in(1, 2, 0));
  mutator.each("half the bytes", R"((InitBuffer\(\w+, (?:\d, )?)(\d+)(\)))", number_in(1, 2, 0), kDoesLess);
  mutator.each("one buffer only", R"((InitBuffer\(\w+, )([2-9])(, ))", number_in(0, 1, 1), kDoesLess);
}

void operands_and_tiles(Mutator& mutator) {
  mutator.each("swapped operands", R"(((?:Sub|Div|Mmad)\(\w+, )(\w+), (\w+), )", [](const std::smatch& m) {
    return m[2] == m[3] ? m.str() : m[1].str() + m[3].str() + ", " + m[2].str() + ", ";
  });
  mutator.each("source for destination", R"(((?:Adds|Muls|Exp|Relu)\()(\w+), (\w+), )", [](const std::smatch& m) {
    return m[2] == m[3] ? m.str() : m[1].str() + m[3].str() + ", " + m[3].str() + ", ";
  });
  mutator.each("wrong offset", R"((\[(?:\w+|GetBlockIdx\(\)) \* )(\d+)([\] ]))", number_in(1, 2, 0));
  mutator.each("one tile off", R"(\[i \* )", [](const std::smatch&) { return std::string("[(i + 1) * "); });
  mutator.each("one block off", R"(GetBlockIdx\(\) \* )",
               [](const std::smatch&) { return std::string("(GetBlockIdx() + 1) * "); });
  mutator.each("same block for all", R"(GetBlockIdx\(\) \* )", [](const std::smatch&) { return std::string("0 * "); });
  constexpr const char* kLoop = R"((for \(int \w+ = 0; \w+ < )(\d+)(; ))";
  mutator.each("one tile too few", kLoop, number_in(1, 1, -1), kDoesLess);
  mutator.each("one tile too many", kLoop, number_in(1, 1, 1), kDoesMore);
  mutator.each("missing cast", R"(Cast\((?:[^;()]|\([^()]*\))*\);)", gone, kDoesLess);
  mutator.each("wrong round mode", R"(RoundMode::(CAST_NONE|CAST_RINT))",
               exchanged({{"CAST_NONE", "CAST_RINT"}, {"CAST_RINT", "CAST_FLOOR"}}));
  mutator.each("wrong comparison", R"(CMPMODE::(GT|LT|GE|EQ))",
               exchanged({{"GT", "LT"}, {"LT", "GT"}, {"GE", "LE"}, {"EQ", "NE"}}));
  mutator.each("wrong scalar type", R"(\(int32_t\)(\d+))", [](const std::smatch& m) { return m[1].str() + ".0f"; });
  mutator.each("wrong element type", R"((?:\w+ = \w+\.(?:AllocTensor|DeQue|Get)|ReinterpretCast)<(float|half)>)",
               exchanged({{"float", "half"}, {"half", "float"}}));
  mutator.each("wrong layout",
               R"((?:LoadData2DParams\([^;()]*|ifTranspose = |isPad = |cmatrixInitVal = )\b(true|false))",
               exchanged({{"true", "false"}, {"false", "true"}}));
  mutator.drop_calls("missing call", kComputes, kDoesLess);
  mutator.drop_calls("missing copy", "DataCopy|DataCopyPad", kDoesLess);
  mutator.each("misspelt call", R"(\b(Adds|Muls|DataCopy|Mmad)\()",
               [](const std::smatch& m) { return m[1].str() + "s("; });
}

}  // namespace

std::vector<Mutation> mutations_of(const std::string& text) {
  Mutator mutator(text);
  order_and_queues(mutator);
  counts_and_shapes(mutator);
  operands_and_tiles(mutator);
  return mutator.take();
}

}  // namespace kg::npu::testing
