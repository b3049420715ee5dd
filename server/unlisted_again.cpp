#include "server/unlisted_again.h"

#include <spdlog/spdlog.h>

#include "core/table/detect.h"
#include "core/table/table_writer.h"
#include "core/table/unlisted.h"

namespace tunehub::server {
namespace {

constexpr const char* kSource = "unlisted";
constexpr std::string_view kFolder = "aiter/configs/";

// Each file that a family describes now, as its lines have it.
std::vector<core::TarFile> DescribedNow(const core::Families& families,
                                        const service::FamilySnapshot& snapshot) {
  const core::Family& unlisted = *families.Unlisted();
  const std::size_t path = unlisted.Find("path");
  std::map<std::string, std::vector<std::string_view>> lines;
  std::string scratch;
  for (const auto& row : snapshot.rows) {
    const std::string file =
        std::string(kFolder) + std::string(core::CellOf(row->line, path, scratch));
    if (core::FamilyOfFileName(families, file) != nullptr) lines[file].push_back(row->line);
  }
  std::vector<core::TarFile> files;
  for (const auto& [file, of_file] : lines)
    files.push_back({file, core::WriteUnlisted(unlisted, of_file)});
  return files;
}

}  // namespace

core::Status ReadUnlistedAgain(Hub& hub) {
  const core::Families& families = hub.definitions.families;
  if (families.Unlisted() == nullptr) return core::Ok();
  hub.snapshots.Refresh();
  const auto snapshot = hub.snapshots.Current(*families.Unlisted());
  const std::vector<core::TarFile> files = DescribedNow(families, *snapshot);
  if (files.empty()) return core::Ok();
  service::WriteRequest write;
  write.admin = true;
  write.allow_shrink = true;
  const auto answer = hub.ingest.Import(kSource, files, write);
  if (answer.refusal) return answer.refusal->error;
  for (const core::TarFile& file : files)
    spdlog::info("{} has a family now: its lines were read again", file.name);
  return core::Ok();
}

}  // namespace tunehub::server
