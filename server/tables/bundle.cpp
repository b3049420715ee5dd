#include "server/tables/bundle.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/archive.h"
#include "core/base/text.h"
#include "core/table/detect.h"
#include "core/table/table_writer.h"
#include "server/tables/build_rows.h"
#include "server/tables/tuned_options.h"

namespace tunehub::server {

std::map<std::string, CarriedTable> UnlistedTables(
    const core::Family& unlisted, const std::vector<std::shared_ptr<const TunedRow>>& rows) {
  const std::size_t name = unlisted.Find("table"), key = unlisted.Find("key"),
                    path = unlisted.Find("path");
  const auto order = [](std::string_view it) { return std::pair(it.find('/') != it.npos, it); };
  std::map<std::string, CarriedTable> tables;
  std::string scratch;
  for (const auto& row : rows) {
    if (!row->by_default()) continue;
    const core::Cells cells = core::SplitLine(row->line, scratch);
    CarriedTable& table = tables[std::string(cells[name])];
    if (table.path.empty() || order(cells[path]) < order(table.path)) table.path = cells[path];
    const core::LineKind kind = core::KindOfLine(cells[key]);
    if (kind <= core::LineKind::kUnkeyed) ++table.rows;
    table.competes = table.competes || kind == core::LineKind::kKeyed;
  }
  return tables;
}

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kBundleEnvHead =
    "# One absolute path per table. AITER then reads the table as it is; joining it by\n"
    "# ':' with the files that AITER ships would merge them, and stop at the first duplicate.\n";

std::string QueryText(const Parameters& parameters) {
  return core::Assignments(parameters, "&");
}

// AddHeaders sums these headers and kStateHeaders over the tables, and joins the lists of
// kModulesHeader. Every other header is the same for all tables.
constexpr std::string_view kCounted[] = {"Tunehub-Build-Substituted", "Tunehub-Build-Unfilled",
                                         "Tunehub-Build-Renumbered", "Tunehub-Unmeasured-Left-Out"};

void AddHeaders(const TableBytes& table, std::map<std::string, std::string>& headers) {
  for (const auto& [name, value] : table.headers) {
    const bool counted = std::ranges::find(kCounted, name) != std::end(kCounted) ||
                         std::ranges::find(kStateHeaders, name) != kStateHeaders.end();
    std::string& all = headers[name];
    if (all.empty()) {
      all = value;
    } else if (counted) {
      all = std::to_string(std::stoull(all) + std::stoull(value));
    } else if (name == kModulesHeader) {
      all += ", " + value;
    }
  }
}

// Collects the bundle's files, table by table.
struct Contents {
  std::vector<core::TarFile> files;
  Json lock;

  void Add(const core::Family& family, const Parameters& query, const std::string& file,
           const TableBytes& table, const core::Pin& revision) {
    const std::string name = std::string(kConfigsFolder) + file;
    lock["tables"].push_back({{"family", family.name},
                              {"query", QueryText(query)},
                              {"revision", revision.number},
                              {"token", revision.token},
                              {"sha256", table.sha256},
                              {"file", name}});
    files.push_back({name, *table.body});
  }
};

// Adds each table that no family describes, at its original path.
core::Status AddUnlisted(const Definitions& definitions, TunedTables& tables,
                         const BundleRevision& revision, const Parameters& parameters,
                         Contents& contents) {
  const core::Family* const unlisted = definitions.families.Unlisted();
  if (unlisted == nullptr) return core::Ok();
  const auto all = BundleQuery(*unlisted, definitions, revision, parameters);
  if (!all.ok()) return all.error();
  const auto rows = tables.Rows(*unlisted, *all);
  if (!rows.ok()) return rows.error();
  const RowSet& fitted = rows->fitted;
  for (const auto& [name, table] : UnlistedTables(*fitted.family, rows->selected.rows)) {
    // Skips a table that a family now describes, because the bundle contains the family's file.
    if (core::FamilyOfFileName(definitions.families, std::string(kConfigsFolder) + table.path))
      continue;
    Parameters of_table = parameters;
    of_table.emplace_back("table", name);
    const auto query = BundleQuery(*unlisted, definitions, revision, of_table);
    if (!query.ok()) return query.error();
    const auto made = MakeTable(fitted, InColumnsOf(*fitted.family, *unlisted, *query));
    if (!made.ok() && made.error().code == "no_rows") continue;
    if (!made.ok()) return made.error();
    contents.Add(*unlisted, of_table, table.path, *made, rows->revision);
  }
  return core::Ok();
}

}  // namespace

