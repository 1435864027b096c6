#include "policy/text/tokenizer_json.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "policy/text/whole_number.h"

namespace kg::policy {
namespace {

using nlohmann::json;
using WordPattern = TokenizerSpec::WordPattern;

[[noreturn]] void refuse(const std::string& what, const std::string& where) {
  throw Error(what, where, "byte-level BPE as in GPT-2, SmolLM, Llama 3 and Qwen is supported");
}

bool is_gpt2_words(const json& step) {
  return step.value("type", "") == "ByteLevel" && !step.value("add_prefix_space", true) &&
         step.value("use_regex", true);
}

// The patterns of Llama 3 and Qwen differ only in their numbers.
std::string modern_pattern(const char* numbers) {
  return std::string(R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)") + numbers +
         R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
}
const std::string kLlama3Pattern = modern_pattern(R"(\p{N}{1,3})"), kQwenPattern = modern_pattern(R"(\p{N})");

bool is_plain_bytes(const json& step) {
  return step.value("type", "") == "ByteLevel" && !step.value("add_prefix_space", true) &&
         !step.value("use_regex", true);
}

std::string split_pattern(const json& step) {  // "" if it is not a plain split
  if (step.value("type", "") != "Split" || step.value("behavior", "") != "Isolated" || step.value("invert", false))
    return "";
  return step.at("pattern").value("Regex", "");
}

WordPattern word_pattern(const json& pre, const std::string& where) {
  if (pre.is_object() && is_gpt2_words(pre)) return WordPattern::kGpt2;
  if (pre.is_object() && pre.value("type", "") == "Sequence") {
    const json& steps = pre.at("pretokenizers");
    if (steps.size() == 1 && is_gpt2_words(steps[0])) return WordPattern::kGpt2;
    if (steps.size() == 2 && steps[0].value("type", "") == "Digits" && steps[0].value("individual_digits", false) &&
        is_gpt2_words(steps[1]))
      return WordPattern::kSmolLm;
    if (steps.size() == 2 && is_plain_bytes(steps[1])) {
      const std::string pattern = split_pattern(steps[0]);
      if (pattern == kLlama3Pattern) return WordPattern::kLlama3;
      if (pattern == kQwenPattern) return WordPattern::kQwen;
    }
  }
  refuse("the pre-tokeniser " + pre.dump().substr(0, 200) + " is not supported", where);
}

void place(std::vector<std::string>& tokens, std::int64_t id, const std::string& token, const std::string& where) {
  if (id < 0 || id > 10'000'000) refuse("token id " + std::to_string(id) + " is out of range", where);
  if (static_cast<std::size_t>(id) >= tokens.size()) tokens.resize(static_cast<std::size_t>(id) + 1);
  tokens[static_cast<std::size_t>(id)] = token;
}

void check_model(const json& model, const std::string& where) {
  if (model.value("type", "BPE") != "BPE")
    refuse("the tokenizer model " + model.value("type", "?") + " is not supported", where);
  for (const char* key : {"byte_fallback", "fuse_unk"})
    if (model.contains(key) && model[key] == true)
      refuse(std::string("tokenizer option ") + key + " is not supported", where);
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
    if (model.contains(key) && model[key].is_string() && model[key] != "")
      refuse(std::string("tokenizer option ") + key + " is not supported", where);
  if (model.contains("dropout") && model["dropout"].is_number() && model["dropout"] != 0)
    refuse("tokenizer option dropout is not supported", where);
}

// Templates that add a first token are for text without a chat template; prompts have theirs written out by it.
void check_post_processor(const json& processor, const std::string& where) {
  if (!processor.is_object()) return;
  const std::string type = processor.value("type", "?");
  if (type == "Sequence") {
    for (const json& part : processor.at("processors")) check_post_processor(part, where);
  } else if (type != "ByteLevel" && type != "TemplateProcessing") {
    refuse("the post-processor " + type + " is not supported", where);
  }
}

TokenizerSpec parse(const json& document, const std::string& where) {
  const json normaliser = document.value("normalizer", json());
  if (!normaliser.is_null() && normaliser.value("type", "") != "NFC")
    refuse("the text normaliser " + normaliser.value("type", "?") + " is not supported", where);
  check_post_processor(document.value("post_processor", json()), where);
  const json& model = document.at("model");
  check_model(model, where);
  TokenizerSpec spec;
  spec.pattern = word_pattern(document.at("pre_tokenizer"), where);
  spec.composes = !normaliser.is_null();
  spec.whole_words = model.value("ignore_merges", false);
  for (const auto& [token, id] : model.at("vocab").items()) place(spec.tokens, whole_number(id), token, where);
  for (const json& merge : model.at("merges"))  // "a b", or since tokenizers 0.20 ["a", "b"]
    spec.merges.push_back(merge.is_string() ? merge.get<std::string>()
                                            : merge.at(0).get<std::string>() + " " + merge.at(1).get<std::string>());
  for (const json& token : document.value("added_tokens", json::array())) {
    for (const char* key : {"single_word", "lstrip", "rstrip"})
      if (token.value(key, false))
        refuse(std::string("an added token with the option ") + key + " is not supported", where);
    const std::int64_t id = whole_number(token.at("id"));
    place(spec.tokens, id, token.at("content").get<std::string>(), where);
    spec.added.push_back({static_cast<std::int32_t>(id), token.value("special", false)});
  }
  if (model.contains("unk_token") && model["unk_token"].is_string())
    for (std::size_t id = 0; id < spec.tokens.size(); ++id)
      if (spec.tokens[id] == model["unk_token"]) spec.unknown = static_cast<std::int32_t>(id);
  return spec;
}

}  // namespace

TokenizerSpec parse_tokenizer_json(const json& document, const std::string& where) {
  try {
    return parse(document, where);
  } catch (const json::exception& error) {
    throw Error(std::string("the tokenizer file is malformed: ") + error.what(), where, "download the model again");
  }
}

namespace {

json bytes_json(bool use_regex) {
  return {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", use_regex}};
}

json pre_tokenizer_json(WordPattern pattern) {
  const json digits = {{"type", "Digits"}, {"individual_digits", true}};
  if (pattern == WordPattern::kGpt2) return bytes_json(/*use_regex=*/true);
  if (pattern == WordPattern::kSmolLm)
    return {{"type", "Sequence"}, {"pretokenizers", {digits, bytes_json(/*use_regex=*/true)}}};
  const json split = {{"type", "Split"},
                      {"pattern", {{"Regex", pattern == WordPattern::kLlama3 ? kLlama3Pattern : kQwenPattern}}},
                      {"behavior", "Isolated"},
                      {"invert", false}};
  return {{"type", "Sequence"}, {"pretokenizers", {split, bytes_json(/*use_regex=*/false)}}};
}

}  // namespace

json to_tokenizer_json(const TokenizerSpec& spec) {
  json vocabulary = json::object();
  for (std::size_t id = 0; id < spec.tokens.size(); ++id)
    if (!spec.tokens[id].empty()) vocabulary[spec.tokens[id]] = id;
  json added = json::array();
  for (const TokenizerSpec::AddedToken& token : spec.added)
    added.push_back({{"id", token.id},
                     {"content", spec.tokens[static_cast<std::size_t>(token.id)]},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", token.special}});
  return {
      {"version", "1.0"},
      {"truncation", nullptr},
      {"padding", nullptr},
      {"added_tokens", added},
      {"normalizer", spec.composes ? json{{"type", "NFC"}} : json(nullptr)},
      {"pre_tokenizer", pre_tokenizer_json(spec.pattern)},
      {"post_processor", nullptr},
      {"decoder", bytes_json(/*use_regex=*/true)},
      {"model",
       {{"type", "BPE"},
        {"dropout", nullptr},
        {"unk_token", spec.unknown >= 0 ? json(spec.tokens[static_cast<std::size_t>(spec.unknown)]) : json(nullptr)},
        {"continuing_subword_prefix", nullptr},
        {"end_of_word_suffix", nullptr},
        {"fuse_unk", false},
        {"byte_fallback", false},
        {"ignore_merges", spec.whole_words},
        {"vocab", vocabulary},
        {"merges", spec.merges}}}};
}

}  // namespace kg::policy
