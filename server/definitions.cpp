#include "server/definitions.h"

#include <spdlog/spdlog.h>

#include <system_error>

namespace tunehub::server {

core::Status PrepareSchema(store::Store& store, bool migrate) {
  if (const auto sessions = store.CheckSessions(); !sessions.ok()) return sessions;
  if (!migrate) return store.schema().Check();
  const auto applied = store.schema().Migrate();
  if (!applied.ok()) return applied.error();
  return core::Ok();
}

core::Result<service::Definitions> LoadDefinitions(const std::filesystem::path& configs,
                                                   store::Store& store, store::OtherFile other) {
  auto families = core::Families::Load(configs / "families");
  if (!families.ok()) return families.error();
  auto targets = core::Targets::Load(configs / "targets.json");
  if (!targets.ok()) return targets.error();
  const auto revision = store.schema().SyncDefinitions(*families, *targets, other);
  if (!revision.ok()) return revision.error();
  if (*revision)
    spdlog::info("changed definitions: tables were judged again, revision {}", **revision);
  service::Definitions definitions{
      *std::move(families), *std::move(targets), {}, configs / "models", configs / "heuristics"};
  std::error_code error;
  if (std::filesystem::is_directory(configs / "readers", error)) {
    auto readers = core::Readers::Load(configs / "readers", definitions.families);
    if (!readers.ok()) return readers.error();
    definitions.readers = *std::move(readers);
  }
  const core::TextFolder folder = configs;
  if (const auto text = folder.Read("engines.json")) {
    auto reads = core::ParseEngineReads(folder.PlaceOf("engines.json"), *text);
    if (!reads.ok()) return reads.error();
    definitions.engine_reads = *std::move(reads);
  }
  for (const store::FamilyRecord& record : store.schema().Families())
    definitions.ids[record.name] = record.id;
  return definitions;
}

}  // namespace tunehub::server
