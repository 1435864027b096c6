#include <cstdio>

#include "sandbox/dsl/code.h"
#include "sandbox/dsl/form.h"

namespace kg::sandbox::dsl {
namespace {

std::string tile_text(const Form& form, int index) {
  const Tile& tile = form.tile(index);
  std::string label;
  label += "%";
  label += std::to_string(index);
  return tile.name.empty() ? label : tile.name;
}

const char* home_text(Tile::Home home) {
  return home == Tile::Home::kIn ? "copy in" : home == Tile::Home::kOut ? "copy out" : "work";
}

std::string copy_line(const Form& form, const Copy& copy, bool in) {
  const std::string tensor = (copy.tensor == kWorkspace ? "partials" : form.tensor(copy.tensor).name) + "[" +
                             copy.offset + ", " + copy.count + "]";
  const std::string pad = copy.padded ? " pad " + copy.pad : "";
  return in ? tile_text(form, copy.tile) + " <- " + tensor + pad : tensor + " <- " + tile_text(form, copy.tile);
}

std::string vector_line(const Form& form, const Step& step) {
  std::string text = tile_text(form, step.result) + " = " + step.op + "(";
  std::string arguments;
  for (const int source : step.sources) arguments += (arguments.empty() ? "" : ", ") + tile_text(form, source);
  for (const std::string& scalar : step.scalars) arguments += (arguments.empty() ? "" : ", ") + scalar;
  return text + arguments + ") of " + step.count;
}

}  // namespace

std::string print_tiling(const Form& form) {
  std::string text = "cores " + std::to_string(form.checked.cores) + "\n";
  if (form.checked.free_tile) text += "tile " + std::to_string(form.checked.tile) + "\n";
  std::string indent;
  for (const Step& step : form.steps) {
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
        text += indent + step.name + " = " + with_tiles(step.value, [&](int tile) { return tile_text(form, tile); }) + "\n";
        break;
      case Step::Kind::kBarrier:
        text += indent + "barrier\n";
        break;
    }
    if (step.kind == Step::Kind::kFor || step.kind == Step::Kind::kIf || step.kind == Step::Kind::kElse) indent += "  ";
  }
  return text;
}

std::string print_initialisation(const Form& form) {
  std::string text;
  for (std::size_t i = 0; i < form.tiles.size(); ++i) {
    const Tile& tile = form.tiles[i];
    if (tile.bytes == 0) continue;
    text += tile_text(form, static_cast<int>(i)) + ": " + cpp_type(tile.dtype) + "[" + std::to_string(tile.capacity) +
            "], " + home_text(tile.home) + ", ";
    text += tile.buffers > 0
                ? "queue of " + std::to_string(tile.buffers) + " x " + std::to_string(tile.bytes) + " bytes"
                : "bytes " + std::to_string(tile.offset) + " to " + std::to_string(tile.offset + tile.bytes);
    text += ", steps " + std::to_string(tile.first) + " to " + std::to_string(tile.last) + "\n";
  }
  return text + "work buffer " + std::to_string(form.work_bytes) + " bytes, in all " + std::to_string(form.ub_bytes) +
         " of UB\n";
}

}  // namespace kg::sandbox::dsl
