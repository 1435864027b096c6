#include "cli/solve/tile_tuning.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "base/clock.h"
#include "base/text.h"

namespace kg::cli {
namespace {

// What is tried at each place; sizes that do not fit UB are refused before anything runs.
constexpr int kSizes[] = {1024, 2048, 4096, 512, 8192, 256, 128, 16384};
constexpr std::size_t kAtOnce = 4;

// Where `word` stands alone in the code of `text` from `from` on; npos: nowhere. Comments hold no code.
std::size_t find_word(const std::string& text, const std::string& word, std::size_t from) {
  for (std::size_t at = text.find(word, from); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t line = text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
    const std::size_t comment = text.find('#', line);
    if (comment != std::string::npos && comment < at) continue;
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return at;
  }
  return std::string::npos;
}

bool begins_line(const std::string& text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  return at == 0 || text[at - 1] == '\n';
}

bool is_number(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

std::string stripped(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

// The slot of tiles(...) whose parenthesis opens at `open`; none if its size is not a plain number.
void add_call(const std::string& program, std::size_t open, std::vector<TileSlot>& slots) {
  std::size_t comma = std::string::npos;
  int depth = 0;
  for (std::size_t at = open; at < program.size(); ++at) {
    const char c = program[at];
    if (c == '(' || c == '[') ++depth;
    if (c == ',' && depth == 1 && comma == std::string::npos) comma = at;
    if ((c != ')' && c != ']') || --depth > 0) continue;
    if (comma == std::string::npos)
      slots.push_back({at, at, ", "});
    else if (is_number(stripped(program.substr(comma + 1, at - comma - 1))))
      slots.push_back({comma, at, ", "});
    return;
  }
}

// The slot of a line `tile T` or `tile T = 2048`; `at` is behind the word.
void add_statement(const std::string& program, std::size_t at, std::vector<TileSlot>& slots) {
  std::size_t end = program.find_first_of("#\n", at);
  if (end == std::string::npos) end = program.size();
  const std::size_t equals = program.find('=', at);
  if (equals == std::string::npos || equals >= end) {
    while (end > at && (program[end - 1] == ' ' || program[end - 1] == '\r')) --end;
    slots.push_back({end, end, " = "});
  } else if (is_number(stripped(program.substr(equals + 1, end - equals - 1)))) {
    std::size_t begin = equals;
    while (begin > at && program[begin - 1] == ' ') --begin;
    while (end > equals && (program[end - 1] == ' ' || program[end - 1] == '\r')) --end;
    slots.push_back({begin, end, " = "});
  }
}

}  // namespace

std::vector<TileSlot> tile_slots(const std::string& program) {
  std::vector<TileSlot> slots;
  for (std::size_t at = find_word(program, "tiles", 0); at != std::string::npos;
       at = find_word(program, "tiles", at + 1)) {
    const std::size_t open = program.find_first_not_of(' ', at + 5);
    if (open != std::string::npos && program[open] == '(') add_call(program, open, slots);
  }
  for (std::size_t at = find_word(program, "tile", 0); at != std::string::npos; at = find_word(program, "tile", at + 1))
    if (begins_line(program, at)) add_statement(program, at + 4, slots);
  return slots;
}

std::string with_tile_size(const std::string& program, const TileSlot& slot, int size) {
  return program.substr(0, slot.begin) + slot.lead + std::to_string(size) + program.substr(slot.end);
}

void declare_tuning(Options& options, TuningLimits& limits) {
  options
      .add("tune", limits.variants, "variants of the fastest kernel with other tile sizes to judge; 0 = none; DSL only")
      .range(0, 10000)
      .add("tune-seconds", limits.seconds, "after these no further variant is judged")
      .range(0, 1e6);
}

std::string tuned(const std::string& program, const TuningLimits& limits, JudgeDesk& desk, proto::Verdict& verdict,
                  const std::function<void(int)>& judged) {
  const double began = monotonic_seconds();
  int count = 0;
  const auto more = [&] { return count < limits.variants && monotonic_seconds() - began < limits.seconds; };
  std::string best = program;
  const std::size_t places = tile_slots(program).size();
  for (std::size_t place = 0; place < places; ++place) {
    const std::string before = best;
    const TileSlot slot = tile_slots(before)[place];
    for (std::size_t size = 0; size < std::size(kSizes) && more();) {
      std::vector<std::string> variants;
      for (; size < std::size(kSizes) && variants.size() < kAtOnce && count < limits.variants; ++size)
        if (std::string variant = with_tile_size(before, slot, kSizes[size]); variant != before) {
          variants.push_back(std::move(variant));
          ++count;
        }
      std::vector<proto::Verdict> verdicts = desk.judge_all(variants);
      for (std::size_t i = 0; i < variants.size(); ++i)
        if (verdicts[i].correct() && verdicts[i].reward_valid() && verdicts[i].cycles() < verdict.cycles()) {
          verdict = std::move(verdicts[i]);
          best = variants[i];
        }
      judged(count);
    }
  }
  return best;
}

}  // namespace kg::cli
