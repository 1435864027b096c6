#include "dsl/code.h"

#include "dsl/scalar_text.h"

namespace kg::dsl {
namespace {

std::string as(const std::string& tensor, const char* type) { return tensor + ".ReinterpretCast<" + type + ">()"; }

std::string grouped(const std::string& text) { return text.find(' ') == std::string::npos ? text : "(" + text + ")"; }

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

}  // namespace

std::int64_t element_bytes(proto::DType dtype) {
  switch (dtype) {
    case proto::INT64:
    case proto::FLOAT64:
      return 8;
    case proto::FLOAT32:
    case proto::INT32:
      return 4;
    case proto::FLOAT16:
    case proto::BFLOAT16:
    case proto::INT16:
      return 2;
    default:
      return 1;
  }
}

std::string cpp_type(proto::DType dtype) {
  switch (dtype) {
    case proto::FLOAT32:
      return "float";
    case proto::FLOAT16:
      return "half";
    case proto::BFLOAT16:
      return "bfloat16_t";
    case proto::INT8:
      return "int8_t";
    case proto::INT16:
      return "int16_t";
    case proto::INT32:
      return "int32_t";
    case proto::INT64:
    case proto::FLOAT64:  // its words; FloatOfDouble reads them
      return "int64_t";
    default:
      return "uint8_t";
  }
}

std::string with_tiles(const std::string& text, const std::function<std::string(int tile)>& name) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\x01') {
      result += text[at];
      continue;
    }
    const std::size_t end = text.find('\x01', at + 1);
    result += name(std::stoi(text.substr(at + 1, end - at - 1)));
    at = end;
  }
  return result;
}

std::string resolved(const Form& form, const std::string& text) {
  return with_tiles(text, [&](int tile) { return form.text(tile); });
}

std::vector<std::string> vector_text(const Form& form, const Step& step) {
  const std::string result = form.text(step.result), &count = step.count;
  std::vector<std::string> sources, scratch;
  for (const int tile : step.sources) sources.push_back(form.text(tile));
  for (const int tile : step.scratch) scratch.push_back(form.tile(tile).name);
  const std::string& op = step.op;
  std::vector<std::string> arguments;
  if (op == "Duplicate") {
    arguments = {result, step.scalars[0], count};
  } else if (op == "ArithProgression") {
    arguments = {result, "int32_t(" + step.scalars[0] + ")", "int32_t(" + step.scalars[1] + ")", count};
  } else if (op == "Copy") {
    return {"DataCopy(" + joined({result, sources[0], count}) + ");"};
  } else if (op == "Cast") {
    arguments = {result, sources[0], "RoundMode::" + step.scalars[0], count};
  } else if (op == "Compare") {
    arguments = {result, sources[0], sources[1], "CMPMODE::" + step.scalars[0], count};
  } else if (op == "CompareScalar") {
    arguments = {result, sources[0], step.scalars[0], "CMPMODE::" + step.scalars[1], count};
  } else if (op == "Select") {
    arguments = {result, sources[0], sources[1], sources[2], "SELMODE::VSEL_TENSOR_TENSOR_MODE", count};
  } else if (op == "SelectScalar") {
    return {"Select(" +
            joined({result, sources[0], sources[1], step.scalars[0], "SELMODE::VSEL_TENSOR_SCALAR_MODE", count}) +
            ");"};
  } else if ((op == "And" || op == "Or" || op == "Not") && form.tile(step.result).dtype == proto::UINT8) {
    arguments = {as(result, "uint16_t")};
    for (const std::string& source : sources) arguments.push_back(as(source, "uint16_t"));
    arguments.push_back(std::to_string(form.tile(step.result).capacity / 2));
  } else if (op == "Gather") {
    arguments = {result, sources[0], as(sources[1], "uint32_t"), step.scalars[0], count};
  } else if (op.starts_with("Reduce")) {
    arguments = {result, sources[0], scratch[0], count};
  } else if (op.starts_with("Cumulative")) {
    return {"Cumulative<" + std::string(op == "CumulativeSum" ? "true" : "false") + ">(" +
            joined({result, sources[0], as(sources[1], "uint32_t"), scratch[0], scratch[1], count}) + ");"};
  } else if (op == "Axpy" || op == "MulAddDst") {
    sources.pop_back();  // the sums that it adds to
    arguments = {result};
    arguments.insert(arguments.end(), sources.begin(), sources.end());
    arguments.insert(arguments.end(), step.scalars.begin(), step.scalars.end());
    arguments.push_back(count);
  } else if (!scratch.empty()) {
    arguments = {result, sources[0], as(scratch[0], "uint8_t"), count};
  } else {
    arguments = {result};
    arguments.insert(arguments.end(), sources.begin(), sources.end());
    arguments.insert(arguments.end(), step.scalars.begin(), step.scalars.end());
    arguments.push_back(count);
  }
  return {op + "(" + joined(arguments) + ");"};
}

