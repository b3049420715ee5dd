#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "agent/base/provenance.h"
#include "agent/base/terminal.h"
#include "agent/engines/aiter_results.h"
#include "agent/engines/script_command.h"
#include "agent/hub/http_client.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/spool.h"
#include "agent/tables/input_family.h"
#include "agent/transfer/commands.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/process.h"
#include "core/base/result.h"
#include "core/base/rfc3339.h"
#include "core/base/text.h"
#include "core/family/families.h"

namespace tunehub::agent {
namespace {

// A log of AITER's bench before tuning: `python3 x_tune.py --run_config 2>&1 | tee LOG`.
struct BenchLog {
  const core::Family* family = nullptr;
  std::string json;                     // the body of POST /results with the times of defaults
  std::vector<std::string> provenance;  // name=value
};

constexpr char kBefore[] = "_bench_before_", kTuning[] = "_tuning_";

const core::Family* FamilyOfLog(const core::Families& families, const std::string& named,
                                const std::string& file) {
  if (!named.empty()) return families.Find(named);
  for (const auto& family : families.all()) {
    const std::string variant(VariantName(*family));
    const bool is_its = file.starts_with(variant + kBefore) || file.starts_with(variant + kTuning);
    if (is_its) return family.get();
  }
  return nullptr;
}

// If `family` is "", finds the family from the file's name, VARIANT_bench_before_TIME.log. Errors:
// unknown_family, no_baseline (no default with a time, or no GPU in the log).
core::Result<BenchLog> ReadBenchLog(const core::Families& families, const std::string& family,
                                    const std::string& path, std::string_view text) {
  const std::string file = std::filesystem::path(path).filename().string();
  BenchLog log;
  log.family = FamilyOfLog(families, family, file);
  if (log.family == nullptr || log.family->tune_script.empty()) {
    return core::Error{
        "unknown_family",
        fmt::format("{}: expected a log's name such as VARIANT_bench_before_TIME.log or "
                    "VARIANT_tuning_TIME.log, with a variant of AITER; otherwise pass --family",
                    path)};
  }
  const auto timings = LoggedDefaults(text, file.find(kBefore) != std::string::npos);
  const auto rows = DefaultRows(*log.family, timings, {});
  if (rows.rows == 0) {
    return core::Error{
        "no_baseline",
        fmt::format("{}: none of {} reports of defaults has a time, the status OK and a GPU", path,
                    timings.size())};
  }
  log.json = rows.json;
  log.provenance = {"tuner=aiter " + log.family->tune_script + " --run_config", "provider=aiter",
                    "note=" + file};
  return log;
}

core::Result<std::optional<NewRun>> NewRunOf(const std::vector<std::string>& said,
                                             const std::string& now) {
  if (said.empty()) return std::optional<NewRun>();
  auto provenance = ProvenanceOf(said, now);
  if (!provenance.ok()) return provenance.error();
  return std::optional<NewRun>(NewRun{core::RandomUuid(), *std::move(provenance)});
}

struct Input {
  std::string path;
  core::FileBytes bytes;
  const core::Family* family = nullptr;
  std::optional<BenchLog> log = {};  // has a value if the file is a log
};

// Reads all files and finds their families before the first batch is written.
core::Result<std::vector<Input>> ReadInputs(const core::Families& families,
                                            const PushOptions& options) {
  std::vector<Input> inputs;
  for (const std::string& path : options.files) {
    auto bytes = core::FileBytes::Read(path);
    if (!bytes.ok()) return bytes.error();
    if (std::filesystem::path(path).extension() == ".log") {
      auto log = ReadBenchLog(families, options.family, path, bytes->view());
      if (!log.ok()) return log.error();
      inputs.push_back({path, *std::move(bytes), log->family, *log});
      continue;
    }
    auto family = FamilyOf(families, options.family, {path, bytes->view()});
    if (!family.ok()) return family.error();
    inputs.push_back({path, *std::move(bytes), *family});
  }
  return inputs;
}

// Returns the beginning of the idempotency key. With it, a second push of a table that still waits
// makes no second batch.
std::string DigestOf(const Input& input, const PushOptions& options, const BatchRows& part) {
  const nlohmann::json content = {options.hub,    input.family->name, options.run_id,
                                  options.atomic, options.new_run,    core::Sha256Hex(part.csv)};
  constexpr std::size_t kDigits = 32;
  return core::Sha256Hex(content.dump()).substr(0, kDigits);
}

struct Spooled {
  HeldBatch held;
  bool is_new = true;
};

// Returns the waiting batch with this digest. Errors: spool_in_use.
core::Result<std::optional<HeldBatch>> FindWaiting(const Spool& spool, const std::string& digest,
                                                   const std::string& file) {
  const auto path = spool.Find(digest);
  if (!path) return std::optional<HeldBatch>();
  auto held = spool.Take(*path);
  if (!held.ok() || held->has_value() || !std::filesystem::exists(*path)) return held;
  return core::Error{"spool_in_use", fmt::format("{}: another process is sending this file: {}",
                                                 file, path->string())};
}

// Adds the part's waiting batch, or else a new batch. Skips a part that is already in `batches`.
core::Status SpoolPart(const Input& input, const BatchRows& part, const PushOptions& options,
                       const std::optional<NewRun>& run, const Spool& spool,
                       std::vector<Spooled>& batches) {
  const std::string digest = DigestOf(input, options, part);
  const bool twice = std::ranges::any_of(
      batches, [&](const Spooled& it) { return it.held.batch.header.key.starts_with(digest); });
  if (twice) return core::Ok();
  auto waiting = FindWaiting(spool, digest, input.path);
  if (!waiting.ok()) return waiting.error();
  if (waiting->has_value()) {
    batches.push_back({std::move(**waiting), false});
    return core::Ok();
  }
  // The spool sets the hub.
  const BatchHeader header{digest + "-" + core::RandomUuid(),
                           "",
                           input.family->name,
                           input.path,
                           part.line_offset,
                           core::UtcText(std::chrono::system_clock::now()),
                           options.atomic,
                           options.run_id,
                           run,
                           input.log ? kJsonType : kCsvType};
  auto held = spool.Add(header, part.csv);
  if (!held.ok()) return held.error();
  batches.push_back({*std::move(held)});
  return core::Ok();
}

core::Status SpoolParts(const std::vector<Input>& inputs, const PushOptions& options,
                        const Spool& spool, std::vector<Spooled>& batches) {
  const std::string now = core::UtcText(std::chrono::system_clock::now());
  const auto run = NewRunOf(options.new_run, now);
  if (!run.ok()) return run.error();
  for (const Input& input : inputs) {
    const bool says_run = input.log && !run->has_value() && options.run_id.empty();
    const auto its = says_run ? NewRunOf(input.log->provenance, now) : run;
    if (!its.ok()) return its.error();
    const auto parts =
        input.log ? std::vector<BatchRows>{{input.log->json, 0}} : SplitTable(input.bytes.view());
    if (options.atomic && parts.size() > 1) {
      return core::Error{"too_large", fmt::format("{}: --atomic needs one request, and this file "
                                                  "is too large for one ({} rows, {} bytes)",
                                                  input.path, kMaxBatchRows, kMaxBatchBytes)};
    }
    for (const BatchRows& part : parts) {
      const auto spooled = SpoolPart(input, part, options, *its, spool, batches);
      if (!spooled.ok()) return spooled;
    }
  }
  return core::Ok();
}

// Spools all files or none. So after a failure by a full disk, a second push does not send a file
// twice.
core::Result<std::vector<Spooled>> SpoolInputs(const std::vector<Input>& inputs,
                                               const PushOptions& options, const Spool& spool) {
  std::vector<Spooled> batches;
  const core::Status status = SpoolParts(inputs, options, spool, batches);
  if (status.ok()) return batches;
  for (const auto& [held, is_new] : batches) {
    if (!is_new) continue;
    if (core::Status removed = spool.Done(held); !removed.ok()) return removed.error();
  }
  return status.error();
}

// Sends one batch. Returns false if the hub is not reachable now, so that later batches must wait.
core::Result<bool> SendOne(BatchSender& sender, const HeldBatch& held, PushReport& report,
                           Console& console) {
  auto outcome = sender.Send(held);
  if (!outcome.ok()) return outcome.error();
  report.Add(held.batch, *outcome, console);
  return outcome->kind != SendOutcome::Kind::kWaiting || outcome->error.code == kTooLargeBetween;
}

core::Status SendHeld(BatchSender& sender, const std::vector<Spooled>& batches, PushReport& report,
                      Console& console) {
  for (const Spooled& it : batches) {
    auto go_on = SendOne(sender, it.held, report, console);
    if (!go_on.ok()) return go_on.error();
    if (!*go_on) break;
  }
  return core::Ok();
}

// Moves a file that is not a batch out of the spool, so that the next push does not read it again.
void SetAside(const Spool& spool, const std::filesystem::path& path, core::Error why,
              PushReport& report, Console& console) {
  if (why.code == kBadBatch) {
    const core::Status moved = spool.SetAside(path, why.detail);
    why.detail +=
        moved.ok() ? "; set aside" : "; this batch cannot be set aside: " + moved.error().detail;
  }
  report.AddFailure(why, console);
}

core::Status Drain(BatchSender& sender, const Spool& spool, PushReport& report, Console& console) {
  for (const std::filesystem::path& path : spool.Waiting()) {
    auto held = spool.Take(path);
    if (!held.ok()) SetAside(spool, path, held.error(), report, console);
    if (!held.ok() || !held->has_value()) continue;
    auto go_on = SendOne(sender, **held, report, console);
    if (!go_on.ok()) return go_on.error();
    if (!*go_on) break;
  }
  return core::Ok();
}

// Returns the hub whose batches are added and sent. With --from, it is an earlier address of that
// hub.
core::Result<std::string> WhoseBatches(const PushOptions& options) {
  if (options.from.empty()) return options.hub;
  if (options.from == kNoHub) return std::string();
  return HubIdentity(options.from);
}

int DryRunPush(const Configuration& configuration, const PushOptions& options, Console& console) {
  auto inputs = ReadInputs(configuration.families, options);
  if (!inputs.ok()) return Fail(console, "push", inputs.error());
  std::vector<FamilyFiles> files;
  for (Input& input : *inputs) {
    files.push_back(
        {input.family,
         {{input.path, input.path, std::make_shared<core::FileBytes>(std::move(input.bytes))}}});
  }
  return DryRun(configuration, files, options.all, options.json, console);
}

}  // namespace

int Push(const core::Families& families, const PushOptions& options, const Connector& connect,
         const Pauses& pauses, Console& console) {
  auto inputs = ReadInputs(families, options);
  if (!inputs.ok()) return Fail(console, "push", inputs.error());
  auto of = WhoseBatches(options);
  if (!of.ok()) return Fail(console, "push", of.error());
  auto spool = Spool::Open(
      options.spool.empty() ? Spool::DefaultFolder() : std::filesystem::path(options.spool), *of);
  if (!spool.ok()) return Fail(console, "push", spool.error());
  const bool anything = !inputs->empty() || !spool->Waiting().empty();
  const bool send = !options.spool_only && anything;
  core::Result<std::unique_ptr<HubClient>> hub = std::unique_ptr<HubClient>();
  // Connects first. With a mistyped address, this push and the next one would both spool the files.
  if (send) hub = connect();
  if (!hub.ok()) return Fail(console, "push", hub.error());

  auto batches = SpoolInputs(*inputs, options, *spool);
  if (!batches.ok()) return Fail(console, "push", batches.error());
  PushReport report(options.json, options.all ? kAllRows : kFewRows);
  if (!send) return report.Finish(*spool, console);
  BatchSender sender(**hub, *spool, options.retry, pauses);
  const core::Status sent = options.files.empty() ? Drain(sender, *spool, report, console)
                                                  : SendHeld(sender, *batches, report, console);
  if (!sent.ok()) return Fail(console, "push", sent.error());
  return report.Finish(*spool, console);
}

int RunPush(int argc, char** argv, Console& console) {
  PushOptions options;
  OnlineOptions online;
  std::string configs;
  cli::CommandLine line(
      "Sends tuned tables to the hub; without FILE, sends the batches in the spool.",
      "tunehub-agent push");
  const auto files =
      line.Add("FILE", options.files,
               "tuned tables as AITER's tuners write them; logs (.log) of AITER's benches "
               "before tuning");
  line.Add("--family", options.family, "the family; default: found from each file");
  const auto run =
      line.Add("--run", options.run_id, "the id of the rows' run, if the hub already has that run");
  line.Add("--new-run", options.new_run,
           "make a run for the rows, with these facts: host=x rocm=z facts.NAME=VALUE ..., or a "
           "JSON file of them")
      .Excludes(run);
  line.Add("--spool", options.spool, kSpoolHelp);
  const auto spool_only =
      line.AddFlag("--spool-only", options.spool_only, "do not send: this host has no network");
  line.AddFlag("--dry-run", options.dry_run, "read the files and report; spool and send nothing")
      .Needs(files)
      .Excludes(spool_only);
  line.Add("--from", options.from,
           "send batches that were spooled for this earlier address of the hub; none: batches "
           "without a hub")
      .Excludes(files);
  line.AddFlag("--atomic", options.atomic, "store all rows of a file or none");
  line.Add("--configs", configs, "folder with families/ and targets.json");
  line.AddFlag("--all", options.all, "list every row, not only the first of each kind");
  line.AddFlag("--json", options.json, "report as JSON");
  AddOnlineOptions(line, online);
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return Fail(console, "push", configuration.error());
  options.retry = online.retry;
  if (options.dry_run) return DryRunPush(*configuration, options, console);
  if (const auto known = CheckTables(*configuration, options.files); !known.ok()) {
    return Fail(console, "push", known.error());
  }
  if (!online.hub.empty()) {
    auto identity = HubIdentity(online.hub);
    if (!identity.ok()) return Fail(console, "push", identity.error());
    options.hub = *std::move(identity);
  }
  return Push(
      configuration->families, options, [&] { return Connect(online); }, Pauses::Real(), console);
}

}  // namespace tunehub::agent
