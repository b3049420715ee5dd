#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "agent/base/terminal.h"
#include "agent/tables/contribution.h"
#include "core/row/cell.h"
#include "core/table/csv.h"
#include "core/table/merge.h"
#include "core/table/table_writer.h"

namespace tunehub::agent {
namespace {

constexpr std::string_view kCsv = ".csv";

// A rule for the names of operand types. The first rule that matches counts. a, w, type: prefixes
// of q_dtype_a, q_dtype_w, q_type.
struct QuantRule {
  std::string_view a, w, type, name, other;
};
constexpr std::array<QuantRule, 13> kQuantRules = {{
    {"torch.float4", "torch.float4", "", "fp4_", "a4w4_"},
    {"torch.float8", "torch.float4", "", "a8w4_", "fp8fp4_"},
    {"torch.bfloat16", "torch.float4", "", "a16w4_", "a16w4_"},
    {"torch.float16", "torch.float4", "", "a16w4_", "a16w4_"},
    {"", "torch.int4", "", "i4_", "i4_"},
    {"torch.float8", "torch.float8", "QuantType.per_1x32", "mxfp8_", "mxfp8_"},
    {"torch.float8", "torch.float8", "QuantType.per_1x128", "a8w8_blockscale_", "fp8_"},
    {"torch.float8", "torch.float8", "QuantType.per_128x128", "a8w8_blockscale_", "fp8_"},
    {"torch.float8", "torch.float8", "QuantType.per_Token", "ptpc_", "fp8_"},
    {"torch.float8", "torch.float8", "", "fp8_", "fp8_"},
    {"", "torch.int8", "", "int8_", "int8_"},
    {"", "torch.bfloat16", "", "bf16_", "bf16_"},
    {"", "torch.float16", "", "fp16_", "fp16_"},
}};

// A name for comparisons: lower case, with '_' for '-' and '.'.
std::string Plain(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    plain += c == '-' || c == '.' ? '_' : static_cast<char>(upper ? c - 'A' + 'a' : c);
  }
  return plain;
}

// Returns the names of a fused MoE's operand types in the names of AITER's files. A new file gets
// the first of them. "" if file names contain only the model.
std::array<std::string_view, 2> QuantNames(const core::Family& family, const core::Cells& cells) {
  const std::size_t a = family.Find("q_dtype_a"), w = family.Find("q_dtype_w");
  const std::size_t type = family.Find("q_type");
  if (a == core::kNoColumn || w == core::kNoColumn || type == core::kNoColumn) return {};
  for (const QuantRule& rule : kQuantRules) {
    const bool holds = cells[a].starts_with(rule.a) && cells[w].starts_with(rule.w) &&
                       cells[type].starts_with(rule.type);
    if (holds) return {rule.name, rule.other};
  }
  return {};
}

std::string FamiliesIn(const core::Families& families, std::string_view name) {
  std::string found;
  for (const auto& family : families.all()) {
    if (family->token.empty() || name.find(family->token) == std::string_view::npos) continue;
    found += (found.empty() ? "" : ", ") + family->name;
  }
  return found;
}

// Returns the first column that the row needs and the table lacks; "": none. A row does not need a
// column if AITER's merge fills in the same value: 0, or for gfx the value that follows from the CU
// count.
std::string Lacks(const core::Family& family, const core::Targets& targets,
                  const core::TableHeader& header, const core::Cells& cells) {
  for (std::size_t i = 0; i < family.columns.size(); ++i) {
    const core::Column& column = family.columns[i];
    const bool needed = column.is_key() || column.role == core::Role::kConfig ||
                        column.role == core::Role::kObjective;
    if (header.present[i] || !needed || cells[i].empty()) continue;
    bool filled_in = i != family.gfx && cells[i] == "0";
    if (i == family.gfx && family.cu_num != core::kNoColumn) {
      const auto cu_num = core::ParseInt(cells[family.cu_num]);
      filled_in = cu_num && targets.LegacyGfx(*cu_num) == cells[i];
    }
    if (!filled_in) return column.name;
  }
  return "";
}

// Splits the text into lines, with their line ends; returns at least one line.
std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  do {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  } while (!text.empty());
  return lines;
}

core::Error GuardFailed(const std::string& guard, const std::string& what) {
  return {"guard_failed", fmt::format("{}: {}", guard, what)};
}

// AITER's test reads only default files. Failures that the tree had before do not count.
core::Status CheckTableTest(const core::Targets& targets, const ContributedFile& file) {
  if (file.path != file.family->file) return core::Ok();
  std::vector<Remark> before, after;
  const auto old = core::ReadTunedTable(*file.family, targets, file.before);
  if (old.ok()) AddTestFailures(*file.family, file.path, *old, before);
  const auto table = core::ReadTunedTable(*file.family, targets, file.bytes);
  if (!table.ok()) return table.error();
  AddTestFailures(*file.family, file.path, *table, after);
  if (after.size() <= before.size()) return core::Ok();
  const core::RowIssue& last = after.back().issue;
  return GuardFailed("AITER's test of its tables",
                     fmt::format("{}:{}: {}", file.path, last.line, last.detail));
}

core::Status CheckMerge(const core::Targets& targets, const ContributedFile& file,
                        const FamilyTexts& texts) {
  std::vector<core::SourceFile> sources;
  for (const auto& [name, text] : texts) sources.push_back({name, text});
  const auto merged = core::MergeTables(*file.family, targets, sources);
  if (!merged.ok()) return merged.error();
  std::set<std::string> ours;
  for (const auto& it : file.rows) ours.insert(KeyOfLine(*file.family, it.row.line));
  for (const core::Duplicate& duplicate : merged->duplicates) {
    const std::string key = KeyOfLine(*file.family, duplicate.places.front().text);
    if (!ours.contains(key)) continue;  // other rows' duplicates were in the tree before
    return GuardFailed("AITER's merge, which raises an error at a duplicate",
                       fmt::format("{} and {} both have {}", sources[duplicate.places[0].file].name,
                                   sources[duplicate.places[1].file].name, key));
  }
  return core::Ok();
}

}  // namespace

