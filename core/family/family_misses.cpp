#include "core/family/family_misses.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/family/line_template.h"

namespace tunehub::core {
namespace {

bool IsColumn(JsonObject& json, const std::string& member, const Family& family,
              const std::string& name) {
  if (family.Find(name) != kNoColumn) return true;
  json.Fail(member, fmt::format("\"{}\" is no column of this family", name));
  return false;
}

void ParseCells(JsonObject& json, const Family& family, MissLine& line) {
  if (json.Has("cells")) {
    JsonObject cells = json.Object("cells");
    for (const std::string& name : cells.MemberNames()) {
      if (IsColumn(json, "cells", family, name)) line.cells[name] = cells.Text(name);
    }
  }
  if (!json.Has("replace")) return;
  JsonObject replace = json.Object("replace");
  for (const std::string& name : replace.MemberNames()) {
    JsonObject values = replace.Object(name);
    if (!IsColumn(json, "replace", family, name)) continue;
    for (const std::string& from : values.MemberNames()) {
      line.replace[name][from] = values.Text(from);
    }
  }
}

// True for a column that an untuned table may leave empty, or has a value for.
bool MayBeLeftOut(const Column& column) {
  if (column.role == Role::kTarget || column.optional) return true;
  return std::ranges::any_of(column.missing, [](const MissingRule& rule) {
    return rule.gfx.empty() && rule.kernel_prefix.empty();
  });
}

void CheckComplete(JsonObject& json, const Family& family, const LineTemplate& form,
                   const MissLine& line) {
  for (const std::string& name : family.untuned_columns) {
    const bool said = std::ranges::find(form.names(), name) != form.names().end();
    if (said || line.cells.contains(name) || MayBeLeftOut(family.columns[family.Find(name)])) {
      continue;
    }
    json.Fail("line", fmt::format("says nothing of the column {}, and neither does cells", name));
  }
}

MissLine ParseMiss(JsonObject& json, const Family& family) {
  MissLine line;
  line.text = json.Text("line");
  line.mark = json.Text("mark");
  line.only_named = json.Boolean("only_named", false);
  ParseCells(json, family, line);
  const Result<LineTemplate> form = LineTemplate::Parse(line.text);
  if (!form.ok()) {
    json.Fail("line", form.error().detail);
  } else {
    for (const std::string& name : form->names()) {
      if (!name.empty() && name != kFilePlace && name != kAnyPlace)
        IsColumn(json, "line", family, name);
    }
    if (line.mark.empty() || !form->Holds(line.mark)) {
      json.Fail("mark", "must be a part of the line outside braces");
    }
    CheckComplete(json, family, *form, line);
  }
  json.Finish();
  return line;
}

std::vector<MissLine> ParseLines(JsonObject& json, const std::string& member,
                                 const Family& family) {
  std::vector<MissLine> lines;
  if (!json.Has(member)) return lines;
  for (JsonObject& object : json.Objects(member)) lines.push_back(ParseMiss(object, family));
  return lines;
}

}  // namespace

void ParseMisses(JsonObject& json, Family& family) {
  family.misses = ParseLines(json, "misses", family);
  ParseLines(json, "hits", family);
}

std::vector<MissLine> HitLinesOf(const Family& family) {
  JsonErrors errors{family.name, "bad_family"};  // none: the file was loaded
  const nlohmann::json parsed = ParseJson(family.source, errors);
  JsonObject json(parsed, "", errors);
  return ParseLines(json, "hits", family);
}

}  // namespace tunehub::core
