#include "trainer/sft_data.h"

#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/hash.h"
#include "base/suggestion.h"
#include "proto/language.h"
#include "trainer/one_judge.h"

namespace kg::trainer {

Document tokenise_sample(const proto::Sample& sample, const policy::LoadedModel& model) {
  proto::ChatMessage user;
  user.set_role("user");
  user.set_content(sample.input().empty() ? sample.instruction() : sample.instruction() + "\n" + sample.input());
  Document document;
  document.ids = model.tokenizer->encode(model.chat_template.render_prompt({user}));
  document.prompt_length = static_cast<std::int64_t>(document.ids.size());
  const std::vector<std::int32_t> answer = model.tokenizer->encode(sample.output() + model.chat_template.end_of_turn());
  document.ids.insert(document.ids.end(), answer.begin(), answer.end());
  return document;
}

bool passes(const SampleFilter& filter, const proto::Sample& sample) {
  const auto is = [](const std::string& wanted, const std::string& value) { return wanted.empty() || wanted == value; };
  // Imported samples have no split of their own.
  return (sample.split().empty() || is(filter.split, sample.split())) && is(filter.kind, sample.kind()) &&
         is(filter.style, sample.style()) && is(filter.prompt_form, sample.prompt_form()) &&
         (judge_of(sample).empty() || is(filter.judge_version, judge_of(sample))) &&
         (filter.language.empty() || proto::language_from_name(filter.language) == proto::language_of(sample));
}

namespace {

// Says which of the filters lets nothing pass, and what it could have been.
[[noreturn]] void refuse_empty(const dataset::Dataset& data, const SampleFilter& filter, std::uint64_t seen,
                               std::uint64_t too_long) {
  const std::vector<std::tuple<std::string, std::string, std::function<std::string(const proto::Sample&)>>> filters = {
      {"split", filter.split, [](const proto::Sample& one) { return one.split(); }},
      {"kind", filter.kind, [](const proto::Sample& one) { return one.kind(); }},
      {"style", filter.style, [](const proto::Sample& one) { return one.style(); }},
      {"prompt-form", filter.prompt_form, [](const proto::Sample& one) { return one.prompt_form(); }},
      {"judge-version", filter.judge_version, [](const proto::Sample& one) { return judge_of(one); }}};
  std::string given;
  for (const auto& [name, wanted, value_of] : filters) {
    if (wanted.empty()) continue;
    given += (given.empty() ? "--" : " --") + name + " " + wanted;
    std::set<std::string> values;
    data.for_each_sample([&, &value_of = value_of](const proto::Sample& one) {
      if (const std::string value = value_of(one); !value.empty()) values.insert(value);
      return true;
    });
    if (!values.empty() && !values.contains(wanted))
      throw Error("no sample in the data set has the " + name + " \"" + wanted + "\"", "--" + name,
                  suggestion(wanted, {values.begin(), values.end()}, name + "s", ""));
  }
  throw Error("no sample to learn from: " + std::to_string(seen) + " in the data set, " + std::to_string(too_long) +
                  " of the selected ones longer than " + std::to_string(filter.longest) + " tokens",
              given.empty() ? "--data" : given,
              seen == 0 ? "add samples with kgtrain data build or kgtrain data import"
                        : "kgtrain data info shows what there is; --sequence-length bounds the length");
}

}  // namespace

SftData load_sft_data(const dataset::Dataset& data, const policy::LoadedModel& model, const SampleFilter& filter) {
  SftData result;
  std::uint64_t seen = 0;
  std::string hashes;
  std::map<std::string, std::uint64_t> judges;
  data.for_each_sample([&](const proto::Sample& sample) {
    ++seen;
    if (!passes(filter, sample)) return true;
    Document document = tokenise_sample(sample, model);
    const auto length = static_cast<std::int64_t>(document.ids.size());
    if (length > filter.longest || document.prompt_length == length) {
      ++result.left_out;
      return true;
    }
    if (const std::string judge = judge_of(sample); !judge.empty()) ++judges[judge];
    hashes +=
        hash128_hex({reinterpret_cast<const char*>(document.ids.data()), document.ids.size() * sizeof(std::int32_t)});
    result.lengths.push_back(length);
    result.tokens += length;
    result.answer_tokens += length - document.prompt_length;
    result.documents.push_back(std::move(document));
    return true;
  });
  if (result.documents.empty()) refuse_empty(data, filter, seen, result.left_out);
  require_one_judge(judges);
  if (!judges.empty()) result.judge_version = judges.begin()->first;
  result.fingerprint = hash128_hex(hashes);
  return result;
}

}  // namespace kg::trainer
