#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "dsl/form.h"

namespace kg::dsl {

// The tiles whose queues these are, of those in `home`.
std::vector<std::size_t> owners_of_queues(const Form& form, Tile::Home home);

// While there are too many queues of a home, two of them become one, whose tiles never live at the same time: those of
// similar size first. False: no two are left that do not.
bool join_queues(Form& form, Tile::Home home,
                 const std::function<bool(const std::vector<std::size_t>& owners)>& too_many);

}  // namespace kg::dsl
