#include "server/service/analysis/side_reader.h"

#include <cmath>
#include <optional>
#include <string_view>

#include "core/row/key.h"
#include "core/table/table_writer.h"
#include "server/service/analysis/kernel_name.h"

namespace tunehub::service {
namespace {

void ReadShape(const core::Family& family, const core::Cells& cells, analysis::NamedViews& shape) {
  shape.clear();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const core::Column& column = family.columns[i];
    const bool tag = column.role == core::Role::kTag && !cells[i].empty();
    if (column.is_shape() || tag) shape.emplace_back(column.name, cells[i]);
  }
}

}  // namespace

SideReader::SideReader(const Definitions& definitions, FamilyVersions& versions,
                       const ComparedFamilies& families, const core::Target& target,
                       analysis::Side& side)
    : definitions_(definitions),
      versions_(versions),
      families_(families),
      wanted_(target),
      side_(side) {
  for (const core::Family* family : families_) {
    const std::int16_t id = definitions.Id(*family);
    by_id_[id] = family;
    versions.Learn(id);
  }
}

std::vector<std::int16_t> SideReader::Families() const {
  std::vector<std::int16_t> ids;
  for (const core::Family* family : families_) ids.push_back(definitions_.Id(*family));
  return ids;
}

void SideReader::Add(const store::RunTimeRecord& record) {
  if (!wanted_.Includes(record.gfx, record.cu_num)) return;
  if (record.family != id_ || record.family_version != version_) Enter(record);
  std::string_view line = record.line;
  std::optional<core::Row> row;
  if (stored_->source != family_->source) {
    row = Reread(*stored_, *family_, definitions_.targets, line);
    if (!row) return;
    line = row->line;
  }
  const core::Cells cells = core::SplitLine(line, scratch_);
  ReadShape(*family_, cells, shape_);
  candidate_.clear();
  core::AppendCandidateText(candidate_, *family_, cells);
  target_.clear();
  AppendTarget(target_, families_, *family_, record.gfx, record.cu_num);
  auto& timing = side_.At(target_, shape_, candidate_, KernelOf(*family_, cells));
  const auto counts =
      family_->config_columns.empty() ? core::Standing::kCompared : core::Standing::kMeasured;
  if (record.standing == counts && std::isfinite(record.us)) timing.runs.push_back(record.us);
}

void SideReader::Enter(const store::RunTimeRecord& record) {
  id_ = record.family;
  version_ = record.family_version;
  family_ = by_id_.at(id_);
  stored_ = versions_.Get(id_, version_);
}

}  // namespace tunehub::service
