#pragma once

#include "dataset/store/repair.h"

namespace kg::dataset {

// Repairs one file of rows. `behind`: it is a packed file, with its index after its HDF5 part. Replaced files go
// to `kept`, a folder that it creates when needed.
void repair_segment(const fs::path& file, bool behind, const fs::path& kept, RepairReport& report);

// Makes a hard link (or a copy) of the file in the folder `kept`, under its own name or a similar one that is free.
void keep(const fs::path& file, const fs::path& kept);

}  // namespace kg::dataset
