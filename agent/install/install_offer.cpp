#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/aiter/aiter_tree.h"
#include "agent/device/this_device.h"
#include "agent/hub/http_client.h"
#include "agent/hub/tree.h"
#include "agent/install/commands.h"
#include "core/base/pin.h"
#include "core/base/rfc3339.h"
#include "core/base/text.h"
#include "core/row/cell.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {
namespace {

void PrintRows(char sign, const std::vector<std::string>& rows, std::size_t count,
               std::ostream& out) {
  for (const std::string& row : rows) out << "  " << sign << ' ' << row << '\n';
  if (count > rows.size()) out << "  " << sign << " and " << count - rows.size() << " more\n";
}

// AITER's value of GPU_ARCHS for the build host's own GPU.
constexpr char kNativeGpu[] = "native";
constexpr const char* kNoTime = "inf";

// Returns the row's line, with the time inf if WriteUnmeasuredTimes must change it.
std::string Rewritten(const core::Family& family, const core::Row& row, std::size_t& changed) {
  if (row.standing != core::Standing::kUnmeasured) return row.line;
  std::string scratch;
  core::Cells cells = core::SplitLine(row.line, scratch);
  const auto time = core::ParseNumber(cells[family.objective]);
  if (!time || !(*time <= 0)) return row.line;
  ++changed;
  cells[family.objective] = kNoTime;
  return core::JoinCells(cells);
}

// Writes inf for times of 0 or below in unmeasured rows. AITER's own test of its tables refuses
// such times. Its lookups ignore the time, and inf loses every merge and comparison. Skips families
// whose lookup compares times (Lookup::empty_matches), and tables that cannot be read. `tables` is
// by name inside aiter/configs. Returns the number of changed rows.
std::size_t WriteUnmeasuredTimes(const Configuration& configuration,
                                 std::map<std::string, std::string>& tables) {
  std::size_t all = 0;
  for (const auto& family : configuration.families.all()) {
    const auto table = tables.find(family->file);
    if (table == tables.end() || family->objective == core::kNoColumn) continue;
    if (family->lookup.empty_matches) continue;
    const auto read =
        core::ReadTunedTable(*family, configuration.targets, table->second,
                             {.error_limit = {}, .identify = nullptr, .warnings = false});
    if (!read.ok() || !read->rejected.empty()) continue;
    std::size_t changed = 0;
    std::vector<std::string> lines;
    for (const core::Row& row : read->rows) lines.push_back(Rewritten(*family, row, changed));
    if (changed == 0) continue;
    table->second =
        core::WriteTable(*family, std::vector<std::string_view>(lines.begin(), lines.end()));
    all += changed;
  }
  return all;
}

InstallFacts FactsOf(const Answer& answer) {
  InstallFacts facts{ServedStateOf(answer), ReadBuildReport(answer)};
  const auto left = core::ParseInt64(answer.Header("tunehub-unmeasured-left-out"));
  facts.left_unmeasured = static_cast<std::size_t>(std::max<std::int64_t>(left.value_or(0), 0));
  return facts;
}

Parameters BundleParameters(const InstallOptions& options, const std::string& build) {
  Parameters parameters;
  if (!build.empty()) parameters.emplace_back("build", build);
  if (options.native) {
    // Names the parameters as an export does, since the signature covers the request's text.
    parameters.emplace_back("gfx", options.native->gfx);
    parameters.emplace_back("cu_num", std::to_string(options.native->cu_num));
  } else if (!options.gpu_archs.empty()) {
    parameters.emplace_back("gpu_archs", options.gpu_archs);
  }
  if (options.measured_only) parameters.emplace_back("measured", "only");
  return parameters;
}

}  // namespace

void PrintBuilt(std::span<const BuiltModule> modules, bool all, std::ostream& out) {
  for (const BuiltModule& module : modules) {
    if (!module.built) {
      out << module.library << ": not built: " << module.why << '\n';
      continue;
    }
    out << module.library << ": built; changes of its lookup table: " << SummaryOf(module.lookup)
        << '\n';
    if (!all) continue;
    PrintRows('+', module.lookup.added, module.lookup.rows_added, out);
    PrintRows('-', module.lookup.removed, module.lookup.rows_removed, out);
    PrintRows('*', module.lookup.changed, module.lookup.rows_changed, out);
  }
}

nlohmann::ordered_json ToJson(std::span<const BuiltModule> modules) {
  auto list = nlohmann::ordered_json::array();
  for (const BuiltModule& module : modules) {
    const LookupChange& lookup = module.lookup;
    nlohmann::ordered_json entry = {{"module", module.library}, {"built", module.built}};
    if (!module.built) {
      entry["why"] = module.why;
    } else {
      entry["lookup"] = {{"rows", lookup.rows},
                         {"added", lookup.rows_added},
                         {"removed", lookup.rows_removed},
                         {"changed", lookup.rows_changed}};
    }
    list.push_back(std::move(entry));
  }
  return list;
}

