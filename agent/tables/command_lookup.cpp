#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/base/command.h"
#include "agent/tables/commands.h"
#include "agent/tables/input_family.h"
#include "core/analysis/lookup_json.h"
#include "core/lookup/table.h"

namespace tunehub::agent {
namespace {

using Json = nlohmann::ordered_json;

core::Result<core::FamilyShape> ShapeOf(const core::Family& family, const std::string& gfx,
                                        const std::vector<std::string>& items) {
  std::vector<core::NamedCell> cells;
  for (const std::string& item : items) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == item.size() ||
        item.find('=', equals + 1) != std::string::npos) {
      return core::Error{"bad_shape",
                         fmt::format("'{}': expected columns as COLUMN=VALUE, with blanks between "
                                     "them and no blank at the =, such as M=16 N=1280 K=5120",
                                     item)};
    }
    const std::string_view text = item;
    cells.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  core::FamilyShape shape;
  if (const auto issue = core::MakeShape(family, gfx, cells, 0, shape)) {
    const bool named = issue->detail.find("'" + issue->column + "'") != std::string::npos;
    return core::Error{issue->code, named ? issue->detail : issue->column + ": " + issue->detail};
  }
  return shape;
}

void PrintRow(std::ostream& out, const core::Family& family, const Json& row) {
  const auto print = [&](const std::string& column) {
    const Json& value = row.at(column);
    out << ' ' << column << '=' << (value.is_string() ? value.get<std::string>() : value.dump());
  };
  if (family.lookup.m != core::kNoColumn) print(family.columns[family.lookup.m].name);
  for (const std::size_t column : family.config_columns) print(family.columns[column].name);
  if (family.objective != core::kNoColumn) print(family.columns[family.objective].name);
  print("standing");
  out << '\n';
}

void PrintLookup(std::ostream& out, const core::Family& family, const Json& json) {
  out << json.at("step").get<std::string>() << ':';
  if (json.at("row").is_null()) {
    out << ' ' << json.at("fallback").at("reason").get<std::string>() << '\n';
  } else {
    PrintRow(out, family, json.at("row"));
  }
  for (const Json& tried : json.at("tried")) {
    out << "  tried " << tried.at("step").get<std::string>() << ": "
        << tried.at("detail").get<std::string>() << '\n';
  }
  for (const Json& also : json.at("also")) {
    out << "  not used, because an earlier step found a row: " << also.at("step").get<std::string>()
        << ':';
    PrintRow(out, family, also.at("row"));
  }
  for (const Json& column : json.at("not_compared")) {
    out << "  the lookup ignores " << column.get<std::string>() << '\n';
  }
  if (!json.at("wanted").is_null()) {
    out << "  to tune: " << json.at("wanted").at("to_tune").dump() << '\n';
  }
}

}  // namespace

int LookUp(const Configuration& configuration, const LookupOptions& options, Console& console) {
  const auto read = ReadLookupTable(configuration, options.family, options.tables);
  if (!read.ok()) return Fail(console, "lookup", read.error());
  const core::Family& family = read->table.family();
  const core::Targets& targets = configuration.targets;
  const auto target =
      core::TargetToLookUp(targets, core::KnownTarget(targets, options.gfx, options.cu_num),
                           family.cu_num != core::kNoColumn);
  if (!target.ok()) return Fail(console, "lookup", target.error());
  const auto shape = ShapeOf(family, target->gfx, options.shape);
  if (!shape.ok()) return Fail(console, "lookup", shape.error());
  const Json json = analysis::LookupJson(read->table, {*shape, target->gfx, target->cu_num});
  if (options.json) {
    console.out << json.dump(2) << '\n';
  } else {
    PrintLookup(console.out, family, json);
  }
  const bool measured = !json.at("row").is_null() && json.at("row").at("standing") != "unmeasured";
  return measured ? kGood : kFinding;
}

int RunLookup(int argc, char** argv, Console& console) {
  LookupOptions options;
  std::string configs;
  cli::CommandLine line(
      "Prints the row that AITER would find for a shape (M not padded), and the step of the lookup "
      "that finds the row: exact, gl0, gl1 and so on.",
      "tunehub-agent lookup");
  line.Add("SHAPE", options.shape, "every shape column: M=100 N=1280 K=5120").Required();
  line.Add("--table", options.tables, "a tuned table; several are merged as AITER would")
      .Required();
  line.Add("--family", options.family, "the family; default: found from the tables");
  line.Add("--gfx", options.gfx, "the GPU: MI300X, or gfx942").Required();
  line.Add("--cu-num", options.cu_num,
           "the CU count; default: the GPU's, or the usual one of the gfx");
  line.Add("--configs", configs, "folder with families/ and targets.json");
  line.AddFlag("--json", options.json, "print the JSON answer of GET /lookup");
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return Fail(console, "lookup", configuration.error());
  return LookUp(*configuration, options, console);
}

}  // namespace tunehub::agent
