#pragma once

#include <memory>
#include <string>
#include <vector>

namespace kg::sandbox {

// clang as a library, ready to compile. Starting clang, loading the header and setting up a target take longer
// than most kernels; here they are done once, in warm(), and every job is a fork of the process that has done it:
//
//   cell's process: warm(command) ─── clang waits before its main file, header loaded ───────┬─ fork ─► compile(source)
//                                                                                           └─ fork ─► compile(source)
//                                                                                           ...
//
// warm() sees nothing untrusted. A forked job ends with its process, so nothing of a source outlives it.
class WarmCompiler {
 public:
  WarmCompiler();
  ~WarmCompiler();

  // Gets ready for `command`: the words of a clang++ command line, the program's path first, without input and output.
  // Does nothing if it is already ready. False: it failed (the header does not load); compile() must not be called.
  bool warm(const std::vector<std::string>& command);

  // Called once, in a forked process: compiles `source` of the working folder to `object`; messages go to stderr. Gives
  // the exit status that clang++ would have returned.
  int compile(const std::string& source, const std::string& object);

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::vector<std::string> command_;
};

}  // namespace kg::sandbox
