#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/base/text.h"
#include "core/family/family.h"
#include "core/row/cell.h"
#include "core/table/csv.h"
#include "core/table/detect.h"

namespace tunehub::core {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

constexpr std::size_t kMostEnumValues = 20;  // limits the values stored per column

// AITER's names of columns that are not part of the shape.
struct Known {
  std::string_view name, role, type;
};
constexpr Known kKnown[] = {{"gfx", "target", "gfx"},
                            {"arch", "target", "gfx"},
                            {"cu_num", "target", "integer"},
                            {"_tag", "tag", "text"},
                            {"libtype", "config", "enum"},
                            {"kernelId", "config", "integer"},
                            {"solidx", "config", "integer"},
                            {"kernelName", "config", "kernel"},
                            {"kernelName1", "config", "kernel"},
                            {"kernelName2", "config", "kernel"},
                            {"splitK", "config", "integer"},
                            {"us", "objective", "number"},
                            {"duration", "objective", "number"},
                            {"errRatio", "error", "error"},
                            {"err_ratio", "error", "error"},
                            {"tflops", "derived", "number"},
                            {"bw", "derived", "number"}};

const Known* KnownOf(std::string_view column) {
  const auto* const found = std::ranges::find(kKnown, column, &Known::name);
  return found == std::end(kKnown) ? nullptr : found;
}

struct Values {
  std::set<std::string> words;
  bool integer = true, number = true, boolean = true, missing = false;

  void Add(std::string_view cell) {
    if (IsMissing(cell)) {
      missing = true;
      return;
    }
    integer = integer && ParseInt64(cell).has_value();
    number = number && ParseNumber(cell).has_value();
    boolean = boolean && (cell == "True" || cell == "False");
    if (words.size() <= kMostEnumValues) words.emplace(cell);
  }

  std::string Type(bool shape) const {
    if (words.empty()) return "text";
    if (integer) return "integer";
    if (number && !shape) return "number";
    if (boolean) return "boolean";
    return "text";
  }
};

// Returns each column's values in the reader's remaining rows.
Result<std::vector<Values>> ValuesBelow(const Words& header, CsvReader& reader) {
  std::vector<Values> values(header.size());
  CsvRecord record;
  for (;;) {
    const Result<bool> more = reader.Next(record);
    if (!more.ok()) return more.error();
    if (!*more) return values;
    for (std::size_t i = 0; i < header.size(); ++i)
      values[i].Add(i < record.fields.size() ? record.fields[i] : std::string_view());
  }
}

Json DraftColumn(const std::string& name, bool shape, const Values& values) {
  const Known* const known = shape ? nullptr : KnownOf(name);
  Json column = {{"name", name},
                 {"role", known != nullptr ? known->role
                          : shape          ? "shape"
                                           : "config"},
                 {"type", known != nullptr ? std::string(known->type) : values.Type(shape)}};
  if (column["type"] == "enum") column["values"] = values.words;
  if (name == "kernelId" || name == "solidx") {
    column["min"] = -1;
    column["identity"] = "unnamed";
  }
  if (values.missing && column["role"] != "target" && column["role"] != "tag")
    column["missing"] = "";
  return column;
}

// Returns "a6w4_asm" for "a6w4_asm_tuned_gemm": removes the words that all tables share.
std::string NameOf(std::string stem) {
  for (const std::string_view word : {"_tuned_gemm", "_tuned", "tuned_"}) {
    if (const std::size_t at = stem.find(word); at != stem.npos && stem.size() > word.size())
      stem.erase(at, word.size());
  }
  std::ranges::transform(stem, stem.begin(), [](char c) {
    const char lower = Lower(c);
    return HoldsOnly(std::string_view(&lower, 1), "") ? lower : '_';
  });
  return stem;
}

}  // namespace

Result<std::string> DraftFamily(std::string_view name, std::string_view csv,
                                std::string_view untuned) {
  if (const Status status = CheckTableText(csv); !status.ok()) return status.error();
  CsvReader reader(csv);
  CsvRecord record;
  if (const Status status = reader.First(record); !status.ok()) return status.error();
  const Words header(record.fields.begin(), record.fields.end());
  const auto values = ValuesBelow(header, reader);
  if (!values.ok()) return values.error();
  const Words asked = HeaderFields(untuned);
  Json columns = Json::array(), shape = Json::array(), has = Json::array();
  bool before_config = true;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const Known* const known = KnownOf(header[i]);
    const bool target = known != nullptr && known->role == "target";
    before_config = before_config && (known == nullptr || target);
    const bool is_shape =
        known == nullptr &&
        (asked.empty() ? before_config : std::ranges::count(asked, header[i]) > 0);
    columns.push_back(DraftColumn(header[i], is_shape, (*values)[i]));
    if (is_shape) shape.push_back(header[i]);
    if (known == nullptr) has.push_back(header[i]);
  }
  const std::string file(BaseName(name)), stem = file.substr(0, file.rfind('.'));
  const std::string untuned_file = UntunedName(file);
  const Json family = {
      {"name", NameOf(stem)},
      {"title", stem},
      {"notes",
       "This is a draft. Fill in these members: title, env, tune_script, lookup, metric, misses, "
       "modules."},
      {"file", file},
      {"token", stem},
      {"env", ""},
      {"untuned_file", untuned_file.empty() ? stem + "_untuned.csv" : untuned_file},
      {"untuned_columns", shape},
      {"columns", columns},
      {"metric", {{"formula", "none"}}},
      {"lookup", {{"kind", "exact"}}},
      {"signature", {{"has", has}}},
      {"heat_map", {{"x", shape.empty() ? "" : shape.front()}, {"y", shape}}}};
  std::string text = family.dump(2) + "\n";
  const auto parsed = ParseFamily(file, text);
  if (!parsed.ok()) return parsed.error();
  return text;
}

}  // namespace tunehub::core
