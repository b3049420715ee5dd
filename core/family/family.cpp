#include "core/family/family.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/family/lookup_kinds.h"

namespace tunehub::core {

std::vector<std::int64_t> Lookup::BoundsOf(std::string_view op_name,
                                           std::string_view of_file) const {
  const auto own = own_bounds.find(op_name);
  if (own != own_bounds.end()) return own->second;
  const auto in_file = ParseBounds(of_file);
  return in_file.empty() ? bounds : in_file;
}

bool Lookup::AsksFor(std::string_view op_name, std::string_view bucket,
                     std::string_view of_file) const {
  if (bucket.empty() || bucket == kAnyBucket) return true;
  const auto parsed = ParseBucket(bucket);
  return parsed && std::ranges::binary_search(BoundsOf(op_name, of_file), parsed->bound);
}

std::size_t Family::Find(std::string_view column) const {
  const auto named = [column](const Column& candidate) {
    return candidate.name == column ||
           std::ranges::find(candidate.aliases, column) != candidate.aliases.end();
  };
  const auto found = std::ranges::find_if(columns, named);
  return found == columns.end() ? kNoColumn : static_cast<std::size_t>(found - columns.begin());
}

std::string Family::Header(bool with_optional) const {
  std::string header;
  for (const Column& column : columns) {
    if (column.optional && !with_optional) continue;
    if (!header.empty()) header += ',';
    header += column.name;
  }
  return header;
}

namespace {

constexpr std::array<std::string_view, 3> kKinds = {"dense", "batched", "experts"};
// What a text of a rule may have in braces; a rounding may follow: {width:256}.
constexpr std::array<std::string_view, 13> kPlaces = {
    "m",     "n",       "k",       "batch",  "experts", "topk", "width",
    "model", "block_n", "block_k", "device", "bucket",  "gfx"};

// "" where every place of the text is one.
std::string WrongPlace(std::string_view text) {
  for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{')) {
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) return std::string(text.substr(open));
    const std::string_view place = text.substr(open + 1, close - open - 1);
    if (std::ranges::find(kPlaces, place.substr(0, place.find(':'))) == kPlaces.end()) {
      return std::string(place);
    }
    text.remove_prefix(close + 1);
  }
  return {};
}

void ParseColumns(JsonObject json, const Family& family, ProductRule& rule) {
  for (const std::string& name : json.MemberNames()) {
    const std::string text = json.Text(name);
    const std::size_t column = family.Find(name);
    if (column == kNoColumn || !family.columns[column].is_key()) {
      json.Fail(name, "is no key column of this family");
    } else if (const std::string wrong = WrongPlace(text); !wrong.empty()) {
      json.Fail(name, fmt::format("\"{}\" is no figure of a product", wrong));
    }
    rule.columns.emplace(name, text);
  }
  json.Finish();
}

void AddUsual(Family& family) {
  if (family.metric.formula == "fmoe") {
    family.products.push_back({"experts", {}, {}});
  } else if (family.metric.formula == "gemm") {
    family.products.push_back({family.metric.batch == kNoColumn ? "dense" : "batched", {}, {}});
  }
}

}  // namespace

void ParseProducts(JsonObject& json, Family& family) {
  if (!json.Has("products")) return AddUsual(family);
  for (JsonObject& item : json.Objects("products")) {
    ProductRule rule;
    rule.of = item.Text("of");
    if (std::ranges::find(kKinds, rule.of) == kKinds.end()) {
      item.Fail("of", "must be one of dense, batched, experts");
    }
    rule.schemes = item.Texts("schemes");
    if (item.Has("columns")) ParseColumns(item.Object("columns"), family, rule);
    item.Finish();
    family.products.push_back(std::move(rule));
  }
}

}  // namespace tunehub::core
