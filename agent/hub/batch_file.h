// One batch in the spool, as a file: a header of one line of JSON, then the body as it will be
// sent.
//
//   {"format":"tunehub-batch-1","key":"0f8f...","family":"fmoe","file":"/x/tuned_fmoe.csv",...}
//   gfx,cu_num,token,...
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::agent {

// A run that the hub does not know yet. Its key makes POST /runs repeatable, so that all batches of
// one push, sent by whichever process, end in one run.
struct NewRun {
  std::string key;
  nlohmann::json provenance;
};

inline constexpr char kCsvType[] = "text/csv", kJsonType[] = "application/json";

struct BatchHeader {
  std::string key;  // the Idempotency-Key of every try
  std::string hub;  // HubIdentity of the hub that it is for; "": of none
  std::string family;
  std::string file;             // where the rows came from, for messages
  std::size_t line_offset = 0;  // a row's line in that file, less its line in the body
  std::string created;          // RFC 3339
  bool atomic = false;
  std::string run_id;  // "": none or new
  std::optional<NewRun> new_run;
  std::string content_type = kCsvType;
};

struct Batch {
  BatchHeader header;
  std::string body;
};

// The header line holds the body's size and SHA-256 too.
std::string RenderBatch(const BatchHeader& header, std::string_view body);

inline constexpr char kBadBatch[] = "bad_batch";

// Errors: bad_batch (no batch, a body that is not what was written), other_version (a batch of
// another version of the agent).
core::Result<Batch> ParseBatch(std::string_view bytes);
// The same of its first bytes; the header line must be among them.
core::Result<BatchHeader> ParseHeader(std::string_view bytes);

// The hub's limits, with room for the header line that each part repeats.
inline constexpr std::size_t kMaxBatchRows = 100'000;
inline constexpr std::size_t kMaxBatchBytes = std::size_t{60} << 20;

struct TablePart {
  std::string csv;              // header and rows
  std::size_t line_offset = 0;  // a row's line in the table, less its line in the part
};

// One part where the table is no readable CSV: the hub says better what is wrong with it.
std::vector<TablePart> SplitTable(std::string_view csv, std::size_t max_rows = kMaxBatchRows,
                                  std::size_t max_bytes = kMaxBatchBytes);

}  // namespace tunehub::agent
