#include "agent/capture/explanation.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <tuple>

#include "core/row/cell.h"
#include "core/table/table_writer.h"

namespace tunehub::agent {
namespace {

constexpr std::string_view kTriton = "triton";

struct LikeWords {
  std::string_view name, says;
};
// The order is that of FileLike.
constexpr LikeWords kLikes[] = {
    {"own", ""},
    {"other_name", "rows of the same GPU under another name"},
    {"other_triton", "rows of another Triton version"},
    {"sibling", "rows of a GPU with the same architecture and CU count"},
    {"other_engine", "rows of another engine"},
    {"other_device", "rows of another device"}};

const LikeWords& WordsOf(FileLike like) {
  return kLikes[static_cast<std::size_t>(like)];
}

// The columns of a shape key that may differ.
struct Differing {
  std::string_view engine, device, triton;
};

// Only one column may differ, since the hub does not borrow a row that differs in two columns.
FileLike LikeOf(const core::Targets& targets, const Differing& asked, const Differing& row) {
  const bool same_triton = row.triton == asked.triton;
  if (row.engine != asked.engine) {  // some engines have no Triton version
    return row.device == asked.device ? FileLike::kOtherEngine : FileLike::kOtherDevice;
  }
  if (row.device == asked.device) return same_triton ? FileLike::kOwn : FileLike::kOtherTriton;
  if (!same_triton) return FileLike::kOtherDevice;
  const core::Device* const mine = targets.FindDevice(asked.device);
  const core::Device* const theirs = targets.FindDevice(row.device);
  if (mine == nullptr || theirs == nullptr) return FileLike::kOtherDevice;
  if (mine == theirs) return FileLike::kOtherName;
  const bool same = mine->gfx == theirs->gfx && mine->cu_num == theirs->cu_num;
  return same ? FileLike::kSibling : FileLike::kOtherDevice;
}

std::string DescribeMatch(const FileMatch& match) {
  std::string text(WordsOf(match.like).says);
  text += fmt::format(": {}{}", match.engine,
                      match.device.empty() ? ", the device is unnamed" : ", " + match.device);
  if (!match.triton.empty()) text += ", Triton " + match.triton;
  return fmt::format("{} ({} rows, {} measured)", text, match.rows, match.measured);
}

void PrintExplainedFile(std::ostream& out, const ExplainedFile& file, bool looked) {
  out << fmt::format("  {:>6}", file.miss.count);
  if (looked) out << fmt::format("  {:>6}", file.has_rows() ? file.matches.front().rows : 0);
  out << "  " << file.miss.file.path << '\n';
  PrintAsked(out, "          ", file.miss);
  for (const FileMatch& match : file.matches) {
    if (match.like != FileLike::kOwn) out << "          " << DescribeMatch(match) << '\n';
  }
}

using CommonCells = std::vector<std::pair<std::string, std::string>>;

// The shape columns of an untuned row. Leaves out M, which differs within a group.
CommonCells CommonColumns(const core::MissShape& miss) {
  const core::Family& family = *miss.family;
  CommonCells columns;
  for (std::size_t i = 0; i < miss.cells.size(); ++i) {
    const std::size_t column = family.Find(family.untuned_columns[i]);
    const bool shape = family.columns[column].is_shape();
    if (shape && column != analysis::BucketColumn(family)) {
      columns.emplace_back(family.untuned_columns[i], miss.cells[i]);
    }
  }
  return columns;
}

std::string CellOf(const core::MissShape& miss, std::size_t column) {
  const core::Family& family = *miss.family;
  for (std::size_t i = 0; i < miss.cells.size(); ++i) {
    if (family.Find(family.untuned_columns[i]) == column) return miss.cells[i];
  }
  return "";
}

ExplainedShape Explained(const core::MissShape& miss) {
  ExplainedShape shape{miss, 0, analysis::State::kMissing, {}};
  shape.size = core::ParseInt64(CellOf(miss, analysis::BucketColumn(*miss.family))).value_or(0);
  return shape;
}

// Drops columns with the same value in all groups, but keeps N and K, by which people recognize a
// layer.
void DropWhatAllHave(const core::Family& family, std::vector<ShapeGroup>& groups) {
  const std::vector<std::size_t> pair = analysis::PairColumns(family);
  std::map<std::string, std::map<std::string, int>> values;
  for (const ShapeGroup& group : groups) {
    for (const auto& [name, value] : group.columns) ++values[name][value];
  }
  for (ShapeGroup& group : groups) {
    std::erase_if(group.columns, [&](const auto& column) {
      const bool of_pair = std::ranges::count(pair, family.Find(column.first)) > 0;
      return !of_pair && values[column.first].size() == 1;
    });
  }
}

std::vector<ShapeGroup> GroupsOf(const FamilyPart& part) {
  std::map<CommonCells, ShapeGroup> by_columns;
  for (std::size_t i = 0; i < part.shapes.size(); ++i) {
    const ExplainedShape& shape = part.shapes[i];
    const CommonCells columns = CommonColumns(shape.miss);
    ShapeGroup& group = by_columns[columns];
    const bool first = group.shapes.empty();
    group.columns = columns;
    group.from = first ? shape.size : std::min(group.from, shape.size);
    group.to = std::max(group.to, shape.size);
    group.count += shape.miss.count;
    group.shapes.push_back(i);
  }
  std::vector<ShapeGroup> groups;
  for (auto& [columns, group] : by_columns) groups.push_back(std::move(group));
  std::ranges::stable_sort(groups, std::greater<>(), &ShapeGroup::count);
  DropWhatAllHave(*part.family, groups);
  return groups;
}

}  // namespace

std::string_view CellNamed(const core::NamedFile& file, std::string_view column) {
  for (const auto& [name, value] : file.key) {
    if (name == column) return value;
  }
  return {};
}

std::vector<std::pair<std::string, std::string>> SharedKey(const core::Family& family,
                                                           const core::NamedFile& file) {
  std::vector<std::pair<std::string, std::string>> shared;
  for (const auto& [name, value] : file.key) {
    const std::size_t column = family.Find(name);
    const bool differs =
        column == family.engine || column == family.device || name == kTriton || value.empty();
    if (!differs) shared.emplace_back(name, value);
  }
  return shared;
}

std::vector<FileMatch> MatchesOf(const core::Family& family, const core::Targets& targets,
                                 const core::NamedFile& file, std::span<const std::string> lines) {
  const std::size_t triton = family.Find(kTriton);
  const auto named = [&](std::size_t column) {
    return column == core::kNoColumn ? std::string_view()
                                     : CellNamed(file, family.columns[column].name);
  };
  const Differing asked{named(family.engine), named(family.device), named(triton)};
  std::map<std::tuple<FileLike, std::string, std::string, std::string>, FileMatch> matches;
  for (const std::string& line : lines) {
    std::string scratch;
    const core::Cells cells = core::SplitLine(line, scratch);
    const bool shared = std::ranges::all_of(file.key, [&](const auto& it) {
      const std::size_t column = family.Find(it.first);
      return column == family.engine || column == family.device || it.first == kTriton ||
             cells[column] == it.second;
    });
    if (!shared) continue;
    const auto cell = [&](std::size_t column) {
      return column == core::kNoColumn ? std::string_view() : cells[column];
    };
    const Differing row{cell(family.engine), cell(family.device), cell(triton)};
    const FileLike like = LikeOf(targets, asked, row);
    FileMatch& match =
        matches[{like, std::string(row.engine), std::string(row.device), std::string(row.triton)}];
    if (match.rows == 0) {
      match = {like, std::string(row.engine), std::string(row.device), std::string(row.triton)};
    }
    ++match.rows;
    const auto us = core::ParseNumber(cells[family.objective]);
    if (us && *us > 0) ++match.measured;
  }
  std::vector<FileMatch> sorted;
  for (auto& [key, match] : matches) sorted.push_back(std::move(match));
  return sorted;
}

void PrintExplainedFiles(std::ostream& out, std::span<const ExplainedFile> files, bool looked) {
  std::map<std::string, std::vector<const ExplainedFile*>> readers;
  for (const ExplainedFile& it : files) readers[it.miss.file.reader].push_back(&it);
  for (const auto& [reader, of_reader] : readers) {
    const auto with_rows = std::ranges::count_if(of_reader, &ExplainedFile::has_rows);
    out << fmt::format("\n{}: {} {} looked for and not found", reader, of_reader.size(),
                       of_reader.size() == 1 ? "file" : "files");
    if (looked) out << fmt::format("; rows for {}", with_rows);
    out << fmt::format("\n  {:>6}{}  file\n", "missed", looked ? "    rows" : "");
    for (const ExplainedFile* const it : of_reader) PrintExplainedFile(out, *it, looked);
  }
}

nlohmann::ordered_json ExplainedFilesJson(std::span<const ExplainedFile> files, bool looked) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const ExplainedFile& it : files) {
    Json json = FilesJson(std::span(&it.miss, 1)).front();
    json["rows"] = Json();
    json["measured"] = Json();
    json["matches"] = Json();
    if (looked) {
      json["rows"] = it.has_rows() ? it.matches.front().rows : 0;
      json["measured"] = it.has_rows() ? it.matches.front().measured : 0;
      json["matches"] = Json::array();
      for (const FileMatch& match : it.matches) {
        if (match.like == FileLike::kOwn) continue;
        json["matches"].push_back({{"like", WordsOf(match.like).name},
                                   {"engine", match.engine},
                                   {"device", match.device},
                                   {"triton", match.triton},
                                   {"rows", match.rows},
                                   {"measured", match.measured}});
      }
    }
    list.push_back(std::move(json));
  }
  return list;
}

