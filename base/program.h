#pragma once

#include <functional>

namespace kg {

// Runs the body of a program's `main`: prints an Error on stderr and turns it into the exit status of the design page
// (0 done, 1 the work failed, 2 wrong usage or input, 3 the environment lacks something). Other exceptions give
// status 1.
int run_program(const std::function<int()>& body);

}  // namespace kg
