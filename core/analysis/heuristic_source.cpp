#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/analysis/heuristic.h"
#include "core/base/text.h"

namespace tunehub::analysis {
namespace {

using core::Type;

// The differences between the two languages, as patterns of fmt.
struct Language {
  const char *number, *truth;  // an argument as a double
  const char *value, *other;   // an enum's: a listed value (text, index); any other
  const char *local, *test, *end, *leaf;
  const char* member;  // of an instance
  std::size_t step;    // of indents
};

constexpr Language kCpp = {"static_cast<double>({})",
                           "({} ? 1.0 : 0.0)",
                           "{0} == {1} ? {2}.0 : ",
                           "({}{}.0)",
                           "  [[maybe_unused]] const double f_{} = {};\n",
                           "{}if (f_{} <= {:#}) {{\n",
                           "{}}}\n",
                           "{}return kInstances[{}];\n",
                           "/* {} */ {}",
                           2};
constexpr Language kPython = {"float({})",
                              "float({})",
                              "{2}.0 if {0} == {1} else ",
                              "({}{}.0)",
                              "    f_{} = {}\n",
                              "{}if f_{} <= {:#}:\n",
                              "",
                              "{}return dict(INSTANCES[{}])\n",
                              "\"{}\": {}",
                              4};

constexpr const char* kCppFile =
    R"(// Chooses the kernel of {family} for an untuned shape.
// `tunehub-agent heuristic export` wrote this file. Its texts are cells of a tuned table.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace heuristic_{family} {{

struct Instance {{
  const char {fields};
}};

inline constexpr std::string_view kGfx = {gfx};  // the GPU; empty: any
inline constexpr int kCuNum = {cu_num};  // the GPU's CU count; 0: any
inline constexpr int kDefault = {fallback};  // index into kInstances; -1: unknown
inline constexpr Instance kInstances[] = {{
{instances}}};

inline const Instance& Choose({typed}) {{
  using std::ceil;
  using std::max;
{body}}}

}}  // namespace heuristic_{family}
)";

constexpr const char* kPythonFile =
    R"(# Chooses the kernel of {family} for an untuned shape.
# `tunehub-agent heuristic export` wrote this file. Its texts are cells of a tuned table.
from math import ceil

GFX = {gfx}  # the GPU; empty: any
CU_NUM = {cu_num}  # the GPU's CU count; 0: any
DEFAULT = {fallback}  # index into INSTANCES; -1: unknown
INSTANCES = (
{instances})


def choose({names}):
{body})";

// Writes a quoted string that both languages read the same way. Escapes '?' because of trigraphs.
std::string Literal(std::string_view text) {
  std::string literal;
  for (const char c : text) {
    const bool plain = core::HoldsOnly(std::string_view(&c, 1), " _.,:;=+-*/<>(){}[]");
    literal += plain ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  }
  return '"' + literal + '"';
}

bool IsIdentifier(const std::string& name) {
  return !name.empty() && core::HoldsOnly(name, "_") && (name.front() < '0' || name.front() > '9');
}

template <typename... Arguments>
std::string Fill(const char* pattern, const Arguments&... arguments) {
  return fmt::format(fmt::runtime(pattern), arguments...);
}

class SourceWriter {
 public:
  SourceWriter(const Heuristic& heuristic, const core::Family& family)
      : heuristic_(heuristic), family_(family), features_(family) {
    places_.resize(heuristic.choices.size());
    for (const Node& node : heuristic.nodes) {
      if (node.choice != kNoChoice) places_[node.choice] = PlaceOf(heuristic.choices[node.choice]);
    }
    if (heuristic.fallback) fallback_ = PlaceOf(*heuristic.fallback);
  }

  std::string Json() const {
    nlohmann::ordered_json json = {{"family", family_.name}};
    if (!heuristic_.gfx.empty()) json["gfx"] = heuristic_.gfx;
    if (heuristic_.cu_num != 0) json["cu_num"] = heuristic_.cu_num;
    if (heuristic_.fallback) json["default"] = ToJson(*heuristic_.fallback, family_);
    json["instances"] = nlohmann::ordered_json::array();
    for (const Choice* it : instances_) json["instances"].push_back(ToJson(*it, family_));
    return json.dump(2) + "\n";
  }

