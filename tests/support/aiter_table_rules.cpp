#include "tests/support/aiter_table_rules.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "core/row/cell.h"
#include "tests/support/shipped.h"

namespace tunehub::test {
namespace {

using Record = std::map<std::string, std::string>;  // a row by column

constexpr double kMaxErrorRatio = 0.2;

struct CheckedTable {
  const char* name;
  const char* file;
  std::vector<std::string> extra_keys;
};

const std::vector<CheckedTable>& CheckedTables() {
  static const std::vector<CheckedTable> tables = {
      {"a8w8", "a8w8_tuned_gemm.csv", {"q_dtype_w"}},
      {"a8w8_bpreshuffle", "a8w8_bpreshuffle_tuned_gemm.csv", {"q_dtype_w", "libtype"}},
      {"a8w8_blockscale", "a8w8_blockscale_tuned_gemm.csv", {}},
      {"a8w8_blockscale_bpreshuffle", "a8w8_blockscale_bpreshuffle_tuned_gemm.csv", {"libtype"}},
      {"a4w4_blockscale", "a4w4_blockscale_tuned_gemm.csv", {}},
      {"a8w8_batched", "a8w8_tuned_batched_gemm.csv", {}},
      {"bf16",
       "bf16_tuned_gemm.csv",
       {"bias", "dtype", "outdtype", "scaleAB", "bpreshuffle", "libtype"}},
      {"bf16_batched", "bf16_tuned_batched_gemm.csv", {}},
      {"fmoe",
       "tuned_fmoe.csv",
       {"act_type", "dtype", "q_dtype_a", "q_dtype_w", "q_type", "use_g1u1", "doweight_stage1",
        "_tag"}}};
  return tables;
}

std::vector<std::string> SplitCells(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',') {
      cells.emplace_back();
    } else {
      cells.back().push_back(c);
    }
  }
  return cells;
}

// AITER's tables contain no quotes.
std::vector<Record> ReadRecords(const std::filesystem::path& file) {
  std::istringstream in(ReadText(file));
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> header = SplitCells(line);
  std::vector<Record> records;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = SplitCells(line);
    Record& record = records.emplace_back();
    for (std::size_t i = 0; i < std::min(header.size(), cells.size()); ++i) {
      record[header[i]] = cells[i];
    }
  }
  return records;
}

std::size_t CountDuplicates(const std::vector<Record>& records, const CheckedTable& table,
                            bool key_has_gfx) {
  std::vector<std::string> columns = {"cu_num", "M",         "N",         "K",      "B",
                                      "token",  "model_dim", "inter_dim", "expert", "topk"};
  columns.insert(columns.end(), table.extra_keys.begin(), table.extra_keys.end());
  if (key_has_gfx) columns.emplace_back("gfx");
  std::map<std::string, std::size_t> counts;
  for (const Record& record : records) {
    std::string key;
    for (const std::string& column : columns) {
      const auto cell = record.find(column);
      key += (cell == record.end() ? "" : cell->second) + "\x1f";
    }
    ++counts[key];
  }
  std::size_t duplicates = 0;
  for (const auto& [key, count] : counts) duplicates += count > 1 ? count : 0;
  return duplicates;
}

// AITER ignores cells that are not numbers, here and in CountErrors.
std::size_t CountTimes(const std::vector<Record>& records) {
  return static_cast<std::size_t>(std::ranges::count_if(records, [](const Record& record) {
    const auto us = record.find("us");
    const auto time = us == record.end() ? std::nullopt : core::ParseNumber(us->second);
    return time && *time <= 0;
  }));
}

std::size_t CountErrors(const std::vector<Record>& records) {
  return static_cast<std::size_t>(std::ranges::count_if(records, [](const Record& record) {
    const auto cell = record.find("errRatio");
    if (cell == record.end()) return false;
    std::string text = cell->second;
    const bool percent = text.ends_with('%');
    if (percent) text.pop_back();
    const auto ratio = core::ParseNumber(text);
    return ratio && *ratio / (percent ? 100 : 1) > kMaxErrorRatio;
  }));
}

