#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/row/cell.h"
#include "core/row/target.h"
#include "core/table/csv.h"
#include "core/table/detect.h"
#include "core/table/table_writer.h"

namespace tunehub::core {
namespace {

constexpr std::string_view kTableEnding = ".csv", kTunedWord = "tuned", kUntunedWord = "untuned";
constexpr std::string_view kConfigsFolder = "configs/", kModelConfigs = "model_configs/";
constexpr std::size_t kDigestHex = 32;
// Prefixes of keys that contain no column's value.
constexpr std::string_view kLineKey = "line:", kHeaderKey = "header:", kCommentKey = "comment:";

using Names = std::vector<std::string>;

// Returns "model_configs/x.csv" for "aiter/configs/model_configs/x.csv"; "" outside of a configs
// folder.
std::string_view InsideConfigs(std::string_view path) {
  for (std::size_t at = path.find(kConfigsFolder); at != std::string_view::npos;
       at = path.find(kConfigsFolder, at + 1)) {
    if (at == 0 || path[at - 1] == '/') return path.substr(at + kConfigsFolder.size());
  }
  return {};
}

std::string Digest(std::string_view text) {
  return Sha256Hex(text).substr(0, kDigestHex);
}

std::size_t PlaceOf(const Names& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? kNoColumn : static_cast<std::size_t>(found - names.begin());
}

Status CheckHeader(const Names& header, std::size_t line) {
  if (header.size() < 2) return AtLine("bad_header", line, "expected at least two columns");
  std::set<std::string_view> seen;
  for (const std::string& name : header) {
    const bool word = !name.empty() && name.size() <= kMaxNameBytes && HoldsOnly(name, "_.-");
    if (!word) return AtLine("bad_header", line, "a column's name must be a word", name);
    if (!seen.insert(name).second) return DuplicateColumn(line, name);
  }
  return Ok();
}

class Carrier {
 public:
  Carrier(const Family& family, const UnlistedFile& file) : family_(family), file_(file) {}

  Result<UnlistedTable> Read() {
    if (Status status = CheckTableText(file_.text); !status.ok()) return status.error();
    CsvReader reader(file_.text);
    CsvRecord record;
    if (Status status = reader.First(record); !status.ok()) return status.error();
    header_.assign(record.fields.begin(), record.fields.end());
    if (Status status = CheckHeader(header_, record.line); !status.ok()) return status.error();
    const std::size_t header_line = record.line;
    columns_ = record.text;
    keys_ = KeyPlaces();
    table_.csv = family_.Header(true) + "\n";
    AddComments(header_line);
    const std::size_t before = table_.lines.size();
    for (;;) {
      const Result<bool> more = reader.Next(record);
      if (!more.ok()) return more.error();
      if (!*more) break;
      AddRow(record);
    }
    // Keeps the header of a table without rows.
    if (table_.lines.size() == before && table_.rejected.empty()) {
      Add(header_line, {.key = std::string(kHeaderKey) + file_.path, .columns = columns_});
    }
    return std::move(table_);
  }

 private:
  struct Line {
    std::string_view gfx = kAnyGfx, cu_num = "0";
    std::string key = {};
    std::string_view columns = {}, text = {}, us = {};
  };

  // The columns that AITER's merge compares, apart from the target; empty: none.
  std::vector<std::size_t> KeyPlaces() const {
    const Names asked = HeaderFields(file_.untuned);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < header_.size(); ++i) {
      if (PlaceOf(asked, header_[i]) != kNoColumn) places.push_back(i);
    }
    if (const std::size_t tag = PlaceOf(header_, "_tag"); !places.empty() && tag != kNoColumn)
      places.push_back(tag);
    return places;
  }

  void AddComments(std::size_t header_line) {
    std::size_t line = 0;
    for (std::string_view text : SplitAfter(file_.text, "\n")) {
      ++line;
      if (text.ends_with('\r')) text.remove_suffix(1);
      if (!text.starts_with('#')) continue;
      Add(line, {.key = fmt::format("{}{}:{}", kCommentKey, file_.path, line),
                 .columns = line < header_line ? std::string_view() : columns_,
                 .text = text});
    }
  }

  void AddRow(const CsvRecord& record) {
    if (record.fields.size() > header_.size()) {
      table_.rejected.push_back({record.line, "", "ragged_row",
                                 fmt::format("has {} fields, but the header has {}",
                                             record.fields.size(), header_.size())});
      return;
    }
    const auto cell = [&](std::string_view column) {
      const std::size_t place = PlaceOf(header_, column);
      return place < record.fields.size() ? record.fields[place] : std::string_view();
    };
    Line line{.key = KeyOf(record), .columns = columns_, .text = record.text, .us = cell("us")};
    if (line.us.empty()) line.us = cell("duration");
    if (const std::string_view cu_num = cell("cu_num"); !IsMissing(cu_num)) line.cu_num = cu_num;
    // AITER and RowReader fill an empty gfx from the CU count.
    const bool has_gfx = PlaceOf(header_, "gfx") != kNoColumn;
    const std::string_view gfx = has_gfx ? cell("gfx") : cell("arch");
    if (has_gfx || !gfx.empty() || line.cu_num != "0") line.gfx = gfx;
    Add(record.line, line);
  }

  std::string KeyOf(const CsvRecord& record) const {
    if (keys_.empty()) return std::string(kLineKey) + Digest(record.text);
    std::string text;
    for (const std::size_t i : keys_) {
      if (header_[i] == "gfx" || header_[i] == "cu_num") continue;
      std::string value(i < record.fields.size() ? record.fields[i] : std::string_view());
      if (const auto integer = ParseInt64(value)) value = std::to_string(*integer);
      text += fmt::format("{}{}={}", text.empty() ? "" : ";", header_[i],
                          IsMissing(value) ? std::string() : value);
    }
    Scratch scratch;
    const auto word = CanonicalCell(family_.columns[family_.Find("key")], text, scratch);
    return word.ok() && !text.empty() ? text : "key:" + Digest(text);
  }

