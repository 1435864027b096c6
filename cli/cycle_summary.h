#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "reward/judge.h"

namespace kg::cli {

// What a kernel engineer wants to know about a case: launch, cores, memory, each pipe, each line, and what to improve
// first. Cycles are the device's; those of pipes and lines are means over the cores that did anything.
struct CycleSummary {
  struct Wait {
    std::string on;  // a pipe, or "other cores"
    int line = 0;
    std::string file;  // empty: the only one
    double cycles = 0;
  };
  struct Pipe {
    std::string name;
    double busy = 0, waiting = 0;
    std::uint64_t instructions = 0, amount = 0;  // sums over all cores
    std::string unit;                            // unit of the amount
    std::vector<Wait> waits;                     // longest first
  };
  struct Line {
    int number = 0;
    std::string file;  // empty: the only one
    std::string text;
    double busy = 0;   // cycles of all pipes
    std::string pipe;  // the pipe that it keeps busy most
    std::uint64_t instructions = 0;
  };
  struct Mend {
    double cycles = 0;  // cycles that it could save at most
    std::string what;
  };

  int case_index = 0;
  double total = 0, launch = 0;
  double working = 0;                 // from the end of the launch to the end of the last core
  int cores = 0, cores_used = 0;      // cores that were launched; cores that did anything
  double mean_end = 0, last_end = 0;  // when the cores end, before GM is shared
  double shared = 0;                  // cycles that sharing GM adds
  std::uint64_t bytes_read = 0, bytes_written = 0, tensor_bytes = 0;
  double moved_cycles = 0, needed_cycles = 0;  // for these bytes at the measured bandwidth
  std::vector<Pipe> pipes;                     // busiest first
  std::vector<Line> lines;                     // most expensive first
  std::vector<Mend> mends;                     // largest saving first
};

// `source`: the kernel's, for the texts of its lines; empty: it has several files.
CycleSummary summarise(const reward::CycleReport& report, const std::string& source);

std::string place_of(int line, const std::string& file);  // "line 7", or "line 7 of add.h"
std::string text_of(const CycleSummary& summary);         // lines of at most 80 columns
nlohmann::json json_of(const CycleSummary& summary);
std::string html_of(const CycleSummary& summary);

}  // namespace kg::cli
