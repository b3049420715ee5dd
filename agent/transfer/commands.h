// The commands that carry tables to a hub and from it: what each is told on its command line,
// what `pull` fetches and `push` says.
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

// tunehub-agent push [FILE...]: through the spool to the hub. Without a file: what waits there.
struct PushOptions {
  std::vector<std::string> files;
  std::string family;                // "": what each file says
  std::string run_id;                // of a run that the hub knows
  std::vector<std::string> new_run;  // name=value; empty: none
  std::string spool;                 // "": the default folder
  std::string hub;                   // HubIdentity; "": none
  std::string from;                  // send what waits for this address, or `none`; "": for `hub`
  bool spool_only = false;
  bool dry_run = false;
  bool atomic = false;
  bool all = false;  // list every row
  bool json = false;
  RetryPolicy retry;
};

// `connect` is asked for a hub only where there is something to send.
using Connector = std::function<core::Result<std::unique_ptr<HubClient>>()>;

int Push(const core::Families& families, const PushOptions& options, const Connector& connect,
         const Pauses& pauses, Console& console);
int RunPush(int argc, char** argv, Console& console);

// tunehub-agent spool list, tunehub-agent spool drop ID...: what waits on this host, and for whom.
// Every file of the folder, with its hub, family and table, or what is wrong with it.
int ListSpool(const std::filesystem::path& folder, bool json, Console& console);

// Removes batches by a part of their file's name that no other file has. All or none: errors
// unknown_batch, two_batches, spool_in_use.
int DropBatches(const std::filesystem::path& folder, const std::vector<std::string>& ids,
                Console& console);
int RunSpool(int argc, char** argv, Console& console);

// tunehub-agent import DIR: the tuned tables of an AITER tree, as one import of one source, or with
// --reader an engine's own files.
struct ImportOptions {
  std::string folder;
  std::string source;  // supersedes the previous import of the same name; "": the usual
  std::string reader;  // whose files; "": AITER's CSVs
  std::string device;  // whose files these are, where nothing in them says it
  std::vector<std::string> new_run;  // NAME=VALUE, of a reader's files
  bool dry_run = false;
  bool allow_shrink = false;  // also where much of the source would go
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

// Says what the hub took; whether it took all.
bool PrintImport(const nlohmann::json& receipt, const ImportOptions& options, std::ostream& out);

// tunehub-agent import --reader vllm DIR: an engine's own files as rows, and what was found in
// them.
// `hub` null: the files are read and reported, nothing is sent.
int ImportReader(const Configuration& configuration, const ImportOptions& options, HubClient* hub,
                 const Pauses& pauses, Console& console);

// tunehub-agent pull: one merged table into a file, or a reader's files into a folder; pinned by a
// lock file where one is named.
struct PullOptions {
  std::string hub;     // for the lock file
  std::string family;  // or
  std::string reader;
  std::string device;  // of a reader's files; "": all
  std::string gfx;
  std::vector<std::string> query;  // name=value: what else GET /tuned/{family} takes
  std::string output;              // the file, or the folder
  std::string lock;                // "": none
  bool update_lock = false;
  BuildOptions build;
  bool force = false;  // replace a folder that holds something else
  // Of TunableOp's results: what PYTORCH_TUNABLEOP_FILENAME shall say, and for how many GPUs.
  std::string file_name{core::kTunableFileName};
  int gpus = core::kTunableDevices;
  bool json = false;
  RetryPolicy retry;
};

// `configuration` is asked for where a tree is to be scanned, and for a reader.
int Pull(const PullOptions& options, HubClient& hub, const Pauses& pauses, Console& console,
         const std::function<core::Result<Configuration>()>& configuration);
int RunPull(int argc, char** argv, Console& console);

struct Pulled {
  std::string bytes;
  std::string sha256;  // that a lock file pins
  std::string etag;
  std::optional<core::Pin> revision;
  bool unchanged = false;  // the place has it already
};

// What a pull asks for: a table or a tree.
class PullOne {
 public:
  // All must outlive it.
  PullOne(const PullOptions& options, HubClient& hub, const Pauses& pauses, Console& console)
      : options_(options), console_(console), hub_(hub), pauses_(pauses) {}
  virtual ~PullOne() = default;
  PullOne(const PullOne&) = delete;
  PullOne& operator=(const PullOne&) = delete;

  // What the hub answers to GET `target`; from the place where the hub says that it has not
  // changed. Errors: those of the hub, bad_answer, those of reading the place.
  virtual core::Result<Pulled> Get(const std::string& target) = 0;
  // Into its place, with its ETag. Errors: file_unwritable and others of the place.
  virtual core::Status Write(const std::string& target, const Pulled& pulled) = 0;
  virtual void Report(const Pulled& pulled) const = 0;

 protected:
  // Asks with the ETag, where there is one, and says what the hub warns of. Errors: those of the
  // hub, bad_answer (of another content type).
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
  // `absent`: what the tree that the table is for has nothing of.
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

// Fetches a reader's files and puts them into the folder that its variable names.
class TreePull : public PullOne {
 public:
  // `reader`: the agent's own; it must outlive this.
  TreePull(const PullOptions& options, HubClient& hub, const Pauses& pauses, Console& console,
           const core::Reader& reader)
      : PullOne(options, hub, pauses, console), reader_(reader) {}

  // Errors, beside those of PullOne: foreign_files (the folder holds what no pull put there, or
  // something that was changed, which only --force gives up), bad_tree and others of ParseTree.
  core::Result<Pulled> Get(const std::string& target) override;
  core::Status Write(const std::string& target, const Pulled& pulled) override;
  void Report(const Pulled& pulled) const override;

 private:
  void Warn(const Answer& answer) override;
  // Open, and free of what is somebody's, or --force.
  core::Result<TreeFolder> OpenFolder();

  const core::Reader& reader_;
  std::optional<Tree> tree_;  // the hub's last; nothing where it says that nothing has changed
  bool gave_up_files_ = false;
};

// kFinding where the hub would refuse a file, or not serve a row.
int DryRun(const Configuration& configuration, const std::vector<FamilyFiles>& files, bool all,
           bool json, Console& console);

class PushReport {
 public:
  PushReport(bool json, std::size_t most_rows) : json_(json), most_(most_rows) {}

  void Add(const Batch& batch, const SendOutcome& outcome, Console& console);
  // What still waits in the spool, for this hub and for others.
  int Finish(const Spool& spool, Console& console);

  // A batch that could not even be tried.
  void AddFailure(const core::Error& error, Console& console);

 private:
  bool json_;
  std::size_t most_;
  int code_ = kGood;
  nlohmann::ordered_json batches_ = nlohmann::ordered_json::array();
};

}  // namespace tunehub::agent