core::Status CheckModelName(const core::Families& families, const core::Family& family,
                            std::string_view model) {
  const auto bad = [&](const std::string& reason) {
    return core::Error{"bad_model_name", fmt::format("'{}': {}", model, reason)};
  };
  if (model.empty()) return bad("pass the model's name, which the file's name needs");
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  if (const std::size_t at = model.find_first_not_of(kLetters); at != std::string_view::npos) {
    return bad(fmt::format(
        "'{}' may not be in a file's name; expected the model as AITER's files spell it, "
        "such as dsv3 or qwen3_32b",
        model[at]));
  }
  if (model.front() == '.' || model.front() == '-')
    return bad("it must begin with a letter or a digit");
  const auto named = CheckFileName(
      families, family, fmt::format("{}/{}_{}{}", kModelConfigs, model, family.token, kCsv));
  return named.ok() ? named : bad(named.error().detail);
}

core::Result<std::string> FileForModel(const core::Family& family, std::string_view model,
                                       const core::Cells& cells, const FamilyTexts& tree) {
  const auto quants = QuantNames(family, cells);
  std::vector<std::string> found;
  for (const auto& [name, text] : tree) {
    if (name.find('/') == std::string::npos) continue;  // default files belong to no model
    const std::string stem = Plain(std::filesystem::path(name).stem().string());
    const bool of_model = std::ranges::any_of(quants, [&](std::string_view quant) {
      return stem == fmt::format("{}_{}{}", Plain(model), quant, family.token) ||
             stem == fmt::format("{}{}_{}", quant, family.token, Plain(model));
    });
    if (of_model) found.push_back(name);
  }
  if (found.size() > 1) {
    return core::Error{"ambiguous_file",
                       fmt::format("{} all belong to {} and {}; choose one with --file",
                                   fmt::join(found, ", "), model, family.name)};
  }
  if (!found.empty()) return found.front();
  return fmt::format("{}/{}_{}{}{}", kModelConfigs, model, quants.front(), family.token, kCsv);
}

core::Status CheckFileName(const core::Families& families, const core::Family& family,
                           std::string_view name) {
  const auto bad = [&](const std::string& reason) {
    return core::Error{"bad_file_name", fmt::format("{}: {}", name, reason)};
  };
  if (name == family.file) return core::Ok();
  const std::string folder = std::string(kModelConfigs) + "/";
  if (!name.starts_with(folder) || name.find('/', folder.size()) != std::string_view::npos) {
    return bad(fmt::format("AITER reads only {} and the files directly in {}", family.file,
                           kModelConfigs));
  }
  if (!name.ends_with(kCsv)) return bad("AITER reads only names that end in .csv");
  if (name.find("untuned") != std::string_view::npos) {
    return bad("AITER skips a name with 'untuned' in it");
  }
  const std::string holders = FamiliesIn(families, name);
  if (holders == family.name) return core::Ok();
  return bad(
      holders.empty()
          ? fmt::format("the name of a table of {} must contain '{}'", family.name, family.token)
          : fmt::format(
                "AITER would read this file as a table of {}, not of {}, because of its name",
                holders, family.name));
}

core::Status PutRows(const core::Targets& targets, const std::vector<ContributedRow>& rows,
                     ContributedFile& file, std::vector<LeftOut>& left_out) {
  const core::Family& family = *file.family;
  file.bytes = file.fresh ? core::WriteTable(family, {}) : file.before;
  core::CsvReader reader(file.bytes);
  core::CsvRecord record;
  if (core::Status first = reader.First(record); !first.ok()) return first.error();
  const auto header = core::MapHeader(family, record.fields, record.line);
  if (!header.ok()) return header.error();
  std::vector<std::string> lines = LinesOf(file.bytes);
  const char* const line_end = lines.front().ends_with("\r\n") ? "\r\n" : "\n";
  if (!lines.back().ends_with('\n')) lines.back() += line_end;
  for (const ContributedRow& it : rows) {
    std::string scratch, text;
    const core::Cells cells = core::SplitLine(it.row.line, scratch);
    if (const std::string lacks = Lacks(family, targets, *header, cells); !lacks.empty()) {
      left_out.push_back(
          {family.name, KeyOfLine(family, it.row.line), "column_absent",
           fmt::format("{} has no column {}, which the row needs; choose another file with --file",
                       file.path, lacks)});
      continue;
    }
    for (std::size_t i = 0; i < header->column_of_field.size(); ++i) {
      if (i > 0) text += ',';
      const std::size_t column = header->column_of_field[i];
      if (column != core::kNoColumn) core::AppendCsvField(text, cells[column]);
    }
    if (it.line == 0) lines.emplace_back();
    (it.line == 0 ? lines.back() : lines.at(it.line - 1)) = text + line_end;
    file.rows.push_back(it);
  }
  file.bytes = fmt::format("{}", fmt::join(lines, ""));
  return core::Ok();
}

core::Status HoldAgainstGuards(const Configuration& configuration, const ContributedFile& file,
                               const FamilyTexts& texts) {
  auto held = CheckFileName(configuration.families, *file.family, file.path);
  if (held.ok()) held = CheckTableTest(configuration.targets, file);
  return held.ok() ? CheckMerge(configuration.targets, file, texts) : held;
}

}  // namespace tunehub::agent
