#include "server/ops/backup.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/base/folder_draft.h"
#include "core/base/rfc3339.h"
#include "server/db/connection_url.h"
#include "server/ops/postgres_tools.h"

namespace tunehub::server {
namespace {

namespace fs = std::filesystem;

// A new backup replaces an old folder, which must contain nothing else.
constexpr std::string_view kBackupNames[] = {kManifestFile, kDumpFolder};
constexpr core::FolderKind kBackup = {"not_a_backup", "a backup", kBackupNames, kManifestFile,
                                      [](const fs::path& folder) {
                                        std::error_code error;
                                        return fs::exists(folder / kManifestFile, error);
                                      }};

core::Status Dump(const PostgresTools& tools, const Environment& environment,
                  const std::string& snapshot, const fs::path& folder) {
  return RunTool({tools.dump.string(), "--format=directory", "--snapshot=" + snapshot, "--no-owner",
                  "--no-privileges", "--no-password", "--file=" + folder.string()},
                 environment, "backup_failed");
}

core::Result<BackupManifest> Fill(const core::FolderDraft& draft, const BackupRequest& request,
                                  const OpenState& state, const Environment& environment) {
  const auto tools = FindTools(state.major);
  if (!tools.ok()) return tools.error();
  BackupManifest manifest;
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

// Waits for migrations and writers of the registry, then blocks them.
constexpr std::string_view kBegin =
    "BEGIN;\n"
    "SELECT pg_advisory_xact_lock(7410), pg_advisory_xact_lock(7412);\n";
// Copies the current API keys before the drop. Revocations and rotations wait during that time.
constexpr std::string_view kKeysOfNow =
    "LOCK TABLE api_key IN EXCLUSIVE MODE;\n"
    "CREATE TEMPORARY TABLE key_before ON COMMIT DROP AS "
    "SELECT sha256, revoked, expires FROM api_key;\n";
constexpr std::string_view kNoKeys =
    "CREATE TEMPORARY TABLE key_before (sha256 text, revoked timestamptz, expires timestamptz) "
    "ON COMMIT DROP;\n";
// DROP locks tables one by one. So a running server's statement may have locked one table and wait
// for another (a deadlock). PostgreSQL then ends this attempt and releases its locks, and the next
// attempt can succeed.
constexpr std::string_view kDrop =
    "DO $$ BEGIN\n"
    "  FOR attempt IN 1..20 LOOP\n"
    "    BEGIN\n"
    "      DROP SCHEMA public CASCADE;\n"
    "      RETURN;\n"
    "    EXCEPTION WHEN deadlock_detected THEN\n"
    "      IF attempt = 20 THEN RAISE; END IF;\n"
    "    END;\n"
    "  END LOOP;\n"
    "END $$;\n"
    "CREATE SCHEMA public;\n"
    "GRANT USAGE ON SCHEMA public TO PUBLIC;\n";
// pg_restore leaves the session without a search path, but the tables' triggers need a search path.
// A rotated key ends no later than it would without the restore. {}: the time that identifies these
// lines of the audit.
constexpr const char* kRevoke =
    "SET search_path = public;\n"
    "UPDATE api_key k SET expires = least(k.expires, b.expires) FROM pg_temp.key_before b\n"
    "WHERE b.sha256 = k.sha256 AND b.expires IS NOT NULL;\n"
    "WITH gone AS (\n"
    "  UPDATE api_key k\n"
    "  SET revoked = coalesce((SELECT b.revoked FROM pg_temp.key_before b\n"
    "                          WHERE b.sha256 = k.sha256), now())\n"
    "  WHERE revoked IS NULL AND NOT EXISTS (SELECT FROM pg_temp.key_before b\n"
    "                                        WHERE b.sha256 = k.sha256 AND b.revoked IS NULL)\n"
    "  RETURNING id, scope)\n"
    "INSERT INTO audit (at, api_key, action, detail)\n"
    "SELECT '{}', id, 'key revoke', scope || ', by a restore' FROM gone;\n";
constexpr std::string_view kEnd =
    "ANALYZE public.measurement, public.candidate, public.tuned;\n"
    "NOTIFY tunehub;\n"
    "COMMIT;\n";

Feed FeedOf(const PostgresTools& tools, const RestoreRequest& request,
            const ContentRecord& content) {
  Feed feed;
  feed.before = kBegin;
  if (!request.revive_keys) feed.before += content.hub ? kKeysOfNow : kNoKeys;
  if (content.tables > 0) feed.before += kDrop;
  feed.from = {tools.restore.string(), "--no-owner", "--no-privileges",
               "--exit-on-error",      "--file=-",   (request.backup / kDumpFolder).string()};
  if (!request.revive_keys) feed.after = fmt::format(kRevoke, content.now);
  feed.after += kEnd;
  return feed;
}

core::Status CheckFits(const RestoreRequest& request, const BackupManifest& manifest,
                       const ContentRecord& content) {
  if (!BackupStore::Knows(manifest.hub)) {
    return core::Error{
        "newer_schema",
        fmt::format("{}: the backup has schema version {} ({}, tunehub {}), which this program "
                    "does not know. Run the tunehub-server that made the backup, or a newer one",
                    request.backup.string(), manifest.hub.schema, manifest.hub.migration,
                    manifest.program)};
  }
  if (content.tables > 0 && !request.replace) {
    return core::Error{
        "database_not_empty",
        fmt::format("the database is not empty; it has {} tables or similar objects ({}, ...). "
                    "Pass --replace to drop everything in its schema public",
                    content.tables, content.some)};
  }
  return core::Ok();
}

constexpr std::string_view kPattern = "0000-00-00T00-00-00Z";  // 0: any digit
constexpr std::string_view kRemoved = ".removed.";  // prefix of a backup during its removal

bool IsName(const std::string& name) {
  return std::ranges::equal(
      name, kPattern, [](char c, char of) { return of == '0' ? c >= '0' && c <= '9' : c == of; });
}

// Renames the backup first, so that every folder with a backup's name is complete, even if the
// removal is interrupted.
core::Status Remove(const fs::path& folder, const std::string& name) {
  std::error_code error;
  const fs::path going = folder / (std::string(kRemoved) + name);
  fs::rename(folder / name, going, error);
  if (!error) fs::remove_all(going, error);
  return error ? core::Status(core::Unwritable(folder / name, error)) : core::Ok();
}

// The time in a backup's name.
std::chrono::system_clock::time_point TimeOf(std::string name) {
  for (std::size_t i = name.find('T'); i < name.size(); ++i) {
    if (name[i] == '-') name[i] = ':';
  }
  const std::chrono::microseconds since_1970(core::Rfc3339Microseconds(name).value_or(0));
  return std::chrono::system_clock::time_point(since_1970);
}

core::Result<std::vector<std::string>> BackupsIn(const fs::path& folder) {
  std::vector<std::string> backups;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code ignored;
    if (IsName(name) && fs::exists(it->path() / kManifestFile, ignored)) backups.push_back(name);
  }
  if (error) return core::Unreadable(folder, error.value());
  std::ranges::sort(backups);
  return backups;
}

void RemoveLeftovers(const fs::path& folder) {
  std::error_code error, ignored;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(kRemoved) && IsName(name.substr(kRemoved.size())))
      fs::remove_all(it->path(), ignored);  // a killed process left it
  }
}

}  // namespace

