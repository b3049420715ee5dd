#include "agent/commands/tuning/compared_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/commands/tables/input_family.h"
#include "agent/commands/tuning/compared_table.h"
#include "agent/commands/tuning/shape_rows.h"
#include "core/system/file_bytes.h"
#include "core/table/csv.h"

namespace tunehub::agent::tuning {
namespace {

// Empty where there is none; whoever reads the file says why.
std::vector<std::string> HeaderOf(std::string_view csv) {
  core::CsvReader reader(csv);
  core::CsvRecord record;
  if (!reader.First(record).ok()) return {};
  return {record.fields.begin(), record.fields.end()};
}

bool Holds(const std::vector<std::string>& header, const std::string& column) {
  return std::ranges::find(header, column) != header.end();
}

// Rows of several candidates: without a family they would be taken for runs of one.
bool SaysCandidate(const core::Families& families, const std::vector<std::string>& header) {
  return std::ranges::any_of(families.all(), [&](const auto& family) {
    return std::ranges::any_of(family->columns, [&](const core::Column& column) {
      return column.role == core::Role::kConfig && Holds(header, column.name);
    });
  });
}

// Null: the rows say kernels and shapes of no family.
core::Result<const core::Family*> FamilyOfSides(const core::Families& families,
                                                const std::string& name,
                                                const core::SourceFile (&files)[2]) {
  if (!name.empty()) return families.Named(name);
  std::vector<core::SourceFile> of_families;
  for (const core::SourceFile& file : files) {
    const auto header = HeaderOf(file.text);
    if (Holds(header, "kernel")) return static_cast<const core::Family*>(nullptr);
    auto family = FamilyOf(families, "", file);
    if (family.ok()) of_families.push_back(file);
    if (!family.ok() && SaysCandidate(families, header)) return family;
  }
  if (of_families.empty()) return static_cast<const core::Family*>(nullptr);
  return CommonFamily(families, "", of_families);
}

}  // namespace

core::Result<ComparedSides> ReadSides(const Configuration& configuration,
                                      const ComparedFiles& files) {
  const core::Families& families = configuration.families;
  const auto base = core::FileBytes::Read(files.base), head = core::FileBytes::Read(files.head);
  if (!base.ok()) return base.error();
  if (!head.ok()) return head.error();
  const core::SourceFile sources[] = {{files.base, base->view()}, {files.head, head->view()}};
  const auto family = FamilyOfSides(families, files.family, sources);
  if (!family.ok()) return family.error();
  ComparedSides sides;
  for (const core::SourceFile& source : sources) {
    analysis::Side& side = &source == &sources[0] ? sides.base : sides.head;
    if (*family != nullptr) {
      auto read = ReadSide(**family, source.name, source.text);
      if (!read.ok()) return read.error();
      side = *std::move(read);
      continue;
    }
    auto read = ReadShapeRows(families, source.name, source.text, files.unit);
    if (!read.ok()) return read.error();
    side = std::move(read->side);
    if (read->unread.empty()) continue;
    sides.remarks.push_back(fmt::format("{}: neither key nor time, so not read: {}", source.name,
                                        fmt::join(read->unread, ", ")));
  }
  return sides;
}

}  // namespace tunehub::agent::tuning
