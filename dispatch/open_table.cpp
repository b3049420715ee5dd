#include "dispatch/open_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/base/file.h"
#include "core/family/families.h"
#include "core/table/table_writer.h"
#include "dispatch_devices.h"
#include "dispatch_families.h"
#include "dispatch_targets.h"

namespace tunehub::th {

RowTexts::RowTexts(const lookup::Table& table) : columns_(table.family().columns.size()) {
  begins_.reserve(table.rows().size() * columns_);
  std::string scratch;
  for (const lookup::TableRow& row : table.rows()) {
    const core::Cells cells = core::SplitLine(row.line, scratch);
    for (std::size_t column = 0; column < columns_; ++column) {
      begins_.push_back(text_.size());
      text_ += cells[column];
      text_ += '\0';
    }
  }
}

namespace {

using core::Error;
using core::Result;

using FamilyPointer = std::shared_ptr<const core::Family>;

// GEMMs have the first column, fused MoE has the second.
constexpr std::string_view kSplitK[] = {"splitK", "ksplit"};

template <typename T>
T Whole(core::Result<T> result) {
  if (!result.ok()) throw std::logic_error(result.error().detail);
  return *std::move(result);
}

const core::Families& BuiltInFamilies() {
  static const core::Families families =
      Whole(core::Families::Load(core::TextFolder("", kFamilyTexts)));
  return families;
}

Result<FamilyPointer> FamilyOf(const std::string& name, const std::string& folder) {
  const auto families =
      folder.empty() ? Result<core::Families>(BuiltInFamilies()) : core::Families::Load(folder);
  if (!families.ok()) return families.error();
  const auto family = families->Named(name);
  if (!family.ok()) return family.error();
  return *std::ranges::find(families->all(), *family, [](const auto& it) { return it.get(); });
}

std::string Sentence(const core::RowIssue& issue) {
  return fmt::format("line {}: {}{}", issue.line, issue.column.empty() ? "" : issue.column + ": ",
                     issue.detail);
}

}  // namespace

Result<std::string> ReadFile(const std::string& path) {
  const auto bytes = core::FileBytes::Read(path);
  if (!bytes.ok()) return Error{"not_read", bytes.error().detail};
  return std::string(bytes->view());
}

Result<std::shared_ptr<const OpenTable>> OpenTable::Make(const TableRequest& request) {
  auto family = FamilyOf(request.family, request.family_folder);
  if (!family.ok()) return family.error();
  if (request.empty) {
    lookup::LoadedTable none{nullptr, lookup::Table(**family, {}), {}};
    return std::shared_ptr<const OpenTable>(new OpenTable(*family, std::move(none)));
  }
  const std::string name = request.name.empty() ? "the table" : request.name;
  const core::SourceFile source{name, request.csv};
  auto loaded = lookup::LoadTable(**family, BuiltInTargets(), {&source, 1});
  if (!loaded.ok()) return loaded.error();
  return std::shared_ptr<const OpenTable>(new OpenTable(*family, *std::move(loaded)));
}

OpenTable::OpenTable(FamilyPointer family, lookup::LoadedTable loaded)
    : family_(std::move(family)), loaded_(std::move(loaded)), texts_(loaded_.table) {
  for (const std::string_view name : kSplitK) {
    if (split_k_ == core::kNoColumn) split_k_ = family_->Find(name);
  }
  for (const core::FileIssues& file : loaded_.left_out) {
    for (const auto* issues : {&file.rejected, &file.quarantined}) {
      if (why_.empty() && !issues->empty()) why_ = Sentence(issues->front());
      left_out_ += issues->size();
    }
  }
}

th_table_info OpenTable::Info() const {
  return {family().name.c_str(), table().rows().size(), left_out_, why_.c_str()};
}

const core::Targets& BuiltInTargets() {
  static const core::Targets targets = Whole(core::Targets::Parse(
      "targets.json", kTargetsText, Whole(core::Devices::Parse("devices.json", kDevicesText))));
  return targets;
}

}  // namespace tunehub::th
