// The commands that carry tables to a hub and from it: what each is told on its command line.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "agent/hub/hub_client.h"
#include "agent/install/build_report.h"
#include "core/base/archive.h"
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

}  // namespace tunehub::agent
