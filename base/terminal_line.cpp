#include "base/terminal_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace kg {
namespace {

constexpr int kColumns = 80;  // for a terminal of unknown width
constexpr int kLeast = 20;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

}  // namespace

std::string fitted(std::string_view text, int columns) {
  std::string line(text);
  for (char& c : line)
    if (c == '\n' || c == '\t' || c == '\r') c = ' ';
  if (std::count_if(line.begin(), line.end(), begins_character) <= columns) return line;
  std::size_t end = 0;
  for (int kept = 0; end < line.size(); ++end)
    if (begins_character(line[end]) && kept++ == columns - 3) break;
  return line.substr(0, end) + "...";
}

int terminal_columns(int descriptor) {
  winsize size{};
  return ::isatty(descriptor) == 1 && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

TerminalLine::TerminalLine() : there_(::isatty(STDERR_FILENO) == 1) {}

int TerminalLine::columns() const {
  const int said = terminal_columns(STDERR_FILENO);
  return said >= kLeast ? said : kColumns;
}

void TerminalLine::draw(std::string_view text) {
  if (!there_) return;
  // The last column stays free: terminals differ in what they do once it is full.
  std::fprintf(stderr, "\r\033[K%s", fitted(text, columns() - 1).c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void TerminalLine::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void TerminalLine::keep(std::string_view text) {
  clear();
  std::fprintf(stderr, "%s\n", there_ ? fitted(text, columns() - 1).c_str() : std::string(text).c_str());
}

}  // namespace kg