  void Add(std::size_t place, const Line& line) {
    const std::string number = std::to_string(place);
    std::string stem(BaseName(file_.path));
    stem.resize(stem.size() - kTableEnding.size());
    const std::pair<std::string_view, std::string_view> named[] = {
        {"table", stem},     {"gfx", line.gfx},         {"cu_num", line.cu_num},
        {"key", line.key},   {"place", number},         {"path", file_.path},
        {"line", line.text}, {"columns", line.columns}, {"us", line.us}};
    Cells cells(family_.columns.size());
    for (const auto& [name, value] : named) cells.at(family_.Find(name)) = value;
    table_.csv += JoinCells(cells) + "\n";
    table_.lines.push_back(place);
  }

  const Family& family_;
  const UnlistedFile& file_;
  Names header_;
  std::string columns_;  // the header's line
  std::vector<std::size_t> keys_;
  UnlistedTable table_;
};

struct CarriedLine {
  std::string path, columns, text;
  std::int64_t place = 0;
};

std::vector<CarriedLine> InOrder(const Family& family, std::span<const std::string_view> lines) {
  const std::size_t path = family.Find("path"), columns = family.Find("columns"),
                    text = family.Find("line"), place = family.Find("place");
  std::vector<CarriedLine> carried;
  std::string scratch;
  for (const std::string_view line : lines) {
    const Cells cells = SplitLine(line, scratch);
    carried.push_back({std::string(cells[path]), std::string(cells[columns]),
                       std::string(cells[text]), ParseInt64(cells[place]).value_or(0)});
  }
  // AITER's order: the default file, then the files of model_configs by name.
  std::ranges::stable_sort(carried, {}, [](const CarriedLine& line) {
    return std::tuple(line.path.find('/') != std::string::npos, line.path, line.place);
  });
  return carried;
}

// Rewrites a line from the columns `own` to the columns `all`.
std::string Widened(const std::string& text, const Names& own, const Names& all) {
  std::string scratch;
  const Cells given = SplitLine(text, scratch);
  Cells cells(all.size());
  for (std::size_t i = 0; i < std::min(own.size(), given.size()); ++i)
    cells[PlaceOf(all, own[i])] = given[i];
  return JoinCells(cells);
}

}  // namespace

LineKind KindOfLine(std::string_view key) {
  if (key.starts_with(kHeaderKey)) return LineKind::kHeader;
  if (key.starts_with(kCommentKey)) return LineKind::kComment;
  return key.starts_with(kLineKey) ? LineKind::kUnkeyed : LineKind::kKeyed;
}

std::string UnlistedStem(const Families& families, std::string_view path) {
  const std::string_view name = BaseName(path), inside = InsideConfigs(path);
  if (families.Unlisted() == nullptr || !name.ends_with(kTableEnding)) return {};
  if (name.find(kUntunedWord) != std::string_view::npos) return {};
  if (FamilyOfFileName(families, path) != nullptr) return {};
  const bool of_aiter = inside == name || (inside.starts_with(kModelConfigs) &&
                                           inside.size() == kModelConfigs.size() + name.size());
  if (!of_aiter && (!inside.empty() || WhyForeign(families, path).empty())) return {};
  const std::string_view stem = name.substr(0, name.size() - kTableEnding.size());
  const bool named = !stem.empty() && stem.size() <= kMaxNameBytes / 2 && HoldsOnly(stem, "._-") &&
                     HoldsOnly(stem.substr(0, 1), "") && stem.find("..") == std::string_view::npos;
  return named ? std::string(stem) : std::string();
}

std::string UntunedName(std::string_view path) {
  const std::size_t at = path.rfind(kTunedWord);
  if (at == std::string_view::npos || at < path.size() - BaseName(path).size()) return {};
  return fmt::format("{}{}{}", path.substr(0, at), kUntunedWord,
                     path.substr(at + kTunedWord.size()));
}

Result<UnlistedTable> ReadUnlisted(const Family& family, const UnlistedFile& file) {
  UnlistedFile inside = file;
  if (const std::string_view path = InsideConfigs(file.path); !path.empty()) inside.path = path;
  return Carrier(family, inside).Read();
}

std::string WriteUnlisted(const Family& family, std::span<const std::string_view> lines) {
  const std::vector<CarriedLine> carried = InOrder(family, lines);
  std::vector<std::string> headers;
  Names all;
  for (const CarriedLine& line : carried) {
    if (line.columns.empty() || std::ranges::find(headers, line.columns) != headers.end()) continue;
    headers.push_back(line.columns);
    for (std::string& name : HeaderFields(line.columns)) {
      if (PlaceOf(all, name) == kNoColumn) all.push_back(std::move(name));
    }
  }
  std::string out, header = headers.empty() ? "" : headers.front();
  if (headers.size() > 1) header = JoinCells(Cells(all.begin(), all.end()));
  bool headed = false;
  for (const CarriedLine& line : carried) {
    const bool comment = line.text.starts_with('#');
    if (!headed && !line.columns.empty()) {
      out += header + "\n";
      headed = true;
    }
    if (line.text.empty()) continue;
    const bool same = comment || headers.size() < 2;
    out += (same ? line.text : Widened(line.text, HeaderFields(line.columns), all)) + "\n";
  }
  return out;
}

}  // namespace tunehub::core
