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

}  // namespace

core::Result<std::size_t> PinDefaults(const FileForm& form, const std::vector<FileRow>& rows,
                                      std::vector<core::BodyMember>& members) {
  const auto facts = FactsOf(form, rows.front());
  if (!facts.ok()) return facts.error();
  const auto engine_default = pins::DefaultOf(*form.rules, form.store->family->name, *facts);
  if (!engine_default.ok()) return engine_default.error();
  std::map<std::int64_t, pins::TimedRow> tuned;
  for (const core::BodyMember& member : members) {
    // An empty file means the default already.
    if (const auto m = core::ParseInt64(member.name)) tuned[*m] = {member.config, {}, {}};
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
