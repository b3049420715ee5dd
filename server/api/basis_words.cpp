#include "server/api/basis_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;
using analysis::Basis;

// The cells of a key that another one has not: "N=5120 K=8704". Most columns say the same.
std::string Differing(std::string_view key, std::string_view other) {
  const auto next = [](std::string_view& rest) {
    const std::string_view cell = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(cell.size() + 1, rest.size()));
    return cell;
  };
  std::string text;
  while (!key.empty()) {
    const std::string_view cell = next(key), same = next(other);
    if (cell != same) text.append(text.empty() ? "" : " ").append(cell);
  }
  return text;
}

// Of the first of the shapes.
std::string TunedWords(const analysis::BasisUse& use) {
  const analysis::TimeEstimate& by = use.first;
  switch (use.basis) {
    case Basis::kSameWeights:
    case Basis::kOtherWeights:
      return fmt::format("as tuned at {}, times {:.3g} by the roofline",
                         Differing(by.from->place.shape, use.shape), by.factor);
    case Basis::kSibling:
      return fmt::format(
          "as tuned with {} CUs, times {:.3g}: the median of {} shapes that both have tuned",
          by.from->cu_num, by.factor, by.keys);
    case Basis::kRoofline:
      return fmt::format("the roofline at {:.0f} % of it: the median of {} tuned keys",
                         by.factor * 100, by.keys);
  }
  return "";
}

std::string_view DefaultName(const analysis::BasisUse& use) {
  if (use.default_measured) return "measured";
  return use.ratio_of.empty() ? "none" : "ratio";
}

std::string DefaultWords(const analysis::BasisUse& use) {
  if (use.default_measured) return "the default was measured";
  if (use.ratio_of.empty()) return "no default was measured of such a key";
  return fmt::format("default over tuned as measured at {}", Differing(use.ratio_of, use.shape));
}

Json ErrorJson(const analysis::HeldOut& error) {
  if (error.keys == 0) return {};
  return {{"keys", error.keys},
          {"error", std::isfinite(error.error) ? Json(error.error) : Json()},
          {"sure", error.is_sure()}};
}

}  // namespace

Json BasisJson(const analysis::BasisUse& use) {
  return {{"basis", analysis::Name(use.basis)},
          {"default", DefaultName(use)},
          {"words", fmt::format("{}; {}", TunedWords(use), DefaultWords(use))},
          {"m", use.m},
          {"from", use.first.from == nullptr ? Json() : Json(use.first.from->place.shape)},
          {"ratio_of", use.ratio_of.empty() ? Json() : Json(use.ratio_of)},
          {"shapes", use.shapes},
          {"tuned_error", ErrorJson(use.tuned)},
          {"worth_error", ErrorJson(use.worth)}};
}

}  // namespace tunehub::api
