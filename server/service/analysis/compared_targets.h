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

// Appends the target of a key of `family`, where `families` are compared.
void AppendTarget(std::string& text, const ComparedFamilies& families, const core::Family& family,
                  std::string_view gfx, int cu_num);

// `text` names a target where the families `whole` are compared. What it is called where only
// `families` on `target` are, which are some of these; nothing where those have no key of it.
std::optional<std::string_view> NarrowedTarget(std::string_view text, const ComparedFamilies& whole,
                                               const ComparedFamilies& families,
                                               const core::Target& target);

}  // namespace tunehub::service
