#include "agent/search/tuned_file.h"
#include "agent/tune/pretune.h"
#include "core/base/file.h"
#include "core/builds/build_fit.h"
#include "core/table/table_writer.h"

namespace tunehub::agent {
namespace {

constexpr char kNewRows[] = "the tuned rows";

}  // namespace

core::Result<TreeTables> TreeTables::Read(const FamilyFiles& files, const core::Targets& targets) {
  TreeTables tables(*files.family, targets);
  for (const TreeFile& file : files.files) {
    const auto bytes = core::FileBytes::Read(file.path.string());
    if (!bytes.ok()) return bytes.error();
    auto table = ReadWholeTable(*files.family, targets, bytes->view(), file.path.string());
    if (!table.ok()) return table.error();
    for (std::size_t row = 0; row < table->rows.size(); ++row) {
      tables.places_.try_emplace(table->rows[row].order, Place{tables.tables_.size(), row});
    }
    tables.tables_.push_back({file.path, *std::move(table)});
  }
  return tables;
}

std::vector<Columns> TreeTables::Shapes() const {
  std::vector<Columns> shapes;
  std::set<std::string> seen;
  std::string scratch;
  for (const Table& table : tables_) {
    for (const core::Row& row : table.rows.rows) {
      const core::Cells cells = core::SplitLine(row.line, scratch);
      Columns shape;
      for (const std::string& name : family_->untuned_columns) {
        const std::size_t column = family_->Find(name);
        if (family_->columns[column].role == core::Role::kTarget) continue;
        shape[family_->columns[column].name] = cells[column];
      }
      if (seen.insert(TextOf(shape)).second) shapes.push_back(std::move(shape));
    }
  }
  return shapes;
}

core::Result<std::set<std::string>> TreeTables::LibrariesOf(std::string_view csv) const {
  const auto table = ReadWholeTable(*family_, *targets_, csv, kNewRows);
  if (!table.ok()) return table.error();
  std::set<std::string> libraries;
  std::string scratch, old_scratch;
  for (const core::Row& row : table->rows) {
    const auto old = places_.find(row.order);
    const core::Cells cells = core::SplitLine(row.line, scratch);
    core::Cells old_cells;
    if (old != places_.end()) {
      const Place& place = old->second;
      old_cells = core::SplitLine(tables_[place.table].rows.rows[place.row].line, old_scratch);
    }
    for (const std::size_t column : family_->kernel_columns) {
      if (!old_cells.empty() && cells[column] == old_cells[column]) continue;
      const core::Module* const module = core::ModuleOf(*family_, cells, cells[column]);
      const bool compiled = module != nullptr && module->dispatch != core::Dispatch::kDirect;
      if (compiled) libraries.insert(module->library);
    }
  }
  return libraries;
}

core::Status TreeTables::WriteMerged(std::string_view csv,
                                     const std::filesystem::path& file) const {
  auto merged = TunedFile::Open(*family_, *targets_, file);
  if (!merged.ok()) return merged.error();
  std::vector<std::string_view> lines;
  for (const Table& table : tables_) {
    for (const core::Row& row : table.rows.rows) lines.push_back(row.line);
  }
  if (auto status = merged->PutTable(core::WriteTable(*family_, lines)); !status.ok()) {
    return status;
  }
  return merged->PutTable(csv);
}

core::Status TreeTables::PutInPlace(std::string_view csv) const {
  const auto table = ReadWholeTable(*family_, *targets_, csv, kNewRows);
  if (!table.ok()) return table.error();
  std::vector<std::vector<std::string_view>> lines(tables_.size());
  for (const core::Row& row : table->rows) {
    const auto place = places_.find(row.order);
    lines[place == places_.end() ? 0 : place->second.table].push_back(row.line);
  }
  // Every file is looked at before the first is written.
  std::vector<TunedFile> files;
  for (const Table& it : tables_) {
    auto file = TunedFile::Open(*family_, *targets_, it.path);
    if (!file.ok()) return file.error();
    files.push_back(*std::move(file));
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (lines[i].empty()) continue;
    const auto status = files[i].PutTable(core::WriteTable(*family_, lines[i]));
    if (!status.ok()) return status;
  }
  return core::Ok();
}

}  // namespace tunehub::agent
