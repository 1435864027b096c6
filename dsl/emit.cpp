#include "dsl/emit.h"

#include <cctype>

#include "dsl/bank_layout.h"
#include "dsl/emit_text.h"
#include "dsl/scalar_text.h"

namespace kg::dsl {

void SourceText::add(const Form& form, const std::vector<Line>& lines, int depth) {
  for (const Line& line : lines) {
    if (line.kind == Line::Kind::kText) {
      add(depth + line.depth, line.text, line.line);
      continue;
    }
    const auto rows = line.kind == Line::Kind::kVector
                          ? vector_text(form, line.step)
                          : copy_text(form, line.step.copy, line.kind == Line::Kind::kCopyIn);
    for (const std::string& row : rows) add(depth + line.depth, row, line.line);
  }
}

void add_extents(SourceText& text, const Form& form, int depth, const std::string& qualifiers) {
  for (const auto& [name, value] : form.checked.extents)
    text.add(depth, qualifiers + (value > INT32_MAX ? "int64_t " : "int32_t ") + cpp_name(name) + " = " +
                        std::to_string(value) + ";");
}

std::string operator_name(const std::string& kernel) {
  std::string name;
  bool upper = true;
  for (const char c : kernel) {
    if (c != '_') name += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '_';
  }
  return name.empty() ? "Custom" : name;
}

namespace {

// Queues and buffers of one kind of core, as members and as calls of InitBuffer.
struct Room {
  std::vector<std::pair<std::string, int>> members, calls;  // with the program's lines
};

void add_queue(Room& room, const std::string& position, const std::string& queue, int buffers, std::int64_t bytes,
               int line) {
  room.members.emplace_back("TQue<TPosition::" + position + ", 1> " + queue + ";", line);
  room.calls.emplace_back(
      "pipe.InitBuffer(" + queue + ", " + std::to_string(buffers) + ", " + std::to_string(bytes) + ");", line);
}

Room vector_room(const Form& form) {
  Room room;
  for (const std::size_t t : queue_order(form)) {
    const Tile& tile = form.tiles[t];
    add_queue(room, tile.home == Tile::Home::kIn ? "VECIN" : "VECOUT", tile.name + "Queue", tile.buffers, tile.bytes,
              form.first_step(tile).line);
  }
  if (form.work_bytes == 0) return room;
  room.members.emplace_back("TBuf<TPosition::VECCALC> workBuf;", 0);
  room.calls.emplace_back("pipe.InitBuffer(workBuf, " + std::to_string(form.work_bytes) + ");", 0);
  return room;
}

Room cube_room(const Form& form) {
  Room room;
  if (form.cube.empty()) return room;
  for (const Tile& tile : form.tiles)
    if (tile.buffers > 0 && Form::is_on_cube(tile)) {
      const char* position = tile.home == Tile::Home::kL0c    ? "CO1"
                             : tile.home == Tile::Home::kBias ? "C1"
                             : tile.right                     ? "B1"
                                                              : "A1";
      add_queue(room, position, tile.name + "Queue", tile.buffers, tile.bytes, form.first_step(tile).line);
    }
  for (const Step& step : form.cube)
    if (step.kind == Step::Kind::kSums && !step.sources.empty())
      add_queue(room, "C2", form.tile(step.result).name + "TableQueue", 1, form.tile(step.sources[0]).bytes, step.line);
  add_queue(room, "A2", "l0aQueue", 2, form.l0a_bytes, 0);
  add_queue(room, "B2", "l0bQueue", 2, form.l0b_bytes, 0);
  return room;
}

// Scratch tensors and partial results as parts of the workspace.
void add_workspace(SourceText& text, const Form& form, int depth) {
  if (form.reductions > 0)
    text.add(depth, "partials.SetGlobalBuffer((__gm__ float*)GetUserWorkspace(workspace), " +
                        std::to_string(form.reductions * form.checked.launched * 8) + ");");
  for (std::size_t i = 0; i < form.checked.program.parameters.size(); ++i) {
    const Parameter& tensor = form.checked.program.parameters[i];
    if (!tensor.scratch) continue;
    const std::int64_t offset = form.scratch_offset(static_cast<int>(i));
    const std::string start = "GetUserWorkspace(workspace)";
    text.add(depth,
             cpp_name(tensor.name) + "Gm.SetGlobalBuffer((__gm__ " + cpp_type(tensor.dtype) + "*)" +
                 (offset == 0 ? start : "(" + start + " + " + std::to_string(offset) + ")") + ", " +
                 std::to_string(elements_of(tensor)) + ");",
             tensor.line);
  }
}

void add_work_tiles(SourceText& text, const Form& form) {
  for (const Tile& tile : form.tiles)
    if (tile.home == Tile::Home::kWork && tile.bytes > 0 && tile.declared)
      text.add(2,
               "LocalTensor<" + cpp_type(tile.dtype) + "> " + tile.name + " = workBuf.GetWithOffset<" +
                   cpp_type(tile.dtype) + ">(" + std::to_string(tile.bytes / element_bytes(tile.dtype)) + ", " +
                   std::to_string(tile.offset) + ");",
               form.first_step(tile).line);
}

// The cores that a kernel with gemm runs on.
std::string task_type(const Form& form) {
  return form.checked.groups == 0 ? ""
         : form.checked.mixed     ? "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);"
                                  : "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);";
}

void add_lines(SourceText& text, int depth, const std::vector<std::pair<std::string, int>>& lines) {
  for (const auto& [line, number] : lines) text.add(depth, line, number);
}

// The lines of both kinds of cores, separately in a mixed kernel.
template <typename Vector, typename Cube>
void add_sides(SourceText& text, const Form& form, int depth, const Vector& vector, const Cube& cube) {
  if (form.checked.groups == 0) return vector(depth);
  if (!form.checked.mixed) return cube(depth);
  text.add(depth, "if ASCEND_IS_AIC {");
  cube(depth + 1);
  text.add(depth, "} else {");
  vector(depth + 1);
  text.add(depth, "}");
}

void add_init(SourceText& text, const Form& form, const Code& code, const Room& vector, const Room& cube) {
  text.add(1, "__aicore__ inline void Init(" + parameters(form, code, "GM_ADDR ", "") + ") {");
  for (const Parameter& parameter : form.checked.program.parameters) {
    if (parameter.scratch) continue;
    add_list(text, parameter, 2, "");
    text.add(2,
             cpp_name(parameter.name) + "Gm.SetGlobalBuffer(" + tensor_address(parameter, "") + ", " +
                 std::to_string(elements_of(parameter)) + ");",
             parameter.line);
  }
  add_workspace(text, form, 2);
  add_sides(
      text, form, 2, [&](int depth) { add_lines(text, depth, vector.calls); },
      [&](int depth) { add_lines(text, depth, cube.calls); });
  text.add(1, "}");
}

// Process(), and in a mixed kernel the two functions that it calls.
void add_process(SourceText& text, const Form& form, const Code& code) {
  text.add(1, "__aicore__ inline void Process() {");
  add_sides(
      text, form, 2,
      [&](int depth) {
        if (form.checked.mixed) return text.add(depth, "ProcessVector();");
        add_work_tiles(text, form);
        text.add(form, code.lines, depth);
      },
      [&](int depth) {
        if (form.checked.mixed) return text.add(depth, "ProcessCube();");
        text.add(form, code.cube, depth);
      });
  text.add(1, "}");
  text.add(0, "");
  text.add(0, " private:");
  if (form.checked.mixed) {
    text.add(1, "__aicore__ inline void ProcessCube() {");
    text.add(form, code.cube, 2);
    text.add(1, "}");
    text.add(1, "__aicore__ inline void ProcessVector() {");
    add_work_tiles(text, form);
    text.add(form, code.lines, 2);
    text.add(1, "}");
    text.add(0, "");
  }
}

void add_members(SourceText& text, const Form& form, const Room& vector, const Room& cube) {
  add_extents(text, form, 1, "static constexpr ");
  text.add(1, "TPipe pipe;");
  add_lines(text, 1, cube.members);
  add_lines(text, 1, vector.members);
  for (const Parameter& parameter : form.checked.program.parameters)
    text.add(1, "GlobalTensor<" + cpp_type(parameter.dtype) + "> " + cpp_name(parameter.name) + "Gm;");
  if (form.reductions > 0) text.add(1, "GlobalTensor<float> partials;");
}

// The function to launch. In an operator project it takes tiling data.
void add_entry(SourceText& text, const Form& form, const Code& code, const std::string& kernel,
               const std::string& entry_point, bool project) {
  const std::string rest = !project              ? ""
                           : code.uses_workspace ? ", GM_ADDR tiling"
                                                 : ", GM_ADDR workspace, GM_ADDR tiling";
  if (form.checked.groups > 0)
    text.add(0,
             "// Launched in " + std::to_string(form.checked.blocks) +
                 (form.checked.mixed ? " blocks of a cube core and its two vector cores." : " blocks of a cube core."));
  const std::string list =
      project ? parameters(form, code, "GM_ADDR ", "") : launched_parameters(form, code, "GM_ADDR ");
  text.add(0, "extern \"C\" __global__ __aicore__ void " + entry_point + "(" + list + rest + ") {");
  if (form.checked.groups > 0) text.add(1, task_type(form));
  if (project) {
    text.add(1, "GET_TILING_DATA(data, tiling);");
    text.add(1, "ASSERT(data.cores == " + std::to_string(form.checked.blocks) + ");");
  }
  text.add(1, kernel + " op;");
  text.add(1, "op.Init(" + parameters(form, code, "", "") + ");");
  text.add(1, "op.Process();");
  text.add(0, "}");
}

}  // namespace

Source emit_kernel(const Form& form, const Code& code, const std::string& entry_point, bool project) {
  SourceText text;
  std::string kernel = operator_name(form.checked.program.name);
  if (!kernel.ends_with("Kernel")) kernel += "Kernel";
  text.add(0, "#include \"kernel_operator.h\"");
  text.add(0, "");
  text.add(0, "using namespace AscendC;");
  text.add(0, "");
  add_helpers(text, form, code);
  text.add(0, "class " + kernel + " {");
  text.add(0, " public:");
  text.add(1, "__aicore__ inline " + kernel + "() {}");
  const Room vector = vector_room(form), cube = cube_room(form);
  add_init(text, form, code, vector, cube);
  add_process(text, form, code);
  add_members(text, form, vector, cube);
  text.add(0, "};");
  text.add(0, "");
  add_entry(text, form, code, kernel, entry_point, project);
  return text.take();
}

Source emit_compact(const Form& form, const Code& code, const std::string& entry_point) {
  SourceText text;
  text.add(0, "#include \"kernel_operator.h\"");
  text.add(0, "using namespace AscendC;");
  add_helpers(text, form, code);
  text.add(0, "extern \"C\" __global__ __aicore__ void " + entry_point + "(" +
                  launched_parameters(form, code, "GM_ADDR p") + ") {");
  if (form.checked.groups > 0) text.add(1, task_type(form));
  std::string extents;
  for (const auto& [name, value] : form.checked.extents)
    extents += (extents.empty() ? "" : ", ") + cpp_name(name) + " = " + std::to_string(value);
  if (!extents.empty())
    text.add(1, std::string(form.index64 ? "constexpr int64_t " : "constexpr int32_t ") + extents + ";");
  for (const Parameter& parameter : form.checked.program.parameters) {
    const std::string name = cpp_name(parameter.name), type = cpp_type(parameter.dtype);
    std::string line = "GlobalTensor<" + type + "> " + name + "Gm;";
    if (!parameter.scratch) {
      add_list(text, parameter, 1, "p");
      line += " " + name + "Gm.SetGlobalBuffer(" + tensor_address(parameter, "p") + ");";
    }
    text.add(1, line, parameter.line);
  }
  if (form.reductions > 0) text.add(1, "GlobalTensor<float> partials;");
  add_workspace(text, form, 1);
  text.add(1, "TPipe pipe;");
  const Room cube = cube_room(form);
  add_sides(
      text, form, 1,
      [&](int depth) {
        if (form.work_bytes > 0)
          text.add(depth, "TBuf<> buf; pipe.InitBuffer(buf, " + std::to_string(form.work_bytes) + ");");
        for (const Tile& tile : form.tiles)
          if (tile.bytes > 0 && tile.declared && !Form::is_on_cube(tile))
            text.add(depth,
                     "auto " + tile.name + " = buf.GetWithOffset<" + cpp_type(tile.dtype) + ">(" +
                         std::to_string(tile.bytes / element_bytes(tile.dtype)) + ", " + std::to_string(tile.offset) +
                         ");",
                     form.first_step(tile).line);
        text.add(form, code.lines, depth);
      },
      [&](int depth) {
        for (std::size_t i = 0; i < cube.members.size(); ++i)
          text.add(depth, cube.members[i].first + " " + cube.calls[i].first, cube.members[i].second);
        text.add(form, code.cube, depth);
      });
  text.add(0, "}");
  return text.take();
}

}  // namespace kg::dsl
