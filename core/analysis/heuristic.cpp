#include "core/analysis/heuristic.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
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

namespace {

struct Tile {
  int m, n;
};

// From the tiles of decoding to the tiles of prefill.
constexpr std::array<Tile, 4> kTiles = {{{16, 64}, {32, 64}, {64, 64}, {128, 128}}};

std::string Name(const char* what, const Tile& tile) {
  return fmt::format("{}{}x{}", what, tile.m, tile.n);
}

bool IsNumber(const core::Column& column) {
  return column.type == core::Type::kInteger || column.type == core::Type::kNumber ||
         column.type == core::Type::kBoolean || column.type == core::Type::kFlag ||
         column.type == core::Type::kEnum;
}

double NumberOf(const core::Column& column, std::string_view cell) {
  if (column.type == core::Type::kEnum) {
    const auto found = std::find(column.values.begin(), column.values.end(), cell);
    return static_cast<double>(found - column.values.begin());
  }
  if (column.type == core::Type::kBoolean) return cell == "True" ? 1 : 0;
  const double number = core::ParseNumber(cell).value_or(0);
  return std::isfinite(number) ? number : 0;
}

bool IsGemm(const core::Family& family) {
  return family.metric.formula == "gemm";
}

bool IsMoe(const core::Family& family) {
  return family.metric.formula == "fmoe";
}

double NumberAt(const core::Family& family, std::size_t column, const core::Cells& cells) {
  return NumberOf(family.columns[column], cells[column]);
}

using Json = nlohmann::ordered_json;

constexpr const char* kCode = "bad_heuristic";
// Far above a tree that people can read. It limits the recursion.
constexpr int kMaxDepth = 64;
// The JSON parser refuses deeper files.
constexpr int kMaxNesting = 4 * kMaxDepth;

// False for the name of a failed candidate, which may contain any character.
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
        if (needed) object.Fail(column.name, "is missing; a candidate needs it");
        continue;
      }
      const std::string text = object.Text(column.name);
      const auto cell = core::CanonicalCell(column, text, scratch);
      if (cell.ok() && IsOfCandidate(column, *cell)) {
        cells[i] = *cell;
      } else {
        object.Fail(column.name,
                    cell.ok() ? "expected a value of a candidate that runs" : cell.error().detail);
      }
    }
    object.Finish();
    return MakeChoice(family_, std::move(cells));
  }

  std::size_t ReadNode(core::JsonObject object, int depth, Heuristic& heuristic) {
    const std::size_t place = heuristic.nodes.size();
    heuristic.nodes.emplace_back();
    if (depth > kMaxDepth) {
      object.Fail("", fmt::format("is nested deeper than {} levels", kMaxDepth));
    }
    if (errors_.any()) return place;  // missing members would cause endless recursion
    Node node;
    if (object.Has("choose")) {
      node.choice = Intern(ReadChoice(object.Object("choose")), heuristic);
      node.rows = Count(object, "rows");
      node.matches = Count(object, "matches");
    } else {
      const std::string feature = object.Text("feature");
      node.feature = features_.Find(feature);
      if (!errors_.any() && node.feature == core::kNoColumn) {
        object.Fail("feature", fmt::format("unknown feature '{}' of {}; known features: {}",
                                           feature, family_.name, Names()));
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

Features::Features(const core::Family& family) : family_(family) {
  for (std::size_t i = 0; i < family.columns.size(); ++i) {
    const core::Column& column = family.columns[i];
    if (column.role != core::Role::kShape || !IsNumber(column)) continue;
    columns_.push_back(i);
    names_.push_back(column.name);
  }
  if (IsMoe(family)) names_.emplace_back("rows_per_expert");
  if (!IsGemm(family)) return;
  for (const char* name : {"MN", "MK", "NK"}) names_.emplace_back(name);
  for (const Tile& tile : kTiles) {
    names_.push_back(Name("waves_", tile));
    names_.push_back(Name("fill_", tile));
  }
}

std::size_t Features::Find(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found == names_.end() ? core::kNoColumn : static_cast<std::size_t>(found - names_.begin());
}

void Features::Of(const core::Cells& cells, int cu_num, std::vector<double>& numbers) const {
  numbers.clear();
  for (std::size_t column : columns_) numbers.push_back(NumberAt(family_, column, cells));
  if (IsMoe(family_)) {
    const auto named = [&](const char* name) {
      return NumberAt(family_, family_.Find(name), cells);
    };
    numbers.push_back(named("token") * named("topk") / std::max(1.0, named("expert")));
  }
  if (!IsGemm(family_)) return;
  const double m = NumberAt(family_, family_.metric.m, cells);
  const double n = NumberAt(family_, family_.metric.n, cells);
  const double k = NumberAt(family_, family_.metric.k, cells);
  numbers.insert(numbers.end(), {m * n, m * k, n * k});
  const double cus = std::max(1, cu_num);
  for (const Tile& tile : kTiles) {
    const double waves = std::ceil(m / tile.m) * std::ceil(n / tile.n) / cus;
    numbers.push_back(waves);
    numbers.push_back(waves / std::max(1.0, std::ceil(waves)));
  }
}

std::string Features::Expression(std::size_t feature, const NameOf& name_of) const {
  if (feature < columns_.size()) return name_of(columns_[feature]);
  if (IsMoe(family_)) {
    const auto named = [&](const char* name) { return name_of(family_.Find(name)); };
    return fmt::format("{} * {} / max(1.0, {})", named("token"), named("topk"), named("expert"));
  }
  const std::string m = name_of(family_.metric.m), n = name_of(family_.metric.n),
                    k = name_of(family_.metric.k);
  const std::array products = {m + " * " + n, m + " * " + k, n + " * " + k};
  std::size_t place = feature - columns_.size();
  if (place < products.size()) return products[place];
  place -= products.size();
  const Tile& tile = kTiles[place / 2];
  const std::string waves = fmt::format("1.0 * ceil({} / {}.0) * ceil({} / {}.0) / max(1.0, {})", m,
                                        tile.m, n, tile.n, name_of(core::kNoColumn));
  return place % 2 == 0 ? waves : fmt::format("{0} / max(1.0, ceil({0}))", "(" + waves + ")");
}

core::Result<Heuristic> ParseHeuristic(std::string_view name, std::string_view json,
                                       const core::Family& family) {
  core::JsonErrors errors{std::string(name), kCode};
  const nlohmann::json document = core::ParseJson(json, errors, kMaxNesting);
  core::JsonObject root(document, "", errors);
  Heuristic heuristic;
  heuristic.family = root.Text("family");
  if (!errors.any() && heuristic.family != family.name) {
    root.Fail("family", fmt::format("is '{}'; expected {}", heuristic.family, family.name));
  }
  heuristic.about = root.Text("about", "");
  heuristic.gfx = root.Text("gfx", "");
  if (!heuristic.gfx.empty() && core::CanonicalGfx(heuristic.gfx) != heuristic.gfx)
    root.Fail("gfx", "expected a target's name, such as gfx942");
  const std::int64_t cu_num = root.Integer("cu_num", 0);
  if (cu_num < 0 || cu_num > 4096) root.Fail("cu_num", "expected a number from 0 to 4096");
  heuristic.cu_num = errors.any() ? 0 : static_cast<int>(cu_num);
  root.Value("learned");  // for people: how the heuristic was learned
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
