// What a Python interpreter says of its environment.
#pragma once

#include <string>

namespace tunehub::agent {

// The last line that `program` prints, run by `python -c`; empty where it fails, prints nothing or
// takes longer than a minute.
std::string AskPython(const std::string& python, const std::string& program);

}  // namespace tunehub::agent
