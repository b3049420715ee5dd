#include "server/service/files/file_pins.h"

#include <map>

#include "core/pins/pinned_rows.h"
#include "core/row/cell.h"

namespace tunehub::service {
namespace {

// What the file's key says, where it runs, and what the asker said beyond it.
core::Result<pins::Facts> FactsOf(const FileForm& form, const FileRow& row) {
  const core::Family& family = *form.store->family;
  pins::Facts facts;
  for (const std::size_t column : family.key_columns) {
    if (column == form.store->member || column == family.engine) continue;
    facts[family.columns[column].name] = row.cells[column];
  }
  if (const auto platform = pins::PlatformOf(row.gfx); !platform.empty()) {
    facts["platform"] = platform;
  }
  if (form.given.empty()) return facts;
  const core::Status added = pins::AddGiven(*form.rules, form.given, facts);
  if (!added.ok()) return added.error();
  return facts;
}

// With the time of the default at the row's own key, the best that is known.
pins::TimedRow Timed(const core::BodyMember& member, const FileRow* row,
                     const std::string& engine_default) {
  pins::TimedRow timed{member.config, {}, {}};
  if (row == nullptr || row->standing != core::Standing::kMeasured) return timed;
  timed.us = row->us;
  for (const MeasuredConfig& it : row->measured) {
    if (timed.default_us && it.us >= *timed.default_us) continue;
    if (pins::IsSameConfig(it.config, engine_default)) timed.default_us = it.us;
  }
  return timed;
}

}  // namespace

std::vector<core::Hash128> MeasuredKeys(const FileSet& set) {
  std::vector<core::Hash128> keys;
  for (const auto& [path, rows] : set.files) {
    for (const FileRow& row : rows) {
      if (row.standing == core::Standing::kMeasured) keys.push_back(row.key);
    }
  }
  return keys;
}

void NoteMeasured(const MeasuredConfigs& measured, FileSet& set) {
  for (auto& [path, rows] : set.files) {
    for (FileRow& row : rows) {
      const auto found = measured.find(row.key);
      if (found != measured.end()) row.measured = found->second;
    }
  }
}

core::Result<std::size_t> PinDefaults(const FileForm& form, const std::vector<FileRow>& rows,
                                      std::vector<core::BodyMember>& members) {
  const auto facts = FactsOf(form, rows.front());
  if (!facts.ok()) return facts.error();
  const auto engine_default = pins::DefaultOf(*form.rules, form.store->family->name, *facts);
  if (!engine_default.ok()) return engine_default.error();
  std::map<std::string_view, const FileRow*> by_member;
  for (const FileRow& row : rows) by_member.emplace(row.cells[form.store->member], &row);
  std::map<std::int64_t, pins::TimedRow> tuned;
  for (const core::BodyMember& member : members) {
    const auto m = core::ParseInt64(member.name);
    if (!m) continue;  // an empty file means the default already
    const auto row = by_member.find(member.name);
    tuned[*m] =
        Timed(member, row == by_member.end() ? nullptr : row->second, engine_default->Of(*m));
  }
  std::size_t pinned = 0;
  std::vector<core::BodyMember> all;
  for (const auto& [m, row] : pins::Pin(tuned, *engine_default, form.store->ladder)) {
    if (row.origin != pins::PinOrigin::kTuned) ++pinned;
    all.push_back({std::to_string(m), row.config, {}});
  }
  if (!tuned.empty()) members = std::move(all);
  return pinned;
}

}  // namespace tunehub::service
