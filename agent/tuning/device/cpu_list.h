// Processors by their numbers, as taskset and /sys write them: "0-3,8".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::agent::tuning {

// Ascending, each once. Errors: bad_arguments, with the text and what is wrong with it.
core::Result<std::vector<int>> ReadCpuList(std::string_view text);
std::string CpuListText(const std::vector<int>& cpus);  // of ascending numbers

// Those that this process may run on.
std::vector<int> UsableCpus();
// From here on this thread, and the threads and processes that it starts, run on these alone.
// Errors: bad_arguments, where one of them is not usable.
core::Status PinTo(const std::vector<int>& cpus);

}  // namespace tunehub::agent::tuning
