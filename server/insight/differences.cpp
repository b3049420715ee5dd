#include "server/insight/differences.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_set>

#include "core/base/excerpt.h"
#include "core/base/json_object.h"
#include "core/base/split.h"
#include "core/row/cell.h"
#include "core/row/key.h"
#include "core/table/table_writer.h"

namespace tunehub::server {
namespace {

constexpr const char* kLockCode = "bad_lock";

// "gfx942", "gfx942:304" or "MI300X"; what is none of them names no target.
core::Target TargetIn(const core::Devices& devices, std::string_view text) {
  const std::size_t colon = text.find(':');
  core::Target target{std::string(text.substr(0, colon))};
  if (const core::Device* const device = devices.Find(target.gfx))
    target = {device->gfx, device->cu_num};
  if (colon != std::string_view::npos)
    target.cu_num = core::ParseInt(text.substr(colon + 1)).value_or(0);
  return target;
}

// The targets that the query of a table names. What else it chooses by does not matter here: the
// rows of its targets are compared, and a filter of the view narrows them further.
std::vector<core::Target> TargetsIn(const core::Devices& devices, std::string_view query) {
  std::vector<core::Target> targets;
  int cu_num = 0;
  for (const std::string_view part : core::SplitAt(query, "&")) {
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size() - 1);
    const std::string_view name = part.substr(0, equals), value = part.substr(equals + 1);
    if (name == "cu_num") cu_num = core::ParseInt(value).value_or(0);
    if (name != "gfx" && name != "target" && name != "gpu_archs") continue;
    for (const std::string_view text : core::SplitAt(value, ";,")) {
      if (!text.empty()) targets.push_back(TargetIn(devices, text));
    }
  }
  for (core::Target& target : targets) {
    if (target.cu_num == 0) target.cu_num = cu_num;
  }
  return targets;
}

core::Pin PinIn(core::JsonObject& table) {
  core::Pin pin{table.Integer("revision", -1), table.Text("token")};
  const auto valid = core::ParsePin(pin.Text());
  if (!pin.has_token() || !valid || *valid != pin)
    table.Fail("revision",
               fmt::format("'{}' is no revision, or no token of one", core::Excerpt(pin.Text())));
  return pin;
}

void AddTable(const Definitions& definitions, core::JsonObject table, LockRevisions& lock) {
  if (table.Has("reader")) {
    lock.left_out.push_back(
        fmt::format("{}: an engine's tree of files", core::Excerpt(table.Text("reader"))));
    return;
  }
  const std::string name = table.Text("family");
  const core::Family* const family = definitions.families.Find(name);
  LockedRevision locked{family, PinIn(table),
                        TargetsIn(definitions.targets.devices(), table.Text("query", ""))};
  if (family != nullptr)
    lock.tables.push_back(std::move(locked));
  else
    lock.left_out.push_back(fmt::format("{}: no family of this hub", core::Excerpt(name)));
}

}  // namespace

core::Result<LockRevisions> ReadLock(const Definitions& definitions, std::string_view text) {
  core::JsonErrors errors("tunehub.lock", kLockCode);
  const nlohmann::json json = core::ParseJson(text, errors);
  if (errors.any()) return errors.first();
  core::JsonObject root(json, "", errors);
  LockRevisions lock;
  auto tables = root.Objects("tables");
  if (!errors.any() && tables.empty()) root.Fail("tables", "is empty");
  if (tables.size() > kMostLocked)
    root.Fail("tables", fmt::format("has more than {} entries", kMostLocked));
  if (errors.any()) return errors.first();
  for (core::JsonObject& table : tables) AddTable(definitions, std::move(table), lock);
  if (errors.any()) return errors.first();
  return lock;
}

namespace {

constexpr std::size_t kDifferenceBytes = 64 * 1024 * 1024;  // of some 100,000 keys
constexpr int kListedTimes = 8;                             // in the picture beside a key

bool IsWithin(const TunedRow& row, const std::vector<core::Target>& targets) {
  return targets.empty() || std::ranges::any_of(targets, [&](const auto& it) {
           return it.Includes(row.gfx, row.cu_num);
         });
}

// The demand that keys have: they come by family and mostly by target, so the counts of a target
// are looked up once.
class KeyDemand {
 public:
  explicit KeyDemand(DemandCounts& demand) : demand_(demand) {}

