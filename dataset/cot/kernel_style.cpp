#include "dataset/cot/kernel_style.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>
#include <sstream>

#include "base/text.h"
#include "dataset/cot/flag_order.h"
#include "dataset/cot/strided_form.h"
#include "dataset/cot/strided_text.h"
#include "dataset/cot/tile_slots.h"
#include "dsl/emit.h"
#include "dsl/initialise.h"
#include "dsl/parser.h"
#include "dsl/process.h"
#include "dsl/refusal.h"
#include "dsl/tiling.h"
#include "dsl/unaligned.h"

namespace kg::dataset::cot {
namespace {

using Order = KernelStyle::Order;
using Names = KernelStyle::Names;
using Layout = Writing::Layout;
using Naming = Writing::Naming;

const std::vector<KernelStyle>& all_styles() {
  static const std::vector<KernelStyle> styles = {
      {.name = "compact", .order = Order::kBarriers},
      {.name = "queues", .writing = {.nested = false, .naming = Naming::kAsPrompt}},
      {.name = "flags", .order = Order::kFlags},
      {.name = "compact_terse",
       .order = Order::kBarriers,
       .names = Names::kTerse,
       .writing = {.naming = Naming::kNumbers}},
      {.name = "queues_single", .single_buffer = true},
      {.name = "queues_sample", .names = Names::kSample, .commented = true, .writing = {.naming = Naming::kWords}},
      {.name = "queues_members", .names = Names::kMembers, .writing = {.nested = false, .naming = Naming::kNumbers}},
      {.name = "flags_terse",
       .order = Order::kFlags,
       .names = Names::kTerse,
       .writing = {.nested = false, .naming = Naming::kNumbers}},
      {.name = "compact_commented",
       .order = Order::kBarriers,
       .commented = true,
       .writing = {.naming = Naming::kWords}},
      {.name = "queues_small_tiles", .tile_part = 2},
      {.name = "compact_small_tiles", .order = Order::kBarriers, .tile_part = 4},
      {.name = "queues_rows", .writing = {.layout = Layout::kRows}},
      {.name = "compact_rows", .order = Order::kBarriers, .names = Names::kTerse, .writing = {.layout = Layout::kRows}},
      {.name = "queues_grid", .writing = {.layout = Layout::kGrid}},
      {.name = "strided",
       .order = Order::kBarriers,
       .strided = true,
       .writing = {.nested = false, .naming = Naming::kAsPrompt}},
  };
  return styles;
}

dsl::Bindings bindings_of(const Instance& instance) {
  dsl::Bindings bindings;
  bindings.cores = instance.cores;
  for (const TensorOf& tensor : inputs_of(instance)) bindings.tensors.push_back({tensor.dtype, tensor.shape});
  for (const TensorOf& tensor : outputs_of(instance)) bindings.tensors.push_back({tensor.dtype, tensor.shape});
  return bindings;
}

// Every identifier goes through `rename`, except members, macros, and words in texts or comments.
std::string renamed(const std::string& source, const std::function<std::string(const std::string&)>& rename) {
  std::string text;
  for (std::size_t at = 0; at < source.size();) {
    if (source[at] == '"') {
      const std::size_t end = source.find('"', at + 1) + 1;
      text += source.substr(at, end - at);
      at = end;
    } else if (source.compare(at, 2, "//") == 0) {
      const std::size_t end = source.find('\n', at);
      text += source.substr(at, end - at);
      at = end;
    } else if (is_word(source[at])) {
      std::size_t end = at;
      while (end < source.size() && is_word(source[end])) ++end;
      const std::string word = source.substr(at, end - at);
      const bool member = at > 0 && (source[at - 1] == '.' || source[at - 1] == ':');
      text += member || std::isdigit(static_cast<unsigned char>(word[0])) != 0 ? word : rename(word);
      at = end;
    } else {
      text += source[at++];
    }
  }
  return text;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() > end.size() && text.ends_with(end);
}

std::string snake(const std::string& text) {
  std::string made;
  for (const char c : text) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0 && !made.empty()) made += '_';
    made += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return made;
}

std::string in_names(const std::string& source, Names names, const std::set<std::string>& tiles) {
  switch (names) {
    case Names::kPlain:
      return source;
    case Names::kSample:
      return renamed(source, [&](const std::string& word) -> std::string {
        if (ends_with(word, "Queue") && word != "TQue") {
          std::string base = word.substr(0, word.size() - 5);
          base[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(base[0])));
          return "que" + base;
        }
        if (word == "workBuf") return "calcBuf";
        if (tiles.contains(word)) return word + "Local";
        return word;
      });
    case Names::kMembers:
      return renamed(source, [](const std::string& word) -> std::string {
        if (word == "pipe" || word == "workBuf" || word == "partials") return snake(word) + "_";
        if (ends_with(word, "Gm") || (ends_with(word, "Queue") && word != "TQue")) return snake(word) + "_";
        return word;
      });
    case Names::kTerse:
      return renamed(source, [](const std::string& word) -> std::string {
        if (ends_with(word, "Gm")) return "g" + word.substr(0, word.size() - 2);
        return word;
      });
  }
  return source;
}

