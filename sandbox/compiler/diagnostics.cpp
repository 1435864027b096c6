#include "sandbox/compiler/diagnostics.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>
#include <vector>

#include "base/text.h"

namespace kg::sandbox {
namespace {

constexpr std::size_t kForms = 8;    // number of a call's forms that are shown
constexpr std::size_t kReasons = 4;  // why a form does not fit

const char* const kWithoutSpace =
    "only what a pointer points to can be in __gm__ memory; GM_ADDR a, b; makes a pointer of a alone, since GM_ADDR is "
    "__gm__ uint8_t*: declare each by itself";

// clang's words, the device's words.
const std::vector<std::pair<std::string, std::string>> kWords = {
    {"call to __host__ function from __device__ function",
     "it is a function of the host: a function without __aicore__ cannot be called from a kernel"},
    {"call to __host__ function from __host__ __device__ function",
     "it is a function of the host: a function without __aicore__ cannot be called from a kernel"},
    {"reference to __host__ function", "a kernel cannot call the host's function (it has no __aicore__)"},
    {"reference to __host__ variable", "a kernel cannot use the host's variable (make it constexpr or local)"},
    {" in __device__ function", ""},
    {" in __host__ __device__ function", ""},
    {"__device__", "__aicore__"},
    {"__fp16", "half"},
    {" requires 128 bit size 'long double' type support, but target 'riscv64-unknown-linux-gnu' does not support it",
     " is a long double; the device has no double: compute in float, with literals such as 0.5f"},
    {"AscendC::", ""},
    {"candidate function template not viable: ", ""},
    {"candidate function not viable: ", ""},
    {"candidate template ignored: ", ""},
    {"attempt to use a poisoned identifier",
     "this name does not exist on the device: it belongs to the emulated NPU, or to assembler"},
    {"[-Werror,-Wvla-extension]", "(the device's stack cannot grow: use a constant size)"},
    {"variable length arrays are a C99 feature", "variable length array"},
    {" has no out-of-line virtual method definitions; its vtable will be emitted in every translation unit "
     "[-Werror,-Wweak-vtables]",
     " has virtual functions, which the device does not have; use templates"},
    {"'tiling/tiling_api.h' file not found",
     "'tiling/tiling_api.h' is a header of the host side, which a kernel's source can include only if a host function "
     "in it "
     "launches the kernel with <<<>>>; compute the tiling there or in the op_host part of an operator project"},
    {"automatic variable qualified with an address space", kWithoutSpace},
    {"field may not be qualified with an address space", kWithoutSpace},
    {"GNU-style inline assembly is disabled", "assembler does not exist on the device"},
};

struct Line {
  std::string place, kind, text;  // "kernel.cpp:3:1: ", "error: ", "..."
  // Not in a header of ours or of the host.
  bool user() const {
    static const char* const kHeaders[] = {"kgnpu/", "/", "kernel_operator.h", "precompiled.h", "lib/", "host/", "<"};
    return !place.empty() && std::none_of(std::begin(kHeaders), std::end(kHeaders),
                                          [&](const char* header) { return place.starts_with(header); });
  }
};

Line parsed(const std::string& line) {
  for (const char* kind : {"fatal error: ", "error: ", "note: ", "warning: "}) {
    const std::size_t at = line.find(kind);
    if (at == 0 || (at != std::string::npos && at >= 2 && line.compare(at - 2, 2, ": ") == 0))
      return {line.substr(0, at), kind, line.substr(at + std::string(kind).size())};
  }
  return {"", "", line};
}

std::string quoted(const std::string& text, std::size_t from) {
  const std::size_t open = text.find('\'', from);
  const std::size_t close = open == std::string::npos ? open : text.find('\'', open + 1);
  return close == std::string::npos ? std::string() : text.substr(open + 1, close - open - 1);
}

std::string form_lines(const std::string& name, const CallForms& forms) {
  std::set<std::string> seen;
  std::string result;
  const auto [begin, end] = forms.equal_range(name);
  for (auto it = begin; it != end; ++it) {
    const std::string text = it->second.text(name);
    if (!seen.insert(text).second) continue;
    if (seen.size() > kForms) break;
    result += "  form: " + text + "\n";
  }
  return result;
}

// "no member named 'Alloc' in 'AscendC::TQue<...>'": what a class of ours has instead.
std::string member_line(const std::string& message, const CallForms& forms) {
  const std::size_t in = message.find("' in '");
  if (!message.starts_with("no member named ") || in == std::string::npos) return {};
  std::string owner = message.substr(in + 6);
  owner = owner.substr(0, owner.find_first_of("<'"));
  if (const std::size_t colon = owner.rfind(':'); colon != std::string::npos) owner = owner.substr(colon + 1);
  if (owner == "TQue") owner = "TQueBind";
  std::set<std::string> names;
  for (const auto& [name, form] : forms)
    if (form.owner == owner) names.insert(name);
  std::string result;
  for (const std::string& name : names) result += (result.empty() ? "  it has: " : ", ") + name;
  return result.empty() ? result : result + "\n";
}

// A name of the kernel that the library has as well. Empty: it is about something else.
std::string clash_line(const std::string& message, const std::vector<Line>& notes) {
  const bool two = message.starts_with("reference to '") && message.ends_with("' is ambiguous");
  if (!two && !message.starts_with("redefinition of '")) return {};
  if (std::all_of(notes.begin(), notes.end(), [](const Line& note) { return note.user(); })) return {};
  const std::string name = quoted(message, 0);
  return two ? "  the library has " + name + " too: write ::" + name + " for yours, or give it another name\n"
             : "  the library has " + name + " already: give yours another name, or a namespace\n";
}

// The name of the call that did not match, taken from the message; empty: it is about something else.
std::string unmatched_call(const std::string& message) {
  for (const char* start :
       {"no matching function for call to ", "no matching member function for call to ", "call to deleted function ",
        "call to deleted member function ", "too few arguments to function call", "no member named "})
    if (message.starts_with(start)) return quoted(message, 0);
  return {};
}

// "implicit conversion from 'int' to 'uint8_t' (aka 'unsigned char') changes value from 256 to 0 [-Wconstant-...]".
// Nothing: another warning, or a negative number, which means all bits.
std::string constant_line(const Line& warning) {
  const std::string& text = warning.text;
  const std::size_t from = text.find("changes value from ");
  if (!warning.user() || !text.ends_with("[-Wconstant-conversion]") || from == std::string::npos) return {};
  const std::string to = quoted(text, text.find("' to '") + 2);
  if ((to != "uint8_t" && to != "uint16_t") || text.find("changes value from -") != std::string::npos) return {};
  std::istringstream values(text.substr(from + std::string("changes value from ").size()));
  std::string before, word, after;
  values >> before >> word >> after;
  return warning.place + "warning: " + before + " does not fit " + to + ", which holds 0 to " +
         (to == "uint8_t" ? "255" : "65535") + ", so it becomes " + after + ", as on the chip" +
         (to == "uint8_t" ? "; a repeatTime is at most 255: make several calls" : "") + "\n";
}

// One error with the notes that belong to it.
class Message {
 public:
  explicit Message(Line error) : error_(std::move(error)) {}
  void add(Line note) { notes_.push_back(std::move(note)); }

