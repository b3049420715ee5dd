#include "tests/support/aiter_merge.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "tests/support/shipped.h"

namespace tunehub::test {
namespace {

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

std::string GfxOf(const std::string& cu_num) {
  return cu_num == "256" ? "gfx950" : "gfx942";  // without a GPU, any other count means gfx942
}

void AppendRows(const std::string& text, std::vector<AiterRow>& rows) {
  const std::vector<std::string> lines = Split(text, '\n');
  const std::vector<std::string> header = Split(lines.at(0), ',');
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const std::vector<std::string> fields = Split(lines[i], ',');
    AiterRow row{{}, fields.size() < header.size()};
    for (std::size_t j = 0; j < header.size(); ++j) {
      row.cells[header[j]] = j < fields.size() ? fields[j] : "";
    }
    rows.push_back(std::move(row));
  }
}

}  // namespace

std::string AiterRow::At(const std::string& column) const {
  const auto found = cells.find(column);
  return found == cells.end() ? "" : found->second;
}

double AiterRow::Number(const std::string& column) const {
  const std::string text = At(column);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || (*end != '\0' && std::string_view(end) != "%")) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return *end == '%' ? value / 100 : value;
}

std::vector<std::filesystem::path> AiterFilesOf(const core::Family& family) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& file : RealTunedFiles()) {
    const std::string name = file.filename().string();
    const bool model = file.parent_path().filename() == "model_configs";
    if (!model && name == family.file) files.insert(files.begin(), file);
    if (model && name.find(family.token) != std::string::npos) files.push_back(file);
  }
  return files;
}

std::vector<AiterRow> AiterRows(const std::vector<std::string>& texts) {
  std::vector<AiterRow> rows;
  for (const std::string& text : texts) AppendRows(text, rows);
  std::map<std::string, std::string> all;  // the columns of all files, with their fill values
  for (const AiterRow& row : rows) {
    for (const auto& [column, value] : row.cells) all[column] = "0";
  }
  for (AiterRow& row : rows) {
    if (!row.cells.contains("gfx")) row.cells["gfx"] = GfxOf(row.At("cu_num"));
    row.cells.insert(all.begin(), all.end());
  }
  return rows;
}

std::vector<std::string> AiterKeyColumns(const core::Family& family) {
  std::vector<std::string> key = family.untuned_columns;
  for (const char* const column : {"cu_num", "gfx", "_tag"}) {
    if (std::find(key.begin(), key.end(), column) == key.end()) key.emplace_back(column);
  }
  return key;
}

std::string KeyOf(const AiterRow& row, const std::vector<std::string>& columns) {
  std::string key;
  for (const std::string& column : columns) key += row.At(column) + ",";
  return key;
}

}  // namespace tunehub::test