struct GeneratedModule {
  const char* name;
  const char* file;
  const char* libtype;          // "": all rows
  const char* not_kernel = "";  // prefix of kernels that the module does not have
  bool by_id = false;
};

constexpr GeneratedModule kGenerated[] = {
    {"gemm_a8w8", "a8w8_tuned_gemm.csv", "", "", true},
    {"gemm_a8w8_bpreshuffle", "a8w8_bpreshuffle_tuned_gemm.csv", "ck", "", true},
    {"gemm_a8w8_bpreshuffle_cktile", "a8w8_bpreshuffle_tuned_gemm.csv", "cktile"},
    {"batched_gemm_a8w8", "a8w8_tuned_batched_gemm.csv", "", "", true},
    {"batched_gemm_bf16", "bf16_tuned_batched_gemm.csv", "", "", true},
    {"gemm_a8w8_blockscale", "a8w8_blockscale_tuned_gemm.csv", "ck"},
    {"gemm_a8w8_blockscale_cktile", "a8w8_blockscale_tuned_gemm.csv", "cktile"},
    {"gemm_a8w8_blockscale_bpreshuffle", "a8w8_blockscale_bpreshuffle_tuned_gemm.csv", "ck"},
    {"gemm_a8w8_blockscale_bpreshuffle_cktile", "a8w8_blockscale_bpreshuffle_tuned_gemm.csv",
     "cktile"},
    {"gemm_a4w4_blockscale", "a4w4_blockscale_tuned_gemm.csv", "", "_ZN"},
};

bool IsKnown(const GeneratedModule& module, const Record& record,
             const std::map<std::string, std::set<int>>& listed) {
  if (!module.by_id) return listed.contains(record.at("kernelName"));
  const auto id = core::ParseInt(record.at("kernelId"));
  return id && std::ranges::any_of(listed, [&](const auto& it) { return it.second.contains(*id); });
}

}  // namespace

std::vector<std::string> TableTestFailures(const std::filesystem::path& configs, bool key_has_gfx) {
  std::vector<std::string> failures;
  for (const CheckedTable& table : CheckedTables()) {
    const std::filesystem::path file = configs / table.file;
    if (!std::filesystem::exists(file)) continue;
    const std::vector<Record> records = ReadRecords(file);
    const auto fail = [&](std::size_t count, const std::string& what) {
      if (count > 0) failures.push_back(table.name + (": " + std::to_string(count)) + what);
    };
    fail(CountDuplicates(records, table, key_has_gfx), " duplicate rows");
    fail(CountTimes(records), " rows with us <= 0");
    fail(CountErrors(records), " rows with errRatio > 0.2");
  }
  return failures;
}

std::vector<std::string> CodegenFailures(const std::filesystem::path& configs, StandinTree& tree,
                                         const std::vector<std::pair<std::string, int>>& targets) {
  std::vector<std::string> failures;
  for (const GeneratedModule& module : kGenerated) {
    if (!std::filesystem::exists(configs / module.file)) continue;
    std::size_t unknown = 0;
    for (const Record& record : ReadRecords(configs / module.file)) {
      if (!record.contains("gfx")) {
        failures.push_back(std::string(module.file) + " has no column gfx");
        break;
      }
      const bool target = std::ranges::any_of(targets, [&](const auto& it) {
        return it.first == record.at("gfx") && std::to_string(it.second) == record.at("cu_num");
      });
      const std::string libtype = module.libtype, other = module.not_kernel;
      if (!target || (!libtype.empty() && record.at("libtype") != libtype)) continue;
      if (!other.empty() && record.at("kernelName").starts_with(other)) continue;
      if (!IsKnown(module, record, tree.Listed(module.name))) ++unknown;
    }
    if (unknown > 0) failures.push_back(module.name + (": " + std::to_string(unknown)) + " rows");
  }
  return failures;
}

}  // namespace tunehub::test
