// How a comparison names the targets of its keys: "gfx942:304", and where it is of several families
// "bf16 gfx942:304".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/family/family.h"
#include "core/row/target.h"

namespace tunehub::service {

using ComparedFamilies = std::vector<const core::Family*>;

// Of a key of `family`, one of `families`, all that are compared.
void AppendTarget(std::string& text, const ComparedFamilies& families, const core::Family& family,
                  std::string_view gfx, int cu_num);

// Of a target of a comparison of `whole`: its name in one of `families`, which are among these, and
// of `target` alone; nothing where that has no key of it.
std::optional<std::string_view> NarrowedTarget(std::string_view text, const ComparedFamilies& whole,
                                               const ComparedFamilies& families,
                                               const core::Target& target);

}  // namespace tunehub::service