core::Result<BackupManifest> MakeBackup(ConnectionPool& pool, const BackupRequest& request) {
  const auto environment = ConnectionEnvironment(request.url);
  if (!environment.ok()) return environment.error();
  const auto place = core::FolderPlace(request.place);
  if (!place.ok()) return place.error();
  auto draft = core::FolderDraft::Begin(*place, &kBackup);
  if (!draft.ok()) return draft.error();
  BackupManifest manifest;
  const auto filled = BackupStore(pool).WithState([&](const OpenState& state) -> core::Status {
    auto made = Fill(*draft, request, state, *environment);
    if (!made.ok()) return made.error();
    manifest = *std::move(made);
    return core::Ok();
  });
  if (!filled.ok()) return filled.error();
  if (auto written = draft->Write(kManifestFile, manifest.Text()); !written.ok())
    return written.error();
  if (auto published = draft->Publish(); !published.ok()) return published.error();
  return manifest;
}

core::Result<Restored> Restore(ConnectionPool& pool, const RestoreRequest& request) {
  const auto environment = ConnectionEnvironment(request.url);
  if (!environment.ok()) return environment.error();
  auto manifest = CheckBackup(request.backup);
  if (!manifest.ok()) return manifest.error();
  const ContentRecord content = BackupStore(pool).Content();
  if (auto fits = CheckFits(request, *manifest, content); !fits.ok()) return fits.error();
  const auto tools = FindTools(content.major);
  if (!tools.ok()) return tools.error();
  const std::vector<std::string> psql = {
      tools->psql.string(), "--no-psqlrc",        "--quiet", "--set=ON_ERROR_STOP=1",
      "--no-password",      "--output=/dev/null", "--file=-"};
  const auto restored =
      RunFed(psql, FeedOf(*tools, request, content), *environment, "restore_failed");
  if (!restored.ok()) return restored.error();
  return Restored{*std::move(manifest), BackupStore(pool).RevokedAt(content.now)};
}

std::string NameAt(std::chrono::system_clock::time_point time) {
  std::string name = core::UtcText(time).substr(0, kPattern.size() - 1) + "Z";
  std::ranges::replace(name, ':', '-');
  return name;
}

std::chrono::system_clock::time_point NewestMade(const fs::path& folder) {
  const auto backups = BackupsIn(folder);
  if (!backups.ok() || backups->empty()) return {};
  return TimeOf(backups->back());
}

core::Result<std::vector<std::string>> RemoveOld(const fs::path& folder, std::size_t keep) {
  RemoveLeftovers(folder);
  auto backups = BackupsIn(folder);
  if (!backups.ok()) return backups.error();
  if (backups->size() <= keep) return std::vector<std::string>{};
  backups->resize(backups->size() - keep);
  for (const std::string& name : *backups) {
    if (auto removed = Remove(folder, name); !removed.ok()) return removed.error();
  }
  return backups;
}

}  // namespace tunehub::server
