#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "core/base/text.h"
#include "core/readers/tree_reader.h"
#include "core/readers/tunable_file.h"
#include "core/row/target.h"
#include "core/table/table_writer.h"

namespace tunehub::core {
namespace {

constexpr std::string_view kUsualName = "tunableop_results";

// Issues that skip a row or the whole file.
bool IsAside(std::string_view code) {
  constexpr std::string_view kAside[] = {"refused_file", "not_a_row",    "untuned_line",
                                         "not_asked",    "bad_solution", "repeated_row"};
  return std::ranges::find(kAside, code) != std::end(kAside);
}

class TunableWalk {
 public:
  TunableWalk(const ReaderStore& store, const Targets& targets, std::string_view device)
      : family_(*store.family), targets_(targets), device_(device) {}

  TreeReading Read(const std::vector<TreeEntry>& entries) {
    std::vector<const TreeEntry*> sorted;
    for (const TreeEntry& entry : entries) sorted.push_back(&entry);
    std::ranges::sort(sorted, {}, &TreeEntry::name);
    for (const TreeEntry* entry : sorted) ReadEntry(*entry);
    if (table_.rows > 0) reading_.tables.push_back(std::move(table_));
    return std::move(reading_);
  }

 private:
  void Note(const TreeEntry& entry, std::string code, std::string detail, bool aside = false) {
    reading_.findings.push_back({entry.path, "", std::move(code), std::move(detail), aside});
  }

  void ReadEntry(const TreeEntry& entry) {
    const TunableFile file = ReadTunableFile(entry.bytes);
    const bool named = BaseName(entry.name).starts_with(kUsualName);
    if (!named && !file.validators.contains(std::string(kPtVersion))) {
      const std::size_t slash = entry.name.rfind('/');
      ++reading_.unread[slash == std::string::npos ? "." : entry.name.substr(0, slash)];
      return;
    }
    ++reading_.files;
    for (const TunableIssue& issue : file.issues) {
      const bool aside = IsAside(issue.code);
      reading_.findings.push_back({entry.path,
                                   issue.line == 0 ? "" : fmt::format("line {}", issue.line),
                                   issue.code, issue.detail, aside});
      if (aside) ++reading_.members_aside;
    }
    if (file.rows.empty()) {
      ++reading_.files_aside;
      return;
    }
    const std::string device = DeviceOf(entry, file);
    const std::string gfx = GfxOf(device), made_on = TargetGfxOf(file.validators);
    if (gfx != kUnknownGfx && !made_on.empty() && gfx != made_on) {
      Note(entry, "other_gpu",
           fmt::format("the device {} is {}, but the file was made on {} ({})", device, gfx,
                       made_on, kGcnArchName),
           true);
      ++reading_.files_aside;
      return;
    }
    TellDevice(entry, device);
    ++table_.files;
    for (const TunableRow& row : file.rows) AddRow(file, row, device);
  }

  std::string DeviceOf(const TreeEntry& entry, const TunableFile& file) const {
    if (!device_.empty()) return device_;
    const auto place = ParseTunablePath(entry.name);
    if (place.ok() && !place->device.empty()) return place->device;
    return TargetGfxOf(file.validators);
  }

  void TellDevice(const TreeEntry& entry, const std::string& device) {
    if (!told_.insert(device).second) return;
    if (device.empty()) {
      Note(entry, "no_device",
           "pass --device, because this file does not name its GPU (only the validators of AMD's "
           "GPUs do)");
    } else if (GfxOf(device) == kUnknownGfx) {
      Note(entry, "unknown_device",
           fmt::format("the device '{}' is unknown; the hub keeps that name", device));
    }
  }

  std::string GfxOf(const std::string& device) const {
    Cells cells(family_.columns.size());
    cells[family_.device] = device;
    return TargetOf(family_, targets_, cells).gfx;
  }

  void AddRow(const TunableFile& file, const TunableRow& row, const std::string& device) {
    const std::string validators = ValidatorsText(file.validators);
    if (!seen_.insert({device, validators, row.shape, row.solution}).second) return;
    const std::string us = MicrosecondsOf(row);
    Cells cells(family_.columns.size());
    const std::pair<std::string_view, std::string_view> named[] = {
        {"engine", kEngine},
        {"device", device},
        {"validators", validators},
        {"op", row.shape.op},
        {"params", row.shape.params},
        {"solution", row.solution},
        {"us", us},
        {"ms", row.ms},
        {"blas_params", row.blas_params}};
    for (const auto& [name, cell] : named) cells.at(family_.Find(name)) = cell;
    if (table_.csv.empty()) table_.csv = family_.Header(true) + "\n";
    table_.family = &family_;
    table_.csv += JoinCells(cells) + "\n";
    ++table_.rows;
  }

  static constexpr std::string_view kEngine = "rocm";

  const Family& family_;
  const Targets& targets_;
  std::string device_;
  std::set<std::string> told_;
  std::set<std::tuple<std::string, std::string, TunableShape, std::string>> seen_;
  TreeTable table_;
  TreeReading reading_;
};

}  // namespace

TreeReading ReadTunableTree(const ReaderStore& store, const Targets& targets,
                            const std::vector<TreeEntry>& entries, std::string_view device) {
  return TunableWalk(store, targets, device).Read(entries);
}

}  // namespace tunehub::core
