#include "server/backup/backup.h"

#include <fmt/core.h>

#include <chrono>

#include "core/base/rfc3339.h"
#include "core/system/atomic_file.h"
#include "core/system/folder_draft.h"
#include "server/backup/postgres_tools.h"
#include "server/store/connection/environment.h"

namespace tunehub::backup {
namespace {

namespace fs = std::filesystem;

core::Error NotABackup(const fs::path& place, const std::string& why) {
  return {"not_a_backup", fmt::format("{}: {}; a backup replaces an empty folder or a backup of "
                                      "before",
                                      place.string(), why)};
}

// What lies there is replaced whole: nothing of anybody else's may be among it.
core::Status CheckReplaceable(const fs::path& place) {
  std::error_code error;
  const fs::file_status status = fs::status(place, error);
  if (status.type() == fs::file_type::not_found) return core::Ok();
  if (status.type() == fs::file_type::none) return core::Unwritable(place, error);
  if (status.type() != fs::file_type::directory) return NotABackup(place, "is no folder");
  bool empty = true;
  for (fs::directory_iterator it(place, error), end; !error && it != end; it.increment(error)) {
    empty = false;
    const std::string name = it->path().filename().string();
    if (name != kManifestFile && name != kDumpFolder)
      return NotABackup(place, fmt::format("holds '{}', which is no part of a backup", name));
  }
  if (error) return core::Unwritable(place, error);
  if (!empty && !fs::exists(place / kManifestFile, error))
    return NotABackup(place, fmt::format("has no {}", kManifestFile));
  return core::Ok();
}

core::Status Dump(const PostgresTools& tools, const Environment& environment,
                  const std::string& snapshot, const fs::path& folder) {
  return RunTool({tools.dump.string(), "--format=directory", "--snapshot=" + snapshot, "--no-owner",
                  "--no-privileges", "--no-password", "--file=" + folder.string()},
                 environment, "backup_failed");
}

core::Result<Manifest> Fill(const core::FolderDraft& draft, const BackupRequest& request,
                            const store::OpenState& state, const Environment& environment) {
  const auto tools = FindTools(kPostgresRoot, state.major);
  if (!tools.ok()) return tools.error();
  Manifest manifest;
  manifest.made = core::UtcText(std::chrono::system_clock::now());
  manifest.program = request.program;
  manifest.hub = state.hub;
  const auto dumped = Dump(*tools, environment, state.snapshot, draft.draft() / kDumpFolder);
  if (!dumped.ok()) return dumped.error();
  auto parts = DigestParts(draft.draft());
  if (!parts.ok()) return parts.error();
  manifest.parts = *std::move(parts);
  return manifest;
}

}  // namespace

core::Result<Manifest> MakeBackup(store::Store& store, const BackupRequest& request) {
  const auto environment = store::ConnectionEnvironment(request.url);
  if (!environment.ok()) return environment.error();
  const auto place = core::FolderPlace(request.place);
  if (!place.ok()) return place.error();
  if (auto status = CheckReplaceable(*place); !status.ok()) return status.error();
  auto draft = core::FolderDraft::Begin(*place);
  if (!draft.ok()) return draft.error();
  Manifest manifest;
  const auto filled = store.backups().WithState([&](const store::OpenState& state) -> core::Status {
    auto made = Fill(*draft, request, state, *environment);
    if (!made.ok()) return made.error();
    manifest = *std::move(made);
    return core::Ok();
  });
  if (!filled.ok()) return filled.error();
  if (auto written = draft->Write(kManifestFile, manifest.Text()); !written.ok())
    return written.error();
  // What was written there meanwhile is not lost either.
  if (auto status = CheckReplaceable(*place); !status.ok()) return status.error();
  if (auto published = draft->Publish(); !published.ok()) return published.error();
  return manifest;
}

}  // namespace tunehub::backup