  std::int64_t Of(const core::Family& family, const TunedRow& row) {
    auto& counts = counts_[{&family, row.gfx, row.cu_num}];
    if (counts == nullptr) counts = demand_.Of(family, {row.gfx, row.cu_num});
    if (counts->empty()) return 0;
    const core::Cells cells = core::SplitLine(row.line, scratch_);
    core::FamilyShape shape;
    shape.cells.resize(family.columns.size());
    for (std::size_t i : core::ShapeColumns(family)) shape.cells[i] = std::string(cells[i]);
    const auto count = counts->find(core::OrderKeyOf(family, shape, "", 0));
    return count == counts->end() ? 0 : count->second;
  }

 private:
  DemandCounts& demand_;
  std::map<std::tuple<const core::Family*, std::string_view, int>,
           std::shared_ptr<const DemandCounts::Counts>>
      counts_;
  std::string scratch_;
};

}  // namespace

Differences::Differences(const Definitions& definitions, ConnectionPool& pool,
                         const Snapshots& snapshots, FamilyVersions& versions, Speedups& speedups)
    : definitions_(definitions),
      pool_(pool),
      snapshots_(snapshots),
      versions_(versions),
      speedups_(speedups),
      demand_(definitions, pool),
      families_(kDifferenceBytes) {}

RevisionBefore Differences::DaysAgo(int days) const {
  return RevisionStore(pool_).FindBefore(days).value_or(RevisionBefore{{}, "", true});
}

core::Result<RevisionBefore> Differences::At(const core::Pin& revision) const {
  auto found = RevisionStore(pool_).Find(revision);
  if (!found.ok()) return found.error();
  RevisionBefore since{*std::move(found), "", false};
  const auto listed = RevisionStore(pool_).List(since.revision.number + 1, 1);
  if (!listed.empty() && listed.front().revision.number == since.revision.number)
    since.created = listed.front().created;
  return since;
}

std::shared_ptr<const FamilyDifferences> Differences::Find(const core::Family& family,
                                                           const core::Pin& since) {
  const auto snapshot = snapshots_.Current(family);
  if (snapshot->revision.number <= since.number && !snapshot->is_behind()) return nullptr;
  const std::string front = family.name + " ";
  const std::string newest =
      fmt::format("{}{} {} ", front, snapshot->revision.Text(), snapshot->era);
  return *families_.Get(newest + since.Text(), [&]() -> core::Result<FamilyDifferences> {
    auto made = ReadFamilyDifferences(*snapshot, definitions_, pool_, versions_, since.number);
    // What was read up to an older snapshot holds rows that nobody else does, and is not asked for
    // again.
    families_.ForgetOlder(front, newest);
    return made;
  });
}

DifferenceAnswer Differences::Get(const DifferenceQuery& query) {
  DifferenceAnswer answer;
  KeyDemand demand(demand_);
  std::unordered_set<core::Hash128, core::Hash128Hasher> seen;
  // Only where a lock file has several tables of one family may a key come twice.
  std::map<const core::Family*, int> tables;
  for (const LockedRevision& table : query.tables) ++tables[table.family];
  for (const LockedRevision& table : query.tables) {
    if (!snapshots_.Reads(*table.family)) continue;
    const auto found = Find(*table.family, table.revision);
    if (found == nullptr) continue;
    for (const KeyDifference& key : found->keys) {
      const TunedRow& row = *key.row;
      if (!query.target.Includes(row.gfx, row.cu_num) || !IsWithin(row, table.targets) ||
          !speedups_.AsksFor(query.model, query.tp, *table.family, row)) {
        continue;
      }
      if (tables[table.family] > 1 && !seen.insert(row.key).second) continue;
      answer.differences.push_back({table.family, &key, demand.Of(*table.family, row)});
    }
    answer.held.push_back(found);
  }
  return answer;
}

Differences::Times Differences::LatestTimes(std::span<const WeighedDifference> page) const {
  std::vector<RevisionStore::KeyOfProvider> keys;
  for (const WeighedDifference& it : page)
    keys.emplace_back(it.key->row->key, it.key->row->provider);
  Times times(keys.size());
  for (const WinnerTime& time : RevisionStore(pool_).ReadWinnerTimes(keys, kListedTimes))
    times[time.place].push_back(time);
  return times;
}

}  // namespace tunehub::server
