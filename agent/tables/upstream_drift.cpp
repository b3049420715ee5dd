#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>

#include "agent/aiter/aiter_tree.h"
#include "agent/tables/contribution.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/readers/tree_reader.h"
#include "core/row/known_kernel.h"
#include "core/table/detect.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTritonReader = "aiter";
constexpr std::size_t kQuotedBytes = 120;

// Each log line about lookups in AITER's sources has one of these parts.
constexpr std::array<std::string_view, 6> kOfLookups = {"not found tuned", "no tuned config",
                                                        "is tuned on",     "is tuned at",
                                                        "untuned on",      "has no tuned"};

class DriftFinder {
 public:
  DriftFinder(const Configuration& configuration, fs::path root)
      : configuration_(configuration), root_(std::move(root)) {}

  Drift Find(const AiterTree& tree) {
    for (const TreeFile& file : tree.unread) AddUnread(file);
    for (const FamilyFiles& family : tree.families) {
      for (const TreeFile& file : family.files) AddTable(*family.family, file);
    }
    AddLogLines();
    AddTriton();
    return std::move(drift_);
  }

 private:
  void Add(const char* kind, std::string where, std::string what, const std::string& first,
           std::size_t count = 1) {
    Unknown& unknown = drift_[{kind, std::move(where), std::move(what)}];
    if (unknown.count == 0) unknown.first = first;
    unknown.count += count;
  }

  void AddUnread(const TreeFile& file) {
    const bool carried =
        !core::UnlistedStem(configuration_.families, "aiter/configs/" + file.name).empty();
    Add("table", carried ? "stored line by line" : "not read", file.name, file.name);
  }

  void AddTable(const core::Family& family, const TreeFile& file) {
    const auto bytes = core::FileBytes::Read(file.path);
    if (!bytes.ok()) return;
    const auto table = core::ReadTunedTable(family, configuration_.targets, bytes->view(),
                                            {.error_limit = {}, .identify = nullptr});
    if (!table.ok()) return Add("row", family.name, table.error().detail, file.name);
    for (const core::RowIssue& issue : table->warnings) {
      if (issue.code == "unknown_column") Add("column", family.name, issue.column, file.name);
    }
    for (const core::RowIssue& issue : table->rejected) {
      Add("row", family.name, issue.column + ": " + issue.code, At(file.name, issue.line));
    }
    core::KernelJudge judge(configuration_.families, family);
    std::string scratch;
    for (const core::Row& row : table->rows) {
      if (row.standing == core::Standing::kGarbled) continue;
      const core::Cells cells = core::SplitLine(row.line, scratch);
      const std::string place = At(file.name, row.source_line);
      AddValues(family, cells, place);
      const core::KernelVerdict verdict = judge.Of(cells);
      if (verdict.of == core::KernelOf::kFamily || verdict.column == core::kNoColumn) continue;
      Add("kernel", family.name, HeadOf(cells[verdict.column]), place);
    }
  }

  void AddValues(const core::Family& family, const core::Cells& cells, const std::string& place) {
    for (std::size_t i = 0; i < family.columns.size(); ++i) {
      const core::Column& column = family.columns[i];
      if (column.type != core::Type::kEnum || cells[i].empty()) continue;
      if (std::ranges::find(column.values, cells[i]) != column.values.end()) continue;
      Add(column.name == "libtype" ? "libtype" : "value", family.name,
          fmt::format("{}={}", column.name, cells[i]), place);
    }
  }

  // The part of a kernel's name that kernels of one kind share: "flydsl_decode_...".
  static std::string HeadOf(std::string_view kernel) {
    kernel = core::UnmangledKernel(kernel);
    const std::size_t first = kernel.find('_');
    const std::size_t second = first == kernel.npos ? first : kernel.find('_', first + 1);
    return std::string(kernel.substr(0, second)) + (second == kernel.npos ? "" : "_...");
  }

  static std::string At(const std::string& file, std::size_t line) {
    return fmt::format("{}:{}", file, line);
  }

  bool IsKnownLine(std::string_view line) const {
    return std::ranges::any_of(configuration_.families.all(), [&](const auto& family) {
      return std::ranges::any_of(family->misses, [&](const core::MissLine& miss) {
        return line.find(miss.mark) != std::string_view::npos;
      });
    });
  }

  // Texts in AITER's Python sources that mention a lookup but match no family's lines.
  void AddLogLines() {
    std::error_code error;
    const fs::path package = root_ / "aiter";
    const auto skip = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator it(package, skip, error), end; it != end && !error;
         it.increment(error)) {
      if (it->path().extension() != ".py" || !it->is_regular_file(error)) continue;
      const auto bytes = core::FileBytes::Read(it->path());
      if (!bytes.ok()) continue;
      const std::string name = it->path().lexically_relative(root_).string();
      std::size_t number = 0;
      for (const std::string_view line : core::SplitAfter(bytes->view(), "\n")) {
        ++number;
        if (IsLookupText(line) && !IsKnownLine(line)) {
          Add("log line", name, core::PlainText(core::Excerpt(core::Trim(line), kQuotedBytes)),
              At(name, number));
        }
      }
    }
  }

  static bool IsLookupText(std::string_view line) {
    if (core::Trim(line).starts_with('#')) return false;
    if (line.find('"') == line.npos && line.find('\'') == line.npos) return false;
    return std::ranges::any_of(kOfLookups,
                               [&](std::string_view part) { return line.find(part) != line.npos; });
  }

  void AddTriton() {
    const core::Reader* const reader = configuration_.readers.Find(kTritonReader);
    if (reader == nullptr || PackageFolders(reader->stores.front(), root_).empty()) return;
    const auto files = ReadReaderTree(*reader, root_);
    if (!files.ok()) return;
    const core::TreeReading reading =
        core::ReadTree(*reader, configuration_.targets, files->entries);
    for (const auto& [folder, count] : reading.unread)
      Add("triton", folder, "files that no lookup known to tunehub reads", folder, count);
    for (const core::Finding& finding : reading.findings) {
      if (finding.aside) Add("triton", core::PlainText(finding.file), finding.code, finding.file);
    }
  }

  const Configuration& configuration_;
  const fs::path root_;
  Drift drift_;
};

// The checkout above the folder of tables.
fs::path RootOf(const fs::path& configs) {
  const fs::path package = fs::absolute(configs).lexically_normal().parent_path();
  return package.filename() == "aiter" ? package.parent_path() : package;
}

}  // namespace

core::Result<Drift> DriftOf(const Configuration& configuration, const fs::path& tree) {
  const auto read = ReadTableFolder(configuration.families, tree);
  if (!read.ok()) return read.error();
  return DriftFinder(configuration, RootOf(read->configs)).Find(*read);
}

void PrintDriftText(const Drift& drift, std::ostream& out) {
  for (const auto& [name, unknown] : drift) {
    const auto& [kind, where, what] = name;
    out << kind << ": " << where << ": " << what << " (" << unknown.count
        << ", first: " << unknown.first << ")\n";
  }
  out << drift.size() << " unknown things\n";
}

void PrintDriftJson(const Drift& drift, std::ostream& out) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [name, unknown] : drift) {
    const auto& [kind, where, what] = name;
    list.push_back({{"kind", kind},
                    {"where", where},
                    {"what", what},
                    {"count", unknown.count},
                    {"first", unknown.first}});
  }
  out << nlohmann::ordered_json{{"unknown", list}}.dump(2) << '\n';
}

}  // namespace tunehub::agent
