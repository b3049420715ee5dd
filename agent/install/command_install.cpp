#include <algorithm>
#include <ostream>
#include <string_view>

#include "agent/base/command.h"
#include "agent/base/terminal.h"
#include "agent/hub/http_client.h"
#include "agent/install/commands.h"
#include "agent/install/module_builder.h"

namespace tunehub::agent {
namespace {

constexpr const char* kInstall = "tunehub-agent install";

int Refuse(const InstallPlan& plan, const InstallOptions& options, const InstallFacts& facts,
           Console& console) {
  if (options.json) PrintInstallJson(plan, false, facts, console.out);
  console.err << BeginError << "tunehub-agent install: the hub lacks " << plan.losses.size()
              << " rows of this tree, so nothing was changed. Import these rows first, or pass "
                 "--force to lose them:\n";
  PrintLosses(plan.losses, options.all ? kAllRows : kFewRows, console.err);
  console.err << EndError;
  return kFinding;
}

// True if the install must stop. Every release of AITER contains code objects. So a tree without
// code objects is incomplete, and an install would drop the rows that need them.
bool LacksCodeObjects(const BuildScan& scan, const BuildReport& report,
                      const InstallOptions& options, Console& console) {
  for (const AbsentModule& absent : scan.absent) {
    const std::size_t rows = report.LackedBy(absent.module);
    if (absent.place != kCodeObjects || rows == 0) continue;
    console.err << "tunehub-agent install: " << options.folder << " has no code objects in "
                << absent.place << ", which " << rows << " rows need"
                << (options.force ? "; these rows are left out\n"
                                  : "; nothing was changed (complete the tree, or pass --force to "
                                    "leave these rows out)\n");
    return !options.force;
  }
  return false;
}

// Builds the modules that rows need. `offer` becomes the hub's offer for the rebuilt tree. Builds
// nothing if this offer would lose rows.
core::Result<InstallRebuild> Rebuild(const InstallSource& source, const core::Manifest& manifest,
                                     InstallOffer& offer) {
  const auto again = BuiltAgain(manifest);
  if (!again.ok()) return again.error();
  auto full = OfferFor(source, *again);
  if (!full.ok()) return full.error();
  offer = *std::move(full);
  if (Loses(offer, source.options)) {
    if (auto as_it_is = OfferFor(source, manifest); !as_it_is.ok()) return as_it_is.error();
    return InstallRebuild{manifest};
  }
  auto rebuild = RebuildModules(source.configuration, manifest, RootOf(source.site), offer.tables,
                                offer.plan, source.options.gpu_archs);
  // Also sends the manifest after a failed build, because the hub's manifest of this name must
  // match the tree.
  auto after = OfferFor(source, rebuild.ok() ? rebuild->manifest : manifest);
  if (!rebuild.ok()) return rebuild.error();
  if (!after.ok()) return after.error();
  offer = *std::move(after);
  offer.facts.built = rebuild->modules;
  return rebuild;
}

// Installs the modules first, since the tables need them.
core::Status PutInPlace(const InstallSite& site, const InstallOptions& options,
                        const InstallOffer& offer, const std::optional<InstallRebuild>& rebuild) {
  core::Status status = rebuild ? rebuild->PutInPlace() : core::Ok();
  if (status.ok()) {
    status = Carry(site, options, offer.plan.actions, offer.tables, offer.facts.served);
  }
  // The tree has its own tables again, so it must also have its own modules.
  if (!status.ok() && rebuild) (void)PutModulesBack(JitFolderOf(RootOf(site)));
  return status;
}

int ReportInstalled(const InstallOffer& offer, const InstallOptions& options,
                    const std::optional<InstallRebuild>& rebuild, Console& console) {
  if (options.json) {
    PrintInstallJson(offer.plan, true, offer.facts, console.out);
  } else {
    PrintInstallText(offer.plan, offer.facts, console.out);
    if (rebuild) PrintBuilt(rebuild->modules, options.all, console.out);
  }
  if (!rebuild || rebuild->complete()) return kGood;
  console.err << kInstall << ": left out the rows whose module was not built; see "
              << rebuild->builder->log().string() << '\n';
  return kFinding;
}

// Errors: bad_options (options that only AITER's tables or only --reader supports).
core::Status CheckReaderOptions(const InstallOptions& options) {
  const bool of_reader = !options.family.empty() || !options.device.empty() ||
                         !options.query.empty() || !options.tree.empty();
  if (options.reader.empty() && of_reader) {
    return core::Error{"bad_options", "--family, --device, --query and --tree go with --reader"};
  }
  const bool of_aiter =
      !options.build.empty() || options.any_build || options.rebuild || options.measured_only;
  if (!options.reader.empty() && of_aiter) {
    return core::Error{
        "bad_options",
        "--build, --any-build, --rebuild and --measured-only are for AITER's tables, "
        "and do not go with --reader (use --query measured=only)"};
  }
  return core::Ok();
}

int RunReaderInstall(const Configuration& configuration, InstallOptions& options,
                     OnlineOptions& online, Console& console) {
  const auto store = StoreToInstall(configuration.readers, options);
  if (!store.ok()) return Fail(console, "install", store.error());
  if (options.undo) return UndoReaderInstall(options, (*store)->packages, console);
  options.family = (*store)->family->name;
  const core::Reader& reader = *configuration.readers.Find(options.reader);
  if (!options.tree.empty())
    return InstallReader(reader, options, nullptr, Pauses::Real(), console);
  auto hub = Connect(online);
  if (!hub.ok()) return Fail(console, "install", hub.error());
  options.hub = online.hub;
  options.retry = online.retry;
  return InstallReader(reader, options, hub->get(), Pauses::Real(), console);
}

}  // namespace

int Install(const Configuration& configuration, const InstallOptions& options, HubClient& hub,
            const Pauses& pauses, Console& console) {
  auto site = OpenSite(configuration, options, console);
  if (!site.ok()) return Fail(console, "install", site.error());
  if (ChangedSince(*site, options, console)) return kFinding;
  std::optional<BuildScan> scan;
  const auto build = PrepareBuild(
      configuration, {.folder = options.folder, .name = options.build, .skip = options.any_build},
      hub, options.retry, pauses, kInstall, console, scan);
  if (!build.ok()) return Fail(console, "install", build.error());
  const InstallSource source{configuration, options, *site, hub, pauses};
  auto offer = FetchOffer(source, *build, scan ? &scan->manifest : nullptr);
  if (!offer.ok()) return Fail(console, "install", offer.error());
  TellUnsigned(offer->facts.served, console);
  if (scan) {
    PrintBuildReport(offer->facts.build, scan->absent, kInstall, console);
    if (LacksCodeObjects(*scan, offer->facts.build, options, console)) return kFinding;
  }
  if (Loses(*offer, options)) return Refuse(offer->plan, options, offer->facts, console);
  std::optional<InstallRebuild> rebuild;
  if (options.rebuild) {
    if (!scan)
      return Fail(console, "install", {"not_buildable", "--rebuild needs a scan of the tree"});
    auto built = Rebuild(source, scan->manifest, *offer);
    if (!built.ok()) return Fail(console, "install", built.error());
    if (Loses(*offer, options)) return Refuse(offer->plan, options, offer->facts, console);
    rebuild = *std::move(built);
  }
  if (auto status = PutInPlace(*site, options, *offer, rebuild); !status.ok()) {
    return Fail(console, "install", status.error());
  }
  return ReportInstalled(*offer, options, rebuild, console);
}

int UndoInstall(const Configuration& configuration, const InstallOptions& options,
                Console& console) {
  auto site = OpenSite(configuration, options, console);
  if (!site.ok()) return Fail(console, "install", site.error());
  const int code = TakeBack(*site, options, console);
  if (!site->installed || code != kGood) return code;
  const auto modules = PutModulesBack(JitFolderOf(RootOf(*site)));
  if (!modules.ok()) return Fail(console, "install", modules.error());
  if (*modules > 0)
    console.out << *modules << " modules restored to their state before --rebuild\n";
  return kGood;
}

int RunInstall(int argc, char** argv, Console& console) {
  InstallOptions options;
  OnlineOptions online;
  std::string configs;
  cli::CommandLine line(
      "Puts the hub's tables where AITER reads them, or an engine's files where the engine reads "
      "them.",
      "tunehub-agent install");
  line.Add("DIR", options.folder,
           "an AITER checkout or its aiter/configs; with --reader: the site-packages, or a "
           "checkout, that contains the engine")
      .Required();
  line.Add(
      "--reader", options.reader,
      "install the files of vllm, sglang or aiter (its Triton configs) instead of AITER's tables");
  line.Add("--family", options.family,
           "with --reader: the files' family; default: the family without a variable");
  line.Add("--device", options.device,
           "with --reader: the GPU's trade name or its name in file names; default: all");
  line.Add("--query", options.query, "with --reader: name=value, as GET /tree/{reader} takes them");
  line.Add("--tree", options.tree,
           "with --reader: a saved answer of GET /tree/{reader}, instead of a hub");
  line.Add("--gpu-archs", options.gpu_archs,
           "the architectures: gfx942;gfx950, or native (this host's GPU)")
      .Env("GPU_ARCHS");
  line.Add("--build", options.build,
           "the name for the tree's manifest at the hub; default: the tree's version");
  line.AddFlag("--any-build", options.any_build, "also install rows that the tree cannot run");
  line.AddFlag("--measured-only", options.measured_only, "leave out rows that nobody has measured");
  line.AddFlag("--rebuild", options.rebuild,
               "rebuild the modules that rows need, with AITER's JIT; with AITER_REBUILD=1 rebuild "
               "all modules");
  line.Add("--trust", options.trust,
           "the key that signs the hub's answers, as text, as minisign's key file or as a lock "
           "file; default: the last install's key, or the hub's key at the first install");
  line.AddFlag("--allow-older", options.allow_older,
               "accept a revision older than the installed one");
  line.AddFlag("--undo", options.undo, "restore every file to its state before the install");
  line.AddFlag("--force", options.force, "continue even if rows or changes are lost");
  line.Add("--configs", configs, "folder with families/ and targets.json");
  line.AddFlag("--all", options.all,
               "list all rows that would be lost, or that a rebuild adds, removes or changes");
  line.AddFlag("--json", options.json, "print the report as JSON");
  AddOnlineOptions(line, online);
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return Fail(console, "install", configuration.error());
  if (auto status = CheckReaderOptions(options); !status.ok()) {
    return Fail(console, "install", status.error());
  }
  if (options.undo && options.reader.empty()) {
    return UndoInstall(*configuration, options, console);
  }
  // GPU_ARCHS is a variable of AITER. It does not select files of another engine.
  const bool typed = std::any_of(argv, argv + argc, [](std::string_view argument) {
    return argument.starts_with("--gpu-archs");
  });
  if (!typed && !options.reader.empty() && options.reader != "aiter") options.gpu_archs.clear();
  if (auto status = ResolveNative(options); !status.ok()) {
    return Fail(console, "install", status.error());
  }
  if (!options.reader.empty()) return RunReaderInstall(*configuration, options, online, console);
  auto hub = Connect(online);
  if (!hub.ok()) return Fail(console, "install", hub.error());
  options.hub = online.hub;
  options.retry = online.retry;
  return Install(*configuration, options, **hub, Pauses::Real(), console);
}

}  // namespace tunehub::agent