std::string sixteens(const std::string& count) {
  if (count.find_first_not_of("0123456789") == std::string::npos) return std::to_string((std::stoll(count) + 15) / 16);
  return "(" + count + " + 15) / 16";
}

std::string up_to_sixteen(const std::string& count) {
  if (count.find_first_not_of("0123456789") == std::string::npos)
    return std::to_string((std::stoll(count) + 15) / 16 * 16);
  return "(" + count + " + 15) / 16 * 16";
}

namespace {

// Rows of GM to fractals in L1, or sums in L0C to rows of GM.
std::vector<std::string> matrix_text(const Form& form, const Copy& copy, bool in) {
  const Tile& tile = form.tile(copy.tile);
  const Parameter& tensor = form.tensor(copy.tensor);
  const std::string gm = cpp_name(tensor.name) + "Gm" + (copy.offset == "0" ? "" : "[" + copy.offset + "]");
  if (!in) {
    const std::string type = cpp_type(tensor.dtype);
    std::string params = copy.count + ", " + copy.rows + ", " + up_to_sixteen(copy.rows) + ", " + copy.pitch + ", " +
                         (copy.relu ? "true" : "false");
    if (tensor.dtype != proto::FLOAT32)
      params += std::string(", QuantMode_t::") + (tensor.dtype == proto::FLOAT16 ? "F322F16" : "F322BF16") + ", 0";
    return {"Fixpipe<" + type + ", float, CFG_ROW_MAJOR>(" + gm + ", " + tile.name + ", FixpipeParamsV220(" + params +
            "));"};
  }
  if (copy.row_by_row)
    return {"CopyRows(" +
            joined({tile.name, gm, copy.rows, copy.count, copy.pitch, copy.panels ? "16" : up_to_sixteen(copy.rows)}) +
            ");"};
  if (copy.panels) return {"CopyPanels(" + joined({tile.name, gm, copy.rows, copy.count, copy.pitch}) + ");"};
  const std::string rows = tile.home == Tile::Home::kBias ? "1" : up_to_sixteen(copy.rows);
  return {"DataCopy(" + tile.name + ", " + gm + ", Nd2NzParams(" +
          joined({"1", copy.rows, copy.count, "0", copy.pitch, rows, "1", "0"}) + "));"};
}

}  // namespace

