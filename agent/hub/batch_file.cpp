#include "agent/hub/batch_file.h"

#include <fmt/core.h>

#include "core/base/hash.h"
#include "core/base/read_json.h"
#include "core/table/csv.h"

namespace tunehub::agent {
namespace {

constexpr std::string_view kFormat = "tunehub-batch-1", kAnyFormat = "tunehub-batch-";

core::Error BadBatch(std::string reason) {
  return {kBadBatch, std::move(reason)};
}

BatchHeader HeaderOf(const nlohmann::json& json) {
  BatchHeader header;
  header.key = json.at("key").get<std::string>();
  header.family = json.at("family").get<std::string>();
  header.file = json.at("file").get<std::string>();
  header.line_offset = json.at("line_offset").get<std::size_t>();
  header.created = json.at("created").get<std::string>();
  header.atomic = json.at("atomic").get<bool>();
  if (json.contains("run_id")) header.run_id = json.at("run_id").get<std::string>();
  if (json.contains("new_run")) {
    const nlohmann::json& run = json.at("new_run");
    header.new_run = NewRun{run.at("key").get<std::string>(), run.at("provenance")};
  }
  // A batch for no hub says none, one of CSV no type.
  header.hub = json.value("hub", std::string());
  header.content_type = json.value("content_type", std::string(kCsvType));
  return header;
}

// What the header line says, and where the body begins.
struct Head {
  nlohmann::json json;
  BatchHeader header;
  std::size_t body = 0;
};

core::Result<Head> ParseHead(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return BadBatch("no header line");
  Head head{core::ReadJson(bytes.substr(0, end)), {}, end + 1};
  try {
    const auto format = head.json.at("format").get<std::string>();
    if (format != kFormat && format.starts_with(kAnyFormat)) {
      return core::Error{
          "other_version",
          fmt::format("a batch of another version of the agent: {}, not {}", format, kFormat)};
    }
    if (format != kFormat) return BadBatch(fmt::format("not a {}", kFormat));
    head.header = HeaderOf(head.json);
    return head;
  } catch (const nlohmann::json::exception& error) {
    return BadBatch(fmt::format("the header line: {}", error.what()));
  }
}

}  // namespace

std::string RenderBatch(const BatchHeader& header, std::string_view body) {
  nlohmann::ordered_json json = {{"format", kFormat},
                                 {"key", header.key},
                                 {"family", header.family},
                                 {"file", header.file},
                                 {"line_offset", header.line_offset},
                                 {"created", header.created},
                                 {"atomic", header.atomic},
                                 {"bytes", body.size()},
                                 {"sha256", core::Sha256Hex(body)}};
  if (!header.hub.empty()) json["hub"] = header.hub;
  if (!header.run_id.empty()) json["run_id"] = header.run_id;
  if (header.content_type != kCsvType) json["content_type"] = header.content_type;
  if (header.new_run) {
    json["new_run"] = {{"key", header.new_run->key}, {"provenance", header.new_run->provenance}};
  }
  // A file name that is no UTF-8 must not keep its rows from the hub.
  std::string bytes = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  bytes.push_back('\n');
  bytes.append(body);
  return bytes;
}

core::Result<BatchHeader> ParseHeader(std::string_view bytes) {
  auto head = ParseHead(bytes);
  if (!head.ok()) return head.error();
  return std::move(head->header);
}

core::Result<Batch> ParseBatch(std::string_view bytes) {
  auto head = ParseHead(bytes);
  if (!head.ok()) return head.error();
  Batch batch{std::move(head->header), std::string(bytes.substr(head->body))};
  try {
    if (batch.body.size() != head->json.at("bytes").get<std::size_t>() ||
        core::Sha256Hex(batch.body) != head->json.at("sha256").get<std::string>()) {
      return BadBatch("the body is not what was written: its size or SHA-256 differs");
    }
  } catch (const nlohmann::json::exception& error) {
    return BadBatch(fmt::format("the header line: {}", error.what()));
  }
  return batch;
}

namespace {

struct Cut {
  std::size_t offset = 0;  // of the part's first row
  std::size_t line = 0;
};

// Where the parts begin; empty where the table cannot be read or has no rows.
std::vector<Cut> FindCuts(std::string_view csv, std::size_t max_rows, std::size_t max_bytes) {
  core::CsvReader reader(csv);
  core::CsvRecord record;
  core::Result<bool> more = reader.Next(record);  // the header
  std::vector<Cut> cuts;
  std::size_t rows = 0;
  for (;;) {
    if (more.ok() && *more) more = reader.Next(record);
    if (!more.ok()) return {};
    if (!*more) return cuts;
    const auto offset = static_cast<std::size_t>(record.text.data() - csv.data());
    const std::size_t end = offset + record.text.size();
    if (cuts.empty() || rows == max_rows || end - cuts.back().offset > max_bytes) {
      cuts.push_back({offset, record.line});
      rows = 0;
    }
    ++rows;
  }
}

}  // namespace

std::vector<TablePart> SplitTable(std::string_view csv, std::size_t max_rows,
                                  std::size_t max_bytes) {
  const std::vector<Cut> cuts = FindCuts(csv, max_rows, max_bytes);
  if (cuts.size() < 2) return {{std::string(csv), 0}};
  const std::string_view header = csv.substr(0, cuts[0].offset);
  std::vector<TablePart> parts;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const std::size_t end = i + 1 < cuts.size() ? cuts[i + 1].offset : csv.size();
    TablePart part{std::string(header), cuts[i].line - cuts[0].line};
    part.csv.append(csv.substr(cuts[i].offset, end - cuts[i].offset));
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace tunehub::agent
