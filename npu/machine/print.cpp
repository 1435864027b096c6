// printf of a kernel. Its format and its texts come from the kernel, and so they are read as the kernel may read: the C
// library, handed them as they are, would write where %n says, and print the launcher's memory.

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>

#include "npu/machine/core.h"
#include "npu/machine/pointer_accesses.h"

namespace kg::npu {
namespace {

[[noreturn]] void refuse(Core& core, const std::string& what) {
  core.error(FaultClass::kArgument, "printf: " + what);
  end_kernel();
}

std::string text_at(Core& core, const char* text) {
  std::string copy;
  for (;; ++text) {
    if (!kernel_may_read(reinterpret_cast<std::uint64_t>(text), 1))
      refuse(core, "a text that leads outside the kernel's own variables and constants, or has no end");
    if (*text == '\0') return copy;
    copy += *text;
  }
}

// One conversion: "%", flags, width and precision, "l" and the like, the letter.
struct Conversion {
  std::string text;
  std::string size;
  char letter = 0;
};

Conversion conversion_at(Core& core, const std::string& format, std::size_t at) {
  const std::size_t sizes = std::min(format.find_first_not_of("-+ #0123456789.*", at + 1), format.size());
  const std::size_t letter = std::min(format.find_first_not_of("hlzjt", sizes), format.size());
  if (letter == format.size()) refuse(core, "a conversion without an end: " + format.substr(at));
  return {format.substr(at, letter + 1 - at), format.substr(sizes, letter - sizes), format[letter]};
}

class Printer {
 public:
  Printer(Core& core, va_list arguments) : core_(core) { va_copy(arguments_, arguments); }
  ~Printer() { va_end(arguments_); }
  Printer(const Printer&) = delete;
  Printer& operator=(const Printer&) = delete;

  int print(const std::string& format) {
    for (std::size_t at = 0; at < format.size();) {
      if (format[at] != '%') {
        const std::size_t end = std::min(format.find('%', at), format.size());
        printed_ += static_cast<int>(std::fwrite(format.data() + at, 1, end - at, stdout));
        at = end;
        continue;
      }
      const Conversion one = conversion_at(core_, format, at);
      convert(one);
      at += one.text.size();
    }
    return printed_;
  }

 private:
  void convert(Conversion one) {
    for (std::size_t star = one.text.find('*'); star != std::string::npos; star = one.text.find('*'))
      one.text.replace(star, 1, std::to_string(va_arg(arguments_, int)));
    if (one.letter == '%') {
      put("%%", 0);
    } else if (std::strchr("diouxXc", one.letter) != nullptr) {
      if (one.size.empty() || one.size[0] == 'h')
        put(one.text, va_arg(arguments_, int));
      else
        put(one.text, va_arg(arguments_, long));
    } else if (std::strchr("fFeEgGaA", one.letter) != nullptr) {
      put(one.text, va_arg(arguments_, double));
    } else if (one.letter == 's' && one.size.empty()) {
      put(one.text, text_at(core_, va_arg(arguments_, const char*)).c_str());
    } else if (one.letter == 'p' && one.size.empty()) {
      put(one.text, va_arg(arguments_, void*));
    } else {
      refuse(core_, "the conversion " + one.text + "; there are d, i, u, o, x, X, c, f, e, g, a, s, p");
    }
  }

  template <typename T>
  void put(const std::string& conversion, T value) {
    printed_ += std::printf(conversion.c_str(), value);
  }

  Core& core_;
  va_list arguments_;
  int printed_ = 0;
};

}  // namespace
}  // namespace kg::npu

using namespace kg::npu;

extern "C" int kgnpu_print(const char* format, ...) {
  Core& self = core();
  va_list arguments;
  va_start(arguments, format);
  const int written = Printer(self, arguments).print(text_at(self, format));
  va_end(arguments);
  std::fflush(stdout);
  return written;
}
