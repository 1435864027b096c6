#pragma once

namespace kg::cli {

// kgtrain eval --show LABEL: the tables of an evaluation stored in a data set, and its comparison with another one.
int run_eval_show(int argc, const char* const* argv);

}  // namespace kg::cli
