#pragma once

#include <string>

#include "base/file.h"
#include "base/options.h"
#include "dataset/cot/build.h"

namespace kg::cli {

// For `kgtrain data build`; `out` empty: the default data set.
Options declare_build(dataset::cot::BuildOptions& build, std::string& out);

int run_data_export(int argc, const char* const* argv);
int run_data_modules(int argc, const char* const* argv);
int run_data_meaning(int argc, const char* const* argv);
int run_data_audit(int argc, const char* const* argv);
int run_data_show(int argc, const char* const* argv);
int run_data_check(int argc, const char* const* argv);
int run_data_repair(int argc, const char* const* argv);

// Reads every byte of the data set and reports its damage on stderr. False if there is none.
bool print_damage(const fs::path& data);

}  // namespace kg::cli
