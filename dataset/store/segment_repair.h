#pragma once

#include "dataset/store/repair.h"

namespace kg::dataset {

// Repairs one file of rows. `behind`: it is a packed file, whose index lies behind its HDF5 part. What it replaces goes
// to `kept`, a folder that it makes when it needs it.
void repair_segment(const fs::path& file, bool behind, const fs::path& kept, RepairReport& report);

// A hard link (or a copy) of the file in the folder `kept`, under its own name or one like it that is free.
void keep(const fs::path& file, const fs::path& kept);

}  // namespace kg::dataset
