// Says a duplicate key in a way that somebody can act on: the key, each place, and what differs.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "core/family/family.h"
#include "core/merge/merge.h"

namespace tunehub::agent {

// conflicting: gfx=gfx942 cu_num=304 M=16 N=1280 K=8192
//   kept     a.csv:12  us=4.1 kernelName=x
//   dropped  b.csv:7   us=5.2 kernelName=y
void PrintDuplicate(std::ostream& out, const core::Family& family,
                    std::span<const std::string> files, const core::Duplicate& duplicate);

// {"identical": false, "key": {"M": "16", ...}, "rows": [{"file", "line", "kept", "text"}]}
nlohmann::ordered_json ToJson(const core::Family& family, std::span<const std::string> files,
                              const core::Duplicate& duplicate);

}  // namespace tunehub::agent
