#pragma once

#include <string>

#include "proto/sandbox.pb.h"
#include "proto/verdict.pb.h"

namespace kg::dataset {

// The judge's own messages about an incorrect kernel, cut to what a reader needs: compiler messages, the first
// fault, the first wrong element.
std::string feedback_text(const proto::Verdict& verdict);

// "compile error", "fault", "wrong numbers", "correct".
std::string verdict_word(const proto::Verdict& verdict);

// False if the verdict may depend on the machine: a wall-clock limit, a sandbox fault.
bool is_repeatable(const proto::Verdict& verdict);

// The same in every case: why there is no kernel (`no_kernel`, else empty), or what the judge says, if only how many
// cases pass.
std::string judge_words(const proto::Verdict& verdict, const std::string& no_kernel);

// What a repair turn asks of the model that wrote the kernel.
std::string repair_request(const proto::Verdict& verdict, const std::string& no_kernel, proto::SourceLanguage language);

// Why a model's answer holds no kernel; empty if it holds one.
std::string why_no_kernel(const std::string& answer, bool cut_off, proto::SourceLanguage language);

}  // namespace kg::dataset
