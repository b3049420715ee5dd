#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "agent/base/command.h"
#include "agent/hub/http_client.h"
#include "agent/hub/lock_file.h"
#include "agent/transfer/commands.h"
#include "core/base/signature.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

// The parameters are sorted, so that another order on the command line does not make a second entry
// in a lock file. Errors: bad_query.
core::Result<Parameters> ParametersOf(const PullOptions& options, const std::string& build) {
  Parameters parameters;
  if (!build.empty()) parameters.emplace_back("build", build);
  if (!options.gfx.empty()) parameters.emplace_back("gfx", options.gfx);
  if (!options.device.empty()) parameters.emplace_back("device", options.device);
  const auto assigned = AssignmentsOf(options.query);
  if (!assigned.ok()) return assigned.error();
  for (const auto& [name, value] : *assigned) {
    if (name == "build" && !build.empty()) {
      return core::Error{
          "bad_query",
          "--query build=: leave it out, because --aiter or --build already gives the build"};
    }
    if (name == "revision" && !options.lock.empty()) {
      return core::Error{
          "bad_query",
          "--query revision=: leave it out, because the lock file already gives the revision"};
    }
    parameters.emplace_back(name, value);
  }
  std::stable_sort(parameters.begin(), parameters.end());
  return parameters;
}

// "/tuned/fmoe", "/tree/vllm"
std::string PathOf(const PullOptions& options) {
  return options.reader.empty() ? "/tuned/" + options.family : "/tree/" + options.reader;
}

// "/tuned/fmoe?gfx=gfx942&revision=7-0f3a...", "/tree/vllm?device=MI300X"
std::string TargetOf(const PullOptions& options, Parameters parameters,
                     const std::optional<core::Pin>& revision) {
  if (revision) parameters.emplace_back("revision", revision->Text());
  return WithQuery(PathOf(options), parameters);
}

core::Error OtherBytes(const core::Pin& revision, const std::string& got,
                       const std::string& wanted) {
  return {"lock_mismatch",
          fmt::format("the table of revision {} has sha256 {}, but the lock file has {}",
                      revision.number, got, wanted)};
}

// A revision that is gone cannot come back, so only the user may choose another revision.
core::Error Gone(const std::string& lock, core::Error error) {
  error.detail += fmt::format(". {} pins it; --update-lock pins the newest", lock);
  return error;
}

// The inputs of a pull.
struct PullRound {
  PullOne& pull;
  const PullOptions& options;
  const Parameters& parameters;
  const LockFile& lock;
  HubKey key;
  Console& console;

  // True if a signature can be checked: a key is known, or the lock will record one.
  bool checks() const {
    return !options.lock.empty() || !options.trust.empty() || !options.channel.empty();
  }
};

// Returns the checked table at `revision`. `whole`: see PullOne::Get. Errors: also those of
// HubKey::Check.
core::Result<Pulled> PullAt(PullRound& round, const core::Pin& revision, bool whole) {
  auto table = round.pull.Get(TargetOf(round.options, round.parameters, revision), whole);
  if (!table.ok()) return table;
  table->revision = revision;
  // A result without bytes is a tree that is in the lock and already in the folder.
  if (!round.checks() || (table->unchanged && table->bytes.empty())) return table;
  const auto signed_pin =
      round.key.Check(table->signature, table->bytes,
                      core::AskedText(PathOf(round.options), round.parameters), revision);
  if (!signed_pin.ok()) return signed_pin.error();
  if (!signed_pin->has_token())
    round.console.err << "tunehub-agent pull: unsigned: this hub is older and signs no answers\n";
  return table;
}

core::Result<Pulled> Written(PullRound& round, core::Result<Pulled> table) {
  if (!table.ok()) return table;
  const auto revision = round.checks() ? table->revision : std::nullopt;
  const core::Status status =
      round.pull.Write(TargetOf(round.options, round.parameters, revision), *table);
  return status.ok() ? table : status.error();
}

// Fetches exactly the pinned bytes, or returns an error.
core::Result<Pulled> PullLocked(PullRound& round, const LockedTable& locked) {
  auto table = PullAt(round, locked.revision, false);
  // A static export contains only its own revisions. For other revisions it answers
  // unknown_revision.
  const bool gone = !table.ok() && (table.error().code == "revision_gone" ||
                                    table.error().code == "unknown_revision");
  if (gone) return Gone(round.options.lock, table.error());
  if (table.ok() && table->sha256 != locked.sha256)
    return OtherBytes(locked.revision, table->sha256, locked.sha256);
  return Written(round, std::move(table));
}

