#include "agent/commands/tuning/suite.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/ascii.h"
#include "core/base/excerpt.h"
#include "core/base/json_object.h"
#include "core/system/file_bytes.h"

namespace tunehub::agent::tuning {
namespace {

constexpr std::uint64_t kMostSize = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view kSuffix = ".json";

void AddCases(core::JsonObject& object, std::vector<SuiteCase>& cases) {
  SuiteCase it{object.Text("name"), object.Text("script"), {}, ""};
  if (it.kernel.empty() || !core::HoldsOnly(it.kernel, "_"))
    object.Fail("name", fmt::format("'{}' is no name of a kernel", core::Excerpt(it.kernel)));
  const nlohmann::json* const shapes = object.Value("shapes");
  if (shapes == nullptr || !shapes->is_array()) return object.Fail("shapes", "must be an array");
  for (const nlohmann::json& shape : *shapes) {
    bool sound = shape.is_array() && shape.size() == it.shape.size();
    for (std::size_t i = 0; sound && i < it.shape.size(); ++i) {
      sound = shape[i].is_number_unsigned() && shape[i] >= 1U && shape[i] <= kMostSize;
      if (sound) it.shape[i] = shape[i].get<std::int64_t>();
    }
    if (!sound)
      object.Fail("shapes",
                  fmt::format("{} is no [B, M, N, K] above 0", core::Excerpt(shape.dump())));
    it.key = fmt::format("{},{}", it.kernel, fmt::join(it.shape, ","));
    cases.push_back(it);
  }
  object.Finish();
}

core::Result<std::vector<SuiteCase>> ParseSuite(const std::string& file, std::string_view json) {
  core::JsonErrors errors(file, "bad_suite");
  const nlohmann::json document = core::ParseJson(json, errors);
  if (errors.any()) return errors.first();
  core::JsonObject root(document, "", errors);
  root.Text("about", "");
  root.Text("source", "");
  std::vector<SuiteCase> cases;
  for (core::JsonObject& object : root.Objects("kernels")) AddCases(object, cases);
  root.Finish();
  if (cases.empty()) errors.Add("", "has no shape of a kernel");
  if (errors.any()) return errors.first();
  return cases;
}

}  // namespace

core::Result<std::vector<SuiteCase>> LoadSuite(const core::TextFolder& suites,
                                               const std::string& name) {
  if (name.find('/') != name.npos || name.ends_with(kSuffix)) {
    const auto bytes = core::FileBytes::Read(name);
    if (!bytes.ok()) return bytes.error();
    return ParseSuite(name, bytes->view());
  }
  const std::string file = name + std::string(kSuffix);
  if (const auto text = suites.Read(file)) return ParseSuite(suites.PlaceOf(file), *text);
  return core::Error{"unknown_suite",
                     fmt::format("no suite '{}' in {}; a path has a '/' or ends with {}",
                                 core::Excerpt(name), suites.place(), kSuffix)};
}

}  // namespace tunehub::agent::tuning
