// The commands that transfer tables to and from a hub.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "agent/aiter/aiter_tree.h"
#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/hub_key.h"
#include "agent/hub/outbox.h"
#include "agent/hub/spool.h"
#include "agent/hub/tree.h"
#include "agent/install/commands.h"
#include "core/base/archive.h"
#include "core/base/pin.h"
#include "core/family/families.h"
#include "core/readers/tunable_file.h"

namespace tunehub::agent {

// tunehub-agent push [FILE...]: sends files through the spool. Without files, sends all batches in
// the spool.
struct PushOptions {
  std::vector<std::string> files;
  std::string family;                // "": found from each file
  std::string run_id;                // a run that the hub already knows
  std::vector<std::string> new_run;  // name=value of a new run; empty: no new run
  std::string spool;                 // "": the default folder
  std::string hub;                   // HubIdentity; "": none
  // send the batches that wait for this address (`none`: for no hub); "": the batches for `hub`
  std::string from;
  bool spool_only = false;
  bool dry_run = false;
  bool atomic = false;
  bool all = false;  // print every row
  bool json = false;
  RetryPolicy retry;
};

// Connects to the hub. The command calls it only if there is something to send.
using Connector = std::function<core::Result<std::unique_ptr<HubClient>>()>;

int Push(const core::Families& families, const PushOptions& options, const Connector& connect,
         const Pauses& pauses, Console& console);
int RunPush(int argc, char** argv, Console& console);

// tunehub-agent spool list, tunehub-agent spool drop ID...
// Lists every file of the folder with its hub, family and table, or its error.
int ListSpool(const std::filesystem::path& folder, bool json, Console& console);

// Removes batches. Each ID must be a part of exactly one file's name. Removes all of them or none.
// Errors: unknown_batch, two_batches, spool_in_use.
int DropBatches(const std::filesystem::path& folder, const std::vector<std::string>& ids,
                Console& console, bool json = false);
int RunSpool(int argc, char** argv, Console& console);

// tunehub-agent accept RUN: an admin accepts the unconfirmed rows of a run, so that the hub may
// serve them.
int RunAccept(int argc, char** argv, Console& console);

// tunehub-agent runs, revert RUN, jobs, demand: a hub's history and queue.
int RunRuns(int argc, char** argv, Console& console);
int RunRevert(int argc, char** argv, Console& console);
int RunJobs(int argc, char** argv, Console& console);
int RunDemand(int argc, char** argv, Console& console);

// tunehub-agent channel promote NAME PIN, rollback NAME, history NAME.
int RunChannel(int argc, char** argv, Console& console);

// tunehub-agent import DIR: sends the tuned tables of an AITER tree, or with --reader an engine's
// own files, as one import of one source.
struct ImportOptions {
  std::string folder;
  std::string source;  // replaces the previous import of this name; "": the default name
  std::string reader;  // the engine; "": AITER's CSVs
  std::string device;  // the device of the files, if their names do not contain it
  std::vector<std::string> new_run;  // NAME=VALUE: provenance of the run that made a reader's files
  bool dry_run = false;
  bool allow_shrink = false;  // import even if the source would lose many rows
  bool all = false;
  bool json = false;
  RetryPolicy retry;
};

int Import(const core::Families& families, const ImportOptions& options, HubClient& hub,
           const Pauses& pauses, Console& console);
int RunImport(int argc, char** argv, Console& console);

// Sends the files and returns the hub's receipt. Errors: the hub's own, bad_answer.
core::Result<nlohmann::json> PostImport(const ImportOptions& options,
                                        const std::vector<core::TarFile>& files, HubClient& hub,
                                        const Pauses& pauses);

// Prints the receipt. Returns true if the hub accepted every row.
bool PrintImport(const nlohmann::json& receipt, const ImportOptions& options, std::ostream& out);

// tunehub-agent import --reader vllm DIR: sends an engine's own files as rows, and prints findings.
// If `hub` is null, only reads and reports.
int ImportReader(const Configuration& configuration, const ImportOptions& options, HubClient* hub,
                 const Pauses& pauses, Console& console);

// tunehub-agent pull: writes one merged table into a file, or a reader's files into a folder. A
// lock file pins the written files to a revision.
struct PullOptions {
  std::string hub;     // the hub's address, for the lock file
  std::string family;  // a table's family; "": `reader` is set
  std::string reader;
  std::string device;  // the device of a reader's files; "": all devices
  std::string gfx;
  std::vector<std::string> query;  // name=value: other parameters of GET /tuned/{family}
  std::string output;              // the table's file, or the files' folder
  std::string lock;                // the lock file; "": none
  bool update_lock = false;
  std::string trust;         // HubKey::Of
  bool allow_older = false;  // move the lock to an older revision
  std::string channel;       // the channel that names the revision; "": the newest
  BuildOptions build;
  bool force = false;  // replace a folder that has other files
  // For TunableOp's results: the value of PYTORCH_TUNABLEOP_FILENAME, and the number of GPUs.
  std::string file_name{core::kTunableFileName};
  int gpus = core::kTunableDevices;
  bool json = false;
  RetryPolicy retry;
};

// Calls `configuration` only to scan a tree, or for a reader.
int Pull(const PullOptions& options, HubClient& hub, const Pauses& pauses, Console& console,
         const std::function<core::Result<Configuration>()>& configuration);
int RunPull(int argc, char** argv, Console& console);

struct Pulled {
  // a table, or the SHA256SUMS of a tree; "": the folder already contains that tree
  std::string bytes;
  std::string sha256;  // the digest of `bytes`, which a lock file records
  std::string etag;
  std::optional<core::Pin> revision;
  bool unchanged = false;      // true: the local file or folder already had these bytes
  std::string signature = {};  // the signature of `bytes`; "": none
};

// Pulls one table or one tree.
class PullOne {
 public:
  // All arguments must outlive it.
  PullOne(const PullOptions& options, HubClient& hub, const Pauses& pauses, Console& console)
      : options_(options), console_(console), hub_(hub), pauses_(pauses) {}
  virtual ~PullOne() = default;
  PullOne(const PullOne&) = delete;
  PullOne& operator=(const PullOne&) = delete;

