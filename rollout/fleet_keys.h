#pragma once

#include "base/file.h"

namespace kg::rollout {

// The keys of a run's nodes, in one folder (curve_keys.h) of mode 0700: node-0.key, node-1.key, ... Each node has its
// own, so that one that lies can be shut out alone. Makes the server's keys if there are none, new keys for the nodes
// below `nodes` (with `rotate` for all of them, else for those that have none), and leaves in allowed_workers these and
// whoever is not a node. A node that is connected under an old key is refused, starts its workers again, and reads the
// new one.
void make_fleet_keys(const fs::path& folder, unsigned nodes, bool rotate);

}  // namespace kg::rollout