std::vector<std::string> copy_text(const Form& form, const Copy& copy, bool in) {
  if (!copy.rows.empty()) return matrix_text(form, copy, in);
  const Tile& tile = form.tile(copy.tile);
  const std::string tensor = copy.tensor == kWorkspace ? "partials" : cpp_name(form.tensor(copy.tensor).name) + "Gm";
  const std::string type = cpp_type(tile.dtype), bytes = std::to_string(element_bytes(tile.dtype));
  const auto sized = [&](const std::string& count) {
    if (count.find_first_not_of("0123456789") == std::string::npos)
      return std::to_string(std::stoll(count) * element_bytes(tile.dtype));
    const std::string product =
        bytes == "1" ? count : (count.find(' ') == std::string::npos ? count : "(" + count + ")") + " * " + bytes;
    return "static_cast<uint32_t>(" + product + ")";
  };
  if (copy.padded) {
    const std::string left = tile.name + "Left", right = tile.name + "Right";
    const std::string start = "(" + copy.start + ")", stop = start + " + " + copy.count;
    const std::string load = "DataCopyPad(" + tile.name + ", " + tensor + "[" + copy.offset + " + " + left +
                             "], DataCopyExtParams{1, static_cast<uint32_t>((" + copy.count + " - " + left + " - " +
                             right + ") * " + bytes + "), 0, 0, 0}, DataCopyPadExtParams<" + type +
                             ">{true, static_cast<uint8_t>(" + left + "), static_cast<uint8_t>(" + right + "), " +
                             copy.pad + "});";
    std::vector<std::string> lines = {
        "const int32_t " + left + " = " + start + " < 0 ? -" + start + " : 0;",
        "const int32_t " + right + " = " + stop + " > " + copy.extent + " ? " + stop + " - " + copy.extent + " : 0;"};
    const std::int64_t reach = 32 / element_bytes(tile.dtype);
    const bool fixed = copy.count.find_first_not_of("0123456789") == std::string::npos;
    if (fixed && std::stoll(copy.count) > reach) {
      lines.push_back(load);
    } else {  // a short tile may be completely outside
      lines.push_back("if (" + left + " + " + right + " < static_cast<int32_t>(" + copy.count + ")) {");
      lines.push_back("  " + load);
      lines.push_back("} else {");
      lines.push_back("  Duplicate(" + tile.name + ", static_cast<" + type + ">(" + copy.pad + "), " + copy.count +
                      ");");
      lines.push_back("}");
    }
    return lines;
  }
  const std::string global = copy.offset == "0" ? tensor : tensor + "[" + copy.offset + "]";
  if (copy.form != Copy::Form::kPad)
    return {"DataCopy(" + (in ? tile.name + ", " + global : global + ", " + tile.name) + ", " + copy.count + ");"};
  std::string params = "DataCopyExtParams{1, " + sized(copy.count) + ", 0, 0, 0}";
  if (!copy.blocks.empty()) {
    const bool fixed = copy.count.find_first_not_of("0123456789") == std::string::npos;
    const std::string gap = fixed ? std::to_string(copy.block_pitch - std::stoll(copy.count))
                                  : std::to_string(copy.block_pitch) + " - " + grouped(copy.count);
    const bool known = copy.blocks.find_first_not_of("0123456789") == std::string::npos;
    params = "DataCopyExtParams{" + (known ? copy.blocks : "static_cast<uint16_t>(" + copy.blocks + ")") + ", " +
             sized(copy.count) + ", " + (in ? sized(gap) + ", 0" : "0, " + sized(gap)) + ", 0}";
  }
  if (in)
    return {"DataCopyPad(" + tile.name + ", " + global + ", " + params + ", DataCopyPadExtParams<" + type + ">{});"};
  return {"DataCopyPad(" + global + ", " + tile.name + ", " + params + ");"};
}

std::string print_code(const Form& form, const Code& code) {
  std::string text;
  for (const auto* lines : {&code.cube, &code.lines}) {
    if (!code.cube.empty() && !lines->empty()) text += lines == &code.cube ? "cube cores\n" : "vector cores\n";
    for (const Line& line : *lines) {
      const std::string indent(static_cast<std::size_t>(line.depth) * 2, ' ');
      std::vector<std::string> rows = {line.text};
      if (line.kind == Line::Kind::kVector) rows = vector_text(form, line.step);
      if (line.kind == Line::Kind::kCopyIn || line.kind == Line::Kind::kCopyOut)
        rows = copy_text(form, line.step.copy, line.kind == Line::Kind::kCopyIn);
      for (const std::string& row : rows) text += indent + row + "\n";
    }
  }
  return text;
}

}  // namespace kg::dsl
