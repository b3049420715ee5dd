#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "server/answers/answer.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/tables/bundle.h"
#include "server/tables/routes.h"

namespace tunehub::server {
namespace {

// How long the index waits, for all families together, while another request reads the targets'
// last changes.
constexpr std::chrono::milliseconds kHeadsPatience{500};

// RFC 9110 13.1.2: a list of entity tags or '*', compared weakly.
bool MatchesEtag(std::string_view if_none_match, std::string_view etag) {
  for (std::string_view item : core::SplitAt(if_none_match, ",")) {
    item = core::Trim(item);
    if (item.starts_with("W/")) item.remove_prefix(2);
    if (item == "*" || item == etag) return true;
  }
  return false;
}

// Serves a family's table or an unlisted table, of the newest or the requested revision.
http::Response GetTuned(const TableServices& services, const http::Request& request,
                        std::string_view name) {
  ParsedQueries& queries = services.tables.queries();
  const auto family = FindFamily(services, name);
  if (family.ok()) return ServeTable(services, request, queries.Table(**family, request.query));
  const core::Family* const unlisted = services.definitions.families.Unlisted();
  if (unlisted == nullptr) return ProblemFor(family.error());
  services.snapshots.WaitUpToDate();
  const auto snapshot = services.snapshots.Current(*unlisted);
  const bool known = request.Query("revision") ||
                     UnlistedTables(*unlisted, snapshot->rows).contains(std::string(name));
  if (!known) return ProblemFor(family.error());
  return ServeTable(services, request, queries.Table(*unlisted, request.query, name));
}

// Maps every known target to its products: "gfx942:304" to "MI300X / MI325X".
nlohmann::ordered_json ProductsByTarget(const core::Targets& targets) {
  nlohmann::ordered_json products = nlohmann::ordered_json::object();
  for (const core::Device& device : targets.devices().all()) {
    const std::string text = targets.devices().ProductsOf(device.gfx, device.cu_num);
    if (!text.empty()) products[fmt::format("{}:{}", device.gfx, device.cu_num)] = text;
  }
  return products;
}

nlohmann::ordered_json UnlistedJson(const Definitions& definitions, const SnapshotSet& set) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const core::Family* const unlisted = definitions.families.Unlisted();
  if (unlisted == nullptr) return list;
  const auto& rows = set.families.at(definitions.Id(*unlisted))->rows;
  for (const auto& [name, table] : UnlistedTables(*unlisted, rows)) {
    list.push_back({{"table", name},
                    {"path", table.path},
                    {"rows", table.rows},
                    {"competes", table.competes}});
  }
  return list;
}

// The index of tables, with rows per target.
http::Response GetIndex(const TableServices& services, const http::Request&) {
  services.snapshots.WaitUpToDate();
  const auto until = std::chrono::steady_clock::now() + kHeadsPatience;
  const auto set = services.snapshots.Current();
  nlohmann::ordered_json json = RevisionJson(set->revision);
  json["families"] = nlohmann::ordered_json::array();
  json["products"] = ProductsByTarget(services.definitions.targets);
  for (const auto& family : services.definitions.families.all()) {
    const auto& snapshot = *set->families.at(services.definitions.Id(*family));
    struct Counts {
      std::size_t rows = 0, unmeasured = 0, baselines = 0;
    };
    std::map<std::pair<std::string, int>, Counts> targets;
    for (const auto& row : snapshot.rows) {
      if (!row->by_default()) continue;
      Counts& counts = targets[{row->gfx, row->cu_num}];
      ++counts.rows;
      if (row->standing == core::Standing::kUnmeasured) ++counts.unmeasured;
      if (row->baseline) ++counts.baselines;
    }
    const auto heads = services.changes.HeadsOf(snapshot, until);
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    std::size_t rows = 0;
    for (const auto& [target, counts] : targets) {
      rows += counts.rows;
      list.push_back({{"gfx", target.first},
                      {"cu_num", target.second},
                      {"rows", counts.rows},
                      {"unmeasured", counts.unmeasured},
                      {"baselines", counts.baselines}});
      const auto head = heads.find(target);
      if (head == heads.end()) continue;
      AddRevision(list.back(), head->second.revision);
      list.back()["changed"] = head->second.created;
    }
    json["families"].push_back({{"family", family->name},
                                {"rows", rows},
                                {"revision", snapshot.revision.number},
                                {"pin", snapshot.revision.Text()},
                                {"targets", std::move(list)}});
  }
  json["unlisted"] = UnlistedJson(services.definitions, *set);
  return WarnedIfStale(services, http::JsonResponse(200, json.dump()));
}

// The answer to a query: the table's bytes, or 304.
http::Response AnswerServed(const http::RequestHead& head, const Served& served,
                            Encoding encoding) {
  const TableBytes& table = *served.table;
  if (const Uncovered* const it = table.uncovered.get()) {
    return http::Problem(StatusOf("not_covered"), "not_covered", it->detail,
                         fmt::format(R"("missing_count":{},"missing":{})", it->count, it->shapes));
  }
  http::Response response;
  response.headers.reserve(9);
  const auto condition = head.Header("if-none-match");
  if (condition && MatchesEtag(*condition, table.etag)) {
    response.status = 304;
  } else {
    response.headers.emplace_back("Content-Type", table.content_type);
    if (encoding != Encoding::kIdentity) {
      response.headers.emplace_back("Content-Encoding", Name(encoding));
    }
    response.body = table.body;
  }
  response.headers.emplace_back("ETag", table.etag);
  response.headers.emplace_back("Vary", "Accept-Encoding");
  response.headers.emplace_back("Cache-Control", served.immutable ? kImmutable : kAskAgain);
  AddRevision(response, served.revision);
  if (!table.missing_targets.empty()) {
    response.headers.emplace_back("Tunehub-Missing-Targets", table.missing_targets);
  }
  if (table.pruned > 0) {
    response.headers.emplace_back("Tunehub-Pruned-Rows", std::to_string(table.pruned));
  }
  for (const auto& [name, value] : table.headers) response.headers.emplace_back(name, value);
  if (table.filled) {
    response.headers.emplace_back("Tunehub-Filled-Rows", std::to_string(*table.filled));
  }
  if (table.unfilled > 0) {
    response.headers.emplace_back("Tunehub-Unfilled-Rows", std::to_string(table.unfilled));
  }
  if (served.stale) response.headers.emplace_back("Warning", kStaleWarning);
  return response;
}

// A tree is already compressed.
Encoding EncodingOf(const http::RequestHead& head, const ParsedQuery& asked) {
  return asked.tree ? Encoding::kIdentity : EncodingFor(head);
}

// Parses the path of a table, file or tree: "/files/vllm/E=8,...". Absent: another path, or an
// unknown family.
std::optional<ParsedQueries::Parsed> ParsedOf(const TableServices& services,
                                              const http::RequestHead& head) {
  std::string_view path = head.path;
  const auto is_below = [&](std::string_view folder) {
    const bool below = path.starts_with(folder);
    if (below) path.remove_prefix(folder.size());
    return below;
  };
  ParsedQueries& queries = services.tables.queries();
  if (is_below("/tuned/")) {
    const core::Family* const family = services.definitions.families.Find(path);
    if (family == nullptr) return std::nullopt;
    return queries.Table(*family, head.query);
  }
  const bool is_tree = is_below("/tree/");
  if (!is_tree && !is_below("/files/")) return std::nullopt;
  const std::string_view reader = path.substr(0, path.find('/'));
  if (is_tree) return queries.Tree(reader, head.query);
  path.remove_prefix(std::min(path.size(), reader.size() + 1));
  return queries.File(reader, path, head.query);
}

}  // namespace

