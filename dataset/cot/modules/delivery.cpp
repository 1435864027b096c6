#include "dataset/cot/modules/delivery.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace kg::dataset::cot::modules {
namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::vector<std::string> words_of(const std::string& role) {
  static const std::map<std::string, std::vector<std::string>> words = {
      {"eps", {"eps", "epsilon", "variance_epsilon", "tiny", "delta"}},
      {"slope", {"slope", "negative_slope", "alpha", "leak", "neg"}},
      {"scale",
       {"scale", "alpha", "factor", "gain", "weight", "coef", "gamma", "k", "multiplier", "bias", "shift", "offset"}},
      {"positive", {"alpha", "beta", "temperature", "lambd", "tau", "cap", "divisor", "sharpness", "scale_factor"}},
      {"beta", {"beta", "momentum", "decay", "rho", "ema_decay", "beta1", "beta2"}},
      {"rate", {"lr", "learning_rate", "step_size", "eta"}},
      {"decay", {"weight_decay", "wd", "l2"}},
      {"bound", {"limit", "threshold", "cutoff", "margin", "t", "floor_value"}},
      {"low", {"low", "min_val", "lower", "min_value", "lo"}},
      {"high", {"high", "max_val", "upper", "max_value", "hi"}},
      {"unit", {"ratio", "mix", "t", "weight", "fraction", "smoothing"}},
      {"power", {"p", "exponent", "power", "gamma"}},
      {"margin", {"margin", "m", "gap"}},
      {"dim", {"dim", "axis", "reduce_dim", "d"}},
      {"count", {"num_groups", "groups", "g"}},
      {"kernel", {"kernel_size", "k", "window", "ksize"}},
      {"stride", {"stride", "s", "step"}},
      {"padding", {"padding", "pad", "p"}},
      {"dilation", {"dilation", "dil"}},
      {"start", {"start", "begin", "offset", "first"}},
      {"length", {"length", "width", "n", "num"}},
  };
  const auto found = words.find(role);
  return found == words.end() ? std::vector<std::string>{"value", "c"} : found->second;
}

std::vector<std::string> size_words(const std::string& letter) {
  static const std::map<std::string, std::vector<std::string>> words = {
      {"N", {"n", "size", "num_elements", "numel", "length"}},
      {"R", {"batch_size", "rows", "batch", "num_rows", "tokens", "bs", "M"}},
      {"C", {"dim", "features", "hidden_size", "cols", "num_features", "d_model", "hidden", "width"}},
      {"B", {"batch_size", "batch", "bs", "b"}},
      {"D", {"dim1", "channels", "seq_len", "steps", "depth"}},
      {"E", {"dim2", "inner", "hidden", "features"}},
      {"F", {"channels", "features", "num_channels", "in_channels", "c"}},
      {"H", {"height", "h", "rows"}},
      {"W", {"width", "w", "cols"}},
      {"L", {"length", "seq_len", "time", "input_length"}},
      {"G", {"half", "half_dim", "out_features"}},
  };
  const auto found = words.find(letter);
  return found == words.end() ? std::vector<std::string>{"size_" + letter} : found->second;
}

}  // namespace

std::string Names::fresh(Draw& draw, std::vector<std::string> choices) {
  for (int tries = 0; tries < 8; ++tries) {
    const std::string& name = draw.of(choices);
    if (taken_.insert(name).second) return name;
  }
  for (int number = 2;; ++number)
    if (const std::string name = choices.front() + std::to_string(number); taken_.insert(name).second) return name;
}

Delivery::Delivery(Draw& draw, Names& names, bool has_constructor)
    : draw_(draw), names_(names), has_constructor_(has_constructor), habit_(static_cast<int>(draw.below(11))) {}

std::string Delivery::file_constant(const std::string& text, const std::string& role) {
  if (draw_.chance(0.15)) {
    if (dictionary_.empty()) {
      dictionary_ = names_.fresh(draw_, {"CONFIG", "config", "params", "CFG", "settings", "HPARAMS"});
      file_lines.push_back(dictionary_ + " = {}");
    }
    const std::string key = names_.fresh(draw_, words_of(role));
    std::string& line = *std::find_if(file_lines.begin(), file_lines.end(),
                                      [&](const std::string& one) { return one.starts_with(dictionary_ + " = {"); });
    line.pop_back();
    line += std::string(line.ends_with("{") ? "" : ", ") + "\"" + key + "\": " + text + "}";
    return dictionary_ + "[\"" + key + "\"]";
  }
  std::vector<std::string> choices = words_of(role);
  if (draw_.chance(0.6))
    for (std::string& choice : choices) choice = upper(choice);
  const std::string name = names_.fresh(draw_, choices);
  file_lines.push_back(name + " = " + text);
  return name;
}

