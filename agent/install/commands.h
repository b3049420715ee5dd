// install and manifest: what a hub offers an install, what installing it would do, and what is said
// of it.
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
#include "agent/install/installer.h"
#include "agent/install/module_builder.h"
#include "core/base/result.h"
#include "core/builds/manifest.h"
#include "core/readers/reader.h"
#include "core/row/target.h"

namespace tunehub::agent {

// How a command that fetches tables says which build they are for.
struct BuildOptions {
  std::string folder;  // an AITER tree to scan; "": none
  std::string name;    // to send the manifest under; without a folder: one that the hub has
  bool skip = false;   // tables for any build
};

// PUT /builds/NAME; the answer is NAME@SHA256. `name` "": the default one, and where that is
// another owner's or of a build with more kernels, the default one with digits of the manifest's
// digest. `allow_shrink`: also where the name would be served much less. Errors: those of the hub,
// bad_answer.
core::Result<std::string> SendBuild(HubClient& hub, const RetryPolicy& retry, const Pauses& pauses,
                                    const std::string& name, const core::Manifest& manifest,
                                    bool allow_shrink = false);

// What `build=` shall be: scans and sends the tree where there is one. "" where tables of any build
// will do, as in a tree without a kernel, which is said on console.err after `who`. Fills `scan`
// where a tree was scanned. Errors: those of SendBuild.
core::Result<std::string> PrepareBuild(const Configuration& configuration,
                                       const BuildOptions& options, HubClient& hub,
                                       const RetryPolicy& retry, const Pauses& pauses,
                                       const std::string& who, Console& console,
                                       std::optional<BuildScan>& scan);

// Rows of one family that are not effective, by the module that decides ("-": none is known).
struct ModuleRows {
  std::string family, module, state;
  std::size_t rows = 0;
};

struct BuildReport {
  std::string build;                                 // NAME@SHA256; "": the answer is for no build
  std::array<std::size_t, core::kRowStates> rows{};  // by core::RowState
  std::size_t substituted = 0, unfilled = 0;
  std::vector<ModuleRows> modules;

