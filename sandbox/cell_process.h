#pragma once

namespace kg::sandbox {

// `kgtrain-sandbox run`: the process inside a cell. Takes jobs from the control socket one by one, does each in a
// process forked for it, and reports its end; returns when the owner closes the socket.
//
//   owner (cell.cpp) ──job, 3 descriptors──► run_cell ──fork──► limits, filter ─► exec the compiler
//                    ◄──────JobEnd──────────          wait              └───────► load the kernel, launch, write the
//                    CaseResult
//
// run_cell itself never reads a kernel, its inputs or its results: every job starts from the same clean memory, and the
// process that loads a kernel holds the tensors of the present case alone.
int run_cell(int control);

}  // namespace kg::sandbox
