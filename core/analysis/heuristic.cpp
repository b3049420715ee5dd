#include "core/analysis/heuristic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/json_object.h"
#include "core/row/cell.h"
#include "core/row/row.h"

namespace tunehub::analysis {

Choice MakeChoice(const core::Family& family, std::vector<std::string> cells) {
  Choice choice{std::move(cells), {}};
  core::AppendCandidateText(choice.identity, family,
                            core::Cells(choice.cells.begin(), choice.cells.end()));
  return choice;
}

std::size_t Heuristic::Leaves() const {
  return static_cast<std::size_t>(std::count_if(
      nodes.begin(), nodes.end(), [](const Node& node) { return node.choice != kNoChoice; }));
}

std::size_t Heuristic::Choose(const std::vector<double>& numbers) const {
  const Node* node = &nodes.front();
  while (node->choice == kNoChoice) {
    node = &nodes[numbers[node->feature] <= node->at_most ? node->yes : node->no];
  }
  return node->choice;
}

// The file format of a heuristic.

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCode = "bad_heuristic";
// A tree that a person can read has a few levels; a file with more was not meant to be read at all.
constexpr int kMaxDepth = 64;
// Behind which a file is no tree at all, and is not parsed.
constexpr int kMaxNesting = 4 * kMaxDepth;

// Tables have more: the names of failed candidates, which may hold anything.
bool IsOfCandidate(const core::Column& column, std::string_view cell) {
  const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
  return std::ranges::all_of(cell, printable) &&
         !(column.type == core::Type::kKernel && cell.starts_with(core::kFailedKernel));
}

class Reader {
 public:
  Reader(const core::Family& family, core::JsonErrors& errors)
      : family_(family), features_(family), errors_(errors) {}

  Choice ReadChoice(core::JsonObject object) {
    std::vector<std::string> cells(family_.columns.size());
    core::Scratch scratch;
    for (std::size_t i : family_.config_columns) {
      const core::Column& column = family_.columns[i];
      if (!object.Has(column.name)) {
        cells[i] = column.DefaultCell();
        const bool needed = column.missing.empty() && column.identity == core::Identity::kAlways;
        if (needed) object.Fail(column.name, "is missing: without it this is no candidate");
        continue;
      }
      const std::string text = object.Text(column.name);
      const auto cell = core::CanonicalCell(column, text, scratch);
      if (cell.ok() && IsOfCandidate(column, *cell)) {
        cells[i] = *cell;
      } else {
        object.Fail(column.name,
                    cell.ok() ? "is no text of a candidate that runs" : cell.error().detail);
      }
    }
    object.Finish();
    return MakeChoice(family_, std::move(cells));
  }

  std::size_t ReadNode(core::JsonObject object, int depth, Heuristic& heuristic) {
    const std::size_t place = heuristic.nodes.size();
    heuristic.nodes.emplace_back();
    if (depth > kMaxDepth) {
      object.Fail("", fmt::format("lies deeper than {} levels", kMaxDepth));
    }
    if (errors_.any()) return place;  // members that are missing would be read on and on
    Node node;
    if (object.Has("choose")) {
      node.choice = Intern(ReadChoice(object.Object("choose")), heuristic);
      node.rows = Count(object, "rows");
      node.matches = Count(object, "matches");
    } else {
      const std::string feature = object.Text("feature");
      node.feature = features_.Find(feature);
      if (!errors_.any() && node.feature == core::kNoColumn) {
        object.Fail("feature", fmt::format("'{}' is no feature of {}; there are {}", feature,
                                           family_.name, Names()));
      }
      node.at_most = object.Number("at_most");
      node.yes = ReadNode(object.Object("yes"), depth + 1, heuristic);
      node.no = ReadNode(object.Object("no"), depth + 1, heuristic);
    }
    object.Finish();
    heuristic.nodes[place] = node;
    return place;
  }

 private:
  static std::size_t Count(core::JsonObject& object, const std::string& member) {
    const std::int64_t count = object.Integer(member, 0);
    if (count < 0) object.Fail(member, "must not be negative");
    return static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  }

