#include "agent/tables/input_family.h"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>

#include "core/base/file.h"
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

core::Result<lookup::LoadedTable> ReadLookupTable(const Configuration& configuration,
                                                  const std::string& family,
                                                  const std::vector<std::string>& files) {
  std::vector<core::FileBytes> bytes;
  std::vector<core::SourceFile> sources;
  for (const std::string& file : files) {
    auto read = core::FileBytes::Read(file);
    if (!read.ok()) return read.error();
    bytes.push_back(*std::move(read));
    sources.push_back({file, bytes.back().view()});
  }
  const auto common = CommonFamily(configuration.families, family, sources);
  if (!common.ok()) return common.error();
  return lookup::LoadTable(**common, configuration.targets, sources);
}

}  // namespace tunehub::agent
