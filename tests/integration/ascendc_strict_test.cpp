// Bar of strictness: at sandbox::least 200 wrong calls, all refused on their line with the call and its forms named,
// and at sandbox::least 200 right ones, all accepted. Many calls stand in one translation unit, a line each.

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>

#include "ascendc_kernel.h"
#include "ascendc_strict_calls.h"
#include "base/file.h"
#include "sandbox/compiler/diagnostics.h"

namespace kg::npu::testing {
namespace {

const std::string kHeaders = std::string(KG_SOURCE_DIR) + "/npu/headers";

const sandbox::CallForms& forms() {
  static const sandbox::CallForms read = sandbox::read_call_forms(kHeaders);
  return read;
}

// Line 3 + i holds call i.
std::string source_of(const std::vector<GeneratedCall>& calls) {
  std::string source = "#include \"kernel_operator.h\"\nusing namespace AscendC;\n";
  for (std::size_t i = 0; i < calls.size(); ++i)
    source += "__aicore__ void f" + std::to_string(i) + "() { " + prelude() + calls[i].statement + " }\n";
  return source;
}

// The messages of each line of the kernel.
std::map<std::size_t, std::string> messages_by_line(const std::string& output) {
  std::map<std::size_t, std::string> result;
  std::size_t line = 0;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    const std::string text = output.substr(begin, end - begin);
    begin = end + 1;
    if (text.starts_with("kernel.cpp:")) line = std::stoul(text.substr(11));
    result[line] += text + '\n';
  }
  return result;
}

std::map<std::size_t, std::string> compile(const std::vector<GeneratedCall>& calls) {
  return messages_by_line(
      sandbox::readable_diagnostics(check_kernel(source_of(calls)), check_folder(), kHeaders, forms()));
}

TEST(Strict, RightCallsAreAccepted) {
  const std::vector<GeneratedCall> calls = right_calls(forms());
  EXPECT_GE(calls.size(), 200u);
  for (const auto& [line, messages] : compile(calls))
    ADD_FAILURE() << (line >= 3 && line < calls.size() + 3 ? calls[line - 3].statement : "") << "\n" << messages;
}

TEST(Strict, WrongCallsAreRefusedWithTheCallAndItsFormsNamed) {
  const std::vector<GeneratedCall> calls = wrong_calls(forms());
  std::map<std::string, std::size_t> kinds;
  for (const GeneratedCall& call : calls) ++kinds[call.kind];
  for (const char* kind :
       {"too few arguments", "too many arguments", "mixed data types", "data type", "lifetime",
        "GM tensor where one in UB is wanted", "literal of another type", "operands in another order"})
    EXPECT_GE(kinds[kind], 10u) << kind;
  EXPECT_GE(calls.size(), 200u);
  const auto messages = compile(calls);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const GeneratedCall& call = calls[i];
    const auto found = messages.find(i + 3);
    if (found == messages.end()) {
      ADD_FAILURE() << "accepted (" << call.kind << "): " << call.statement;
      continue;
    }
    EXPECT_NE(found->second.find(call.name), std::string::npos)
        << call.statement << " is refused without the name of the call:\n"
        << found->second;
    // Of a call that exists, the reader sees its forms or the types that it takes.
    if (call.kind != "lifetime" && call.kind != "enumerator" && call.kind != "unknown call" &&
        forms().count(call.name) > 0) {
      EXPECT_TRUE(found->second.find("form: " + call.name) != std::string::npos ||
                  found->second.find("it takes: ") != std::string::npos ||
                  found->second.find("takes ") != std::string::npos ||
                  found->second.find("no such pair") != std::string::npos ||
                  found->second.find("writes bits") != std::string::npos)
          << call.statement << " is refused without its forms:\n"
          << found->second;
    }
  }
  std::string counted;
  for (const auto& [kind, count] : kinds) counted += " " + kind + " " + std::to_string(count) + ";";
  RecordProperty("wrong_calls", counted);
  std::printf("%zu wrong calls:%s\n", calls.size(), counted.c_str());
}

TEST(Strict, CallsOfInt4AreRefusedUnlessTheyNameIt) {
  std::map<std::string, std::vector<GeneratedCall>> by_name;
  for (const GeneratedCall& call : wrong_int4_calls(forms())) by_name[call.name].push_back(call);
  EXPECT_GE(by_name.size(), 90u);
  // Calls that hand on to the same function are refused by one message, so each name is compiled by itself if need be.
  std::vector<GeneratedCall> all;
  for (const auto& [name, calls] : by_name) all.insert(all.end(), calls.begin(), calls.end());
  for (const auto& [line, messages] : compile(all))
    if (line >= 3 && line < all.size() + 3) by_name.erase(all[line - 3].name);
  for (const auto& [name, calls] : by_name) EXPECT_FALSE(compile(calls).empty()) << "accepted: " << name;
}

}  // namespace
}  // namespace kg::npu::testing
