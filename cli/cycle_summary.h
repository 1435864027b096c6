#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "reward/judge.h"

namespace kg::cli {

// What a kernel engineer asks of a case: launch, cores, memory, each pipe, each line, and what to mend first. Cycles
// are of the device's clock; those of pipes and lines are means over the cores that did anything.
struct CycleSummary {
  struct Wait {
    std::string on;  // a pipe, or "other cores"
    int line = 0;
    double cycles = 0;
  };
  struct Pipe {
    std::string name;
    double busy = 0, waiting = 0;
    std::uint64_t instructions = 0, amount = 0;  // of all cores
    std::string unit;                            // of the amount
    std::vector<Wait> waits;                     // the longest first
  };
  struct Line {
    int number = 0;
    std::string text;
    double busy = 0;   // of all pipes
    std::string pipe;  // that it keeps busy most
    std::uint64_t instructions = 0;
  };
  struct Mend {
    double cycles = 0;  // that it could save, at most
    std::string what;
  };

  int case_index = 0;
  double total = 0, launch = 0;
  double working = 0;                 // from the launch's end to the last core's
  int cores = 0, cores_used = 0;      // that were launched; that did anything
  double mean_end = 0, last_end = 0;  // of the cores, before GM is shared
  double shared = 0;                  // what sharing GM adds
  std::uint64_t bytes_read = 0, bytes_written = 0, tensor_bytes = 0;
  double moved_cycles = 0, needed_cycles = 0;  // of these bytes at the measured bandwidth
  std::vector<Pipe> pipes;                     // the busiest first
  std::vector<Line> lines;                     // the dearest first
  std::vector<Mend> mends;                     // the largest first
};

// `source`: of the kernel, for the texts of its lines; empty: it has several files.
CycleSummary summarise(const reward::CycleReport& report, const std::string& source);

std::string text_of(const CycleSummary& summary);  // lines of at most 80 columns
nlohmann::json json_of(const CycleSummary& summary);
std::string html_of(const CycleSummary& summary);

}  // namespace kg::cli
