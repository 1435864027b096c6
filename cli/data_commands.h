#pragma once

#include "base/file.h"

namespace kg::cli {

int run_data_export(int argc, const char* const* argv);
int run_data_audit(int argc, const char* const* argv);
int run_data_show(int argc, const char* const* argv);
int run_data_check(int argc, const char* const* argv);
int run_data_repair(int argc, const char* const* argv);

// Says on stderr what damage the data set shows, after a look at every byte. False if there is none.
bool print_damage(const fs::path& data);

}  // namespace kg::cli
