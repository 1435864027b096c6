#pragma once

#include <string>

#include "proto/sandbox.pb.h"

namespace kg::sandbox {

// A template kernel whose parameters do not take the arguments that ASCENDC_TPL_ARGS_DECL declares for them: about the
// launch itself clang names no parameter, but it does about a pointer to the kernel.

// Whether clang's messages are about the launch of a template that could not be instantiated.
bool is_template_mismatch(const std::string& output);

// The end of a source that brings out the parameter, in place of the entry point.
std::string template_probe(const proto::HostPlan& plan);

// The probe's messages in one line; empty if they are about something else.
std::string template_mismatch(const std::string& probed, const proto::HostPlan& plan);

}  // namespace kg::sandbox
