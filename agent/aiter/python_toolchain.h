// The versions in a Python environment that a measurement depends on.
#pragma once

#include <string>
#include <vector>

namespace tunehub::agent {

// What is installed for `python`, as name=value for a run: pytorch, triton, aiter, rocm (that
// PyTorch was built for) and, where `engine` names a package such as vllm, engine=vllm@0.11.0.
// Nothing is imported, so that no GPU is touched; what is not there is left out.
std::vector<std::string> PythonToolchain(const std::string& python, const std::string& engine = "");

}  // namespace tunehub::agent
