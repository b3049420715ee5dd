#include "agent/engines/found_rows.h"

#include <fmt/core.h>

#include "core/readers/tree_reader.h"
#include "core/table/csv.h"

namespace tunehub::agent::engines {
namespace {

// The rows of a table by column; empty cells left out.
std::vector<FoundRow> RowsOf(const std::string& csv) {
  std::vector<FoundRow> rows;
  core::CsvReader reader(csv);
  core::CsvRecord record;
  std::vector<std::string> header;
  for (auto read = reader.Next(record); read.ok() && *read; read = reader.Next(record)) {
    if (header.empty()) {
      header.assign(record.fields.begin(), record.fields.end());
      continue;
    }
    FoundRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < record.fields.size() && i < header.size(); ++i) {
      if (!record.fields[i].empty()) row[header[i]] = record.fields[i];
    }
  }
  return rows;
}

}  // namespace

core::Result<FileRows> FileRowsOf(const Configuration& configuration, const EngineScript& script) {
  const auto reader = configuration.readers.Named(script.tuner);
  if (!reader.ok()) return reader.error();
  const core::Family* const family = configuration.families.Find(script.family);
  if (family == nullptr) {
    return core::Error{"unknown_family", fmt::format("--configs has no family {}", script.family)};
  }
  return FileRows([&configuration, family, reader = *reader](const std::string& path,
                                                             const std::string& bytes,
                                                             std::vector<std::string>& remarks) {
    const auto tree = core::ReadTree(*reader, configuration.targets, {{path, path, bytes}});
    for (const core::Finding& finding : tree.findings) {
      remarks.push_back(fmt::format("{}{}{}: {}: {}", finding.file,
                                    finding.member.empty() ? "" : ", M ", finding.member,
                                    finding.code, finding.detail));
    }
    if (tree.files == 0) remarks.push_back(path + ": no file that its engine would look for");
    for (const core::TreeTable& table : tree.tables) {
      if (table.family == family) return RowsOf(table.csv);
    }
    return std::vector<FoundRow>();
  });
}

}  // namespace tunehub::agent::engines
