#include "agent/commands/tables/lookup_table.h"

#include "agent/commands/tables/input_family.h"
#include "core/system/file_bytes.h"

namespace tunehub::agent {

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
