// Reads the text of a manifest.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/base/text.h"
#include "core/builds/manifest.h"
#include "core/family/family.h"
#include "core/row/cell.h"
#include "core/table/csv.h"

namespace tunehub::core {
namespace {

constexpr std::array<std::string_view, 6> kColumns = {"module",     "gfx",   "kernelId",
                                                      "kernelName", "built", "shape"};
enum Field : std::size_t { kModule, kGfx, kKernelId, kKernelName, kBuilt, kShape };
constexpr std::size_t kMaxShapeBytes = 80;  // six numbers
constexpr std::size_t kMaxVersionBytes = 200;

bool IsWord(std::string_view text, std::size_t most, bool (*allowed)(char)) {
  return !text.empty() && text.size() <= most && std::ranges::all_of(text, allowed);
}

bool IsLibrary(std::string_view text) {
  return IsWord(text, 32, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  });
}

bool IsVersion(std::string_view text) {
  return !text.empty() && text.size() <= kMaxVersionBytes && !HoldsControl(text);
}

// A mangled symbol, or words with digits, dots and signs. It must fit into a CSV cell and a symbol
// table.
bool IsKernelName(std::string_view text) {
  return text == kAnyKernel || IsWord(text, kMaxNameBytes, [](char c) {
           return c > 0x20 && c < 0x7F && c != ',' && c != '"' && c != '*';
         });
}

struct Head {
  std::optional<BuildKind> kind;
  std::map<std::string, std::string> versions;
};

Status ReadHeadLine(std::string_view line, std::size_t number, Head& head) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return Ok();  // a comment
  const std::string_view name = Trim(line.substr(0, colon)), value = Trim(line.substr(colon + 1));
  if (name == "kind") {
    head.kind = ParseBuildKind(value);
    if (head.kind) return Ok();
    return AtLine(
        "bad_kind", number,
        fmt::format("kind is '{}'; expected buildable, compiled or tree", Excerpt(value)));
  }
  if (!IsLibrary(name) || !IsVersion(value)) {
    return AtLine("bad_version", number,
                  fmt::format("'{}': expected a library and its version, such as '# rocm: 6.4.1'",
                              Excerpt(line)));
  }
  if (!head.versions.emplace(name, value).second) {
    return AtLine("bad_version", number, fmt::format("'{}' occurs twice", name));
  }
  if (head.versions.size() > kMaxManifestVersions) {
    return AtLine("bad_version", number,
                  fmt::format("more than {} libraries have a version", kMaxManifestVersions));
  }
  return Ok();
}

// Reads the '#' lines before the header. CsvReader skips them.
Result<Head> ReadHead(std::string_view text) {
  Head head;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (line.front() != '#') break;
    if (Status status = ReadHeadLine(Trim(line.substr(1)), number, head); !status.ok()) {
      return status.error();
    }
  }
  if (head.kind) return head;
  return Error{"no_kind",
               "a line '# kind: buildable', '# kind: compiled' or '# kind: tree' must come before "
               "the header"};
}

using Places = std::array<std::size_t, kColumns.size()>;

std::span<const std::string_view> ColumnsOf(BuildKind kind) {
  return std::span(kColumns).first(kind == BuildKind::kTree ? kColumns.size()
                                                            : std::size_t{kBuilt});
}

Result<Places> ReadHeader(const CsvRecord& record, BuildKind kind) {
  const std::span<const std::string_view> columns = ColumnsOf(kind);
  Places places;
  places.fill(record.fields.size());
  for (std::size_t i = 0; i < record.fields.size(); ++i) {
    const auto column = std::ranges::find(columns, record.fields[i]);
    const std::string_view name = Excerpt(record.fields[i]);
    if (column == columns.end()) {
      return AtLine("unknown_column", record.line,
                    fmt::format("unknown column '{}'; expected {}", name, fmt::join(columns, ",")),
                    name);
    }
    std::size_t& place = places[static_cast<std::size_t>(column - columns.begin())];
    if (place < i) return DuplicateColumn(record.line, name);
    place = i;
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (places[i] < record.fields.size()) continue;
    return AtLine("missing_column", record.line,
                  fmt::format("the column '{}' is missing", columns[i]), columns[i]);
  }
  return places;
}

class KernelReader {
 public:
  KernelReader(const Places& places, BuildKind kind, std::vector<RowIssue>& issues)
      : places_(places), columns_(ColumnsOf(kind).size()), issues_(issues) {}