http::Response ServeTable(const TableServices& services, const http::Request& request,
                          const ParsedQueries::Parsed& asked, const AskOther& other) {
  if (!asked.ok()) return ProblemFor(asked.error());
  const Encoding encoding = EncodingOf(request, **asked);
  auto served = services.tables.Get(*(*asked)->family, (*asked)->query, encoding);
  if (!served.ok() && served.error().code == "no_rows" && !(*asked)->other.empty()) {
    if (const auto again = other(**asked); again.ok()) {
      auto whole = services.tables.Get(*(*again)->family, (*again)->query, encoding);
      if (whole.ok()) served = std::move(whole);
    }
  }
  if (served.ok()) return AnswerServed(request, *served, encoding);
  return WarnedIfStale(services, ProblemFor(served.error()));
}

std::optional<http::Response> FastServed(const TableServices& services,
                                         const http::Request& request) {
  if (request.method != "GET" && request.method != "HEAD") return std::nullopt;
  const auto parsed = ParsedOf(services, request);
  if (!parsed || !parsed->ok()) return std::nullopt;
  const ParsedQuery& asked = ***parsed;
  const Encoding encoding = EncodingOf(request, asked);
  const auto served = services.tables.Find(*asked.family, asked.query, encoding);
  if (!served) return std::nullopt;
  if (served->ok()) return AnswerServed(request, **served, encoding);
  if (asked.query.form != nullptr) return std::nullopt;  // another family may have the file
  return WarnedIfStale(services, ProblemFor(served->error()));
}

http::Cost TableCost(const TableServices& services) {
  return [services](const http::Request& request, const http::PathParameters&) -> std::size_t {
    const auto parsed = ParsedOf(services, request);
    if (!parsed || !parsed->ok()) return 0;
    return services.tables.Cost(*(**parsed)->family, (**parsed)->query);
  };
}

std::vector<Endpoint> TunedRoutes(const TableServices& services) {
  return {
      Heavy(NoQuery({"GET", "/tuned", With(services, GetIndex)})),
      Heavy({"GET", "/tuned/{family}", With(services, GetTuned, "family")}, TableCost(services)),
  };
}

}  // namespace tunehub::server