  // The user's line, or a number greater than all of them.
  long line() const {
    const Line& at = place_in_source();
    const std::size_t colon = at.place.find(':');
    return at.user() && colon != std::string::npos ? std::strtol(at.place.c_str() + colon + 1, nullptr, 10)
                                                   : std::numeric_limits<long>::max();
  }

  std::string text(const CallForms& forms) const {
    const Line& at = place_in_source();
    const std::string place = at.place, found = &at == &error_ ? std::string() : quoted(at.text, 0);
    std::string message = error_.text;
    // "static_assert failed due to requirement '...' "text"": only the text matters.
    if (message.starts_with("static_assert failed") || message.starts_with("static assertion failed"))
      if (const std::size_t open = message.find(" \""); open != std::string::npos)
        message = message.substr(open + 2, message.rfind('"') - open - 2);
    std::string result = place + error_.kind + message + (found.empty() ? "" : " (found: " + found + ")") + "\n";

    const std::string call = unmatched_call(error_.text);
    const bool known = !call.empty() && forms.count(call) > 0;
    std::set<std::string> reasons;
    for (const Line& note : notes_) {
      if (note.text.find("expanded from") != std::string::npos ||
          (note.text.ends_with("requested here") || note.text.ends_with("required here")))
        continue;
      if (note.text.find("(the implicit move") != std::string::npos) continue;
      if (note.place.starts_with("precompiled.h")) continue;  // repeats what another form said
      if (reasons.size() < kReasons && reasons.insert(note.text).second)
        result += (note.user() ? note.place + note.kind : std::string(known ? "  not this one: " : "  note: ")) +
                  note.text + "\n";
    }
    const bool on_host = place.find("op_host/") != std::string::npos;
    if (known && !on_host) result += form_lines(call, forms);
    if (known && on_host && error_.text.starts_with("no member named "))
      result += "  it is a call of kernels, which the host side does not have\n";
    return result + member_line(error_.text, forms) + clash_line(error_.text, notes_);
  }

 private:
  // The user's place in it: the error itself, or the call that led into the header.
  const Line& place_in_source() const {
    if (!error_.user())
      for (const Line& note : notes_)
        if (note.user() && (note.text.ends_with("requested here") || note.text.ends_with("required here"))) return note;
    return error_;
  }

  Line error_;
  std::vector<Line> notes_;
};

}  // namespace

std::string readable_diagnostics(std::string text, const std::string& work_folder, const std::string& header_folder,
                                 const CallForms& forms) {
  replace_all(text, work_folder + "/", "");
  replace_all(text, header_folder + "/", "");
  std::istringstream lines(text);
  std::vector<Message> messages;
  std::string other;
  bool in_constant = false;  // a warning of a constant, with the notes that follow it
  for (std::string line; std::getline(lines, line);) {
    const Line part = parsed(line);
    in_constant = part.kind == "note: " ? in_constant : part.text.ends_with("[-Wconstant-conversion]");
    if (in_constant) {
      if (part.kind != "note: ") other += constant_line(part);
      continue;
    }
    if (part.kind.ends_with("error: "))
      messages.emplace_back(part);
    else if (part.kind == "note: " && !messages.empty())
      messages.back().add(part);
    else if (!line.starts_with("In file included from ") && line.find(" generated when compiling") == std::string::npos)
      other += line + "\n";
  }
  // The compiler reports failures inside templates last, but the reader goes through the source in order.
  std::stable_sort(messages.begin(), messages.end(),
                   [](const Message& a, const Message& b) { return a.line() < b.line(); });
  std::string result;
  for (const Message& message : messages) result += message.text(forms);
  result += other;
  for (const auto& [from, to] : kWords) replace_all(result, from, to);
  return result;
}

bool blames_the_compiler(const std::string& diagnostics) {
  for (const char* words : {"fatal error: ", "error: ", "clang"})
    if (diagnostics.starts_with(words) || diagnostics.find(std::string("\n") + words) != std::string::npos) return true;
  return diagnostics.find(".pch") != std::string::npos;
}

}  // namespace kg::sandbox