  void Read(const CsvRecord& record) {
    if (record.fields.size() != columns_) {
      return Refuse(record.line, "", "ragged_row",
                    fmt::format("has {} fields; expected {}", record.fields.size(), columns_));
    }
    const auto cell = [&](Field field) { return record.fields[places_[field]]; };
    ManifestKernel kernel;
    kernel.module = cell(kModule);
    kernel.name = cell(kKernelName);
    if (!IsModuleName(kernel.module)) {
      return Bad(record, kModule, "bad_module",
                 ": expected a module's name, 1 to 64 of a-z, 0-9 and _");
    }
    if (!IsKernelName(kernel.name)) {
      return Bad(
          record, kKernelName, "bad_kernel_name",
          ": expected a kernel's name, 1 to 400 visible ASCII characters, or * for every kernel");
    }
    if (const std::string_view gfx = cell(kGfx); !gfx.empty()) {
      const auto canonical = CanonicalGfx(gfx);
      if (!canonical)
        return Bad(record, kGfx, "bad_gfx", ": expected a target's name, such as gfx942");
      kernel.gfx = *canonical;
    }
    if (const std::string_view id = cell(kKernelId); !id.empty()) {
      kernel.id = ParseInt(id);
      if (!kernel.id || *kernel.id < 0) {
        return Bad(record, kKernelId, "bad_kernel_id", ": expected a whole number from 0");
      }
    }
    if (columns_ > kBuilt && !ReadBuilt(record, kernel)) return;
    Number(record, kernel);
    kernels.push_back(std::move(kernel));
  }

  std::vector<ManifestKernel> kernels;
  std::size_t refused = 0;

 private:
  void Refuse(std::size_t line, std::string_view column, std::string code, std::string detail) {
    ++refused;
    if (issues_.size() == kMaxManifestIssues) return;
    issues_.push_back({line, std::string(column), std::move(code), std::move(detail)});
  }
  void Bad(const CsvRecord& record, Field field, std::string code, const std::string& what) {
    Refuse(record.line, kColumns[field], std::move(code),
           fmt::format("'{}'{}", Excerpt(record.fields[places_[field]]), what));
  }
  // Returns false if it refused the row.
  bool ReadBuilt(const CsvRecord& record, ManifestKernel& kernel) {
    const std::string_view built = record.fields[places_[kBuilt]];
    const std::string_view shape = record.fields[places_[kShape]];
    kernel.built = built == "1";
    kernel.shape = shape;
    if (!kernel.built && !built.empty()) {
      Bad(record, kBuilt, "bad_built", ": expected 1 or an empty field");
      return false;
    }
    const bool good = kernel.built && shape.size() <= kMaxShapeBytes && IsShape(shape);
    if (shape.empty() || good) return true;
    Bad(record, kShape, "bad_shape",
        ": expected numbers joined by x (304x16x1280x8192), and only if `built` is 1");
    return false;
  }
  // Refuses a row that gives one kernel's id to another kernel.
  void Number(const CsvRecord& record, const ManifestKernel& kernel) {
    if (!kernel.id) return;
    const auto [known, added] =
        names_.emplace(std::tuple(kernel.module, kernel.gfx, *kernel.id), kernel.name);
    if (added || known->second == kernel.name) return;
    Refuse(
        record.line, kColumns[kKernelId], "ambiguous_id",
        fmt::format("the number {} already belongs to the kernel {}", *kernel.id, known->second));
  }

  const Places& places_;
  const std::size_t columns_;
  std::vector<RowIssue>& issues_;
  std::map<std::tuple<std::string, std::string, int>, std::string> names_;
};

Error Refused(const std::vector<RowIssue>& issues, std::size_t refused) {
  const RowIssue& first = issues.front();
  return AtLine("bad_manifest", first.line,
                fmt::format("{}{} ({} rows cannot be read)",
                            first.column.empty() ? "" : first.column + ": ", first.detail, refused),
                first.column);
}

}  // namespace

Result<Manifest> ParseManifest(std::string_view text, std::vector<RowIssue>& issues) {
  if (text.size() > kMaxManifestBytes) {
    return Error{"too_large", fmt::format("the manifest has {} bytes; the limit is {}", text.size(),
                                          kMaxManifestBytes)};
  }
  if (Status status = CheckTableText(text); !status.ok()) return status.error();
  auto head = ReadHead(text);
  if (!head.ok()) return head.error();
  CsvReader reader(text);
  CsvRecord record;
  if (Status status = reader.First(record); !status.ok()) return status.error();
  const auto places = ReadHeader(record, *head->kind);
  if (!places.ok()) return places.error();
  KernelReader rows(*places, *head->kind, issues);
  for (;;) {
    const Result<bool> more = reader.Next(record);
    if (!more.ok()) return more.error();
    if (!*more) break;
    if (rows.kernels.size() == kMaxManifestKernels) {
      return AtLine("too_many_rows", record.line,
                    fmt::format("more than {} kernels", kMaxManifestKernels));
    }
    rows.Read(record);
  }
  if (rows.refused > 0) return Refused(issues, rows.refused);
  if (rows.kernels.empty()) return Error{"no_kernels", "the manifest lists no kernel"};
  return Manifest(*head->kind, std::move(head->versions), std::move(rows.kernels));
}

}  // namespace tunehub::core
