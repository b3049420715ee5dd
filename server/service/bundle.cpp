#include "server/service/bundle.h"

#include <nlohmann/json.hpp>

#include "core/sha256.h"
#include "server/service/archive.h"

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
    text += (text.empty() ? "" : "&") + name + "=" + value;
  }
  return text;
}

}  // namespace

core::Result<Bundle> MakeBundle(const Definitions& definitions, TunedTables& tables,
                                std::int64_t revision, const Parameters& parameters) {
  std::vector<ImportFile> files;
  Json lock = {{"revision", revision}, {"tables", Json::array()}};
  std::string sums, env(kEnvHead), nothing;
  for (const auto& family : definitions.families.all()) {
    auto query = ParseTunedQuery(*family, definitions.targets, parameters);
    if (!query.ok()) return query.error();
    if (query->chooses()) {
      return core::Error{
          "bad_parameter",
          "libtype: a bundle is of one revision, which has no candidates to choose among"};
    }
    query->revision = revision;
    query->canonical += "r=" + std::to_string(revision) + "\x1f";
    const auto served = tables.Get(*family, *query, Encoding::kIdentity);
    if (!served.ok() && served.error().code == "no_rows") {
      nothing = served.error().detail;
      continue;
    }
    if (!served.ok()) return served.error();
    const std::string name = std::string(kFolder) + family->file;
    const std::string digest = core::Sha256Hex(*served->table->body);
    sums += digest + "  " + name + "\n";
    env += "export " + family->env + "=\"$TUNEHUB_BUNDLE/" + name + "\"\n";
    lock["tables"].push_back({{"family", family->name},
                              {"query", QueryText(parameters)},
                              {"revision", revision},
                              {"sha256", digest},
                              {"file", name}});
    files.push_back({name, *served->table->body});
  }
  if (files.empty()) return core::Error{"no_rows", nothing};
  const std::size_t count = files.size();
  files.push_back({"SHA256SUMS", sums});
  files.push_back({"env.sh", env});
  files.push_back({"tunehub.lock", lock.dump(2) + "\n"});
  return Bundle{WriteTarGz(files), revision, count};
}

}  // namespace tunehub::service
