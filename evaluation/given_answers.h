#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/sandbox.pb.h"

namespace kg::evaluation {

// One answer of any model to one task.
struct GivenAnswer {
  std::string task;
  std::int64_t sample = 0;  // counted for each task
  std::string text;         // with the kernel in a code block, or nothing but the kernel
  std::string project;      // in its place: folder of an operator project
  std::string key;          // hash of what is judged
};

// From JSON lines {"task", and one of "answer", "kernel", "project"}, paths relative to the file; or from a folder:
// FOLDER/<task id>/<any name>.cpp, .txt, .md or .py is an answer, FOLDER/<task id>/<any name>/ with op_host in it is a
// project. In the order of the lines or names. Throws Error with the line that is none.
std::vector<GivenAnswer> read_answers(const std::string& path);

// The kernel in an answer's text; empty, with the reason, where there is none.
std::string kernel_of(const GivenAnswer& answer, proto::SourceLanguage language, std::string& reason);

}  // namespace kg::evaluation