// A constructor's argument; returns its name.
std::string Delivery::argument(const std::string& text, const std::string& role, int& hops) {
  const std::string name = names_.fresh(draw_, words_of(role));
  Argument made{.name = name, .fallback = "", .passed = ""};
  const bool named =
      std::isalpha(static_cast<unsigned char>(text[0])) != 0;  // a default is read before the file's constants
  switch (named ? 2 : draw_.below(6)) {
    case 0:
    case 1:
      made.fallback = text;
      hops = 1;
      break;
    case 2:
      made.passed = text;
      hops = 1;
      break;
    case 3:
      made.passed = file_constant(text, role);
      hops = 2;
      break;
    case 4:  // a default that is not used
      made.fallback = role == "dim" ? "0" : draw_.any({"1", "2", "4"});
      made.passed = draw_.chance(0.5) ? text : file_constant(text, role);
      hops = made.passed == text ? 1 : 2;
      break;
    default:
      made.fallback = text;
      made.passed = text;
      hops = 1;
      break;
  }
  arguments_.push_back(made);
  return name;
}

std::string Delivery::in_constructor(const std::string& text, const std::string& role) {
  int hops = 0;
  std::string used = text;
  if (draw_.chance(0.55)) {
    if (draw_.chance(0.75))
      used = argument(text, role, hops);
    else
      used = file_constant(text, role), hops = 1;
  }
  hops_ = std::max(hops_, hops);
  return used;
}

std::string Delivery::in_forward(const std::string& text, const std::string& role) {
  int hops = 0;
  std::string used = text;
  const int way = draw_.chance(0.6) ? habit_ : static_cast<int>(draw_.below(11));
  if (way < 3) return text;
  if (way == 3 || !has_constructor_) {
    used = file_constant(text, role);
    hops = 1;
  } else {
    std::string attribute;
    if (way == 4) {
      attribute = names_.fresh(draw_, words_of(role));
      class_lines.push_back(attribute + " = " + text);
      hops = 1;
    } else if (way == 5) {
      attribute = names_.fresh(draw_, words_of(role));
      constructor_lines.push_back("self." + attribute + " = " + text);
      hops = 1;
    } else {
      const std::string name = argument(text, role, hops);
      attribute = draw_.chance(0.8) ? name : "_" + name;
      constructor_lines.push_back("self." + attribute + " = " + name);
      hops += 1;
    }
    used = "self." + attribute;
  }
  hops_ = std::max(hops_, hops);
  return used;
}

std::string Delivery::size(const std::string& letter, const std::string& text) {
  std::vector<std::string> choices = size_words(letter);
  if (draw_.chance(0.15))
    for (std::string& choice : choices) choice = upper(choice);
  const std::string name = names_.fresh(draw_, choices);
  file_lines.push_back(name + " = " + text);
  return name;
}

void Delivery::distract() {
  if (!has_constructor_) return;
  if (draw_.chance(0.08))
    file_lines.push_back(names_.fresh(draw_, {"seed", "num_heads", "unused", "debug", "level"}) + " = " +
                         draw_.any({"0", "1", "8", "42"}));
  if (draw_.chance(0.06)) {
    const std::string name = names_.fresh(draw_, {"name", "inplace", "training_mode", "bias", "verbose"});
    arguments_.push_back({.name = name, .fallback = draw_.any({"None", "False", "True"}), .passed = ""});
    if (draw_.chance(0.5)) constructor_lines.push_back("self." + name + " = " + name);
  }
}

std::string Delivery::arguments() const {
  // Required arguments come first, then those that override a default.
  std::string text;
  for (int pass = 0; pass < 3; ++pass)
    for (const Argument& one : arguments_) {
      const int turn = one.fallback.empty() ? 0 : one.passed.empty() ? 2 : 1;
      if (turn == pass) text += ", " + one.name + (one.fallback.empty() ? "" : "=" + one.fallback);
    }
  return text;
}

std::string Delivery::init_inputs() const {
  std::string text;
  for (int pass = 0; pass < 2; ++pass)
    for (const Argument& one : arguments_)
      if (!one.passed.empty() && one.fallback.empty() == (pass == 0)) text += (text.empty() ? "" : ", ") + one.passed;
  return text;
}

}  // namespace kg::dataset::cot::modules
