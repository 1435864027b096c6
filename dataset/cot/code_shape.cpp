#include "dataset/cot/code_shape.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include "base/hash.h"
#include "base/text.h"
#include "dsl/functions.h"

namespace kg::dataset::cot {
namespace {

constexpr std::size_t kGram = 13;
constexpr std::size_t kShortestStatement = 4;  // in tokens: shorter ones are not significant

// Words that no author chooses: the language's, Ascend C's, the DSL's.
constexpr std::string_view kWords[] = {
    "alignas", "auto", "bool", "break", "case", "class", "const", "constexpr", "continue", "default", "do", "else",
    "enum", "extern", "false", "float", "for", "if", "include", "inline", "int", "int8_t", "int16_t", "int32_t",
    "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "half", "bfloat16_t", "namespace", "private", "public",
    "return", "sizeof", "static", "static_cast", "struct", "switch", "template", "true", "typename", "using", "void",
    "while", "AscendC", "GM_ADDR", "__global__", "__aicore__", "__gm__", "__ubuf__", "TPipe", "TQue", "TBuf",
    "TPosition", "QuePosition", "VECIN", "VECOUT", "VECCALC", "GlobalTensor", "LocalTensor", "InitBuffer",
    "AllocTensor", "FreeTensor", "EnQue", "DeQue", "Get", "GetWithOffset", "GetValue", "SetValue", "SetGlobalBuffer",
    "ReinterpretCast", "GetBlockIdx", "GetBlockNum", "GetUserWorkspace", "DataCopy", "DataCopyPad", "DataCopyParams",
    "DataCopyExtParams", "DataCopyPadExtParams", "DataCopyPadParams", "PipeBarrier", "SyncAll", "SetFlag", "WaitFlag",
    "HardEvent", "MTE2_V", "V_MTE3", "MTE3_V", "V_MTE2", "MTE3_MTE2", "MTE2_MTE3", "EVENT_ID0", "EVENT_ID1", "PIPE_ALL",
    "PIPE_V", "PIPE_MTE2", "PIPE_MTE3", "Add", "Sub", "Mul", "Div", "Max", "Min", "And", "Or", "Not", "Adds", "Muls",
    "Maxs", "Mins", "Relu", "LeakyRelu", "Abs", "Exp", "Ln", "Sqrt", "Rsqrt", "Reciprocal", "Axpy", "MulAddDst",
    "MulAdd", "Cast", "RoundMode", "CAST_NONE", "CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC",
    "Duplicate", "Compare", "CompareScalar", "Compares", "CMPMODE", "LT", "GT", "LE", "GE", "EQ", "NE", "Select",
    "SELMODE", "VSEL_TENSOR_TENSOR_MODE", "VSEL_TENSOR_SCALAR_MODE", "VSEL_CMPMASK_SPR", "ReduceSum", "ReduceMax",
    "ReduceMin", "WholeReduceSum", "WholeReduceMax", "WholeReduceMin", "BlockReduceSum", "BlockReduceMax",
    "BlockReduceMin", "PairReduceSum", "RepeatReduceSum", "Gather", "GatherMask", "Scatter", "ArithProgression",
    "CreateVecIndex", "Brcb", "Copy", "Transpose", "TransDataTo5HD", "Sort", "Sort32", "MrgSort", "Extract", "Concat",
    "TopK", "Tanh", "Sigmoid", "Silu", "Gelu", "Swish", "Softmax", "SoftMax", "Erf", "Sin", "Cos", "Power", "Log",
    "Floor", "Ceil", "Round", "Trunc", "Sign", "BroadCast", "Broadcast", "LayerNorm", "RmsNorm", "CumSum", "Sum",
    "Mean", "Mmad", "LoadData", "Fixpipe", "Matmul", "MatmulType", "SetAtomicAdd", "SetAtomicNone", "SetMaskCount",
    "SetMaskNorm", "SetVectorMask", "ResetMask", "ShiftLeft", "ShiftRight", "GET_TILING_DATA", "TILING_KEY_IS",
    // The DSL's words other than its functions.
    "kernel", "in", "cores", "tiles", "range", "load", "store", "pad", "launch", "tile", "ub", "barrier", "elif", "not",
    "and", "or", "int8", "uint8", "int16", "int32", "int64", "inf"};

const std::unordered_set<std::string_view>& fixed_names() {
  static const std::unordered_set<std::string_view> names = [] {
    std::unordered_set<std::string_view> all(std::begin(kWords), std::end(kWords));
    for (const dsl::Function& function : dsl::functions()) all.insert(function.name);
    return all;
  }();
  return names;
}

std::string without_comments(std::string_view code) {
  std::string text;
  for (std::size_t at = 0; at < code.size();) {
    if (code.compare(at, 2, "//") == 0 ||
        (code[at] == '#' && code.compare(at, 8, "#include") != 0 && code.compare(at, 7, "#define") != 0)) {
      at = std::min(code.find('\n', at), code.size());
    } else if (code.compare(at, 2, "/*") == 0) {
      const std::size_t end = code.find("*/", at + 2);
      at = end == std::string_view::npos ? code.size() : end + 2;
    } else if (code[at] == '"') {
      const std::size_t end = code.find('"', at + 1);
      text += "\"\"";
      at = end == std::string_view::npos ? code.size() : end + 1;
    } else {
      text += code[at++];
    }
  }
  return text;
}

struct Words {
  std::vector<std::string> plain;   // lower case; marks are words
  std::vector<std::string> shaped;  // names and numbers of the author's choice replaced; "\n" ends a line
};

Words words_of(std::string_view text) {
  Words words;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\n') words.shaped.emplace_back("\n");
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    if (is_word(text[at]))
      while (end < text.size() &&
             (is_word(text[end]) || (text[end] == '.' && std::isdigit(static_cast<unsigned char>(text[at])) != 0 &&
                                     end + 1 < text.size() && is_word(text[end + 1]))))
        ++end;
    const std::string_view word = text.substr(at, end - at);
    std::string lower(word);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    words.plain.push_back(lower);
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0)
      words.shaped.emplace_back("0");
    else if (is_word(word[0]) && !fixed_names().contains(word))
      words.shaped.emplace_back("v");
    else
      words.shaped.emplace_back(word);
    at = end;
  }
  return words;
}

