// The commands install and manifest: the tables that a hub offers, the plan of an install, and the
// reports.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/aiter/build_scan.h"
#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/hub_key.h"
#include "agent/hub/tree.h"
#include "agent/install/installer.h"
#include "agent/install/module_builder.h"
#include "core/base/result.h"
#include "core/builds/manifest.h"
#include "core/readers/reader.h"
#include "core/row/target.h"

namespace tunehub::agent {

// The build for which a command fetches tables.
struct BuildOptions {
  std::string folder;  // an AITER tree to scan; "": none
  // the manifest's name at the hub; without a folder, the name of a build that the hub knows
  std::string name;
  bool skip = false;  // fetch tables for any build
};

// Sends the manifest (PUT /builds/NAME) and returns NAME@SHA256. If `name` is "", NAME is the
// default name. The hub may refuse the default name (it belongs to another owner, or to a build
// with more kernels). Then sends again, with digits of the manifest's digest added to the name.
// `allow_shrink`: send even if the hub would then serve far fewer rows for this name. Errors: those
// of the hub, bad_answer.
core::Result<std::string> SendBuild(HubClient& hub, const RetryPolicy& retry, const Pauses& pauses,
                                    const std::string& name, const core::Manifest& manifest,
                                    bool allow_shrink = false);

// Scans the tree if there is one, sets `scan`, and sends the manifest. Returns the value for
// `build=`; "": tables for any build. If the tree has no kernels, returns "" and prints a warning
// on console.err. The warning begins with `who`. Errors: those of SendBuild.
core::Result<std::string> PrepareBuild(const Configuration& configuration,
                                       const BuildOptions& options, HubClient& hub,
                                       const RetryPolicy& retry, const Pauses& pauses,
                                       const std::string& who, Console& console,
                                       std::optional<BuildScan>& scan);

// The rows of one family that are not effective because of one module ("-": unknown module).
struct ModuleRows {
  std::string family, module, state;
  std::size_t rows = 0;
};

struct BuildReport {
  std::string build;                                 // NAME@SHA256; "": no build
  std::array<std::size_t, core::kRowStates> rows{};  // by core::RowState
  std::size_t substituted = 0, unfilled = 0;
  std::vector<ModuleRows> modules;

