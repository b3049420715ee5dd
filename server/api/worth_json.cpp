#include "server/api/worth_json.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "server/api/basis_words.h"

namespace tunehub::api {

const std::array<std::string_view, kWorthSorts> kWorthSortNames = {"worth", "share",  "lost",
                                                                   "open",  "demand", "cost"};

namespace {

using Json = nlohmann::ordered_json;
using analysis::Need;

constexpr double kDigits = 1e6;  // a millionth of a microsecond

Json Rounded(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return {};
  return std::round(*value * kDigits) / kDigits;
}

std::size_t Count(const analysis::WorthGroup& group, Need need) {
  return group.shapes[static_cast<std::size_t>(need)];
}

// The work of a token that finds no tuned row.
double OpenWork(const WorthLine& line) {
  const auto all = static_cast<double>(line.open() + Count(*line.group, Need::kSlow));
  return line.layer().flops * static_cast<double>(line.open()) / all;
}

std::optional<double> SortValue(const WorthLine& line, std::string_view name) {
  if (name == "worth") return line.worth();
  if (name == "share") return line.share();
  if (name == "lost") return line.lost();
  if (name == "open") return static_cast<double>(line.open());
  if (name == "demand") return static_cast<double>(line.group->demand);
  return line.gpu_seconds();
}

Json NeedsJson(const std::array<std::size_t, analysis::kNeeds>& shapes) {
  Json json = Json::object();
  for (std::size_t i = 0; i < shapes.size(); ++i)
    json[std::string(analysis::Name(static_cast<Need>(i)))] = shapes[i];
  return json;
}

Json RangesJson(const std::vector<analysis::MRange>& ranges) {
  Json json = Json::array();
  for (const analysis::MRange& it : ranges) {
    json.push_back({{"state", analysis::Name(it.need)},
                    {"from", it.from},
                    {"to", it.to},
                    {"shapes", it.shapes}});
  }
  return json;
}

Json RooflineJson(const analysis::WorthGroup& group) {
  if (group.judged == 0) return {};
  const analysis::NeededShape& it = group.furthest;
  return {{"share", it.key.share()},
          {"median_share", group.median_share},
          {"judged", group.judged},
          {"m", it.m},
          {"key", it.key.place.shape},
          {"us", it.key.tuned_us},
          {"roofline_us", Rounded(it.key.roofline_us)},
          {"bound", it.roofline.by_memory ? "memory" : "compute"},
          {"product", it.roofline.product->product}};
}

// Nothing estimated: null.
Json WorthJson(double us, analysis::Span range, bool sure, std::size_t shapes, double layers) {
  if (shapes == 0) return {};
  return {{"us", sure ? Rounded(us * layers) : Json()},
          {"low", Rounded(range.low * layers)},
          {"high", Rounded(range.high * layers)},
          {"shapes", shapes}};
}

Json CostJson(const service::TuningCost& cost) {
  Json json = {{"basis", service::Name(cost.basis)}, {"jobs", cost.jobs}, {"shapes", cost.shapes}};
  if (cost.shapes > 0) json["seconds_per_shape"] = Rounded(cost.per_shape());
  return json;
}

}  // namespace

std::size_t WorthLine::open() const {
  return Count(*group, Need::kMissing) + Count(*group, Need::kBaseline) +
         Count(*group, Need::kUnmeasured);
}

std::optional<double> WorthLine::worth() const {
  if (group->worth_shapes == 0) return std::nullopt;
  return group->worth * layers();
}

std::optional<double> WorthLine::lost() const {
  if (group->judged == 0) return std::nullopt;
  return group->lost * layers();
}

std::optional<double> WorthLine::share() const {
  if (group->judged == 0) return std::nullopt;
  return group->furthest.key.share();
}

std::optional<double> WorthLine::gpu_seconds() const {
  if (open() == 0) return 0;
  if (cost.basis == service::CostBasis::kNone) return std::nullopt;
  return cost.per_shape() * static_cast<double>(open());
}

std::vector<WorthLine> LinesOf(const service::CellWorth& worth,
                               const std::vector<service::TuningCost>& costs) {
  std::vector<WorthLine> lines;
  for (std::size_t i = 0; i < worth.families.size(); ++i) {
    for (const analysis::WorthGroup& group : worth.families[i].groups)
      lines.push_back({&worth.families[i], &group, costs[i]});
  }
  return lines;
}

void SortLines(std::vector<WorthLine>& lines, std::string_view name, bool falling) {
  std::ranges::stable_sort(lines, [&](const WorthLine& a, const WorthLine& b) {
    const auto x = SortValue(a, name), y = SortValue(b, name);
    if (x.has_value() != y.has_value()) return x.has_value();
    if (x && *x != *y) return falling ? *x > *y : *x < *y;
    return OpenWork(a) > OpenWork(b);
  });
}

Json LineJson(const WorthLine& line) {
  const analysis::WorthGroup& group = *line.group;
  const service::FamilyWorth& family = *line.family;
  Json shape = Json::object();
  for (std::size_t i = 0; i < family.columns.size(); ++i)
    shape[family.columns[i]] = family.pairs[group.pair][i];
  Json bases = Json::array();
  for (const analysis::BasisUse& use : group.bases) bases.push_back(BasisJson(use));
  Json json = {
      {"family", family.family->name},
      {"layer", line.layer().name},
      {"layers", line.layer().layers},
      {"shape", std::move(shape)},
      {"shapes", NeedsJson(group.shapes)},
      {"demand", group.demand},
      {"ranges", RangesJson(group.ranges)},
      {"roofline", RooflineJson(group)},
      {"lost_us", Rounded(line.lost())},
      {"brought", group.brought_shapes == 0 ? Json()
                                            : Json{{"us", Rounded(group.brought * line.layers())},
                                                   {"shapes", group.brought_shapes}}},
      {"tuned_us", bases.empty() ? Json() : Rounded(group.tuned_us * line.layers())},
      {"worth", WorthJson(group.worth, group.range, group.sure, group.worth_shapes, line.layers())},
      {"without_basis", group.without_basis},
      {"bases", std::move(bases)},
      {"gpu_seconds", Rounded(line.gpu_seconds())}};
  return json;
}

Json TotalsJson(const std::vector<WorthLine>& lines) {
  std::array<std::size_t, analysis::kNeeds> shapes{};
  std::size_t worth_shapes = 0, brought_shapes = 0, without_basis = 0, judged = 0;
  double worth = 0, brought = 0, lost = 0, seconds = 0;
  analysis::Span range;
  bool sure = true, costed = true;
  for (const WorthLine& line : lines) {
    const analysis::WorthGroup& group = *line.group;
    for (std::size_t i = 0; i < shapes.size(); ++i) shapes[i] += group.shapes[i];
    worth_shapes += group.worth_shapes;
    brought_shapes += group.brought_shapes;
    without_basis += group.without_basis;
    judged += group.judged;
    sure = sure && group.sure;
    worth += group.worth * line.layers();
    brought += group.brought * line.layers();
    lost += group.lost * line.layers();
    range.low += group.range.low * line.layers();
    range.high += group.range.high * line.layers();
    costed = costed && line.gpu_seconds().has_value();
    seconds += line.gpu_seconds().value_or(0);
  }
  return {
      {"shapes", NeedsJson(shapes)},
      {"lost_us", judged == 0 ? Json() : Rounded(lost)},
      {"brought",
       brought_shapes == 0 ? Json() : Json{{"us", Rounded(brought)}, {"shapes", brought_shapes}}},
      {"worth", WorthJson(worth, range, sure, worth_shapes, 1)},
      {"without_basis", without_basis},
      {"gpu_seconds", costed ? Rounded(seconds) : Json()}};
}

Json FamilyWorthJson(const service::FamilyWorth& family, const service::TuningCost& cost,
                     const std::vector<WorthLine>& lines) {
  std::vector<WorthLine> own;
  std::ranges::copy_if(lines, std::back_inserter(own),
                       [&](const WorthLine& line) { return line.family == &family; });
  Json json = {{"family", family.family->name},
               {"tunable", family.family->objective != core::kNoColumn},
               {"tuned", family.tuned},
               {"with_default", family.with_default},
               {"has_defaults", family.known->estimates.has_defaults()},
               {"to_measure", family.without_default.size()}};
  json.update(TotalsJson(own));
  json["cost"] = CostJson(cost);
  return json;
}

}  // namespace tunehub::api
