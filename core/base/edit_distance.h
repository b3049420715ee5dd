// How far two words are from one another.
#pragma once

#include <cstddef>
#include <string_view>

namespace tunehub::core {

// How many letters have to be added, left out, changed or exchanged with their neighbour.
std::size_t EditDistance(std::string_view a, std::string_view b);

}  // namespace tunehub::core
