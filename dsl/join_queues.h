#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "dsl/form.h"

namespace kg::dsl {

// The tiles whose queues these are, of those in `home`.
std::vector<std::size_t> owners_of_queues(const Form& form, Tile::Home home);

// Which queues may become one: any whose tiles never live at the same time, or only those of loops (or conditions)
// behind one another, which loses nothing, since the turns of a loop then have as many buffers as before.
enum class Joined { kAny, kOfOtherLoops };

// While there are too many queues of a home, two of them become one, those of similar size first. False: no two are
// left that may.
bool join_queues(Form& form, Tile::Home home, Joined joined,
                 const std::function<bool(const std::vector<std::size_t>& owners)>& too_many);

}  // namespace kg::dsl
