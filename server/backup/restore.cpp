#include "server/backup/restore.h"

#include <fmt/core.h>

#include "server/backup/postgres_tools.h"
#include "server/store/connection/environment.h"

namespace tunehub::backup {
namespace {

// Migrations and writers of the registry are waited for, and then wait.
constexpr std::string_view kBegin =
    "BEGIN;\n"
    "SELECT pg_advisory_xact_lock(7410), pg_advisory_xact_lock(7412);\n";
// The keys of now, before they are dropped; whoever revokes one waits.
constexpr std::string_view kKeysOfNow =
    "LOCK TABLE api_key IN EXCLUSIVE MODE;\n"
    "CREATE TEMPORARY TABLE key_before ON COMMIT DROP AS SELECT sha256, revoked FROM api_key;\n";
constexpr std::string_view kNoKeys =
    "CREATE TEMPORARY TABLE key_before (sha256 text, revoked timestamptz) ON COMMIT DROP;\n";
// DROP locks the tables one by one, and a statement of the live server may hold one of them and
// wait for another. PostgreSQL then fails this attempt, which lets go of its locks, and the next
// one goes on.
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
// pg_restore has left the session without a search path, which the tables' triggers need. {}: the
// time by which the audit's lines are found.
constexpr const char* kRevoke =
    "SET search_path = public;\n"
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
            const store::ContentRecord& content) {
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

core::Status CheckFits(const RestoreRequest& request, const Manifest& manifest,
                       const store::ContentRecord& content) {
  if (!store::BackupStore::Knows(manifest.hub)) {
    return core::Error{
        "newer_schema",
        fmt::format("{}: the backup has schema version {} ({}, tunehub {}), which this program "
                    "does not know: run the tunehub-server that made it, or a newer one",
                    request.backup.string(), manifest.hub.schema, manifest.hub.migration,
                    manifest.program)};
  }
  if (content.tables > 0 && !request.replace) {
    return core::Error{"database_not_empty",
                       fmt::format("the database is not empty: it has {} tables and the like ({}, "
                                   "...); --replace drops all that its schema public has",
                                   content.tables, content.some)};
  }
  return core::Ok();
}

}  // namespace

core::Result<Restored> Restore(store::Store& store, const RestoreRequest& request) {
  const auto environment = store::ConnectionEnvironment(request.url);
  if (!environment.ok()) return environment.error();
  auto manifest = CheckBackup(request.backup);
  if (!manifest.ok()) return manifest.error();
  const store::ContentRecord content = store.backups().Content();
  if (auto fits = CheckFits(request, *manifest, content); !fits.ok()) return fits.error();
  const auto tools = FindTools(kPostgresRoot, content.major);
  if (!tools.ok()) return tools.error();
  const std::vector<std::string> psql = {
      tools->psql.string(), "--no-psqlrc",        "--quiet", "--set=ON_ERROR_STOP=1",
      "--no-password",      "--output=/dev/null", "--file=-"};
  const auto restored =
      RunFed(psql, FeedOf(*tools, request, content), *environment, "restore_failed");
  if (!restored.ok()) return restored.error();
  return Restored{*std::move(manifest), store.backups().RevokedAt(content.now)};
}

}  // namespace tunehub::backup