// Fetches the newest table. To pin or to check the table, fetches it again by its revision, like
// later pulls. For a build the two answers may differ, because rows at a revision have no
// substitutes.
core::Result<Pulled> PullNewest(PullRound& round) {
  auto table = round.pull.Get(TargetOf(round.options, round.parameters, std::nullopt), false);
  if (!table.ok() || !round.checks()) return Written(round, std::move(table));
  if (!table->revision)
    return core::Error{"bad_answer", "the hub's answer names no revision to pin"};
  auto pinned = PullAt(round, *table->revision, true);
  if (!pinned.ok()) return pinned;
  const bool for_build = std::ranges::any_of(
      round.parameters, [](const auto& parameter) { return parameter.first == "build"; });
  if (pinned->sha256 != table->sha256 && !for_build)
    return OtherBytes(*table->revision, pinned->sha256, table->sha256);
  core::Status status = core::Ok();
  if (!pinned->signature.empty())
    status = CheckNotOlder(*table->revision, round.lock.Newest(), round.options.allow_older);
  return status.ok() ? Written(round, std::move(pinned)) : status.error();
}

// Fetches the table of the revision that the channel names. `channel` receives the channel's
// statement. `before`: the lock's entry (null: none), whose statement must not be newer. Errors:
// older_statement.
core::Result<Pulled> PullChannel(PullRound& round, const BodyOf& body_of, const LockedTable* before,
                                 ChannelPin& channel) {
  const std::string& name = round.options.channel;
  auto found = FollowChannel(round.key, name, body_of);
  if (!found.ok()) return found.error();
  channel = *std::move(found);
  const bool older =
      before != nullptr && before->channel == name && channel.sequence < before->sequence;
  if (older && !round.options.allow_older) {
    return core::Error{
        "older_statement",
        fmt::format("the hub's newest statement is number {} of channel '{}', but the lock has {}; "
                    "to accept the older statement, pass --allow-older",
                    channel.sequence, name, before->sequence)};
  }
  return Written(round, PullAt(round, channel.pin, true));
}

// Checks --file-name, for TunableOp's results. Errors: bad_options.
core::Status CheckFileName(const std::string& name) {
  const auto refuse = [&](const char* why) {
    return core::Error{"bad_options", fmt::format("--file-name '{}': {}", name, why)};
  };
  if (name.find('/') != std::string::npos)
    return refuse("-o names the folder, --file-name a file in it");
  // PyTorch searches for a dot in the whole path. Without a dot in the name, it may find the dot of
  // a folder.
  if (name.find('.') == std::string::npos && name.find(core::kGpuNumber) == std::string::npos) {
    return refuse("the name must contain %d or a dot, where PyTorch puts the GPU's number");
  }
  return core::Ok();
}

// Errors: bad_options (options that exclude each other).
core::Status CheckOptions(const PullOptions& options) {
  const auto refuse = [](std::string detail) {
    return core::Error{"bad_options", std::move(detail)};
  };
  if (options.reader.empty() == options.family.empty()) {
    return refuse("pass one of --family (for a table) and --reader (for an engine's files)");
  }
  if (!options.reader.empty() && (!options.build.folder.empty() || !options.build.name.empty())) {
    return refuse(
        "--aiter and --build work only together with --family, because a reader's files do not "
        "depend on a build");
  }
  if (options.reader.empty() && (!options.device.empty() || options.force)) {
    return refuse("--device and --force work only together with --reader");
  }
  const bool named = options.file_name != core::kTunableFileName;
  if (options.reader != core::kTunableReader && (named || options.gpus != core::kTunableDevices)) {
    return refuse("--file-name and --gpus work only together with --reader tunableop");
  }
  if (!options.channel.empty() && !core::IsChannelName(options.channel)) {
    return refuse(fmt::format("--channel '{}': expected {}", options.channel, core::kChannelRule));
  }
  return CheckFileName(options.file_name);
}

// Returns the build whose tables are pulled. If a tree was scanned, returns NAME@SHA256, and
// `absent` receives the modules that the tree lacks.
core::Result<std::string> BuildOf(const PullOptions& options, HubClient& hub, const Pauses& pauses,
                                  Console& console,
                                  const std::function<core::Result<Configuration>()>& configuration,
                                  std::vector<AbsentModule>& absent) {
  if (options.build.folder.empty()) return options.build.name;
  auto loaded = configuration();
  if (!loaded.ok()) return loaded.error();
  std::optional<BuildScan> scan;
  auto build = PrepareBuild(*loaded, options.build, hub, options.retry, pauses,
                            "tunehub-agent pull", console, scan);
  if (scan) absent = std::move(scan->absent);
  return build;
}

