#include "server/ops/export_tables.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/base/encoding.h"
#include "core/base/hash.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

// Returns the selections that users request: one target, an architecture, everything.
std::set<TableTarget> Selections(const std::set<TableTarget>& targets) {
  std::set<TableTarget> selections = {{}};
  for (const TableTarget& target : targets) {
    selections.insert({target.gfx, 0});
    selections.insert(target);
  }
  return selections;
}

Json EntryOf(const TableTarget& target, std::int64_t revision, const std::string& path,
             const std::string& bytes) {
  Json entry = Json::object();
  if (!target.gfx.empty()) entry["gfx"] = target.gfx;
  if (target.cu_num > 0) entry["cu_num"] = target.cu_num;
  entry["revision"] = revision;
  entry["path"] = path;
  entry["bytes"] = bytes.size();
  entry["sha256"] = core::Sha256Hex(bytes);
  return entry;
}

http::Fields OfRevision(const RevisionRows& of, http::Fields query) {
  if (!of.newest) query.emplace_back("revision", of.revision.Text());
  return query;
}

FamilyRows ReadRows(const HubReader& reader, const RevisionRows& of, const std::string& family) {
  Json answer = reader.GetJson(fmt::format("/tuned/{}", family),
                               OfRevision(of, {{"allow_empty", "1"}, {"format", "json"}}));
  FamilyRows rows{std::move(answer.at("rows")), {}};
  for (const Json& row : rows.rows) rows.targets.insert(TargetOf(row));
  return rows;
}

bool Has(const TableTarget& selection, const TableTarget& target) {
  return (selection.gfx.empty() || selection.gfx == target.gfx) &&
         (selection.cu_num == 0 || selection.cu_num == target.cu_num);
}

// The target whose file contains the selection's rows: the selection itself, or the only target of
// an architecture.
TableTarget FileOf(const TableTarget& selection, const std::set<TableTarget>& targets) {
  if (selection.gfx.empty()) return selection;
  const auto first = targets.lower_bound(selection), second = std::next(first);
  return second == targets.end() || second->gfx != selection.gfx ? *first : selection;
}

void WriteTable(const HubReader& reader, const RevisionRows& of, const std::string& family,
                const FamilyRows& rows, const TableTarget& target, core::FolderDraft& folder,
                Json& list) {
  const std::string address = fmt::format("/tuned/{}", family);
  const auto table = reader.Get(address, OfRevision(of, QueryOf(target)));
  const TableTarget file = FileOf(target, rows.targets);
  const std::string path = fmt::format("{}tables/{}{}.csv", of.folder, family,
                                       target.gfx.empty() ? "" : fmt::format("/{}", NameOf(file)));
  Json entry = {{"family", family}};
  entry.update(EntryOf(target, of.revision.number, path, *table.body));
  entry["rows"] =
      std::ranges::count_if(rows.rows, [&](const Json& row) { return Has(target, TargetOf(row)); });
  if (reader.key.any()) {
    const std::string asked = core::AskedText(address, QueryOf(target));
    entry["signature"] = core::Base64(SignAnswer(reader.key, of.revision, asked, *table.body));
  }
  list.push_back(std::move(entry));
  if (file == target) Sure(folder.Write(path, *table.body));
}

void WriteBundles(const HubReader& reader, const RevisionRows& of, core::FolderDraft& folder,
                  Json& list) {
  std::set<TableTarget> targets;
  for (const auto& [family, rows] : of.families)
    targets.insert(rows.targets.begin(), rows.targets.end());
  for (const TableTarget& target : Selections(targets)) {
    http::Fields query = QueryOf(target);
    query.emplace_back("revision", of.revision.Text());
    auto asked = reader.Ask("/bundle", query);
    // All rows of the target belong to engines that find tables without AITER's variables, so there
    // is no bundle.
    if (!asked.ok() && asked.error().code == "no_rows") continue;
    const http::Response bundle = Sure(std::move(asked));
    const std::string path =
        fmt::format("{}bundles/{}.tar.gz", of.folder, target.gfx.empty() ? "all" : NameOf(target));
    list.push_back(EntryOf(target, of.revision.number, path, *bundle.body));
    Sure(folder.Write(path, *bundle.body));
  }
}

}  // namespace

http::Fields QueryOf(const TableTarget& target) {
  http::Fields query;
  if (!target.gfx.empty()) query.emplace_back("gfx", target.gfx);
  if (target.cu_num > 0) query.emplace_back("cu_num", std::to_string(target.cu_num));
  return query;
}

std::string NameOf(const TableTarget& target) {
  return target.cu_num > 0 ? fmt::format("{}_{}", target.gfx, target.cu_num) : target.gfx;
}

TableTarget TargetOf(const Json& row) {
  const auto gfx = row.find("gfx"), cu_num = row.find("cu_num");
  return {gfx != row.end() && gfx->is_string() ? gfx->get<std::string>() : "",
          cu_num != row.end() && cu_num->is_number() ? cu_num->get<int>() : 0};
}

RevisionRows ReadRevision(const HubReader& reader, const core::Pin& revision, bool newest) {
  RevisionRows all{
      revision, newest, newest ? "" : fmt::format("revisions/{}/", revision.number), {}};
  const Json index = reader.GetJson("/tuned");
  for (const Json& item : index.at("families")) {
    const auto family = item.at("family").get<std::string>();
    FamilyRows rows = ReadRows(reader, all, family);
    if (!rows.rows.empty()) all.families.emplace_back(family, std::move(rows));
  }
  if (!all.families.empty()) return all;
  throw ExportFailed{
      {"no_rows", fmt::format("revision {} has no tuned row, so there is nothing to export",
                              revision.number)}};
}

void WriteTables(const HubReader& reader, const RevisionRows& of, core::FolderDraft& folder,
                 Json& index) {
  for (const auto& [family, rows] : of.families) {
    reader.Say(fmt::format("revision {}: {}", of.revision.number, family));
    for (const TableTarget& target : Selections(rows.targets))
      WriteTable(reader, of, family, rows, target, folder, index["tables"]);
  }
  reader.Say(fmt::format("revision {}: bundles", of.revision.number));
  WriteBundles(reader, of, folder, index["bundles"]);
}

}  // namespace tunehub::server
