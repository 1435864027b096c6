#include "dataset/cot/modules/file_parts.h"

#include <map>

namespace kg::dataset::cot::modules {
namespace {

std::string joined(const std::vector<std::string>& parts, const char* between = ", ") {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

// "F." and "nn." as the file imports them.
void rename(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;) {
    const bool inside = at > 0 && (std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0 || text[at - 1] == '.' ||
                                   text[at - 1] == '_');
    if (!inside) text.replace(at, from.size(), to);
    at += inside ? from.size() : to.size();
  }
}

std::string document(Draw& draw, const FileParts& parts, const std::string& indent) {
  std::string steps = joined(parts.steps, draw.chance(0.5) ? ", then " : ", ");
  if (draw.chance(0.6) || steps.size() > 70)
    steps = draw.any({"a small operator", "one step of a larger model", "the layer", "this computation"});
  const std::string line =
      draw.any({"Computes ", "Simple model: ", "Performs ", "Module for ", "Reference for ", "Applies "}) + steps + ".";
  const std::string quotes = "\"\"\"";
  switch (parts.style.document) {
    case 0:
    case 1:
      return "";
    case 2:
    case 3:
      return indent + quotes + line + quotes + "\n";
    case 4: {
      std::string text = indent + quotes + "\n" + indent + line + "\n\n" + indent + "Args:\n";
      for (const std::string& name : parts.parameters)
        text += indent + "    " + name +
                " (torch.Tensor): " + draw.any({"input tensor", "input of any shape", "the values", "tensor"}) + "\n";
      return text + "\n" + indent + "Returns:\n" + indent +
             "    torch.Tensor: " + draw.any({"the result", "output tensor", "output"}) + ".\n" + indent + quotes +
             "\n";
    }
    default: {
      std::string text = indent + quotes + line + "\n\n" + indent + "Parameters\n" + indent + "----------\n";
      for (const std::string& name : parts.parameters) text += indent + name + " : Tensor\n";
      return text + indent + quotes + "\n";
    }
  }
}

std::string result_text(const FileParts& parts) {
  if (parts.results.size() == 1) return parts.results[0];
  const std::string all = joined(parts.results);
  return parts.style.results_as == 0 ? "[" + all + "]" : parts.style.results_as == 1 ? "(" + all + ")" : all;
}

std::string forward(Draw& draw, const FileParts& parts) {
  const std::string indent = parts.function ? "" : "    ", inner = indent + "    ";
  std::string arguments = parts.function ? "" : "self";
  for (const std::string& name : parts.parameters)
    arguments += (arguments.empty() ? "" : ", ") + name + (parts.style.typed ? ": torch.Tensor" : "");
  const std::string name = parts.function
                               ? draw.any({"operator", "reference", "compute", "fused_op", "kernel_ref", "op"})
                               : std::string("forward");
  std::string text = indent + "def " + name + "(" + arguments + ")" +
                     (parts.style.typed && parts.results.size() == 1 ? " -> torch.Tensor" : "") + ":\n";
  const bool inner_document = parts.function || draw.chance(0.4);
  if (inner_document) text += document(draw, parts, inner);
  for (const std::string& line : parts.body) text += inner + line + "\n";
  return text + inner + "return " + result_text(parts) + "\n";
}

std::string module_class(Draw& draw, const FileParts& parts) {
  std::string text = "class Model(nn.Module):\n";
  if (draw.chance(0.6)) text += document(draw, parts, "    ");
  for (const std::string& line : parts.delivery.class_lines) text += "    " + line + "\n";
  const std::string arguments = parts.delivery.arguments();
  if (!arguments.empty() || !parts.members.empty() || !parts.delivery.constructor_lines.empty() || draw.chance(0.5)) {
    text += "    def __init__(self" + arguments + "):\n        ";
    text += parts.style.super_form == 0 ? "super(Model, self).__init__()\n" : "super().__init__()\n";
    for (const std::string& line : parts.delivery.constructor_lines) text += "        " + line + "\n";
    for (const std::string& line : parts.members) text += "        " + line + "\n";
    text += "\n";
  }
  return text + forward(draw, parts);
}

std::string example_inputs(Draw& draw, const FileParts& parts) {
  std::string text = "def get_inputs():\n";
  if (parts.style.list_of_names || joined(parts.inputs).size() > 90) {
    for (std::size_t i = 0; i < parts.inputs.size(); ++i)
      text += "    " + parts.parameters[i] + " = " + parts.inputs[i] + "\n";
    text += "    return [" + joined(parts.parameters) + "]\n";
  } else {
    text += "    return [" + joined(parts.inputs) + "]\n";
  }
  const std::string given = parts.delivery.init_inputs();
  if (!parts.function && (!given.empty() || draw.chance(0.8)))
    text += "\ndef get_init_inputs():\n    return [" + given + "]" +
            (given.empty() && draw.chance(0.3) ? "  # No special initialization inputs needed\n" : "\n");
  return text;
}

}  // namespace

Style::Style(Draw& draw)
    : literal_sizes(draw.chance(0.3)),
      again(draw.chance(0.4)),
      commented(draw.chance(0.12)),
      constants_first(draw.chance(0.3)),
      typed(draw.chance(0.4)),
      list_of_names(draw.chance(0.5)),
      odd_names(draw.chance(0.35)),
      inline_chance(draw.any({"0", "5", "9"})[0] == '0' ? 0.0
                    : draw.chance(0.5)                  ? 0.5
                                                        : 0.95),
      super_form(static_cast<int>(draw.below(2))),
      document(static_cast<int>(draw.below(6))),
      functional(static_cast<int>(draw.below(6))),
      results_as(static_cast<int>(draw.below(4))) {}

std::string file_text(Draw& draw, const FileParts& parts) {
  const std::string operation = parts.function ? forward(draw, parts) : module_class(draw, parts);
  const std::string constants = joined(parts.delivery.file_lines, "\n");
  std::string text;
  if (parts.style.constants_first && !constants.empty()) text += constants + "\n\n";
  text += operation + "\n";
  if (!parts.style.constants_first && !constants.empty()) text += constants + "\n\n";
  text += example_inputs(draw, parts);
  if (draw.chance(0.02))
    text += "\nif __name__ == \"__main__\":\n    print(" +
            std::string(parts.function ? "\"ok\"" : "Model(*get_init_inputs())(*get_inputs())") + ")\n";
  std::string head = "import torch\n";
  if (!parts.function || text.find("nn.") != std::string::npos)
    head += parts.style.functional == 5 ? "from torch import nn\n" : "import torch.nn as nn\n";
  if (text.find("F.") != std::string::npos) {
    if (parts.style.functional == 0) {
      rename(text, "F.", "nn.functional.");
      if (head.find("nn") == std::string::npos) head += "import torch.nn as nn\n";
    } else if (parts.style.functional == 1) {
      rename(text, "F.", "torch.nn.functional.");
    } else {
      head += "import torch.nn.functional as F\n";
    }
  }
  if (text.find("math.") != std::string::npos)
    head = (draw.chance(0.5) ? "import math\n" + head : head + "import math\n");
  return head + "\n" + text;
}

std::string input_text(Draw& draw, const std::string& kind, const std::vector<std::string>& shape,
                       const std::string& dtype, const std::string& below) {
  std::string sizes = joined(shape);
  if (shape.size() > 1 && draw.chance(0.1)) sizes = "(" + sizes + ")";
  const std::string type = dtype == "half"       ? ", dtype=torch.float16"
                           : dtype == "bfloat16" ? ", dtype=torch.bfloat16"
                                                 : "";
  const std::string normal = "torch.randn(" + sizes + type + ")", even = "torch.rand(" + sizes + type + ")";
  const std::string tuple = shape.size() == 1 ? "(" + shape[0] + ",)" : "(" + joined(shape) + ")";
  if (kind == "index") return "torch.randint(0, " + below + ", " + tuple + ")";
  if (kind == "mask")
    return draw.chance(0.5) ? "torch.rand(" + sizes + ") > 0.5" : "torch.randint(0, 2, " + tuple + ").bool()";
  if (kind == "sign") return "torch.randint(0, 2, " + tuple + ").float() * 2 - 1";
  if (kind == "whole") return "torch.randint(-3, 4, " + tuple + ")." + (dtype == "float" ? "float" : dtype) + "()";
  if (kind == "positive") return draw.chance(0.5) ? even + " + 0.1" : normal + ".abs() + 0.01";
  if (kind == "unit") return draw.chance(0.6) ? even : "torch.sigmoid(" + normal + ")";
  if (kind == "prob") return draw.chance(0.5) ? "torch.softmax(" + normal + ", dim=-1)" : normal + ".softmax(dim=-1)";
  switch (draw.below(6)) {
    case 0:
      return even;
    case 1:
      return even + " * 4 - 2";
    case 2:
      return normal + " * " + draw.any({"2", "0.5", "3.0"});
    default:
      return normal;
  }
}

std::vector<std::string> input_words(const std::string& role) {
  static const std::map<std::string, std::vector<std::string>> words = {
      {"x", {"x",      "x",           "x",    "inp",    "hidden",       "logits", "features", "hidden_states",
             "values", "inputs_",     "data", "tensor", "input_tensor", "feat",   "signal",   "t",
             "input",  "activations", "X_in", "src"}},
      {"y",
       {"y", "other", "residual", "skip", "bias_term", "x2", "b_in", "y_in", "right", "second", "context", "addend"}},
      {"w", {"gate", "w", "mask_values", "third", "x3", "scale_in", "mix", "z_in", "weights"}},
      {"grad", {"grad", "grad_output", "dy", "g", "grad_out", "dout", "upstream"}},
      {"saved", {"x", "inp", "saved", "pre_activation", "forward_input", "output_saved", "act"}},
      {"pred", {"pred", "predictions", "logits", "output", "y_pred", "p", "scores", "estimate"}},
      {"target", {"target", "targets", "labels", "y", "y_true", "truth", "label"}},
      {"param", {"param", "p", "theta", "weights", "params", "w"}},
      {"moment", {"m", "exp_avg", "momentum_buffer", "velocity", "moment", "buf"}},
      {"square", {"v", "exp_avg_sq", "square_avg", "accum", "second_moment", "state_sum"}},
      {"weight", {"weight", "gamma", "scale", "w", "g"}},
      {"bias", {"bias", "beta", "shift", "offset"}},
      {"vector", {"bias", "vec", "row", "w", "scale", "v", "per_feature", "col_scale"}},
      {"mask", {"mask", "keep", "valid", "attn_mask", "m", "is_valid"}},
      {"index", {"index", "idx", "labels", "target", "ids", "indices", "positions"}},
      {"anchor", {"anchor", "a_emb", "query", "x1"}},
      {"near", {"positive", "pos", "key", "match"}},
      {"far", {"negative", "neg", "other_emb", "mismatch"}},
      {"table", {"table", "embedding", "source", "bank"}},
      {"y_norm", {"y", "out", "output", "result", "normed", "z"}},
      {"mean", {"mean", "mu", "mean_out", "avg", "save_mean"}},
      {"rstd", {"rstd", "inv_std", "r_sigma", "rsigma", "scale_out", "inverse"}},
      {"variance", {"variance", "var", "ms", "spread"}},
      {"centred", {"centred", "diff", "deviation"}},
  };
  const auto found = words.find(role);
  return found == words.end() ? std::vector<std::string>{role} : found->second;
}

std::vector<std::string> odd_words(Draw& draw) {
  static const std::vector<std::string> heads = {
      "audio",   "image",   "pixel",  "token",  "frame",  "query",  "key",      "value",  "patch",  "node",   "edge",
      "price",   "return",  "score",  "rate",   "field",  "wave",   "spectrum", "band",   "depth",  "height", "width",
      "energy",  "force",   "charge", "mass",   "speed",  "angle",  "phase",    "gain",   "level",  "dose",   "flow",
      "current", "voltage", "heat",   "noise",  "sample", "sensor", "reading",  "count",  "weight", "belief", "action",
      "reward",  "state",   "goal",   "user",   "item",   "left",   "right",    "upper",  "lower",  "first",  "last",
      "old",     "new",     "raw",    "clean",  "soft",   "hard",   "dense",    "sparse", "local",  "global", "inner",
      "outer",   "source",  "sink",   "parent", "child",  "front",  "back",     "main",   "side",   "cold",   "warm"};
  static const std::vector<std::string> tails = {
      "in",  "map", "batch", "block", "rows",   "cols", "vec",    "mat", "t", "a",     "b",      "x",
      "seq", "arr", "buf",   "grid",  "signal", "part", "values", "s",   "0", "state", "tensor", "tile"};
  static const std::vector<std::string> letters = {"A", "X", "Y", "Z", "Q", "V", "U",
                                                   "a", "b", "d", "e", "f", "q", "s"};
  std::vector<std::string> words;
  while (words.size() < 4) {
    const std::string& head = draw.of(heads);
    switch (draw.below(5)) {
      case 0:
        words.push_back(draw.of(letters));
        break;
      case 1:
        words.push_back(head + "s");
        break;
      case 2:
        words.push_back(head + "_" + draw.of(heads));
        break;
      default:
        words.push_back(head + "_" + draw.of(tails));
    }
  }
  return words;
}

std::vector<std::string> member_words(const std::string& step) {
  if (step.find('-') != std::string::npos) return {"loss", "criterion", "loss_fn", "objective"};
  if (step.find("norm") != std::string::npos) return {"norm", "ln", "norm1", "layer", "normalize", step};
  return {"act", "activation", "layer", "op", "fn", step};
}

const std::vector<std::string>& local_words() {
  static const std::vector<std::string> words = {
      "h", "out", "y1",      "z",     "tmp",    "result", "scaled", "res", "t1",  "t2",      "val",  "acc", "hidden1",
      "o", "r",   "output_", "step1", "inner_", "u",      "q",      "s1",  "mid", "updated", "term", "num", "den"};
  return words;
}

std::string comment_words(const std::string& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == '$') {
      ++i;
      continue;
    }
    if (words[i] != ' ' || !text.ends_with(' ')) text += words[i];
  }
  for (std::size_t at; (at = text.find(" with;")) != std::string::npos;) text.erase(at, 5);
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace kg::dataset::cot::modules
