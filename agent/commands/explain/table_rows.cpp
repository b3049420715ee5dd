#include <fmt/core.h>

#include <filesystem>
#include <map>

#include "agent/aiter/aiter_tree.h"
#include "agent/commands/explain/family_rows.h"
#include "agent/commands/tables/input_family.h"
#include "agent/commands/tables/lookup_table.h"
#include "core/analysis/heuristic.h"
#include "core/row/cell.h"
#include "core/row/row_target.h"
#include "core/system/file_bytes.h"
#include "core/table/table_writer.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

std::vector<TargetRows> TargetsIn(const lookup::Table& table, const core::Targets& known) {
  const core::Family& family = table.family();
  std::map<std::pair<std::string, int>, std::size_t> counts;
  std::string scratch;
  for (const lookup::TableRow& row : table.rows()) {
    const core::Cells cells = core::SplitLine(row.line, scratch);
    const core::Target target = core::TargetOf(family, known, cells);
    ++counts[{target.gfx, target.cu_num}];
  }
  std::vector<TargetRows> targets;
  for (const auto& [target, rows] : counts)
    targets.push_back({{target.first, target.second}, rows});
  return targets;
}

class TableRows : public RowSource {
 public:
  explicit TableRows(const Configuration& configuration) : configuration_(configuration) {}

  core::Status Add(const std::string& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) return AddFile(path);
    const auto tree = ReadAiterTree(configuration_.families, path);
    if (!tree.ok()) return tree.error();
    for (const FamilyFiles& group : tree->families) {
      for (const TreeFile& file : group.files) files_[group.family].push_back(file.path.string());
    }
    return core::Ok();
  }

  core::Result<FamilyRows> Read(const core::Family& family, const core::Target& target) override {
    FamilyRows rows;
    const auto files = files_.find(&family);
    if (files == files_.end()) return rows;
    rows.files = files->second;
    auto table = ReadLookupTable(configuration_, family.name, rows.files);
    if (!table.ok()) return table.error();
    rows.table = std::make_unique<lookup::LoadedTable>(*std::move(table));
    rows.targets = TargetsIn(rows.table->table, configuration_.targets);
    rows.speedups = SpeedupsIn(*rows.table, target);
    return rows;
  }

  std::string Name() const override {
    std::size_t count = 0;
    for (const auto& [family, files] : files_) count += files.size();
    return count == 1 ? files_.begin()->second.front() : fmt::format("{} tables", count);
  }

 private:
  core::Status AddFile(const std::string& path) {
    const auto bytes = core::FileBytes::Read(path);
    if (!bytes.ok()) return bytes.error();
    const auto family =
        FamilyOf(configuration_.families, "", core::SourceFile{path, bytes->view()});
    if (!family.ok()) return family.error();
    files_[*family].push_back(path);
    return core::Ok();
  }

  // Of what runs untuned only the families tell for which somebody has written it down.
  std::vector<MeasuredSpeedup> SpeedupsIn(const lookup::LoadedTable& table,
                                          const core::Target& target) const {
    if (table.duplicates.empty()) return {};
    const core::Family& family = table.table.family();
    const auto written = analysis::LoadHeuristic(configuration_.folder / "heuristics", family);
    if (!written.ok() || !*written || !(*written)->fallback) return {};
    if (!(*written)->AppliesTo(target.gfx, target.cu_num)) return {};
    return SpeedupsOf(family, target, table.duplicates, (*written)->fallback->identity);
  }

  const Configuration& configuration_;
  std::map<const core::Family*, std::vector<std::string>> files_;
};

}  // namespace

core::Result<std::unique_ptr<RowSource>> RowsOfTables(const Configuration& configuration,
                                                      const std::vector<std::string>& paths) {
  auto tables = std::make_unique<TableRows>(configuration);
  for (const std::string& path : paths) {
    if (const core::Status added = tables->Add(path); !added.ok()) return added.error();
  }
  return std::unique_ptr<RowSource>(std::move(tables));
}

}  // namespace tunehub::agent
