// Reads engines' own lists of untuned shapes: AITER's CSVs and the lists of PyTorch's TunableOp.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/misses/miss_log.h"
#include "core/row/cell.h"
#include "core/row/tunable_line.h"
#include "core/table/detect.h"
#include "core/table/untuned_table.h"

namespace tunehub::core {
namespace {

constexpr std::string_view kUntunedWord = "untuned", kTunedWord = "tuned";
constexpr std::string_view kTunableFamily = "tunableop";
// Enough for a file to which ranks append for hours, and small enough for memory.
constexpr std::size_t kMostUntunedRows = 10'000'000;
constexpr std::size_t kExcerptOfRow = 120;

// Counts of distinct shapes, in the order of their first rows.
class ShapeCounts {
 public:
  void Add(MissShape shape) {
    std::string key = shape.gfx + "," + shape.cu_num;
    for (const std::string& cell : shape.cells) key.append(1, ',').append(cell);
    const auto [place, fresh] = places_.emplace(std::move(key), shapes_.size());
    if (fresh) {
      shapes_.push_back(std::move(shape));
    } else {
      shapes_[place->second].count += shape.count;
    }
  }
  std::vector<MissShape> Take() { return std::move(shapes_); }

 private:
  std::vector<MissShape> shapes_;
  std::map<std::string, std::size_t> places_;
};

// Returns the bytes up to the last line end. Reports the rest in `unread`.
std::string_view CutTornLine(std::string_view bytes, std::vector<RowIssue>& unread) {
  const std::size_t end = bytes.rfind('\n') + 1;  // npos + 1 is 0
  if (end == bytes.size()) return bytes;
  unread.push_back({LineNumber(bytes, end), "", "torn_line",
                    fmt::format("'{}' has no line end, so the row may be incomplete",
                                Excerpt(bytes.substr(end), kExcerptOfRow))});
  return bytes.substr(0, end);
}

// Ranks that start at the same time write the header more than once.
std::string WithoutRepeatedHeaders(std::string_view bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  const std::string_view header = bytes.substr(0, end);
  std::string text(bytes.substr(0, std::min(end + 1, bytes.size())));
  for (std::size_t at = end + 1; at < bytes.size();) {
    const std::size_t next = std::min(bytes.find('\n', at), bytes.size());
    const std::string_view line = bytes.substr(at, next - at);
    // Keep the line end, so that later lines keep their numbers.
    if (line != header) text.append(line);
    text.append(1, '\n');
    at = next + 1;
  }
  return text;
}

Result<const Family*> FamilyOfUntuned(const Families& families, std::string_view path,
                                      const MissLogOptions& options, std::string_view csv) {
  std::string name(BaseName(path));
  if (const std::size_t at = name.find(kUntunedWord); at != std::string::npos) {
    name.replace(at, kUntunedWord.size(), kTunedWord);
  }
  for (const auto& family : families.all()) {
    if (family->untuned_file == BaseName(path)) return family.get();
  }
  if (const Family* const named = FamilyOfFileName(families, name)) return named;
  if (options.family != nullptr) return options.family;
  return DetectFamily(families, "", csv);
}

MissShape MissOf(const Family& family, const UntunedRow& row) {
  MissShape shape;
  shape.family = &family;
  shape.gfx = row.target.gfx;
  if (row.target.cu_num > 0) shape.cu_num = std::to_string(row.target.cu_num);
  for (const std::string& name : family.untuned_columns) {
    const std::size_t column = family.Find(name);
    const bool target = family.columns[column].role == Role::kTarget;
    shape.cells.push_back(!target                ? row.shape.cells[column]
                          : column == family.gfx ? shape.gfx
                                                 : shape.cu_num);
  }
  shape.count = static_cast<std::uint64_t>(row.count);
  return shape;
}

Result<UntunedFile> ReadAiterRows(const Family& family, std::string_view path,
                                  std::string_view bytes, const MissLogOptions& options) {
  UntunedFile file;
  const std::string text = WithoutRepeatedHeaders(bytes);
  Target target{options.gfx, ParseInt(options.cu_num).value_or(0)};
  auto table = ReadUntunedTable(family, text, target, kMostUntunedRows, OtherColumns::kPassOver);
  if (!table.ok()) return table.error().In(path);
  ShapeCounts counts;
  for (const UntunedRow& row : table->rows) {
    counts.Add(MissOf(family, row));
    file.rows += static_cast<std::uint64_t>(row.count);
  }
  file.shapes = counts.Take();
  file.unread.insert(file.unread.end(), table->rejected.begin(), table->rejected.end());
  return file;
}

MissShape TunableMiss(const Family& family, const TunableShape& shape, std::string_view device) {
  const std::map<std::string, std::string, std::less<>> known = {{"engine", "rocm"},
                                                                 {"device", std::string(device)},
                                                                 {"op", shape.op},
                                                                 {"params", shape.params}};
  MissShape miss;
  miss.family = &family;
  for (const std::string& name : family.untuned_columns) {
    const auto found = known.find(name);
    miss.cells.push_back(found == known.end() ? "" : found->second);
  }
  miss.count = 1;
  return miss;
}

UntunedFile ReadTunableLines(const Family& family, std::string_view bytes,
                             std::string_view device) {
  UntunedFile file;
  ShapeCounts counts;
  std::size_t line = 0;
  for (const std::string_view text : SplitAfter(CutTornLine(bytes, file.unread), "\n")) {
    ++line;
    if (text.empty() || text == "\r") continue;
    const auto shape = ReadUntunedLine(text);
    const std::string why = shape ? WhyNotAsked(*shape) : "expected a line 'op,params'";
    if (!why.empty()) {
      file.unread.push_back(
          {line, "", "not_asked", fmt::format("'{}': {}", Excerpt(text, kExcerptOfRow), why)});
      continue;
    }
    counts.Add(TunableMiss(family, *shape, device));
    ++file.rows;
  }
  file.shapes = counts.Take();
  return file;
}

}  // namespace

bool IsUntunedFileName(std::string_view path) {
  const std::string_view name = BaseName(path);
  return name.ends_with(".csv") && name.find(kUntunedWord) != std::string_view::npos;
}

bool IsTunableList(std::string_view first_line) {
  const auto first = ReadUntunedLine(first_line);
  return first && first->op.find("TunableOp_") != std::string::npos;
}

Result<UntunedFile> ReadUntunedFile(const Families& families, std::string_view path,
                                    std::string_view bytes, const MissLogOptions& options,
                                    std::string_view device) {
  if (IsTunableList(bytes.substr(0, bytes.find('\n')))) {
    const Family* const family = families.Find(kTunableFamily);
    if (family == nullptr) {
      return Error{
          "unknown_family",
          fmt::format("{}: is a file of TunableOp, but this configuration has no family {}", path,
                      kTunableFamily)};
    }
    return ReadTunableLines(*family, bytes, device);
  }
  const auto family = FamilyOfUntuned(families, path, options, bytes);
  if (!family.ok()) return family.error().In(path);
  return ReadAiterRows(**family, path, bytes, options);
}

}  // namespace tunehub::core