std::vector<std::uint64_t> grams_of(const std::vector<std::string>& words) {
  std::vector<std::uint64_t> grams;
  for (std::size_t i = 0; i + kGram <= words.size(); ++i) {
    std::string run;
    for (std::size_t k = i; k < i + kGram; ++k) run += words[k] + '\x1f';
    grams.push_back(hash64(run));
  }
  std::sort(grams.begin(), grams.end());
  grams.erase(std::unique(grams.begin(), grams.end()), grams.end());
  return grams;
}

// A statement ends at ; { } or, where none of these is used, at the line's end.
std::vector<std::uint64_t> statements_of(const std::vector<std::string>& words) {
  const bool marks = std::find(words.begin(), words.end(), ";") != words.end();
  std::vector<std::uint64_t> statements;
  std::string text;
  std::size_t count = 0;
  int depth = 0;  // within brackets a ; is a loop's
  const auto end = [&] {
    if (count >= kShortestStatement) statements.push_back(hash64(text));
    text.clear();
    count = 0;
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    depth += word == "(" ? 1 : word == ")" ? -1 : 0;
    // A separate item must not become a part of the statement that happens to follow.
    const bool directive = word == "\n" && text.starts_with('#');
    const bool colon = word == ":" && i > 0 && words[i - 1] != ":" && (i + 1 == words.size() || words[i + 1] != ":");
    const bool label = colon && (text.starts_with("public") || text.starts_with("private") ||
                                 text.starts_with("case") || text.starts_with("default"));
    // Nor must the head of a loop or condition, whether its body is in braces or not.
    const bool head =
        word == ")" && depth == 0 && (text.starts_with("for") || text.starts_with("if") || text.starts_with("while"));
    if (head) text += word;
    const bool ends = marks ? directive || label || head || (depth <= 0 && (word == ";" || word == "{" || word == "}"))
                            : word == "\n";
    if (ends) {
      end();
    } else if (word != "\n") {
      text += word + '\x1f';
      ++count;
    }
  }
  end();
  std::sort(statements.begin(), statements.end());
  return statements;
}

}  // namespace

TextShape code_shape(std::string_view code) {
  const Words words = words_of(without_comments(code));
  return {.grams = grams_of(words.plain), .statements = statements_of(words.shaped)};
}

TextShape prose_shape(std::string_view text) { return {.grams = grams_of(words_of(text).plain), .statements = {}}; }

Blocks blocks_of(std::string_view text) {
  Blocks blocks;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find("```", at);
    blocks.prose += text.substr(at, open == std::string_view::npos ? open : open - at);
    if (open == std::string_view::npos) break;
    const std::size_t line = std::min(text.find('\n', open), text.size() - 1);
    const std::size_t close = std::min(text.find("```", line), text.size());
    blocks.code.emplace_back(text.substr(line + 1, close - line - 1));
    blocks.prose += "\n";
    at = std::min(close + 3, text.size());
  }
  return blocks;
}

}  // namespace kg::dataset::cot
