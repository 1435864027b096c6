#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset/store/dataset.h"
#include "policy/files/model_io.h"
#include "trainer/packing.h"

namespace kg::trainer {

struct SampleFilter {
  std::string split, kind, style, prompt_form;  // empty: all
  std::string judge_version;                    // version of the judge; "unknown" for samples from before it was stored
  std::string language;                         // "dsl": samples of style dsl; "ascendc": all others; empty: all
  std::int64_t longest = 1024;                  // tokens
};

bool passes(const SampleFilter& filter, const proto::Sample& sample);  // checks everything but the length

struct SftData {
  std::vector<Document> documents;  // in storage order
  std::vector<std::int64_t> lengths;
  std::uint64_t left_out = 0;  // samples that passed the filter but were too long
  std::int64_t tokens = 0, answer_tokens = 0;
  std::string judge_version;  // the one that judged them; empty: none was judged
  std::string fingerprint;    // hash of all tokens: a resumed run must see the same
};

// Tokens of one sample: the model's chat template around instruction and input, then the answer and the end of the
// turn. Prompt and answer are tokenised separately, as when the policy answers.
Document tokenise_sample(const proto::Sample& sample, const policy::LoadedModel& model);

// Throws Error if no sample is left.
SftData load_sft_data(const dataset::Dataset& data, const policy::LoadedModel& model, const SampleFilter& filter);

}  // namespace kg::trainer
