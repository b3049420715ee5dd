#include "agent/commands/tables/input_family.h"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>

#include "core/table/detect.h"

namespace tunehub::agent {

core::Result<const core::Family*> FamilyOf(const core::Families& families, const std::string& name,
                                           const core::SourceFile& file) {
  if (!name.empty()) return families.Named(name);
  // In a folder `configs` names are exact, also where the file is named from within it.
  std::error_code error;
  const std::string path = std::filesystem::absolute(file.name, error).string();
  auto family = core::DetectFamily(families, path, file.text);
  if (family.ok()) return family;
  return core::Error{family.error().code, file.name + ": " + family.error().detail};
}

core::Result<const core::Family*> CommonFamily(const core::Families& families,
                                               const std::string& name,
                                               std::span<const core::SourceFile> files) {
  core::Result<const core::Family*> common = FamilyOf(families, name, files.front());
  for (const core::SourceFile& file : files.subspan(1)) {
    if (!common.ok()) break;
    auto family = FamilyOf(families, name, file);
    if (!family.ok()) return family;
    if (*family == *common) continue;
    return core::Error{
        "mixed_families",
        fmt::format("{} is {}, {} is {}; only one family merges at a time", files.front().name,
                    (*common)->name, file.name, (*family)->name)};
  }
  return common;
}

}  // namespace tunehub::agent
