// A batch in the spool is one file: a header of one line of JSON, then the body to send.
//
//   {"format":"tunehub-batch-1","key":"0f8f...","family":"fmoe","file":"/x/tuned_fmoe.csv",...}
//   gfx,cu_num,token,...
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"

namespace tunehub::agent {

// A run that the hub does not know yet. Its key makes POST /runs repeatable: all batches of one
// push join one run, even if several processes send them.
struct NewRun {
  std::string key;
  nlohmann::json provenance;
};

inline constexpr char kCsvType[] = "text/csv", kJsonType[] = "application/json";

struct BatchHeader {
  std::string key;  // the Idempotency-Key of every try
  std::string hub;  // HubIdentity of the target hub; "": none
  std::string family;
  std::string file;             // the rows' source, for messages
  std::size_t line_offset = 0;  // a row's line in that file minus its line in the body
  std::string created;          // RFC 3339
  bool atomic = false;
  std::string run_id;  // "": none, or a new run
  std::optional<NewRun> new_run;
  std::string content_type = kCsvType;
};

struct Batch {
  BatchHeader header;
  std::string body;
};

// The header line also has the body's size and SHA-256.
std::string RenderBatch(const BatchHeader& header, std::string_view body);

inline constexpr char kBadBatch[] = "bad_batch";

// Errors: bad_batch (not a batch, or a damaged body), other_version (another version of the agent
// wrote the batch).
core::Result<Batch> ParseBatch(std::string_view bytes);

// Limits of one part of a table. They are the hub's limits, minus room for the header line in each
// part.
inline constexpr std::size_t kMaxBatchRows = 100'000;
inline constexpr std::size_t kMaxBatchBytes = std::size_t{60} << 20;

struct BatchRows {
  std::string csv;              // header and rows
  std::size_t line_offset = 0;  // a row's line in the table minus its line in the part
};

// Returns an unreadable table as one part, since the hub's error message is better.
std::vector<BatchRows> SplitTable(std::string_view csv, std::size_t max_rows = kMaxBatchRows,
                                  std::size_t max_bytes = kMaxBatchBytes);

// A folder with one file per batch that the hub has not confirmed. The agent writes, syncs and
// renames a batch into this folder before sending it. The agent deletes the batch only after its
// receipt. So a crash loses nothing. The hub counts a second try only once, because the file
// contains its Idempotency-Key.
//
//   2026-08-22T10:11:12.123456Z-0f8f....batch   waits
//   .2026-....batch.tmp                         being written; removed if its writer died
//   refused/2026-....batch, ....answer.json     refused for good, with the hub's answer
//   aside/NAME.batch, NAME.batch.reason         no batch, with the reason
//
// A batch belongs to one hub or to none. The agent never sends it to another hub. A process that
// works on a batch locks its file (flock). The lock ends with the process.

// The help text of --spool. It must agree with DefaultFolder.
inline constexpr char kSpoolHelp[] =
    "the spool's folder; default: $TUNEHUB_SPOOL, else ~/.local/state/tunehub/spool";

// The word for "no hub" on the command line.
inline constexpr char kNoHub[] = "none";

// The most waiting batches. With more, nobody sends the batches any more, and an error is better
// than a full disk.
inline constexpr std::size_t kMaxWaitingBatches = 10'000;

struct HeldBatch {
  std::filesystem::path path;
  core::Fd lock;
  Batch batch;
};

class Spool {
 public:
  // $TUNEHUB_SPOOL, else ~/.local/state/tunehub/spool.
  static std::filesystem::path DefaultFolder();
  // Makes the folder, and removes files of dead writers. Add and Take handle only batches for `hub`
  // (HubIdentity; "": none). Errors: file_unwritable.
  static core::Result<Spool> Open(const std::filesystem::path& folder, const std::string& hub = "");

  // The batch is on disk when it returns. Errors: spool_full, file_unwritable.
  core::Result<HeldBatch> Add(const BatchHeader& header, std::string_view body) const;
  // Returns this hub's batches, oldest first. Also returns files whose hub cannot be read; Take
  // says why.
  std::vector<std::filesystem::path> Waiting() const;
  // The number of batches for each other hub. The name "" counts batches for no hub.
  std::map<std::string, std::size_t> WaitingForOthers() const;
  // The files of all waiting batches, for any hub.
  std::vector<std::filesystem::path> Files() const;
  // A batch for this hub whose file name contains `part_of_key`.
  std::optional<std::filesystem::path> Find(const std::string& part_of_key) const;
  // Locks and reads a batch. Returns nothing if another process works on it or has removed it, or
  // if the batch is for another hub. Errors: bad_batch (damaged, empty or not a file; a retry is
  // useless), file_unreadable (temporary, or missing rights), other_version.
  core::Result<std::optional<HeldBatch>> Take(const std::filesystem::path& path) const;
  // Removes the batch, after its receipt arrived.
  core::Status Done(const HeldBatch& held) const;
  // Moves the batch to refused/, with the hub's answer beside it.
  core::Status Refuse(const HeldBatch& held, std::string_view answer) const;

  // Moves a file that is not a batch to aside/, with the reason beside it. Errors: file_unwritable.
  core::Status SetAside(const std::filesystem::path& path, std::string_view reason) const;

  const std::filesystem::path& folder() const { return folder_; }
  // Count waiting batches, and files in aside/, for reports. They do not open the spool.
  static std::size_t CountWaiting(const std::filesystem::path& folder);
  static std::size_t CountAside(const std::filesystem::path& folder);

 private:
  explicit Spool(std::filesystem::path folder, std::string hub = "")
      : folder_(std::move(folder)), hub_(std::move(hub)) {}
  void ClearDeadWrites() const;

  std::filesystem::path folder_;
  std::string hub_;
};

// The header of a waiting batch. Errors: bad_batch, file_unreadable, other_version.
core::Result<BatchHeader> ReadHeader(const std::filesystem::path& path);

}  // namespace tunehub::agent
