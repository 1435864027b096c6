#pragma once

namespace kg::trainer {

// `kgtrain-learner rl`: argv[0] is the command's name. Returns the exit status; throws kg::Error.
int run_rl(int argc, const char* const* argv);

}  // namespace kg::trainer
