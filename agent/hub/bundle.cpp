#include "agent/hub/bundle.h"

#include "agent/hub/summed_archive.h"

namespace tunehub::agent {

core::Result<Bundle> ParseBundle(std::string_view tar_gz) {
  auto archive = SummedArchive::Read(tar_gz);
  if (!archive.ok()) return archive.error();
  auto tables = archive->Take("aiter/configs/", ".csv");
  if (!tables.ok()) return tables.error();
  return Bundle{*std::move(tables)};
}

}  // namespace tunehub::agent
