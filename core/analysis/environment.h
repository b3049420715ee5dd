// What a side of a comparison was measured in: an environment is a set of named facts. Pure.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::analysis {

// Values by name: "triton", "rocm", "async_copy", ...
using Environment = std::map<std::string, std::string>;

// A letter or '_', then at most 63 of these, digits, '-' and '.'.
bool IsFactName(std::string_view name);
// The one name of a fact that files name differently: "triton" of "triton_version".
std::string_view FactName(std::string_view name);
// Whether the name says which measurement it was, and nothing of where: a repetition differs in it.
bool IsNoFact(std::string_view name);
// Of a text without control characters, a number, true or false; nothing of any other value.
std::optional<std::string> FactText(const nlohmann::json& value);

// Error two_values: the fact has another value already.
core::Status AddFact(std::string_view name, const std::string& value, Environment& environment);

// A file that describes an environment: one JSON object. Errors: bad_environment, with the file,
// the member and its value.
core::Result<Environment> ParseEnvironment(const std::string& file, std::string_view json);

// What the lines "# rocm: 7.0.1" before a table's header say.
Environment EnvironmentOf(std::string_view csv);

struct Environments {
  std::vector<std::string> differing;  // facts that differ, or that one side alone gives
  bool is_repetition = false;          // both sides give facts, and the same ones
};
Environments CompareEnvironments(const Environment& base, const Environment& head);
std::string Text(const Environments& environments);  // for people

}  // namespace tunehub::analysis
