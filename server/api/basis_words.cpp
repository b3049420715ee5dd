#include "server/api/basis_words.h"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;
using analysis::Basis;

// Of the first of the shapes.
std::string TunedWords(const analysis::BasisUse& use) {
  const analysis::TimeEstimate& by = use.first;
  switch (use.basis) {
    case Basis::kSameWeights:
      return fmt::format("tuned at the nearest M, {}, times {:.3g} by the roofline",
                         by.from->place.shape, by.factor);
    case Basis::kOtherWeights:
      return fmt::format("tuned beside it, {}, times {:.3g} by the roofline", by.from->place.shape,
                         by.factor);
    case Basis::kSibling:
      return fmt::format(
          "tuned with {} CUs, times {:.3g}: the median of {} shapes that both have tuned",
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
  return fmt::format("default over tuned as measured of {}", use.ratio_of);
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
          {"words", fmt::format("{} has {}; {}", use.shape, TunedWords(use), DefaultWords(use))},
          {"shapes", use.shapes},
          {"tuned_error", ErrorJson(use.tuned)},
          {"worth_error", ErrorJson(use.worth)}};
}

}  // namespace tunehub::api
