// tunehub-agent discover: what this host can tune on, and what kernels this program has for it.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>

#include "agent/base/command.h"
#include "core/family/families.h"

namespace tunehub::agent {

// What this host has of AITER, as far as it was seen: nothing is imported, and nothing started but
// Python and git.

// {"path", "no_aiter", "commit", "version", "rocm", "python", "python_version", "pytorch",
// "triton", "variants": [{"variant", "family", "script", "can_run", "why_not"}]}; null is what was
// not seen. `gfx`: of the host's AMD GPU; "": none is seen.
nlohmann::ordered_json SeeAiter(const core::Families& families, const std::filesystem::path& given,
                                const std::string& gfx);

void PrintAiter(const nlohmann::ordered_json& seen, std::ostream& out);

int RunDiscover(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
