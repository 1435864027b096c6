#include <cstdio>

#include "dsl/code.h"
#include "dsl/form.h"

namespace kg::dsl {
namespace {

std::string tile_text(const Form& form, int index) {
  const Tile& tile = form.tile(index);
  if (tile.view_of >= 0) return tile_text(form, tile.view_of) + "[" + tile.start + ":]";
  std::string label;
  label += "%";
  label += std::to_string(index);
  return tile.name.empty() ? label : tile.name;
}

const char* home_text(Tile::Home home) {
  switch (home) {
    case Tile::Home::kIn:
      return "copy in";
    case Tile::Home::kOut:
      return "copy out";
    case Tile::Home::kWork:
      return "work";
    case Tile::Home::kL1:
      return "L1";
    case Tile::Home::kL0c:
      return "L0C";
    case Tile::Home::kBias:
      return "L1 and the bias table";
  }
  return "";
}

std::string copy_line(const Form& form, const Copy& copy, bool in) {
  const std::string tensor = (copy.tensor == kWorkspace ? "partials" : form.tensor(copy.tensor).name) + "[" +
                             copy.offset + ", " + (copy.rows.empty() ? "" : copy.rows + " x ") +
                             (copy.blocks.empty() ? "" : "(" + copy.blocks + ") x ") + copy.count + "]";
  const std::string pad = copy.padded ? " pad " + copy.pad : "";
  const std::string tile = tile_text(form, copy.tile);
  return in ? tile + " <- " + tensor + pad : tensor + " <- " + (copy.relu ? "relu " + tile : tile);
}

std::string operand_text(const Form& form, const Step& step, std::size_t i) {
  return (step.turned[i] ? "transpose " : "") + tile_text(form, step.sources[i]);
}

std::string vector_line(const Form& form, const Step& step) {
  std::string text = tile_text(form, step.result) + " = " + step.op + "(";
  std::string arguments;
  for (const int source : step.sources) arguments += (arguments.empty() ? "" : ", ") + tile_text(form, source);
  for (const std::string& scalar : step.scalars) arguments += (arguments.empty() ? "" : ", ") + scalar;
  return text + arguments + ") of " + step.count;
}

std::string print_steps(const Form& form, const std::vector<Step>& steps) {
  std::string text;
  std::string indent;
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::kEnd || step.kind == Step::Kind::kElse) indent.resize(indent.size() - 2);
    switch (step.kind) {
      case Step::Kind::kFor: {
        char trips[32];
        std::snprintf(trips, sizeof(trips), "%.6g", step.trips);
        text += indent + "for " + step.name + " from " + step.begin + " to " + step.end +
                (step.stride.empty() ? "" : " by " + step.stride) + " (" + trips + " turns)\n";
        break;
      }
      case Step::Kind::kIf:
        text += indent + "if " + step.value + "\n";
        break;
      case Step::Kind::kElse:
        text += indent + "else\n";
        break;
      case Step::Kind::kEnd:
        text += indent + "end\n";
        break;
      case Step::Kind::kCopyIn:
      case Step::Kind::kCopyOut:
        text += indent + copy_line(form, step.copy, step.kind == Step::Kind::kCopyIn) + "\n";
        break;
      case Step::Kind::kVector:
        text += indent + vector_line(form, step) + "\n";
        break;
      case Step::Kind::kScalar:
        text +=
            indent + step.name + " = " + with_tiles(step.value, [&](int tile) { return tile_text(form, tile); }) + "\n";
        break;
      case Step::Kind::kBarrier:
        text += indent + "barrier\n";
        break;
      case Step::Kind::kSums:
        text += indent + tile_text(form, step.result) + " = " +
                (step.sources.empty() ? "0" : tile_text(form, step.sources[0])) + "\n";
        break;
      case Step::Kind::kGemm:
        text += indent + tile_text(form, step.result) + " += " + operand_text(form, step, 0) + " x " +
                operand_text(form, step, 1) + " of " + step.m + " x " + step.n + " x " + step.k + "\n";
        break;
    }
    if (step.kind == Step::Kind::kFor || step.kind == Step::Kind::kIf || step.kind == Step::Kind::kElse) indent += "  ";
  }
  return text;
}

}  // namespace

std::string print_tiling(const Form& form) {
  std::string text;
  if (!form.cube.empty()) {
    text += "cube cores " + std::to_string(form.checked.groups) + "\n" + print_steps(form, form.cube);
    if (!form.has_vector_work()) return text;
  }
  text += "cores " + std::to_string(form.checked.cores) + "\n";
  if (form.checked.free_tile) text += "tile " + std::to_string(form.checked.sizes.tile) + "\n";
  return text + print_steps(form, form.steps);
}

std::string print_initialisation(const Form& form) {
  std::string text;
  for (std::size_t i = 0; i < form.tiles.size(); ++i) {
    const Tile& tile = form.tiles[i];
    if (tile.bytes == 0) continue;
    text += tile_text(form, static_cast<int>(i)) + ": " + cpp_type(tile.dtype) + "[" +
            (tile.rows > 0 ? std::to_string(tile.rows) + ", " : "") + std::to_string(tile.capacity) + "], " +
            home_text(tile.home) + ", ";
    text += tile.buffers > 0
                ? "queue of " + std::to_string(tile.buffers) + " x " + std::to_string(tile.bytes) + " bytes"
                : "bytes " + std::to_string(tile.offset) + " to " + std::to_string(tile.offset + tile.bytes);
    text += ", steps " + std::to_string(tile.first) + " to " + std::to_string(tile.last) + "\n";
  }
  for (const Step& step : form.cube)
    if (step.kind == Step::Kind::kGemm)
      text += "line " + std::to_string(step.line) + ": k in pieces of " + std::to_string(step.depth) + "\n";
  if (!form.cube.empty())
    text += "L0A 2 x " + std::to_string(form.l0a_bytes) + " bytes, L0B 2 x " + std::to_string(form.l0b_bytes) + "\n";
  if (!form.has_vector_work()) return text;
  return text + "work buffer " + std::to_string(form.work_bytes) + " bytes, in all " + std::to_string(form.ub_bytes) +
         " of UB\n";
}

}  // namespace kg::dsl