  std::string Write(const char* file, const Language& language) const {
    std::vector<std::string> fields, names, typed;
    for (const std::size_t i : family_.config_columns)
      fields.push_back("*" + family_.columns[i].name);
    for (const std::size_t i : features_.columns()) {
      const core::Column& column = family_.columns[i];
      names.push_back(column.name);
      typed.push_back((column.type == Type::kEnum ? "std::string_view "
                       : IsTruth(column)          ? "bool "
                                                  : "std::int64_t ") +
                      column.name);
    }
    names.emplace_back(kCpuCount);
    typed.push_back(fmt::format("std::int64_t {}", kCpuCount));
    using fmt::arg;
    return Fill(file, arg("family", family_.name), arg("gfx", Literal(heuristic_.gfx)),
                arg("cu_num", heuristic_.cu_num), arg("fallback", fallback_),
                arg("fields", fmt::join(fields, ", ")), arg("names", fmt::join(names, ", ")),
                arg("typed", fmt::join(typed, ", ")), arg("instances", InstanceLines(language)),
                arg("body", Body(language)));
  }

 private:
  static constexpr const char* kCpuCount = "cu_num";

  static bool IsTruth(const core::Column& column) {
    return column.type == Type::kBoolean || column.type == Type::kFlag;
  }

  int PlaceOf(const Choice& choice) {
    const auto found = std::ranges::find(instances_, choice.cells, &Choice::cells);
    const auto place = static_cast<int>(found - instances_.begin());
    if (found == instances_.end()) instances_.push_back(&choice);
    return place;
  }

  std::string InstanceLines(const Language& language) const {
    std::string lines;
    for (const Choice* it : instances_) {
      std::vector<std::string> members;
      for (const std::size_t i : family_.config_columns)
        members.push_back(Fill(language.member, family_.columns[i].name, Literal(it->cells[i])));
      lines += fmt::format("    {{{}}},\n", fmt::join(members, ", "));
    }
    return lines;
  }

  static std::string NumberText(const core::Column& column, const Language& language) {
    if (column.type != Type::kEnum)
      return Fill(IsTruth(column) ? language.truth : language.number, column.name);
    std::string listed;
    for (std::size_t i = 0; i < column.values.size(); ++i)
      listed += Fill(language.value, column.name, Literal(column.values[i]), i);
    return Fill(language.other, listed, column.values.size());
  }

  // Writes the features that the tree uses, then the tree.
  std::string Body(const Language& language) const {
    std::string body;
    for (const std::size_t i : features_.columns())
      body +=
          Fill(language.local, family_.columns[i].name, NumberText(family_.columns[i], language));
    body += Fill(language.local, kCpuCount, Fill(language.number, kCpuCount));
    std::set<std::size_t> derived;
    for (const Node& node : heuristic_.nodes) {
      if (node.choice == kNoChoice && node.feature >= features_.columns().size())
        derived.insert(node.feature);
    }
    const auto name_of = [&](std::size_t column) {
      return "f_" + (column == core::kNoColumn ? kCpuCount : family_.columns[column].name);
    };
    for (const std::size_t it : derived)
      body += Fill(language.local, features_.names()[it], features_.Expression(it, name_of));
    return body + Branch(heuristic_.nodes.front(), language, 1);
  }

  // Writes a node. The lines after a test's block, at the same indent, run if the test fails.
  std::string Branch(const Node& node, const Language& language, std::size_t depth) const {
    const std::string indent(depth * language.step, ' ');
    if (node.choice != kNoChoice) return Fill(language.leaf, indent, places_[node.choice]);
    return Fill(language.test, indent, features_.names()[node.feature], node.at_most) +
           Branch(heuristic_.nodes[node.yes], language, depth + 1) + Fill(language.end, indent) +
           Branch(heuristic_.nodes[node.no], language, depth);
  }

  const Heuristic& heuristic_;
  const core::Family& family_;
  const Features features_;
  std::vector<const Choice*> instances_;
  std::vector<int> places_;  // by Node::choice, into instances_
  int fallback_ = -1;
};

}  // namespace

core::Result<std::vector<SourceText>> SourcesOf(const Heuristic& heuristic,
                                                const core::Family& family) {
  for (const core::Column& column : family.columns) {
    if (!IsIdentifier(column.name))
      return core::Error{"bad_family", "the column '" + column.name + "' cannot be an identifier"};
  }
  const SourceWriter writer(heuristic, family);
  return std::vector<SourceText>{
      {family.name + "_instances.json", writer.Json()},
      {family.name + "_heuristic.h", writer.Write(kCppFile, kCpp)},
      {family.name + "_heuristic.py", writer.Write(kPythonFile, kPython)}};
}

}  // namespace tunehub::analysis
