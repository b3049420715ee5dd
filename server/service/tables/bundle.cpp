#include "server/service/tables/bundle.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/system/tar.h"
#include "server/service/tables/build_tally.h"
#include "server/service/tables/tuned_query_rules.h"

namespace tunehub::service {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFolder = "aiter/configs/";

// A build sources this file from where it unpacked the archive.
constexpr std::string_view kEnvHead =
    "# Source this file: one absolute path per table. AITER then reads the table as it is; joining "
    "it by\n"
    "# ':' with the files that AITER ships would merge them, and stop at the first duplicate.\n"
    "TUNEHUB_BUNDLE=$(cd \"$(dirname \"${BASH_SOURCE[0]:-$0}\")\" && pwd)\n";

std::string QueryText(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters) {
    text += fmt::format("{}{}={}", text.empty() ? "" : "&", name, value);
  }
  return text;
}

// These headers, and kStateHeaders, are summed up over the tables, and the lists of kModulesHeader
// are joined. Any other header says the same for every table: the first one is taken.
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

}  // namespace

core::Result<TunedQuery> BundleQuery(const core::Family& family, const Definitions& definitions,
                                     const BundleRevision& revision, Parameters parameters) {
  if (revision.asked) parameters.emplace_back("revision", revision.pin.Text());
  auto query = ParseTunedQuery(family, definitions.targets, parameters);
  if (!query.ok()) return query;
  if (query->among_candidates()) {
    return core::Error{"bad_parameter",
                       "libtype, source, device, prefer, since and versions (rocm, aiter, triton, "
                       "pytorch, engine): a bundle is of one revision, which has no candidates to "
                       "choose among"};
  }
  // A family of which every row is left out is no error: the headers count those rows, too.
  query->allow_empty = query->build || query->measured_only;
  // What a build runs in place of a row that it lacks is chosen among the candidates of now, so its
  // table is not of the bundle's revision.
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
    if (!build->pinned() && revision.asked) continue;  // refused with the query
    const auto found = tables.builds().Find(*build);
    if (!found.ok()) return found.error();
    value = (*found)->name.Text();
  }
  return core::Ok();
}

std::string SumLine(const core::Family& family, const std::string& sha256) {
  return fmt::format("{}  {}{}\n", sha256, kFolder, family.file);
}

core::Result<Bundle> MakeBundle(const Definitions& definitions, TunedTables& tables,
                                const BundleRevision& revision, Parameters parameters) {
  if (core::Status status = PinBuild(tables, revision, parameters); !status.ok()) {
    return status.error();
  }
  std::vector<core::TarFile> files;
  Bundle bundle;
  bundle.revision = revision.pin;
  Json lock = {
      {"revision", revision.pin.number}, {"token", revision.pin.token}, {"tables", Json::array()}};
  std::string sums, env(kEnvHead), nothing;
  for (const auto& family : definitions.families.all()) {
    if (family->env.empty()) continue;  // no variable of AITER's names its table
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
          "no row matches that was measured, where only those were asked for, and that the "
          "build can run, where one was named";
      continue;
    }
    const std::string name = fmt::format("{}{}", kFolder, family->file);
    const std::string& digest = served->table->sha256;
    sums += SumLine(*family, digest);
    env += fmt::format("export {}=\"$TUNEHUB_BUNDLE/{}\"\n", family->env, name);
    lock["tables"].push_back({{"family", family->name},
                              {"query", QueryText(parameters)},
                              {"revision", served->revision.number},
                              {"token", served->revision.token},
                              {"sha256", digest},
                              {"file", name}});
    files.push_back({name, *served->table->body});
  }
  if (files.empty()) return core::Error{"no_rows", nothing};
  bundle.tables = files.size();
  files.push_back({"SHA256SUMS", sums});
  files.push_back({"env.sh", env});
  files.push_back({"tunehub.lock", lock.dump(2) + "\n"});
  bundle.archive = core::WriteTarGz(files);
  return bundle;
}

}  // namespace tunehub::service
