// The environment of one side of a comparison: a set of named facts.
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

// A fact's name begins with a letter or '_'. At most 63 letters, digits, '_', '-' and '.' follow.
bool IsFactName(std::string_view name);
// The common name of a fact with several names: "triton" for "triton_version".
std::string_view FactName(std::string_view name);
// True for a name that describes one measurement ("started", "note"). Repetitions of a measurement
// may differ in its value.
bool IsNoFact(std::string_view name);
// The text of a number, a boolean, or a string without control characters; nullopt for other
// values.
std::optional<std::string> FactText(const nlohmann::json& value);

// Errors: two_values if the fact already has another value.
core::Status AddFact(std::string_view name, const std::string& value, Environment& environment);

// Parses a file that describes an environment: one JSON object. Errors: bad_environment (file,
// member, value).
core::Result<Environment> ParseEnvironment(const std::string& file, std::string_view json);

// Reads lines such as "# rocm: 7.0.1" before a table's header.
Environment EnvironmentOf(std::string_view csv);

struct Environments {
  std::vector<std::string> differing;  // facts that differ, or that only one side contains
  bool is_repetition = false;          // all facts are equal, except facts about who measured
};
Environments CompareEnvironments(const Environment& base, const Environment& head);
std::string Text(const Environments& environments);  // for people

}  // namespace tunehub::analysis
