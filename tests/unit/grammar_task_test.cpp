// Answers with the parameters that a task expects.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "base/error.h"
#include "base/random.h"
#include "dsl/beginning.h"
#include "dsl/bind.h"
#include "dsl/expected_header.h"
#include "dsl/parser.h"
#include "dsl/refusal.h"
#include "dsl/resolve.h"
#include "grammar/dsl_grammar.h"

namespace kg::grammar {
namespace {

using dsl::TensorShape;

// Bytes, and pieces of programs as a tokenizer has them; token 0 ends an answer.
policy::GrammarVocabulary pieces() {
  policy::GrammarVocabulary made{.tokens = {""}, .ends = {0}};
  for (int byte = 1; byte < 256; ++byte) made.tokens.push_back(std::string(1, static_cast<char>(byte)));
  for (const char* token :
       {"kernel", " kernel", "(x", "x:",  ": ", " float", "float[", " half", "[N",  "N]",  "[1",  "12",
        " 12",    "],",      "]*", "?,",  "]?", ", ",     "],\n",   ") ->",  "->",  " ->", "B, ", " C",
        "R, C",   "..",      "]*", " + ", "//", " - 1",   "]:\n",   "  ",    "gam", "ma",  "we",  "ight"})
    made.tokens.emplace_back(token);
  return made;
}

struct TaskOfTest {
  std::string name;
  std::vector<std::vector<TensorShape>> cases;  // named, as the sandbox sees them
};

TensorShape in(const std::string& name, std::vector<std::int64_t> shape, proto::DType dtype = proto::FLOAT32) {
  return {.dtype = dtype, .shape = std::move(shape), .name = name};
}
TensorShape out(const std::string& name, std::vector<std::int64_t> shape, proto::DType dtype = proto::FLOAT32) {
  TensorShape made = in(name, std::move(shape), dtype);
  made.output = true;
  return made;
}
TensorShape with(TensorShape made, bool TensorShape::* what) {
  made.*what = true;
  return made;
}
TensorShape over(TensorShape made, const std::string& input, bool without_parameter) {
  made.in_place_of = input;
  made.without_parameter = without_parameter;
  return made;
}

std::vector<TaskOfTest> tasks() {
  const auto listed = [](TensorShape made) { return with(std::move(made), &TensorShape::listed); };
  return {
      {"rows", {{in("x", {4, 5, 6}), in("gamma", {6}), out("y", {4, 5, 6})}}},
      {"split", {{in("x", {8, 24}, proto::FLOAT16), out("y", {8, 2, 12}, proto::FLOAT16), out("mean", {8})}}},
      {"two cases",
       {{in("x", {16, 128}), in("index", {16}, proto::INT32), out("y", {16, 128})},
        {in("x", {3, 7}), in("index", {3}, proto::INT32), out("y", {3, 7})}}},
      {"lists",
       {{listed(in("x", {3})), listed(in("x", {4, 5})), in("scalar", {}), listed(out("y", {3})),
         listed(out("y", {4, 5}))}}},
      {"alike lists", {{listed(in("x", {4, 5})), listed(in("x", {4, 5})), out("y", {4, 5})}}},
      {"in place", {{in("var", {64}), in("m", {64}), over(out("var_out", {64}), "var", true)}}},
      {"perhaps in place", {{in("var", {64}), in("m", {64}), over(out("var", {64}), "var", false)}}},
      {"absent",
       {{in("x", {2, 8}), with(in("weight", {8}), &TensorShape::absent), out("y", {2, 8})},
        {in("x", {2, 8}), in("weight", {8}), out("y", {2, 8})}}},
      {"state", {{in("x", {2, 8}), with(in("gn_weight", {8}), &TensorShape::optional), out("y", {2, 8})}}},
      {"no names", {{in("load", {2, 8}), in("1x", {8}), out("inf", {2, 8})}}},
      {"unnamed", {{in("", {2, 8}), in("", {8}), out("", {2, 8})}}},
      {"same names", {{in("x", {2, 8}), out("x", {2, 8})}}},
      {"pairs", {{in("x", {2, 8}, proto::COMPLEX64), out("y", {2, 8}, proto::COMPLEX64)}}},
      {"names of extents", {{in("N", {2, 8}), in("C", {8}), out("a", {2, 8})}}},
      {"many",
       {{in("running_mean_of_the_batch", {6}), in("running_variance_of_the_batch", {6}), in("weight", {6}),
         in("bias", {6}), in("input", {2, 6, 4, 4}), out("output", {2, 6, 4, 4}), out("saved_mean", {6})}}},
      {"no type", {{in("x", {16}, proto::FLOAT16), out("y", {4}, proto::FLOAT16), out("n", {2}, proto::UINT64)}}},
      {"nothing given", {{out("y", {16})}}},
  };
}

proto::GenerateRequest request_for(const TaskOfTest& task) {
  proto::GenerateRequest request;
  for (const std::vector<TensorShape>& tensors : task.cases) {
    proto::TaskTensors& made = *request.add_cases();
    for (const TensorShape& tensor : tensors) {
      proto::TensorSpec& spec = *(tensor.output ? made.add_outputs() : made.add_inputs());
      spec.set_name(tensor.name);
      spec.set_dtype(tensor.dtype);
      spec.mutable_shape()->Add(tensor.shape.begin(), tensor.shape.end());
      spec.set_kind(tensor.listed ? proto::DYNAMIC : tensor.optional ? proto::OPTIONAL : proto::REQUIRED);
      spec.set_absent(tensor.absent);
      spec.set_in_place_of(tensor.in_place_of);
      spec.set_without_parameter(tensor.without_parameter);
    }
  }
  return request;
}

// Empty: the program's parameters are those of the task, in every case.
std::string refusal_of(const std::string& program, const TaskOfTest& task) {
  for (const std::vector<TensorShape>& tensors : task.cases) try {
      const dsl::Bindings bindings{.tensors = dsl::in_pairs(tensors)};
      dsl::Program made = dsl::parse(program);
      made.body.clear();  // random statements
      made = dsl::resolved(made, bindings);
      dsl::bind(made, bindings);
    } catch (const dsl::Refusal& refusal) {
      return refusal.what();
    }
  return "";
}

bool may_come(const policy::TokenMask& mask, std::size_t token) { return policy::has_token(mask, token); }

// A token drawn among those that may come. Free text and lines are short, so that there is room for the header, and no
// deep expression.
std::int32_t draw(const policy::TokenMask& mask, const std::string& text, std::size_t vocabulary, Philox& random) {
  std::vector<std::int32_t> there;
  for (std::size_t token = 0; token < vocabulary; ++token)
    if (may_come(mask, token)) there.push_back(static_cast<std::int32_t>(token));
  if (there.empty()) throw std::runtime_error("nothing may come after " + text);
  const bool opens = text.size() > 4 && text.find("```") == std::string::npos;
  const bool is_long = text.size() > 60 && text.find('\n', text.size() - 60) == std::string::npos;
  if (opens && may_come(mask, '`')) return '`';
  if ((opens || is_long) && may_come(mask, '\n') && text.back() != '\n') return '\n';
  return there[random.next_below(there.size())];
}

// Whatever is drawn: there is always a token, the answer ends in time, and the task's tensors fit its program.
TEST(TaskGrammar, EveryWalkEndsInAProgramWithTheTasksParameters) {
  const policy::GrammarVocabulary words = pieces();
  const auto grammar = make_task_grammar(words);
  Philox random(22, 0);
  int most = 400;
  for (const TaskOfTest& task : tasks()) {
    const auto walk = grammar->for_request(request_for(task))->begin();
    std::string text;
    bool ended = false;
    for (int left = most += 7; left > 0 && !ended; --left) {
      const std::int32_t token = draw(walk->allowed(left), text, words.tokens.size(), random);
      walk->take(token);
      text += words.tokens[static_cast<std::size_t>(token)];
      ended = token == 0;
    }
    ASSERT_TRUE(ended) << task.name << ": " << text;
    const std::size_t begin = text.find("```dsl\n"), end = text.rfind("```");
    ASSERT_LT(begin, end) << task.name << ": " << text;
    if (task.name == "no type") continue;  // the task's types have no program
    EXPECT_EQ(refusal_of(text.substr(begin + 7, end - begin - 7), task), "") << task.name << ": " << text;
  }
}

// The same for the parameters alone, with the shortest body behind them.
TEST(TaskGrammar, EveryHeaderFitsTheTask) {
  const policy::GrammarVocabulary words = pieces();
  const auto grammar = make_task_grammar(words);
  Philox random(23, 0);
  for (const TaskOfTest& task : tasks())
    for (int n = 0; n < 2; ++n) {
      const auto walk = grammar->for_request(request_for(task))->begin();
      for (const char c : std::string("```dsl\n")) {
        (void)walk->allowed(5000);
        walk->take(c);
      }
      const dsl::ExpectedHeader expected(task.cases);
      dsl::BeginningReader reader(&expected);
      std::string program;
      for (int left = 4900; left > 2000 && reader.read_alone(program).next.in_head; --left) {
        const std::int32_t token = draw(walk->allowed(left), "```" + program, words.tokens.size(), random);
        walk->take(token);
        program += words.tokens[static_cast<std::size_t>(token)];
      }
      const auto rest = dsl::short_end(program, reader);
      ASSERT_TRUE(rest.has_value()) << program;
      if (task.name == "no type") continue;  // the task's types have no program
      EXPECT_EQ(refusal_of(program + *rest, task), "") << task.name << ": " << program;
    }
}

// Where a text leaves the headers that the task allows; its size: nowhere.
std::size_t stopped_at(const policy::TokenGrammar& grammar, const std::string& header) {
  const std::string text = "```dsl\n" + header;
  const auto walk = grammar.begin();
  int left = 2000;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto token = static_cast<unsigned char>(text[i]);
    if (!may_come(walk->allowed(left--), token)) return i - 7;
    walk->take(token);
  }
  return header.size();
}

TEST(TaskGrammar, HeadersThatFitAreNotStopped) {
  const auto grammar = make_task_grammar(pieces());
  const std::vector<TaskOfTest> all = tasks();
  const auto of = [&](const std::string& name) {
    return grammar->for_request(
        request_for(*std::find_if(all.begin(), all.end(), [&](const TaskOfTest& task) { return task.name == name; })));
  };
  const auto fits = [&](const std::string& task, const std::string& header) {
    EXPECT_EQ(stopped_at(*of(task), header), header.size()) << task << ": " << header;
  };
  fits("rows", "kernel k(x: float[R, C], gamma: float[C]) -> y: float[R, C]:\n");
  fits("rows", "kernel k(gamma: float[C], x: float[A, B, C]) -> y: float[A, B, C]:\n");
  fits("rows", "kernel k(x: float[4, 5, 6], gamma: float[6]) -> y: float[20, 6]:\n");
  fits("rows", "kernel k(x: float[N], gamma: float[M]) -> out: float[N]:\n");
  fits("rows", "kernel k(x: float[N], gamma: float[C]) -> y: float[N]:\n");
  fits("split", "kernel k(x: half[8, 2, C]) -> (y: half[8, 2, C], mean: float[8]):\n");
  fits("split", "kernel k(x: half[R, C]) -> (y: half[R, C], mean: float[R]):\n");
  fits("two cases", "kernel k(x: float[R, C], index: int32[R]) -> y: float[R, C]:\n");
  fits("lists", "kernel k(x: float[..]*, scalar: float[1]) -> y: float[..]*:\n");
  fits("alike lists", "kernel k(x: float[..]*) -> y: float[R, C]:\n");
  fits("alike lists", "kernel k(x: float[R, C]*) -> y: float[R, C]:\n");
  fits("in place", "kernel k(var: float[N], m: float[N]) -> var:\n");
  fits("perhaps in place", "kernel k(var: float[N], m: float[N]) -> var:\n");
  fits("perhaps in place", "kernel k(var: float[N], m: float[N]) -> z: float[N]:\n");
  fits("absent", "kernel k(x: float[R, C], weight: float[C]?) -> y: float[R, C]:\n");
  fits("absent", "kernel k(x: float[R, C]) -> y: float[R, C]:\n");
  fits("state", "kernel k(x: float[R, C], gn_weight: float[C]) -> y: float[R, C]:\n");
  fits("state", "kernel k(x: float[R, C]) -> y: float[R, C]:\n");
  fits("no names", "kernel k(a: float[R, C], b: float[C]) -> z: float[R, C]:\n");
  fits("no type", "kernel k(x: half[N]) -> (y: half[M], n: int64[K]):\n");
  fits("pairs", "kernel k(x: float[N, 2]) -> y: float[N, 2]:\n");
}

TEST(TaskGrammar, HeadersThatDoNotFitAreStoppedWhereTheyLeaveTheTask) {
  const auto grammar = make_task_grammar(pieces());
  const std::vector<TaskOfTest> all = tasks();
  // The part that may stand, and the whole.
  const auto stops = [&](const std::string& name, const std::string& right, const std::string& wrong) {
    const auto task = std::find_if(all.begin(), all.end(), [&](const TaskOfTest& one) { return one.name == name; });
    EXPECT_EQ(stopped_at(*grammar->for_request(request_for(*task)), right + wrong), right.size())
        << name << ": " << right << "|" << wrong;
  };
  stops("rows", "kernel k(", ") -> y");                                                 // inputs
  stops("rows", "kernel k(", "z: float[N]");                                            // a name
  stops("rows", "kernel k(x: ", "half[N]");                                             // a type
  stops("rows", "kernel k(x: float[A, B, C", ", D]");                                   // more dimensions
  stops("rows", "kernel k(x: float[R, R", "]");                                         // one name, two extents
  stops("rows", "kernel k(x: float[A, B, C], gamma: float[B", "]");                     // of another dimension
  stops("rows", "kernel k(x: float[4, ", "9]");                                         // another number
  stops("rows", "kernel k(x: float[N]", "*");                                           // no list
  stops("rows", "kernel k(x: float[", "..]*");                                          // no list
  stops("rows", "kernel k(x: float[N]", "?");                                           // always given
  stops("rows", "kernel k(x: float[R, C]", ") -> y");                                   // gamma
  stops("rows", "kernel k(x: float[R, C], gamma: float[C]", ", b: float[C]");           // too many
  stops("rows", "kernel k(x: float[R, C], gamma: float[C]) -> y: float[R, C]", ", z");  // too many
  stops("rows", "kernel k(x: float[R, C], gamma: float[C]) -> x", ":");                 // not in place
  stops("two cases", "kernel k(x: float[1", "6, 128]");                                 // of the first case
  stops("lists", "kernel k(x: float[..]", ", scalar");                                  // a list
  stops("lists", "kernel k(x: float[", "N]*");                                          // of different shapes
  stops("split", "kernel k(x: half[R, C]) -> (mean", ": half[R, C]");                   // another output
  stops("unnamed", "kernel k(a: float[R, C], b: float[C]) -> a", ":");
  stops("in place", "kernel k(var: float[N], m: float[N]) -> ", "y: float[N]");  // has no parameter
  stops("absent", "kernel k(x: float[R, C], weight: float[C]", ") -> y");        // ?
  stops("names of extents", "kernel k(C: float[N", "]");                         // a tensor
}

TEST(TaskGrammar, ARequestThatSaysNothingOfTheTaskIsAnError) {
  const auto grammar = make_task_grammar(pieces());
  EXPECT_THROW((void)grammar->for_request({}), Error);
}

}  // namespace
}  // namespace kg::grammar
