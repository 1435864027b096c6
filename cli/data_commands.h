#pragma once

namespace kg::cli {

int run_data_export(int argc, const char* const* argv);
int run_data_audit(int argc, const char* const* argv);
int run_data_show(int argc, const char* const* argv);
int run_data_check(int argc, const char* const* argv);

}  // namespace kg::cli
