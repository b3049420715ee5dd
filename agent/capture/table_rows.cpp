#include <fmt/core.h>

#include <filesystem>
#include <map>
#include <set>

#include "agent/aiter/aiter_tree.h"
#include "agent/capture/explanation.h"
#include "agent/tables/input_family.h"
#include "core/base/file.h"
#include "core/readers/file_name.h"
#include "core/readers/tree_reader.h"
#include "core/row/target.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

// "sglang:DIR".
bool NamesReader(const Configuration& configuration, const std::string& path) {
  const std::size_t colon = path.find(':');
  return colon != std::string::npos && configuration.readers.Find(path.substr(0, colon)) != nullptr;
}

// Returns how well the name fits the reader's grammars. A grammar that also matches the folder
// counts more.
std::size_t FitOf(const core::Reader& reader, const std::string& name) {
  std::string tail;
  for (const core::ReaderStore& store : reader.stores) {
    if (store.body == core::BodyKind::kTunable || !core::IsOf(store, name, tail)) continue;
    if (core::ParsePath(reader, store, tail).ok())
      return tail.find('/') == std::string::npos ? 1 : 2;
  }
  return 0;
}

// Returns the reader in "READER:DIR", or else the reader whose grammars fit most file names below
// DIR. In a tie, returns the first reader by name. Errors: no_reader (no reader fits a name),
// too_many_files.
core::Result<const core::Reader*> ReaderOfFolder(const Configuration& configuration,
                                                 const std::string& path) {
  if (NamesReader(configuration, path)) {
    return configuration.readers.Find(path.substr(0, path.find(':')));
  }
  const core::Reader* best = nullptr;
  std::size_t most = 0;
  for (const core::Reader& reader : configuration.readers.all()) {
    const auto tree = ReadReaderTree(reader, path);
    if (!tree.ok()) {
      const std::string& code = tree.error().code;
      if (code == "no_files" || code == "no_folder") continue;  // no file of this reader
      return tree.error();
    }
    std::size_t fit = 0;
    for (const core::TreeEntry& entry : tree->entries) fit += FitOf(reader, entry.name);
    if (fit <= most) continue;
    most = fit;
    best = &reader;
  }
  if (best != nullptr) return best;
  return core::Error{"no_reader",
                     path + ": no file in this folder has a name that a known engine reads"};
}

// Reads the files below the folder of "READER:DIR" or DIR. Errors: those of ReadReaderTree.
core::Result<core::TreeReading> ReadReaderFolder(const Configuration& configuration,
                                                 const core::Reader& reader,
                                                 const std::string& path) {
  const bool named = NamesReader(configuration, path);
  const auto tree = ReadReaderTree(reader, named ? path.substr(path.find(':') + 1) : path);
  if (!tree.ok()) return tree.error();
  return core::ReadTree(reader, configuration.targets, tree->entries);
}

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
    if (!fs::is_directory(path, error) && !NamesReader(configuration_, path)) return AddFile(path);
    const auto tree = ReadTableFolder(configuration_.families, path);
    if (!tree.ok()) return AddReaderFolder(path, tree.error());
    for (const FamilyFiles& group : tree->families) {
      for (const TreeFile& file : group.files) files_[group.family].push_back(file.path.string());
    }
    return core::Ok();
  }

  core::Result<FamilyRows> Read(const core::Family& family, const core::Target&) override {
    FamilyRows rows;
    const auto files = files_.find(&family);
    if (files == files_.end()) return rows;
    rows.files = files->second;
    auto table = ReadLookupTable(configuration_, family.name, rows.files);
    if (!table.ok()) return table.error();
    rows.table = std::make_unique<lookup::LoadedTable>(*std::move(table));
    rows.targets = TargetsIn(rows.table->table, configuration_.targets);
    return rows;
  }

  core::Result<std::vector<std::string>> LinesLike(
      const core::Family& family,
      const std::vector<std::pair<std::string, std::string>>&) override {
    std::vector<std::string>& lines = lines_[&family];
    const auto files = files_.find(&family);
    // Reads the tables once, since a log may have missed hundreds of files.
    if (files == files_.end() || !all_lines_.insert(&family).second) return lines;
    for (const std::string& file : files->second) {
      const auto bytes = core::FileBytes::Read(file);
      if (!bytes.ok()) return bytes.error();
      auto of_file = LinesOfTable(family, configuration_.targets, bytes->view());
      if (!of_file.ok()) return of_file.error();
      lines.insert(lines.end(), of_file->begin(), of_file->end());
    }
    return lines;
  }

  std::string Name() const override {
    std::size_t count = reader_files_;
    for (const auto& [family, files] : files_) count += files.size();
    if (files_.empty() && count > 0) return fmt::format("{} files", count);
    return count == 1 ? files_.begin()->second.front() : fmt::format("{} tables", count);
  }

 private:
  core::Status AddFile(const std::string& path) {
    const auto family = FamilyOfPath(configuration_.families, "", path);
    if (!family.ok()) return family.error();
    files_[*family].push_back(path);
    return core::Ok();
  }

  // Adds the rows in a folder of a reader's files.
  core::Status AddReaderFolder(const std::string& path, const core::Error& why_not) {
    const auto reader = ReaderOfFolder(configuration_, path);
    if (!reader.ok()) return why_not;
    const auto folder = ReadReaderFolder(configuration_, **reader, path);
    if (!folder.ok()) return folder.error();
    reader_files_ += folder->files;
    for (const core::TreeTable& table : folder->tables) {
      auto lines = LinesOfTable(*table.family, configuration_.targets, table.csv);
      if (!lines.ok()) return lines.error();
      auto& all = lines_[table.family];
      all.insert(all.end(), lines->begin(), lines->end());
    }
    return core::Ok();
  }

  const Configuration& configuration_;
  std::map<const core::Family*, std::vector<std::string>> files_;
  // Lines from readers' files. For families in `all_lines_`, also lines from tables.
  std::map<const core::Family*, std::vector<std::string>> lines_;
  std::set<const core::Family*> all_lines_;
  std::size_t reader_files_ = 0;
};

}  // namespace

core::Result<std::vector<std::string>> LinesOfTable(const core::Family& family,
                                                    const core::Targets& targets,
                                                    std::string_view csv) {
  core::ReadOptions options;
  options.identify = nullptr;
  options.warnings = false;
  const auto table = core::ReadTunedTable(family, targets, csv, options);
  if (!table.ok()) return table.error();
  std::vector<std::string> lines;
  for (const core::Row& row : table->rows) {
    if (core::Competes(row.standing)) lines.push_back(row.line);
  }
  return lines;
}

core::Result<std::unique_ptr<RowSource>> RowsOfTables(const Configuration& configuration,
                                                      const std::vector<std::string>& paths) {
  auto tables = std::make_unique<TableRows>(configuration);
  for (const std::string& path : paths) {
    if (const core::Status added = tables->Add(path); !added.ok()) return added.error();
  }
  return std::unique_ptr<RowSource>(std::move(tables));
}

}  // namespace tunehub::agent
