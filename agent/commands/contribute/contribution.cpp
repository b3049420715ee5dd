#include "agent/commands/contribute/contribution.h"

#include <iterator>

#include "core/table/table_writer.h"

namespace tunehub::agent {

bool IsBetter(const OfferedRow& row, const OfferedRow& other) {
  return row.us > 0 && !(other.us <= row.us);
}

std::size_t Contribution::rows() const {
  std::size_t rows = 0;
  for (const ContributedFile& file : files) rows += file.rows.size();
  return rows;
}

void Contribution::Add(Contribution other) {
  const auto append = [](auto& to, auto& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  append(files, other.files);
  append(left_out, other.left_out);
  append(checked, other.checked);
  append(warnings, other.warnings);
  append(runs, other.runs);
}

std::string KeyOfLine(const core::Family& family, std::string_view line) {
  std::string scratch, text;
  const core::Cells cells = core::SplitLine(line, scratch);
  for (const std::size_t column : family.key_columns) {
    if (column >= cells.size() || cells[column].empty()) continue;
    if (!text.empty()) text += ' ';
    text.append(family.columns[column].name).append(1, '=').append(cells[column]);
  }
  return text;
}

core::Result<core::TunedTable> ReadRows(const core::Family& family, const core::Targets& targets,
                                        std::string_view csv) {
  core::ReadOptions options;
  options.warnings = false;
  return core::ReadTunedTable(family, targets, csv, options);
}

}  // namespace tunehub::agent