  std::size_t Of(core::RowState state) const { return rows.at(static_cast<std::size_t>(state)); }
  // Rows that are impossible because the module is none that the tree has.
  std::size_t LackedBy(const std::string& module) const;
};

BuildReport ReadBuildReport(const Answer& answer);

// On console.err, after `who`; nothing where the answer is for no build. `absent` names places.
void PrintBuildReport(const BuildReport& report, const std::vector<AbsentModule>& absent,
                      const std::string& who, Console& console);

// Null where the answer is for no build.
nlohmann::ordered_json ToJson(const BuildReport& report);

struct InstallOptions {
  std::string folder;
  std::string reader;                  // whose files, in place of AITER's tables; "": these
  std::string family;                  // which of a reader's stores; "": the one without a variable
  std::string device;                  // of a reader's files; "": all
  std::vector<std::string> query;      // name=value: what else GET /tree/{reader} takes
  std::string tree;                    // a file of it, in place of a hub
  std::string hub;                     // for the manifest
  std::string gpu_archs;               // "": everything that the hub has
  std::optional<core::Target> native;  // this host's GPU, where gpu_archs is "native"
  std::string device_root = "/";       // below which /sys tells of it
  std::string build;       // the name to send the tree's manifest under; "": the tree's own
  bool any_build = false;  // also rows that the tree cannot run
  bool measured_only = false;
  bool rebuild = false;  // the modules that rows wait for
  bool undo = false;
  bool force = false;  // also where something is lost
  bool all = false;    // list every row that would be lost
  bool json = false;
  RetryPolicy retry;
  std::function<void()> after_step;  // see Installer
};

// One line for each module; with `all` also the rows of its lookup table that differ.
void PrintBuilt(std::span<const BuiltModule> modules, bool all, std::ostream& out);

// [{"module", "built", "why", "lookup": {"rows", "added", "removed", "changed", ...}}]
nlohmann::ordered_json ToJson(std::span<const BuiltModule> modules);

void PrintLosses(const std::vector<Loss>& losses, std::size_t most, std::ostream& out);

ServedState ServedStateOf(const Answer& answer);

// What is said beside the plan.
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

// Finds out `native`, for a hub cannot know it. Errors: no_device.
core::Status ResolveNative(InstallOptions& options);

// The configs folder, locked, without anything that an interrupted install left.
struct InstallSite {
  InstallPaths paths;
  core::Fd lock;
  std::optional<InstallJournal> installed;
};

std::filesystem::path RootOf(const InstallSite& site);

// Says so where an interrupted install was taken back. Errors: those of FindConfigsFolder and of
// Installer.
core::Result<InstallSite> OpenSite(const Configuration& configuration,
                                   const InstallOptions& options, Console& console);

// The same of a configs folder that is known.
core::Result<InstallSite> OpenSiteAt(const std::filesystem::path& configs,
                                     const InstallOptions& options, Console& console);

// Names the files that somebody changed since the install; true where that forbids to go on.
bool ChangedSince(const InstallSite& site, const InstallOptions& options, Console& console);

// Puts the tables there, or leaves the tree as it was. Errors: those of Installer.
core::Status Carry(const InstallSite& site, const InstallOptions& options,
                   const std::vector<InstallAction>& actions,
                   const std::map<std::string, std::string>& tables, const ServedState& served);

// Every file as it was before the install, or why not; the exit code.
int TakeBack(const InstallSite& site, const InstallOptions& options, Console& console);

// Where an install takes its tables from.
struct InstallSource {
  const Configuration& configuration;
  const InstallOptions& options;
  const InstallSite& site;
  HubClient& hub;
  const Pauses& pauses;
};

// The hub's tables for one build, and what installing them would do.
struct InstallOffer {
  InstallFacts facts;
  std::map<std::string, std::string> tables;  // by name inside aiter/configs
  InstallPlan plan;
};

// Of the build that the hub knows as `build` ("": of none). Errors: the hub's, those of a bundle.
core::Result<InstallOffer> FetchOffer(const InstallSource& source, const std::string& build,
                                      const core::Manifest* manifest);
// The same for `manifest`, of which the hub is told.
core::Result<InstallOffer> OfferFor(const InstallSource& source, const core::Manifest& manifest);

// Whether it would lose rows of the tree without --force.
bool Loses(const InstallOffer& offer, const InstallOptions& options);

// tunehub-agent install AITER_DIR: the hub's tables where AITER and its code generators look, some
// of which ignore the environment variables.
int Install(const Configuration& configuration, const InstallOptions& options, HubClient& hub,
            const Pauses& pauses, Console& console);
// Needs no hub.
int UndoInstall(const Configuration& configuration, const InstallOptions& options,
                Console& console);
int RunInstall(int argc, char** argv, Console& console);

// tunehub-agent install --reader: the hub's files where an engine keeps its own, for those that no
// variable can name.
// `hub`: null where options.tree names a file. A member of the engine's file that the hub's lacks
// is a loss, which --force accepts; files that the hub does not have stay.
int InstallReader(const core::Reader& reader, const InstallOptions& options, HubClient* hub,
                  const Pauses& pauses, Console& console);

// The reader's store that is meant: options.family's, else the one that no variable names. Errors:
// unknown_reader, bad_options.
core::Result<const core::ReaderStore*> StoreToInstall(const core::Readers& readers,
                                                      const InstallOptions& options);

// `packages`: the folders below options.folder that the reader's files may lie in.
int UndoReaderInstall(const InstallOptions& options, const std::vector<std::string>& packages,
                      Console& console);

// tunehub-agent manifest AITER_DIR: what that build of AITER can run.
struct ManifestOptions {
  ScanOptions scan;
  std::string output;              // "": standard output, unless it is sent
  std::optional<std::string> put;  // send it to the hub under this name; "": the tree's own
  bool allow_shrink = false;
  bool json = false;
  RetryPolicy retry;
};

// `hub`: null where nothing is sent. 1 where something could not be read.
int MakeManifest(const Configuration& configuration, const ManifestOptions& options, HubClient* hub,
                 const Pauses& pauses, Console& console);
int RunManifest(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