  std::size_t Of(core::RowState state) const { return rows.at(static_cast<std::size_t>(state)); }
  // The number of rows that are impossible because the tree lacks the module.
  std::size_t LackedBy(const std::string& module) const;
};

BuildReport ReadBuildReport(const Answer& answer);

// Prints to console.err. Each line begins with `who`. Prints nothing without a build. `absent`: the
// folders in which the scan searched for each module.
void PrintBuildReport(const BuildReport& report, const std::vector<AbsentModule>& absent,
                      const std::string& who, Console& console);

// Returns null without a build.
nlohmann::ordered_json ToJson(const BuildReport& report);

struct InstallOptions {
  std::string folder;
  std::string reader;                  // the engine; "": AITER's tables
  std::string family;                  // the reader's store; "": the store without a variable
  std::string device;                  // the device of a reader's files; "": all devices
  std::vector<std::string> query;      // name=value: other parameters of GET /tree/{reader}
  std::string tree;                    // a file with the hub's answer, read instead of asking a hub
  std::string hub;                     // the hub's address, for the journal
  std::string gpu_archs;               // "": all rows of the hub
  std::optional<core::Target> native;  // this host's GPU if gpu_archs is "native"
  std::string device_root = "/";       // the host's GPU is read from /sys below this folder
  std::string build;                   // the manifest's name at the hub; "": from the tree
  bool any_build = false;              // true: also install rows that the tree cannot run
  bool measured_only = false;
  bool rebuild = false;      // build the modules that rows need
  std::string trust;         // HubKey::Of
  bool allow_older = false;  // accept an older revision than the installed one
  bool undo = false;
  bool force = false;  // install even if rows or changes are lost
  bool all = false;    // list every row that would be lost
  bool json = false;
  RetryPolicy retry;
  std::function<void()> after_step;  // see Installer
};

// Prints a line per module; with `all` also the rows that changed in the module's lookup table.
void PrintBuilt(std::span<const BuiltModule> modules, bool all, std::ostream& out);

// [{"module", "built", "why", "lookup": {"rows", "added", "removed", "changed", ...}}]
nlohmann::ordered_json ToJson(std::span<const BuiltModule> modules);

void PrintLosses(const std::vector<Loss>& losses, std::size_t most, std::ostream& out);

ServedState ServedStateOf(const Answer& answer);

struct InstallFacts {
  ServedState served;
  BuildReport build;
  std::size_t left_unmeasured = 0;      // rows of the hub that --measured-only left out
  std::size_t rewritten_times = 0;      // times of 0 that were written as inf
  std::vector<BuiltModule> built = {};  // by --rebuild
};

void PrintInstallText(const InstallPlan& plan, const InstallFacts& facts, std::ostream& out);

void PrintInstallJson(const InstallPlan& plan, bool installed, const InstallFacts& facts,
                      std::ostream& out);

// Replaces "native" by this host's GPU. Errors: no_device.
core::Status ResolveNative(InstallOptions& options);

// The configs folder, locked, and without an interrupted install.
struct InstallSite {
  InstallPaths paths;
  core::Fd lock;
  std::optional<InstallJournal> installed;
};

std::filesystem::path RootOf(const InstallSite& site);

// Undoes an interrupted install and prints a message about it. Errors: those of FindConfigsFolder
// and of Installer.
core::Result<InstallSite> OpenSite(const Configuration& configuration,
                                   const InstallOptions& options, Console& console);

// Does the same as OpenSite for a known configs folder.
core::Result<InstallSite> OpenSiteAt(const std::filesystem::path& configs,
                                     const InstallOptions& options, Console& console);

// Prints the files that somebody changed since the install. Returns true if the new install must
// stop.
bool ChangedSince(const InstallSite& site, const InstallOptions& options, Console& console);

// Checks the signature of the hub's answer, before the agent writes a file. Uses the public key of
// --trust or of the current install. Stores the key and the pin in `served`. `body_of`: see HubKey.
// Errors: those of HubKey::Check, older_revision.
core::Status CheckServed(const InstallSite& site, const InstallOptions& options,
                         const SignedSums& sums, const std::string& asked, const BodyOf& body_of,
                         ServedState& served);
// Prints a note on console.err if the installed files have no signature.
void TellUnsigned(const ServedState& served, Console& console);

// Installs the tables, or leaves the tree unchanged. Errors: those of Installer.
core::Status Carry(const InstallSite& site, const InstallOptions& options,
                   const std::vector<InstallAction>& actions,
                   const std::map<std::string, std::string>& tables, const ServedState& served);

// Restores every file as it was before the install, or prints why this is impossible. Returns the
// exit code.
int TakeBack(const InstallSite& site, const InstallOptions& options, Console& console);

struct InstallSource {
  const Configuration& configuration;
  const InstallOptions& options;
  const InstallSite& site;
  HubClient& hub;
  const Pauses& pauses;
};

// The hub's tables for one build, and the plan to install them.
struct InstallOffer {
  InstallFacts facts;
  std::map<std::string, std::string> tables;  // by name inside aiter/configs
  InstallPlan plan;
};

// Fetches the tables for the hub's build `build` ("": any). Errors: the hub's, those of a bundle.
core::Result<InstallOffer> FetchOffer(const InstallSource& source, const std::string& build,
                                      const core::Manifest* manifest);
// Sends `manifest` to the hub, then does the same as FetchOffer.
core::Result<InstallOffer> OfferFor(const InstallSource& source, const core::Manifest& manifest);

// True if rows of the tree would be lost and --force is not set.
bool Loses(const InstallOffer& offer, const InstallOptions& options);

// tunehub-agent install AITER_DIR: puts the hub's tables into AITER's folder. (Some of AITER's code
// generators ignore the environment variables.)
int Install(const Configuration& configuration, const InstallOptions& options, HubClient& hub,
            const Pauses& pauses, Console& console);
int UndoInstall(const Configuration& configuration, const InstallOptions& options,
                Console& console);
int RunInstall(int argc, char** argv, Console& console);

// Installs an engine's files. If `hub` is null, reads options.tree. Files that the hub lacks stay.
// If a member of an engine's file is missing in the hub's file, the install would lose it, which
// needs --force.
int InstallReader(const core::Reader& reader, const InstallOptions& options, HubClient* hub,
                  const Pauses& pauses, Console& console);

// Returns the store of options.family, or else the store without a variable. Errors:
// unknown_reader, bad_options.
core::Result<const core::ReaderStore*> StoreToInstall(const core::Readers& readers,
                                                      const InstallOptions& options);

// `packages`: folders below options.folder where the reader's files may be.
int UndoReaderInstall(const InstallOptions& options, const std::vector<std::string>& packages,
                      Console& console);

// tunehub-agent manifest AITER_DIR: lists the kernels that this build of AITER can run.
struct ManifestOptions {
  ScanOptions scan;
  std::string output;              // "": standard output, unless the manifest is sent
  std::optional<std::string> put;  // send it under this name; "": the tree's name
  bool allow_shrink = false;
  bool json = false;
  RetryPolicy retry;
};

// If `hub` is null, does not send the manifest. Returns 1 if something could not be read.
int MakeManifest(const Configuration& configuration, const ManifestOptions& options, HubClient* hub,
                 const Pauses& pauses, Console& console);
int RunManifest(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