int PullInto(PullOne& pull, const PullOptions& options, const std::string& build,
             const BodyOf& body_of, Console& console) {
  auto parameters = ParametersOf(options, build);
  if (!parameters.ok()) return Fail(console, "pull", parameters.error());
  // The hub writes a bundle's lock file with the same text: readable, not encoded.
  const std::string query = core::Assignments(*parameters, "&");
  core::Result<LockFile> lock = LockFile{};
  if (!options.lock.empty()) lock = LockFile::Load(options.lock);
  if (!lock.ok()) return Fail(console, "pull", lock.error());
  auto key = HubKey::Of(options.trust, lock->key, body_of);
  if (!key.ok()) return Fail(console, "pull", key.error());
  PullRound round{pull, options, *parameters, *lock, *std::move(key), console};

  const LockedTable* const before = lock->Find(options.family, options.reader, query);
  const LockedTable* const locked = options.update_lock ? nullptr : before;
  ChannelPin channel;
  const auto pulled = locked != nullptr         ? PullLocked(round, *locked)
                      : options.channel.empty() ? PullNewest(round)
                                                : PullChannel(round, body_of, before, channel);
  if (!pulled.ok()) return Fail(console, "pull", pulled.error());
  if (!options.lock.empty() && (locked == nullptr || round.key.Text() != lock->key)) {
    const LockedTable entry =
        locked != nullptr
            ? *locked
            : LockedTable{options.family, options.reader, query,           *pulled->revision,
                          pulled->sha256, options.output, options.channel, channel.sequence};
    const core::Status added = LockFile::Add(options.lock, options.hub, round.key.Text(), entry);
    if (!added.ok()) return Fail(console, "pull", added.error());
  }
  pull.Report(*pulled);
  return kGood;
}

}  // namespace

int Pull(const PullOptions& options, HubClient& hub, const Pauses& pauses, Console& console,
         const std::function<core::Result<Configuration>()>& configuration) {
  if (auto status = CheckOptions(options); !status.ok()) {
    return Fail(console, "pull", status.error());
  }
  const BodyOf body_of = [&](const std::string& path) {
    return GetBody(hub, path, {}, options.retry, pauses);
  };
  if (options.reader.empty()) {
    std::vector<AbsentModule> absent;
    const auto build = BuildOf(options, hub, pauses, console, configuration, absent);
    if (!build.ok()) return Fail(console, "pull", build.error());
    TablePull table(options, hub, pauses, console, absent);
    return PullInto(table, options, *build, body_of, console);
  }
  const auto own = configuration();
  if (!own.ok()) return Fail(console, "pull", own.error());
  const auto reader = own->readers.Named(options.reader);
  if (!reader.ok()) return Fail(console, "pull", reader.error());
  TreePull tree(options, hub, pauses, console, **reader);
  return PullInto(tree, options, "", body_of, console);
}

int RunPull(int argc, char** argv, Console& console) {
  PullOptions options;
  OnlineOptions online;
  std::string configs;
  cli::CommandLine line("Fetches one merged table, or a reader's files, from the hub.",
                        "tunehub-agent pull");
  line.Add("--family", options.family, "the family of the table to fetch; or --reader");
  line.Add("--reader", options.reader,
           "the reader whose files to fetch: vllm, sglang, aiter, tunableop");
  line.Add("--device", options.device,
           "with --reader: the GPU's trade name or its name in file names; default: all");
  line.Add("--gfx", options.gfx, "the architecture, or several: gfx942,gfx950");
  line.Add("--query", options.query,
           "name=value, as GET /tuned/{family} or /tree/{reader} takes them");
  line.Add("-o,--output", options.output,
           "the file, or the folder that the reader's variable names")
      .Required();
  line.Add("--aiter", options.build.folder,
           "an AITER tree: scans it and fetches only the rows that it can run");
  line.Add("--build", options.build.name,
           "a build that the hub knows, NAME or NAME@SHA256; with --aiter: the name for this build "
           "at the hub");
  line.Add("--configs", configs, "folder with families/ and targets.json");
  const auto lock = line.Add("--lock", options.lock,
                             "the lock file, which pins revision and SHA-256 of the fetched files");
  line.AddFlag("--update-lock", options.update_lock, "move the lock to the newest revision")
      .Needs(lock);
  line.Add("--channel", options.channel,
           "fetch the revision that this channel names; with a lock file: only at the first pull "
           "and with --update-lock");
  line.Add("--trust", options.trust,
           "the key that signs the hub's answers, as text, as minisign's key file or as a lock "
           "file; default: the lock file's key, or the hub's key at the first pull");
  line.AddFlag("--allow-older", options.allow_older,
               "accept it if the hub's newest revision is older than the lock's");
  line.AddFlag(
      "--force", options.force,
      "with --reader: replace a folder that has other files; the old folder stays beside it");
  line.Add("--file-name", options.file_name,
           "with --reader tunableop: the files' name, with the GPU's number in the place of %d")
      .ShowDefault();
  line.Add("--gpus", options.gpus, "with --reader tunableop: the number of GPUs; each gets a file")
      .Range(1, core::kMostTunableDevices)
      .ShowDefault();
  line.AddFlag("--json", options.json, "report as JSON");
  AddOnlineOptions(line, online);
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  if (online.hub.empty() && !options.lock.empty()) {
    const auto known = LockFile::Load(options.lock);
    if (known.ok()) online.hub = known->hub;
  }
  auto hub = Connect(online);
  if (!hub.ok()) return Fail(console, "pull", hub.error());
  options.hub = online.hub;
  options.retry = online.retry;
  return Pull(options, **hub, Pauses::Real(), console, [&] { return LoadConfiguration(configs); });
}

}  // namespace tunehub::agent