  // Gets `target` from the hub. If the hub answers 304, reads the local bytes. `whole`: true if the
  // caller needs the signed bytes. Errors: those of the hub, bad_answer, those of reading the local
  // files.
  virtual core::Result<Pulled> Get(const std::string& target, bool whole) = 0;
  // Writes the bytes and their ETag. Errors: file_unwritable and others of the file system.
  virtual core::Status Write(const std::string& target, const Pulled& pulled) = 0;
  virtual void Report(const Pulled& pulled) const = 0;

 protected:
  // Sends the request with `etag` if there is one, and prints the hub's warnings. Errors: those of
  // the hub, bad_answer (another content type).
  core::Result<Answer> Ask(const std::string& target, const std::string& etag,
                           const std::string& content_type);
  virtual void Warn(const Answer& answer);
  static void AddRevision(nlohmann::ordered_json& report, const core::Pin& revision);

  const PullOptions& options() const { return options_; }
  Console& console() const { return console_; }

 private:
  const PullOptions& options_;
  Console& console_;
  HubClient& hub_;
  const Pauses& pauses_;
};

std::optional<core::Pin> RevisionOf(const Answer& answer);

class TablePull : public PullOne {
 public:
  // `absent`: the modules that the scanned tree lacks.
  TablePull(const PullOptions& options, HubClient& hub, const Pauses& pauses, Console& console,
            const std::vector<AbsentModule>& absent)
      : PullOne(options, hub, pauses, console), absent_(absent) {}

  core::Result<Pulled> Get(const std::string& target, bool whole) override;
  core::Status Write(const std::string& target, const Pulled& table) override;
  void Report(const Pulled& table) const override;

 private:
  void Warn(const Answer& answer) override;

  const std::vector<AbsentModule>& absent_;
};

// Pulls a reader's files into the folder that its environment variable names.
class TreePull : public PullOne {
 public:
  // `reader` is the agent's own; it must outlive this object.
  TreePull(const PullOptions& options, HubClient& hub, const Pauses& pauses, Console& console,
           const core::Reader& reader)
      : PullOne(options, hub, pauses, console), reader_(reader) {}

  // Errors: those of PullOne; foreign_files (no pull wrote a file of the folder, or somebody
  // changed it; --force replaces the folder); bad_tree and other errors of ParseTree.
  core::Result<Pulled> Get(const std::string& target, bool whole) override;
  core::Status Write(const std::string& target, const Pulled& pulled) override;
  void Report(const Pulled& pulled) const override;

 private:
  void Warn(const Answer& answer) override;
  // Opens the output folder. Without --force it must contain no foreign files.
  core::Result<TreeFolder> OpenFolder();

  const core::Reader& reader_;
  std::optional<Tree> tree_;  // the tree of the last Get; empty if the hub's tree is unchanged
  bool gave_up_files_ = false;
};

// Checks files without sending them, and prints the findings. Returns kFinding if the hub would
// refuse a file, or would not serve a row.
int DryRun(const Configuration& configuration, const std::vector<FamilyFiles>& files, bool all,
           bool json, Console& console);

class PushReport {
 public:
  PushReport(bool json, std::size_t most_rows) : json_(json), most_(most_rows) {}

  void Add(const Batch& batch, const SendOutcome& outcome, Console& console);
  // Prints how many batches still wait, for this hub and for other hubs.
  int Finish(const Spool& spool, Console& console);

  // Counts and prints a batch that could not be read.
  void AddFailure(const core::Error& error, Console& console);

 private:
  bool json_;
  std::size_t most_;
  int code_ = kGood;
  nlohmann::ordered_json batches_ = nlohmann::ordered_json::array();
};

}  // namespace tunehub::agent