// The program's statements as comments above the lines that they became.
std::string with_comments(const dsl::Source& source, const std::string& program) {
  std::vector<std::string> statements = {""};
  std::istringstream lines(program), rows(source.text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    statements.push_back(first == std::string::npos ? "" : line.substr(first));
  }
  std::string text, row;
  int last = 1;
  const std::size_t process = std::max(source.text.find("Process() {"), source.text.find("TPipe pipe; TBuf"));
  std::size_t at = 0, index = 0;
  for (; std::getline(rows, row); ++index) {
    const int line = index < source.lines.size() ? source.lines[index] : 0;
    const std::size_t indent = row.find_first_not_of(' ');
    const bool inside = at > process && process != std::string::npos && row.find("GetWithOffset") == std::string::npos;
    if (inside && line > 1 && line != last && indent != std::string::npos && row[indent] != '}' &&
        static_cast<std::size_t>(line) < statements.size() && !statements[static_cast<std::size_t>(line)].empty())
      text += std::string(indent, ' ') + "// " + statements[static_cast<std::size_t>(line)] + "\n";
    if (inside && line > 1) last = line;
    text += row + "\n";
    at += row.size() + 1;
  }
  return text;
}

std::int64_t chosen_tile(const Instance& instance, const KernelStyle& style) {
  if (style.strided) return has_tiles(instance, style.writing.layout) ? strided_tile(instance) : 0;
  if (style.tile_part == 1) return 0;
  const dsl::Form form =
      dsl::tile_program(dsl::parse(dsl_program(instance, style.writing)), bindings_of(instance), style.compact());
  const std::int64_t part = form.checked.sizes.tile / style.tile_part / 128 * 128;
  return form.checked.free_tile && part >= 128 ? part : 0;
}

}  // namespace

std::vector<std::string> style_names() {
  std::vector<std::string> names;
  for (const KernelStyle& style : all_styles()) names.push_back(style.name);
  return names;
}

std::vector<KernelStyle> styles_of(const Instance& instance) {
  std::vector<KernelStyle> fitting;
  for (const KernelStyle& style : all_styles()) {
    if (!can_lay_out(instance, style.writing.layout)) continue;
    if (style.tile_part > 1 && !has_tiles(instance, style.writing.layout)) continue;
    fitting.push_back(style);
  }
  return fitting;
}

LoweredKernel lower_kernel(const Instance& instance, const KernelStyle& style) {
  LoweredKernel kernel;
  try {
    Writing writing = style.writing;
    writing.tile = chosen_tile(instance, style);
    if (style.tile_part > 1 && writing.tile == 0) {
      kernel.refusal = "the tiles are small already";
      return kernel;
    }
    kernel.program = dsl_program(instance, writing);
    const dsl::Program parsed = dsl::parse(kernel.program);
    dsl::Form form = dsl::tile_program(parsed, bindings_of(instance), style.compact());
    if (style.strided) {
      stride_loops(form);
      name_lengths(form, writing.tile);
      gather_copies(form);
      take_slots(form);
    } else {
      dsl::initialise(form);
    }
    if (style.single_buffer) {
      bool any = false;
      for (dsl::Tile& tile : form.tiles)
        if (tile.buffers == 2) {
          tile.buffers = 1;
          form.ub_bytes -= tile.bytes;
          any = true;
        }
      if (!any) {
        kernel.refusal = "one buffer a queue is all that there is";
        return kernel;
      }
    }
    dsl::Code code = style.order == Order::kFlags ? flagged_code(form) : dsl::process(form);
    dsl::correct_unaligned(form, code);
    if (style.strided) pad_copies(code);
    dsl::Source source = style.compact() ? dsl::emit_compact(form, code, entry_point(instance))
                                         : dsl::emit_kernel(form, code, entry_point(instance));
    if (style.strided) source.text = strided_text(source.text, form);
    std::set<std::string> tiles;
    for (const dsl::Tile& tile : form.tiles)
      if (!tile.name.empty()) tiles.insert(tile.name);
    kernel.source = in_names(style.commented ? with_comments(source, kernel.program) : source.text, style.names, tiles);
    kernel.facts = facts_of(form, code, kernel.program);
    kernel.workspace_bytes = static_cast<std::uint64_t>(form.workspace_bytes());
    if (style.order == Order::kQueues) kernel.project = dsl::emit_project(form, code, form.checked.program.name).parts;
  } catch (const dsl::Refusal& refusal) {
    kernel.refusal = refusal.what();
  }
  return kernel;
}

}  // namespace kg::dataset::cot
