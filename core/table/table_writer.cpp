#include "core/table/table_writer.h"

#include <algorithm>
#include <vector>

#include "core/table/csv.h"

namespace tunehub::core {
namespace {

// Which columns of the family stay. Optional ones go where no line has a value in them.
std::vector<bool> KeptColumns(const Family& family, std::span<const std::string_view> lines,
                              const WriteOptions& options) {
  std::vector<bool> kept(family.columns.size(), true);
  if (family.has_optional) {
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = !family.columns[i].optional;
    std::string scratch;
    for (std::string_view line : lines) {
      const Cells cells = SplitLine(line, scratch);
      for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = kept[i] || !cells[i].empty();
    }
  }
  if (options.without_gfx && family.gfx != kNoColumn) kept[family.gfx] = false;
  return kept;
}

class LineWriter {
 public:
  LineWriter(const Family& family, std::span<const std::string_view> lines,
             const WriteOptions& options)
      : family_(family),
        kept_(KeptColumns(family, lines, options)),
        whole_(std::find(kept_.begin(), kept_.end(), false) == kept_.end()) {}

  void AppendHeader(std::string& out) const {
    Cells names;
    for (const Column& column : family_.columns) names.push_back(column.name);
    AppendKept(out, names);
  }

  void Append(std::string& out, std::string_view line) {
    if (whole_)
      out.append(line).push_back('\n');
    else
      AppendKept(out, SplitLine(line, scratch_));
  }

 private:
  void AppendKept(std::string& out, const Cells& cells) const {
    bool first = true;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!kept_[i]) continue;
      if (!first) out.push_back(',');
      first = false;
      AppendCsvField(out, cells[i]);
    }
    out.push_back('\n');
  }

  const Family& family_;
  const std::vector<bool> kept_;
  const bool whole_;
  std::string scratch_;
};

}  // namespace

std::string JoinCells(const Cells& cells) {
  std::size_t size = cells.size();
  for (std::string_view cell : cells) size += cell.size();
  std::string line;
  line.reserve(size);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line.push_back(',');
    AppendCsvField(line, cells[i]);
  }
  return line;
}

Cells SplitLine(std::string_view line, std::string& scratch) {
  Cells cells;
  if (line.find('"') == std::string_view::npos) {
    for (std::size_t begin = 0;;) {
      const std::size_t comma = line.find(',', begin);
      cells.push_back(line.substr(begin, comma - begin));
      if (comma == std::string_view::npos) return cells;
      begin = comma + 1;
    }
  }
  // Rare: a quoted cell. Unquoted, the line only gets shorter: `scratch` is never reallocated.
  scratch.clear();
  scratch.reserve(line.size());
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i == line.size() || (line[i] == ',' && !quoted)) {
      cells.push_back(std::string_view(scratch).substr(begin));
      begin = scratch.size();
    } else if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"')
        scratch.push_back(line[i++]);
      else
        quoted = !quoted;
    } else {
      scratch.push_back(line[i]);
    }
  }
  return cells;
}

std::string_view CellOf(std::string_view line, std::size_t column, std::string& scratch) {
  if (line.find('"') != std::string_view::npos) return SplitLine(line, scratch)[column];
  for (; column > 0; --column) line.remove_prefix(line.find(',') + 1);
  return line.substr(0, line.find(','));
}

std::string WriteTable(const Family& family, std::span<const std::string_view> lines,
                       const WriteOptions& options) {
  std::size_t size = 1024;
  for (std::string_view line : lines) size += line.size() + 1;
  std::string out;
  out.reserve(size);
  LineWriter writer(family, lines, options);
  writer.AppendHeader(out);
  for (std::string_view line : lines) writer.Append(out, line);
  return out;
}

}  // namespace tunehub::core
