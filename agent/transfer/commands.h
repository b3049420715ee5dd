// The commands that carry tables to a hub and from it.
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
#include "agent/hub/outbox.h"
#include "agent/hub/spool.h"
#include "agent/hub/tree.h"
#include "agent/install/commands.h"
#include "core/base/archive.h"
#include "core/base/pin.h"
#include "core/family/families.h"
#include "core/readers/tunable_file.h"

namespace tunehub::agent {

// tunehub-agent push [FILE...]: through the spool to the hub. Without a file: all waiting batches.
struct PushOptions {
  std::vector<std::string> files;
  std::string family;                // "": each file's own
  std::string run_id;                // a run that the hub knows
  std::vector<std::string> new_run;  // name=value; empty: none
  std::string spool;                 // "": the default folder
  std::string hub;                   // HubIdentity; "": none
  std::string from;  // send batches that wait for this address, or `none`; "": for `hub`
  bool spool_only = false;
  bool dry_run = false;
  bool atomic = false;
  bool all = false;  // list every row
  bool json = false;
  RetryPolicy retry;
};

// Called only if there is something to send.
using Connector = std::function<core::Result<std::unique_ptr<HubClient>>()>;

int Push(const core::Families& families, const PushOptions& options, const Connector& connect,
         const Pauses& pauses, Console& console);
int RunPush(int argc, char** argv, Console& console);

// tunehub-agent spool list, tunehub-agent spool drop ID...
// Lists every file of the folder with its hub, family and table, or its error.
int ListSpool(const std::filesystem::path& folder, bool json, Console& console);

// Removes batches. Each ID is a part of one file's name only. All or none: errors unknown_batch,
// two_batches, spool_in_use.
int DropBatches(const std::filesystem::path& folder, const std::vector<std::string>& ids,
                Console& console);
int RunSpool(int argc, char** argv, Console& console);

// tunehub-agent import DIR: the tuned tables of an AITER tree, as one import of one source, or with
// --reader an engine's own files.
struct ImportOptions {
  std::string folder;
  std::string source;  // replaces the previous import of this name; "": the default name
  std::string reader;  // the engine; "": AITER's CSVs
  std::string device;  // the files' device, if the files do not name it
  std::vector<std::string> new_run;  // NAME=VALUE, for a reader's files
  bool dry_run = false;
  bool allow_shrink = false;  // even if the source would lose many rows
  bool all = false;
  bool json = false;
  RetryPolicy retry;
};

int Import(const core::Families& families, const ImportOptions& options, HubClient& hub,
           const Pauses& pauses, Console& console);
int RunImport(int argc, char** argv, Console& console);

// The hub's receipt of these files. Errors: the hub's own, bad_answer.
core::Result<nlohmann::json> PostImport(const ImportOptions& options,
                                        const std::vector<core::TarFile>& files, HubClient& hub,
                                        const Pauses& pauses);

// Prints what the hub took. True if it took all.
bool PrintImport(const nlohmann::json& receipt, const ImportOptions& options, std::ostream& out);

// tunehub-agent import --reader vllm DIR: sends an engine's own files as rows, and prints findings.
// `hub` null: only reads and reports.
int ImportReader(const Configuration& configuration, const ImportOptions& options, HubClient* hub,
                 const Pauses& pauses, Console& console);

// tunehub-agent pull: one merged table into a file, or a reader's files into a folder. A lock file
// pins them.
struct PullOptions {
  std::string hub;     // for the lock file
  std::string family;  // either this or `reader`
  std::string reader;
  std::string device;  // of a reader's files; "": all
  std::string gfx;
  std::vector<std::string> query;  // name=value: other parameters of GET /tuned/{family}
  std::string output;              // the file, or the folder
  std::string lock;                // "": none
  bool update_lock = false;
  BuildOptions build;
  bool force = false;  // replace a folder that holds something else
  // For TunableOp's results: the value of PYTORCH_TUNABLEOP_FILENAME, and the number of GPUs.
  std::string file_name{core::kTunableFileName};
  int gpus = core::kTunableDevices;
  bool json = false;
  RetryPolicy retry;
};

// `configuration` is called to scan a tree, and for a reader.
int Pull(const PullOptions& options, HubClient& hub, const Pauses& pauses, Console& console,
         const std::function<core::Result<Configuration>()>& configuration);
int RunPull(int argc, char** argv, Console& console);

struct Pulled {
  std::string bytes;
  std::string sha256;  // what a lock file pins
  std::string etag;
  std::optional<core::Pin> revision;
  bool unchanged = false;  // the file or folder has these bytes already
};

// One thing to pull: a table or a tree.
class PullOne {
 public:
  // All arguments must outlive it.
  PullOne(const PullOptions& options, HubClient& hub, const Pauses& pauses, Console& console)
      : options_(options), console_(console), hub_(hub), pauses_(pauses) {}
  virtual ~PullOne() = default;
  PullOne(const PullOne&) = delete;
  PullOne& operator=(const PullOne&) = delete;

  // GET `target`; for a 304 the local bytes. Errors: those of the hub, bad_answer, those of reading
  // the local files.
  virtual core::Result<Pulled> Get(const std::string& target) = 0;
  // Writes the file or folder, and its ETag. Errors: file_unwritable and others of the file system.
  virtual core::Status Write(const std::string& target, const Pulled& pulled) = 0;
  virtual void Report(const Pulled& pulled) const = 0;

 protected:
  // Sends the ETag, if there is one, and prints the hub's warnings. Errors: those of the hub,
  // bad_answer (another content type).
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

  core::Result<Pulled> Get(const std::string& target) override;
  core::Status Write(const std::string& target, const Pulled& table) override;
  void Report(const Pulled& table) const override;

 private:
  void Warn(const Answer& answer) override;

  const std::vector<AbsentModule>& absent_;
};

// Pulls a reader's files into the folder that its environment variable names.
class TreePull : public PullOne {
 public:
  // `reader` is the agent's own; it must outlive this.
  TreePull(const PullOptions& options, HubClient& hub, const Pauses& pauses, Console& console,
           const core::Reader& reader)
      : PullOne(options, hub, pauses, console), reader_(reader) {}

  // Errors, beside those of PullOne: foreign_files (no pull wrote some file, or someone changed it;
  // --force replaces it), bad_tree and others of ParseTree.
  core::Result<Pulled> Get(const std::string& target) override;
  core::Status Write(const std::string& target, const Pulled& pulled) override;
  void Report(const Pulled& pulled) const override;

 private:
  void Warn(const Answer& answer) override;
  // The folder. Without --force it must hold no foreign files.
  core::Result<TreeFolder> OpenFolder();

  const core::Reader& reader_;
  std::optional<Tree> tree_;  // the hub's last tree; empty if nothing has changed
  bool gave_up_files_ = false;
};

// kFinding if the hub would refuse a file, or not serve a row.
int DryRun(const Configuration& configuration, const std::vector<FamilyFiles>& files, bool all,
           bool json, Console& console);

class PushReport {
 public:
  PushReport(bool json, std::size_t most_rows) : json_(json), most_(most_rows) {}

  void Add(const Batch& batch, const SendOutcome& outcome, Console& console);
  // Prints how many batches still wait, for this hub and for other hubs.
  int Finish(const Spool& spool, Console& console);

  // A batch that could not be read.
  void AddFailure(const core::Error& error, Console& console);

 private:
  bool json_;
  std::size_t most_;
  int code_ = kGood;
  nlohmann::ordered_json batches_ = nlohmann::ordered_json::array();
};

}  // namespace tunehub::agent
