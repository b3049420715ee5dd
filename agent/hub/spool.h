// One batch in the spool, as a file: a header of one line of JSON, then the body as it will be
// sent.
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

// The hub's limits, with room for the header line that each part repeats.
inline constexpr std::size_t kMaxBatchRows = 100'000;
inline constexpr std::size_t kMaxBatchBytes = std::size_t{60} << 20;

struct BatchRows {
  std::string csv;              // header and rows
  std::size_t line_offset = 0;  // a row's line in the table, less its line in the part
};

// One part where the table is no readable CSV: the hub says better what is wrong with it.
std::vector<BatchRows> SplitTable(std::string_view csv, std::size_t max_rows = kMaxBatchRows,
                                  std::size_t max_bytes = kMaxBatchBytes);

// The spool: a folder with one file per batch that the hub has not confirmed. A batch is written,
// synced and renamed into it before anything is sent, and deleted only on its receipt; so a crash
// at any moment loses nothing, and the Idempotency-Key in the file keeps a second try from counting
// twice.
//
//   2026-08-22T10:11:12.123456Z-0f8f....batch   waits
//   .2026-....batch.tmp                         being written; removed if its writer died
//   refused/2026-....batch, ....answer.json     what the hub will never take, and why
//   aside/NAME.batch, NAME.batch.reason         what is no batch, and why
//
// A batch is for one hub, or for none, and no other hub is sent it. A process that works on a batch
// holds a lock (flock) on its file, which ends with the process.

// Of --spool; as DefaultFolder.
inline constexpr char kSpoolHelp[] =
    "the spool's folder; default: $TUNEHUB_SPOOL, else ~/.local/state/tunehub/spool";

// How people name no hub.
inline constexpr char kNoHub[] = "none";

// More batches than this mean that nobody drains the spool: better to say so than to fill the disk.
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
  // Makes the folder, and clears what dead writers left in it. What is added is for `hub`
  // (HubIdentity; "": for none), and only what is for it is given out. Errors: file_unwritable.
  static core::Result<Spool> Open(const std::filesystem::path& folder, const std::string& hub = "");

  // On disk when it returns. Errors: spool_full, file_unwritable.
  core::Result<HeldBatch> Add(const BatchHeader& header, std::string_view body) const;
  // Oldest first. A file whose hub cannot be read is among them: Take says why.
  std::vector<std::filesystem::path> Waiting() const;
  // How many wait for other hubs; "": for none.
  std::map<std::string, std::size_t> WaitingForOthers() const;
  // All files of waiting batches, whosever they are.
  std::vector<std::filesystem::path> Files() const;
  // Of this hub's, one whose name holds this.
  std::optional<std::filesystem::path> Find(const std::string& part_of_key) const;
  // Nothing: another process works on it, or is done with it, or it is for another hub. Errors:
  // bad_batch (it is none and will be none: damaged, empty, no file), file_unreadable (now, or by
  // this user), other_version.
  core::Result<std::optional<HeldBatch>> Take(const std::filesystem::path& path) const;
  // The receipt is here.
  core::Status Done(const HeldBatch& held) const;
  // Moves it to refused/, with the hub's answer beside it.
  core::Status Refuse(const HeldBatch& held, std::string_view answer) const;

  // Moves a file that is no batch to aside/, with the reason beside it. Errors: file_unwritable.
  core::Status SetAside(const std::filesystem::path& path, std::string_view reason) const;

  const std::filesystem::path& folder() const { return folder_; }
  // How many batches wait in a folder, and how many files were set aside, for people: without
  // opening it.
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