  static std::size_t Intern(Choice choice, Heuristic& heuristic) {
    auto& choices = heuristic.choices;
    const auto found = std::find_if(choices.begin(), choices.end(),
                                    [&](const Choice& it) { return it.cells == choice.cells; });
    const auto place = static_cast<std::size_t>(found - choices.begin());
    if (found == choices.end()) choices.push_back(std::move(choice));
    return place;
  }

  std::string Names() const { return fmt::format("{}", fmt::join(features_.names(), ", ")); }

  const core::Family& family_;
  Features features_;
  core::JsonErrors& errors_;
};

Json NodeJson(const Heuristic& heuristic, const core::Family& family, const Features& features,
              const Node& node) {
  if (node.choice != kNoChoice) {
    Json leaf = {{"choose", ToJson(heuristic.choices[node.choice], family)}};
    if (node.rows > 0) {
      leaf["rows"] = node.rows;
      leaf["matches"] = node.matches;
    }
    return leaf;
  }
  const bool whole = node.at_most == std::floor(node.at_most) && std::abs(node.at_most) < 1e15;
  return {{"feature", features.names()[node.feature]},
          {"at_most", whole ? Json(static_cast<std::int64_t>(node.at_most)) : Json(node.at_most)},
          {"yes", NodeJson(heuristic, family, features, heuristic.nodes[node.yes])},
          {"no", NodeJson(heuristic, family, features, heuristic.nodes[node.no])}};
}

}  // namespace

core::Result<Heuristic> ParseHeuristic(std::string_view name, std::string_view json,
                                       const core::Family& family) {
  core::JsonErrors errors{std::string(name), kCode};
  const nlohmann::json document = core::ParseJson(json, errors, kMaxNesting);
  core::JsonObject root(document, "", errors);
  Heuristic heuristic;
  heuristic.family = root.Text("family");
  if (!errors.any() && heuristic.family != family.name) {
    root.Fail("family", fmt::format("is '{}', not {}", heuristic.family, family.name));
  }
  heuristic.about = root.Text("about", "");
  heuristic.gfx = root.Text("gfx", "");
  if (!heuristic.gfx.empty() && core::CanonicalGfx(heuristic.gfx) != heuristic.gfx)
    root.Fail("gfx", "is no target name such as gfx942");
  const std::int64_t cu_num = root.Integer("cu_num", 0);
  if (cu_num < 0 || cu_num > 4096) root.Fail("cu_num", "is not within 0..4096");
  heuristic.cu_num = errors.any() ? 0 : static_cast<int>(cu_num);
  root.Value("learned");  // how it came about, for people
  Reader reader(family, errors);
  if (root.Has("default")) heuristic.fallback = reader.ReadChoice(root.Object("default"));
  if (root.Has("tree")) {
    reader.ReadNode(root.Object("tree"), 0, heuristic);
  } else if (!heuristic.fallback) {
    root.Fail("tree", "is missing");
  }
  root.Finish();
  if (errors.any()) return errors.first();
  return heuristic;
}

core::Result<std::optional<Heuristic>> LoadHeuristic(const core::TextFolder& folder,
                                                     const core::Family& family) {
  const std::string file = family.name + ".json";
  const std::optional<std::string> text = folder.Read(file);
  if (!text) return std::optional<Heuristic>();
  auto heuristic = ParseHeuristic(folder.PlaceOf(file), *text, family);
  if (!heuristic.ok()) return heuristic.error();
  return std::optional<Heuristic>(*std::move(heuristic));
}

Json ToJson(const Choice& choice, const core::Family& family) {
  Json json = Json::object();
  for (std::size_t i : family.config_columns) {
    if (!choice.cells[i].empty()) json[family.columns[i].name] = choice.cells[i];
  }
  return json;
}

Json ToJson(const Heuristic& heuristic, const core::Family& family) {
  Json json = {{"family", heuristic.family}};
  if (!heuristic.about.empty()) json["about"] = heuristic.about;
  if (!heuristic.gfx.empty()) json["gfx"] = heuristic.gfx;
  if (heuristic.cu_num != 0) json["cu_num"] = heuristic.cu_num;
  if (heuristic.fallback) json["default"] = ToJson(*heuristic.fallback, family);
  if (!heuristic.nodes.empty()) {
    json["tree"] = NodeJson(heuristic, family, Features(family), heuristic.nodes.front());
  }
  return json;
}

}  // namespace tunehub::analysis