core::Result<TunedQuery> BundleQuery(const core::Family& family, const Definitions& definitions,
                                     const BundleRevision& revision, Parameters parameters) {
  if (revision.asked) parameters.emplace_back("revision", revision.pin.Text());
  auto query = ParseTunedQuery(family, definitions.targets, parameters);
  if (!query.ok()) return query;
  if (query->among_candidates()) {
    return core::Error{
        "bad_parameter",
        "leave out libtype, source, device, prefer, since and versions (rocm, aiter, triton, "
        "pytorch, engine): a bundle has the served rows of one revision, and no other candidates"};
  }
  // A family without any row is not an error here, because the headers still count its rows.
  query->allow_empty = query->build || query->measured_only;
  // The hub chooses substitutes for a build among current candidates. So the table for a build
  // cannot be of the bundle's revision.
  if (query->build || revision.asked) return query;
  query->revision = revision.pin;
  query->canonical = CanonicalText(*query);
  return query;
}

core::Status PinBuild(TunedTables& tables, const BundleRevision& revision, Parameters& parameters) {
  for (auto& [name, value] : parameters) {
    if (name != "build") continue;
    const auto build = ParseBuildName(value);
    if (!build.ok()) return build.error();
    if (!build->pinned() && revision.asked) continue;  // BundleQuery refuses it
    const auto found = tables.builds().Find(*build);
    if (!found.ok()) return found.error();
    value = (*found)->name.Text();
  }
  return core::Ok();
}

core::Result<Bundle> MakeBundle(const Definitions& definitions, TunedTables& tables,
                                const BundleRevision& revision, Parameters parameters) {
  const std::string asked = core::AskedText("/bundle", parameters);
  if (core::Status status = PinBuild(tables, revision, parameters); !status.ok()) {
    return status.error();
  }
  Bundle bundle;
  bundle.revision = revision.pin;
  Contents contents;
  contents.lock = {
      {"revision", revision.pin.number}, {"token", revision.pin.token}, {"tables", Json::array()}};
  std::string env(kBundleEnvHead), nothing;
  for (const auto& family : definitions.families.all()) {
    if (family->env.empty()) continue;  // AITER has no variable for its table
    auto query = BundleQuery(*family, definitions, revision, parameters);
    if (!query.ok()) return query.error();
    const auto served = tables.Get(*family, *query, Encoding::kIdentity);
    if (!served.ok() && served.error().code == "no_rows") {
      nothing = served.error().detail;
      continue;
    }
    if (!served.ok()) return served.error();
    AddHeaders(*served->table, bundle.headers);
    if (served->table->rows == 0) {
      nothing =
          "no row matches; the query selects only measured rows, or rows that the build can run";
      continue;
    }
    env += fmt::format("export {}=\"$TUNEHUB_BUNDLE/{}{}\"\n", family->env, kConfigsFolder,
                       family->file);
    contents.Add(*family, parameters, family->file, *served->table, served->revision);
  }
  if (const auto unlisted = AddUnlisted(definitions, tables, revision, parameters, contents);
      !unlisted.ok() && unlisted.error().code != "no_rows") {
    return unlisted.error();
  }
  std::vector<core::TarFile>& files = contents.files;
  if (files.empty()) return core::Error{"no_rows", nothing};
  bundle.tables = files.size();
  files.push_back({"env.sh", SourcedEnv("TUNEHUB_BUNDLE", "tunehub.lock", env)});
  files.push_back({"tunehub.lock", contents.lock.dump(2) + "\n"});
  core::AddSums(files, tables.signing_key(), revision.pin, asked);
  bundle.archive = core::WriteTarGz(files);
  return bundle;
}

}  // namespace tunehub::server