void PrintLosses(const std::vector<Loss>& losses, std::size_t most, std::ostream& out) {
  for (std::size_t i = 0; i < losses.size() && i < most; ++i) {
    const Loss& loss = losses[i];
    out << "  " << loss.file;
    if (loss.line > 0) out << ':' << loss.line;
    out << ": " << loss.what << '\n';
  }
  if (losses.size() > most) {
    out << "  and " << losses.size() - most << " more (--all)\n";
  }
}

ServedState ServedStateOf(const Answer& answer) {
  const auto text = [&](const char* header) {
    const auto pin = core::ParsePin(answer.Header(header));
    return pin ? pin->Text() : "";
  };
  return {text("tunehub-revision"), text("tunehub-pin")};
}

void PrintInstallJson(const InstallPlan& plan, bool installed, const InstallFacts& facts,
                      std::ostream& out) {
  nlohmann::ordered_json families = nlohmann::ordered_json::array(),
                         losses = nlohmann::ordered_json::array();
  for (const FamilyPlan& family : plan.families) {
    families.push_back({{"family", family.family->name},
                        {"file", family.family->file},
                        {"rows", family.rows},
                        {"moved_files", family.moved_files}});
  }
  for (const Loss& loss : plan.losses) {
    losses.push_back(
        {{"family", loss.family}, {"file", loss.file}, {"line", loss.line}, {"what", loss.what}});
  }
  const nlohmann::ordered_json report = {{"installed", installed},
                                         {"revision", facts.served.revision},
                                         {"pin", facts.served.pin},
                                         {"families", families},
                                         {"unlisted_tables", plan.unlisted_tables},
                                         {"losses", losses},
                                         {"malformed_rows", plan.malformed_rows},
                                         {"other_target_rows", plan.other_target_rows},
                                         {"unbuilt_rows", plan.unbuilt_rows},
                                         {"unmeasured_rows", plan.unmeasured_rows},
                                         {"left_unmeasured", facts.left_unmeasured},
                                         {"rewritten_times", facts.rewritten_times},
                                         {"build", ToJson(facts.build)},
                                         {"rebuilt", ToJson(std::span(facts.built))}};
  out << report.dump(2) << '\n';
}

void PrintInstallText(const InstallPlan& plan, const InstallFacts& facts, std::ostream& out) {
  for (const FamilyPlan& family : plan.families) {
    out << family.family->file << ": " << family.rows << " rows, " << family.moved_files
        << " model files moved aside\n";
  }
  const auto say = [&](const char* before, std::size_t count, const char* behind) {
    if (count > 0) out << before << count << behind << '\n';
  };
  say("tables that no family describes, unchanged: ", plan.unlisted_tables, "");
  say("left behind: ", plan.malformed_rows, " malformed rows (`tunehub-agent check` lists them)");
  say("left behind: ", plan.other_target_rows, " rows of other targets");
  say("left behind: ", plan.unbuilt_rows, " rows whose kernel this tree lacks");
  say("left behind: ", plan.unmeasured_rows, " rows that nobody has measured");
  say("not fetched: ", facts.left_unmeasured, " rows that nobody has measured");
  say("written with time inf: ", facts.rewritten_times,
      " rows that nobody has measured; their times were 0");
  out << "installed revision " << facts.served.revision
      << "; restart inference: AITER caches its tables\n";
}

namespace fs = std::filesystem;

fs::path RootOf(const InstallSite& site) {
  return site.paths.configs.parent_path().parent_path();
}

core::Result<InstallSite> OpenSite(const Configuration& configuration,
                                   const InstallOptions& options, Console& console) {
  auto configs = FindConfigsFolder(configuration.families, options.folder);
  if (!configs.ok()) return configs.error();
  return OpenSiteAt(*configs, options, console);
}

core::Result<InstallSite> OpenSiteAt(const fs::path& configs, const InstallOptions& options,
                                     Console& console) {
  const Installer installer(configs, options.after_step);
  auto lock = installer.Lock();
  if (!lock.ok()) return lock.error();
  auto recovered = installer.Recover(options.force);
  if (!recovered.ok()) return recovered.error();
  if (*recovered) console.err << "tunehub-agent install: rolled back an interrupted install\n";
  auto installed = installer.Installed();
  if (!installed.ok()) return installed.error();
  return InstallSite{InstallPaths(configs), *std::move(lock), *std::move(installed)};
}

bool ChangedSince(const InstallSite& site, const InstallOptions& options, Console& console) {
  if (!site.installed || options.force) return false;
  const auto changed = Installer(site.paths.configs).Changed(*site.installed);
  for (const std::string& file : changed) {
    console.err << "tunehub-agent install: " << (site.paths.configs / file).string()
                << " was changed after the install; --force discards the change\n";
  }
  return !changed.empty();
}

