// Its format and its texts come from the kernel, and so they are read from the kernel's memory, and the C library gets
// one checked conversion at a time.

#include "npu/machine/print.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string>

#include "npu/machine/core.h"

namespace kg::npu {
namespace {

[[noreturn]] void refuse(Core& core, const std::string& what) { core.fail(FaultClass::kArgument, "printf: ", what); }

std::string text_at(Core& core, scalar::Machine& machine, std::uint64_t address) {
  std::string copy;
  for (;; ++address) {
    const std::uint8_t* const letter = machine.readable(address, 1);
    if (letter == nullptr)
      refuse(core,
             "a string that reaches outside the kernel's own variables and constants, or has no terminating zero");
    if (*letter == 0) return copy;
    copy += static_cast<char>(*letter);
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
  if (letter == format.size()) refuse(core, "an incomplete conversion: " + format.substr(at));
  return {format.substr(at, letter + 1 - at), format.substr(sizes, letter - sizes), format[letter]};
}

// Widths and precisions: the C library would write each of two thousand million zeros.
void check_sizes(Core& core, const std::string& conversion) {
  constexpr int kMost = 4096;
  for (std::size_t at = conversion.find_first_of("0123456789"); at != std::string::npos;
       at = conversion.find_first_of("0123456789", at)) {
    long size = 0;
    for (; at < conversion.size() && conversion[at] >= '0' && conversion[at] <= '9'; ++at)
      size = std::min<long>(size * 10 + (conversion[at] - '0'), INT32_MAX);
    if (size > kMost)
      refuse(core, "a width or precision of " + std::to_string(size) + " in " + conversion + "; at most " +
                       std::to_string(kMost));
  }
}

class Printer {
 public:
  Printer(Core& core, scalar::Machine& machine) : core_(core), machine_(machine) {}

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
      one.text.replace(star, 1, std::to_string(static_cast<int>(next())));
    check_sizes(core_, one.text);
    if (one.letter == '%') {
      put("%%", 0);
    } else if (std::strchr("diouxXc", one.letter) != nullptr) {
      if (one.size.empty() || one.size[0] == 'h')
        put(one.text, static_cast<int>(next()));
      else
        put(one.text, static_cast<long>(next()));
    } else if (std::strchr("fFeEgGaA", one.letter) != nullptr) {
      put(one.text, std::bit_cast<double>(next()));
    } else if (one.letter == 's' && one.size.empty()) {
      put(one.text, text_at(core_, machine_, next()).c_str());
    } else if (one.letter == 'p' && one.size.empty()) {
      put(one.text, reinterpret_cast<void*>(next()));
    } else {
      refuse(core_, "the conversion " + one.text + " is not supported; use d, i, u, o, x, X, c, f, e, g, a, s or p");
    }
  }

  std::uint64_t next() { return machine_.variable_argument(argument_++); }

  template <typename T>
  void put(const std::string& conversion, T value) {
    printed_ += std::printf(conversion.c_str(), value);
  }

  Core& core_;
  scalar::Machine& machine_;
  int argument_ = 1;  // after the format
  int printed_ = 0;
};

}  // namespace

void print_call(scalar::Machine& machine) {
  Core& self = core();
  self.line = machine.line();
  const int written = Printer(self, machine).print(text_at(self, machine, machine.argument(0)));
  std::fflush(stdout);
  machine.give(static_cast<std::uint64_t>(std::int64_t{written}));
}

}  // namespace kg::npu