std::size_t FamilyPart::tuned() const {
  return static_cast<std::size_t>(std::ranges::count_if(shapes, &ExplainedShape::tuned));
}

std::vector<FamilyPart> PartsOf(const core::Targets& targets,
                                const std::vector<core::MissShape>& shapes) {
  std::map<std::tuple<std::string, std::string, std::string>, FamilyPart> parts;
  std::map<std::pair<const FamilyPart*, std::vector<std::string>>, std::size_t> places;
  for (const core::MissShape& miss : shapes) {
    const bool of_device = miss.family->gfx == core::kNoColumn;
    FamilyPart& part =
        parts[{miss.family->name, of_device ? "" : miss.gfx, of_device ? "" : miss.cu_num}];
    part.family = miss.family;
    part.count += miss.count;
    // A line that names its target and a line without one may describe the same shape.
    const auto [place, added] = places.emplace(std::pair(&part, miss.cells), part.shapes.size());
    if (added) {
      part.shapes.push_back(Explained(miss));
    } else {
      part.shapes[place->second].miss.count += miss.count;
    }
    if (miss.gfx.empty() || of_device) continue;
    const int cu_num = core::ParseInt(miss.cu_num).value_or(0);
    const auto target = core::TargetToLookUp(targets, core::NamedTarget(targets, miss.gfx, cu_num),
                                             miss.family->cu_num != core::kNoColumn);
    if (target.ok()) part.target = *target;
  }
  std::vector<FamilyPart> sorted;
  for (auto& [key, part] : parts) {
    part.groups = GroupsOf(part);
    sorted.push_back(std::move(part));
  }
  std::ranges::stable_sort(sorted, std::greater<>(), &FamilyPart::count);
  return sorted;
}

std::size_t Explanation::shapes() const {
  std::size_t count = 0;
  for (const FamilyPart& part : parts) count += part.shapes.size();
  return count;
}

std::vector<core::MissShape> Untuned(const FamilyPart& part) {
  std::vector<core::MissShape> untuned;
  for (const ExplainedShape& shape : part.shapes) {
    if (!shape.tuned()) untuned.push_back(shape.miss);
  }
  return untuned;
}

}  // namespace tunehub::agent