core::Status CheckServed(const InstallSite& site, const InstallOptions& options,
                         const SignedSums& sums, const std::string& asked, const BodyOf& body_of,
                         ServedState& served) {
  const ServedState before = site.installed ? site.installed->served : ServedState{};
  auto key = HubKey::Of(options.trust, before.key, body_of);
  if (!key.ok()) return key.error();
  const auto pin = key->Check(sums.signature, sums.text, asked);
  if (!pin.ok() || !pin->has_token()) return pin.ok() ? core::Ok() : core::Status(pin.error());
  served.key = key->Text();
  served.signed_pin = pin->Text();
  return CheckNotOlder(*pin, core::ParsePin(before.signed_pin).value_or(core::Pin{}),
                       options.allow_older);
}

void TellUnsigned(const ServedState& served, Console& console) {
  if (served.key.empty()) console.err << "tunehub-agent install: the tables are unsigned\n";
}

core::Status Carry(const InstallSite& site, const InstallOptions& options,
                   const std::vector<InstallAction>& actions,
                   const std::map<std::string, std::string>& tables, const ServedState& served) {
  const Installer installer(site.paths.configs, options.after_step);
  if (actions.empty()) return site.installed ? installer.Restore(*site.installed) : core::Ok();
  const InstallJournal journal{options.hub, served, core::UtcText(std::chrono::system_clock::now()),
                               actions};
  // Stages the new install before it undoes the last install, so that the last install is not lost
  // if the disk is full.
  core::Status status = installer.Stage(journal, tables);
  // The new install starts from the original tree, so there is only one backup.
  if (status.ok() && site.installed) status = installer.Restore(*site.installed, true);
  if (status.ok()) status = installer.Apply(journal);
  if (status.ok()) return status;
  // After a failure such as a full disk, no part of an install must remain.
  if (auto recovered = installer.Recover(false); !recovered.ok()) return recovered.error();
  return status;
}

int TakeBack(const InstallSite& site, const InstallOptions& options, Console& console) {
  if (!site.installed) {
    console.out << "nothing is installed in " << site.paths.configs.string() << '\n';
    return kGood;
  }
  if (ChangedSince(site, options, console)) return kFinding;
  const Installer installer(site.paths.configs, options.after_step);
  if (core::Status status = installer.Restore(*site.installed); !status.ok()) {
    return Fail(console, "install", status.error());
  }
  const auto files = std::ranges::count_if(site.installed->actions, [](const auto& action) {
    return action.kind != InstallKind::kMakeFolder;
  });
  console.out << files << " files restored\n";
  return kGood;
}

core::Status ResolveNative(InstallOptions& options) {
  if (core::Lower(core::Trim(options.gpu_archs)) != kNativeGpu) return core::Ok();
  const auto device = AmdDevice(options.device_root);
  if (!device.ok()) {
    return core::Error{device.error().code,
                       fmt::format("--gpu-archs {}: {}. Name the architectures instead, such as "
                                   "--gpu-archs 'gfx942;gfx950'",
                                   options.gpu_archs, device.error().detail)};
  }
  options.native = device->target;
  return core::Ok();
}

core::Result<InstallOffer> FetchOffer(const InstallSource& source, const std::string& build,
                                      const core::Manifest* manifest) {
  const InstallOptions& options = source.options;
  const Parameters parameters = BundleParameters(options, build);
  auto answer = Get(source.hub, "/bundle", parameters, options.retry, source.pauses);
  if (!answer.ok()) return answer.error();
  InstallFacts facts = FactsOf(*answer);
  const auto sums = SumsOf(answer->body);
  if (!sums.ok()) return sums.error();
  const auto body_of = [&](const std::string& path) {
    return GetBody(source.hub, path, {}, options.retry, source.pauses);
  };
  const core::Status status = CheckServed(
      source.site, options, *sums, core::AskedText("/bundle", parameters), body_of, facts.served);
  if (!status.ok()) return status.error();
  auto tables = ParseBundle(answer->body);
  if (!tables.ok()) return tables.error();
  facts.rewritten_times = WriteUnmeasuredTimes(source.configuration, *tables);
  const InstallJournal* const installed = source.site.installed ? &*source.site.installed : nullptr;
  auto plan = PlanInstall(source.configuration.families, source.configuration.targets,
                          OriginalTables(source.site.paths, installed), *tables,
                          {.gpu_archs = source.options.gpu_archs,
                           .native = source.options.native,
                           .manifest = manifest,
                           .unmeasured = source.options.measured_only});
  if (!plan.ok()) return plan.error();
  return InstallOffer{std::move(facts), *std::move(tables), *std::move(plan)};
}

bool Loses(const InstallOffer& offer, const InstallOptions& options) {
  return !offer.plan.losses.empty() && !options.force;
}

core::Result<InstallOffer> OfferFor(const InstallSource& source, const core::Manifest& manifest) {
  const auto build =
      SendBuild(source.hub, source.options.retry, source.pauses, source.options.build, manifest);
  if (!build.ok()) return build.error();
  return FetchOffer(source, *build, &manifest);
}

}  // namespace tunehub::agent
