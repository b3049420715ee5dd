#include "tests/support/registry.h"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "server/db/schema.h"
#include "server/ingest/definition_store.h"
#include "server/ingest/run_store.h"
#include "tests/support/query.h"
#include "tests/support/result.h"
#include "tests/support/sql.h"
#include "tests/support/test_cluster.h"

namespace tunehub::test {
namespace {

server::WriteRequest WriteOf(const Post& post) {
  server::WriteRequest write;
  static_cast<server::Writer&>(write) = post.by;
  write.allow_shrink = post.allow_shrink;
  write.idempotency_key = post.idempotency_key;
  write.digest = post.digest;
  write.atomic = post.atomic;
  write.dry_run = post.dry_run;
  write.bytes = post.bytes;
  return write;
}

server::Definitions Define(server::ConnectionPool& pool, const core::Families& families,
                           const core::Targets& targets) {
  Must(server::DefinitionStore(pool).SyncDefinitions(families, targets, server::OtherFile::kTaken));
  server::Definitions definitions{families, targets, {}};
  for (const auto& record : server::Schema(pool).Families())
    definitions.ids[record.name] = record.id;
  return definitions;
}

std::string MakeTemplate() {
  const std::string url = NewDatabase();
  server::ConnectionPool pool(url);
  if (!server::Schema(pool).Migrate().ok()) throw std::runtime_error("the migrations do not apply");
  Define(pool, ShippedFamilies(), ShippedTargets());
  return DatabaseName(url);
}

}  // namespace

std::string Csv(const std::vector<Line>& lines) {
  std::string csv = kBlockscaleHeader;
  for (const Line& line : lines) {
    csv += line.gfx + "," + std::to_string(line.cu_num) + "," + std::to_string(line.m) +
           ",1536,7168," + line.libtype + ",1,0," + line.us + "," + line.kernel + ",9,9," +
           line.error + "\n";
  }
  return csv;
}

bool Reachable(server::ConnectionPool& pool) {
  try {
    return !server::Schema(pool).Families().empty();
  } catch (const std::exception&) {
    return false;
  }
}

std::string RegistryDatabase() {
  static const std::string base = MakeTemplate();
  return SharedCluster().NewDatabase(base);
}

Registry::Registry(std::string database, const core::Families& families,
                   const core::Targets& targets)
    : url(std::move(database)),
      pool(url),
      definitions(Define(pool, families, targets)),
      versions(pool),
      snapshots(definitions, pool, versions),
      tables(definitions, pool, snapshots, versions, std::size_t{64} << 20, nullptr),
      ingest(definitions, pool, snapshots) {}

std::int64_t Registry::NewRun(const std::string& started, std::optional<server::Provider> provider,
                              std::optional<double> error_limit) {
  server::RunContent content;
  content.started = started;
  content.provider = provider;
  content.error_limit = error_limit;
  content.hash = core::HashOf(started + std::string(provider ? server::Name(*provider) : "") +
                              std::to_string(error_limit.value_or(0)));
  bool created = false;
  return server::RunStore(pool).Create(content, created)->id;
}

server::WriteAnswer Registry::Send(const std::string& csv, const Post& post,
                                   std::string_view family) {
  return ingest.Results(this->family(family), csv, server::BodyFormat::kCsv, post.run,
                        WriteOf(post));
}

server::WriteAnswer Registry::SendJson(const std::string& body, const Post& post) {
  return ingest.Results(family(), body, server::BodyFormat::kJson, post.run, WriteOf(post));
}

server::WriteAnswer Registry::Import(const std::string& source,
                                     const std::vector<core::TarFile>& files, const Post& post,
                                     const std::optional<server::RunContent>& about) {
  return ingest.Import(source, files, WriteOf(post), about);
}

const core::Family& Registry::family(std::string_view name) const {
  return *definitions.families.Find(name);
}

core::Result<server::Served> Registry::Get(const server::Parameters& parameters,
                                           std::string_view name) {
  const auto query = server::ParseTunedQuery(family(name), definitions.targets, parameters);
  if (!query.ok()) return query.error();
  return tables.Get(family(name), *query, server::Encoding::kIdentity);
}

std::string Registry::Table(const std::string& text, std::string_view name) {
  snapshots.Refresh();
  const auto served = Get(ParametersOf(text), name);
  return served.ok() ? *served->table->body : served.error().code;
}

std::string Registry::Winners() {
  return QueryText(url, R"(
    SELECT coalesce(string_agg(
             CASE WHEN t.gfx <> 'gfx942' OR t.cu_num <> 304 THEN t.gfx || ':' || t.cu_num || ' ' ELSE '' END
             || CASE WHEN t.provider = 1 THEN 'tunehub ' ELSE '' END
             || split_part(m.line, ',', 3) || ' ' || split_part(m.line, ',', 10) || ' '
             || split_part(m.line, ',', 9) || ' '
             || (ARRAY['only_candidate', 'lowest_time', 'lower_error', 'tie_break', 'only_measured',
                       'nothing_measured', 'latest_declared', 'tied', 'likely', 'sure'])[t.why + 1],
             E'\n' ORDER BY t.ord, t.provider), '')
    FROM tuned t JOIN measurement m ON m.key = t.key AND m.id = t.measurement
    JOIN family f ON f.id = t.family WHERE f.name = 'a8w8_blockscale')");
}

std::int64_t Registry::Count(const std::string& table) {
  return std::stoll(QueryText(url, "SELECT count(*) FROM " + table));
}

nlohmann::json Receipt(const server::WriteAnswer& answer) {
  if (answer.refusal) {
    ADD_FAILURE() << answer.refusal->error.code << ": " << answer.refusal->error.detail;
    return nlohmann::json::object();
  }
  return nlohmann::json::parse(answer.receipt);
}

std::int64_t RunOf(const server::WriteAnswer& answer) {
  return Receipt(answer).value("run", std::int64_t{0});
}

std::string Refusal(const server::WriteAnswer& answer) {
  return answer.refusal ? answer.refusal->error.code : "";
}

std::string Counts(const server::WriteAnswer& answer) {
  const nlohmann::json receipt = Receipt(answer);
  std::string counts;
  for (const char* name :
       {"accepted", "won", "kept", "unchanged", "folded", "quarantined_count", "rejected_count"}) {
    if (!receipt.contains(name)) continue;  // the receipt of an import has no "kept"
    counts +=
        std::string(name).substr(0, std::string(name).find('_')) + " " + receipt[name].dump() + " ";
  }
  return counts;
}

core::Families FamiliesWith(std::string_view name,
                            const std::function<void(nlohmann::ordered_json&)>& edit) {
  const TempDir folder;
  for (const auto& family : ShippedFamilies().all()) {
    std::string text = family->source;
    if (family->name == name) {
      auto json = nlohmann::ordered_json::parse(text);
      edit(json);
      text = json.dump(1);
    }
    std::ofstream(folder.path() / (family->name + ".json")) << text;
  }
  return Must(core::Families::Load(folder.path()));
}

core::Targets TargetsWith(const std::function<void(nlohmann::ordered_json&)>& edit) {
  auto json = nlohmann::ordered_json::parse(ShippedTargets().source());
  edit(json);
  return Must(core::Targets::Parse("targets.json", json.dump(1), ShippedTargets().devices()));
}

}  // namespace tunehub::test
