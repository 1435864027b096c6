#pragma once

#include <string>

namespace kg::sandbox {

// A project's host functions are shared objects; a kernel is just data to its process, which then can no longer get
// executable memory.
enum class Code { kMayBeLoaded, kIsAllThere };

// For the kernel's process. It can still compute, map memory, read the few files of its cell, and print, but
// neither fork nor exec, open a socket, write a file, signal or trace another process. A forbidden call raises SIGSYS.
void forbid_all_but_computing(Code code);

// For the compiler's process: no sockets, tracing, mounts, namespaces, key rings or kernel interfaces.
void forbid_dangerous_calls();

// For a process whose limits must cover everything it does: no further processes (but threads), and no
// memory that belongs to a file instead of the process.
void forbid_processes();

std::string system_call_name(int number);

}  // namespace kg::sandbox
