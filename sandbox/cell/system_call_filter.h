#pragma once

#include <string>

namespace kg::sandbox {

// Host functions of a project come as shared objects; a kernel is data to its process, which then gets no executable
// memory any more.
enum class Code { kMayBeLoaded, kIsAllThere };

// For the kernel's process, after which it can compute, map memory, read the few files of its cell, and print, but
// neither fork nor exec, open a socket, write a file, signal or trace another process. A forbidden call raises SIGSYS.
void forbid_all_but_computing(Code code);

// For the compiler's process: no sockets, tracing, mounts, namespaces, key rings or kernel interfaces.
void forbid_dangerous_calls();

// For a process whose limits are to hold for all that it does: no further processes (threads it may make), and no
// memory that belongs to a file instead of to it.
void forbid_processes();

std::string system_call_name(int number);

}  // namespace kg::sandbox
