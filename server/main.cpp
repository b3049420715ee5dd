// tunehub-server: serve, migrate, doctor, verify, backup, restore, export, key create | list |
// rotate | revoke | rotate-signing.
#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <limits>
#include <string>

#include "build_info.h"
#include "core/base/command_line.h"
#include "core/base/text.h"
#include "server/command.h"
#include "server/hub.h"
#include "server/keys/key_store.h"
#include "server/keys/keys.h"
#include "server/keys/signing_key_store.h"
#include "server/log/log.h"

namespace {

namespace cli = tunehub::cli;
using namespace tunehub::server;
using tunehub::kFailed;
using tunehub::kGood;

struct Arguments {
  std::map<std::string, std::string> flags;
  std::string config, scope, expires, key;
  KeyRights rights;
  int grace_hours = kDefaultGraceHours;
  bool migrate = false;
  ExportOptions exported;
  BackupOptions backup;
  VerifyOptions verified;
  bool json = false;
  bool lost = false;  // rotate-signing: the old secret is lost and cannot sign
};

int Migrate(const Settings& settings) {
  return WithDatabase(settings, WhereAbsent::kMade, [&](const Database&, ConnectionPool& pool) {
    const auto applied = PrepareSchema(pool, true);
    if (!applied.ok()) return Fail(applied.error());
    const auto definitions = LoadDefinitions(settings.configs, pool, OtherFile::kTaken);
    if (!definitions.ok()) return Fail(definitions.error());
    Hub hub(settings, pool, *definitions);
    if (const auto read = ReadUnlistedAgain(hub); !read.ok()) return Fail(read.error());
    fmt::print("{} migrations applied, {} families known\n", *applied,
               definitions->families.all().size());
    return 0;
  });
}

std::optional<std::string> ExpiresOf(const Arguments& arguments) {
  return arguments.expires.empty() ? std::nullopt : std::optional(arguments.expires);
}

// Prints only the secret, for scripts.
int Show(const tunehub::core::Result<NewKey>& key) {
  if (!key.ok()) return Fail(key.error());
  fmt::print("{}\n", key->secret);
  return 0;
}

int CreateKey(const Settings& settings, const Arguments& arguments) {
  return WithStore(settings, [&](ConnectionPool& pool) {
    return Show(Keys(pool).Create(arguments.scope, ExpiresOf(arguments), arguments.rights));
  });
}

int RotateKey(const Settings& settings, const Arguments& arguments) {
  return WithStore(settings, [&](ConnectionPool& pool) {
    Keys keys(pool);
    const auto id = keys.Find(arguments.key);
    return id.ok() ? Show(keys.Rotate(*id, ExpiresOf(arguments), arguments.grace_hours))
                   : Fail(id.error());
  });
}

int ListKeys(const Settings& settings) {
  return WithStore(settings, [](ConnectionPool& pool) {
    constexpr const char* kLine = "{:<5} {:<10} {:<7} {:<12} {:<27} {:<27} {:<27} {:<27} {}\n";
    fmt::print(kLine, "id", "key", "scope", "owner", "created", "expires", "last used", "revoked",
               "limits");
    for (const auto& key : KeyStore(pool).List().keys) {
      fmt::print(kLine, key.id, key.hint, key.scope, key.owner, key.created, key.expires,
                 key.last_used, key.revoked, DescribeLimits(key.limits));
    }
    return 0;
  });
}

int RevokeKey(const Settings& settings, const std::string& key) {
  return WithStore(settings, [&](ConnectionPool& pool) {
    const auto id = Keys(pool).Find(key);
    if (!id.ok()) return Fail(id.error());
    const auto revoked = KeyStore(pool).Revoke(*id);
    return revoked.ok() ? 0 : Fail(revoked.error());
  });
}

int RotateSigning(const Settings& settings, bool lost) {
  return WithStore(settings, [&](ConnectionPool& pool) {
    const auto key = RotateSigningKey(pool, settings.signing_key, lost);
    if (!key.ok()) return Fail(key.error());
    fmt::print("{}\n", key->public_key().Text());
    std::fprintf(stderr, "copy %s to every server of this database, and restart these servers\n",
                 settings.signing_key.c_str());
    return 0;
  });
}

constexpr std::string_view kCommon[] = {"data", "database", "configs"};

void AddSetting(cli::CommandLine& command, Arguments& arguments, const Setting& setting) {
  std::string value = setting.Default(), help(setting.help);
  if (setting.most > 0) value += fmt::format("; {} to {}", setting.least, setting.most);
  if (!value.empty()) help += " (" + value + ")";
  const auto option = command.AddTaken(
      setting.Flag(),
      [&arguments, name = std::string(setting.name)](const std::string& text) {
        arguments.flags[name] = text;
      },
      help);
  const auto choices = setting.Choices();
  if (!choices.empty()) option.Suggest({choices.begin(), choices.end()});
}

void AddCommon(cli::CommandLine& command, Arguments& arguments) {
  command.Add("--config", arguments.config,
              "settings file (/etc/tunehub/server.json where installed)");
  for (const std::string_view name : kCommon) AddSetting(command, arguments, *FindSetting(name));
}

void AddCreate(cli::CommandLine& create, Arguments& arguments) {
  create.Add("--scope", arguments.scope, "read, submit, claim or admin")
      .Suggest({"read", "submit", "claim", "admin"})
      .Required();
  create.Add("--expires", arguments.expires, "a future date or time, such as 2099-12-31");
  create.Add("--owner", arguments.rights.owner,
             "the owner for whom the key acts: runs and sources belong to owners (default)");
  constexpr const char* kHelp[] = {"the key may write only for these families: a8w8,fmoe",
                                   "the key may write only for these targets: gfx942:304,gfx950",
                                   "the key may import only these sources: aiter,nightly"};
  for (std::size_t i = 0; i < std::size(kLimitLists); ++i) {
    create.AddTaken(
        fmt::format("--{}", kLimitLists[i].name),
        [&arguments, list = kLimitLists[i].list](const std::string& value) {
          const auto values = tunehub::core::SplitAt(value, ",");
          (arguments.rights.limits.*list).assign(values.begin(), values.end());
        },
        kHelp[i]);
  }
}

cli::CommandLine& AddExport(cli::CommandLine& line, Arguments& arguments) {
  auto& command = line.AddCommand("export", "export the hub as plain files, for any web server");
  command
      .Add("--static", arguments.exported.place,
           "the folder to write: new, empty, or an earlier export, which is replaced")
      .Required();
  command
      .Add("--revision", arguments.exported.revisions,
           "also export this older revision; repeat the option for more revisions")
      .Range(1, std::numeric_limits<int>::max());
  command.AddFlag(
      "--public", arguments.exported.open,
      "export even if reads need a key, although anyone can read the export without a key");
  for (const char* name : {"reads", "signing_key"})
    AddSetting(command, arguments, *FindSetting(name));
  return command;
}

void AddReplace(cli::CommandLine& key, Arguments& arguments, cli::CommandLine*& replace,
                cli::CommandLine*& revoke) {
  constexpr const char* kNamed = "the key's id in `key list`, or its first characters there";
  replace = &key.AddCommand("rotate", "make a new secret for a key, and print only the secret");
  replace->Add("KEY", arguments.key, kNamed).Required();
  replace
      ->Add("--grace-hours", arguments.grace_hours,
            fmt::format("how long the old secret stays valid; 0: revoke it now ({})",
                        kDefaultGraceHours))
      .Range(0, kMostGraceHours);
  replace->Add("--expires", arguments.expires,
               "when the new secret expires (when the old one would have)");
  revoke = &key.AddCommand("revoke", "revoke a key");
  revoke->Add("KEY", arguments.key, kNamed).Required();
}

cli::CommandLine& AddRotate(cli::CommandLine& key, Arguments& arguments) {
  auto& command = key.AddCommand("rotate-signing",
                                 "make a new key that signs answers, and print its public part");
  AddSetting(command, arguments, *FindSetting("signing_key"));
  command.AddFlag(
      "--lost", arguments.lost,
      "the old secret is lost or stolen, so it does not sign the new key, and agents need --trust");
  return command;
}

void AddServing(cli::CommandLine& command, Arguments& arguments) {
  for (const auto& setting : AllSettings()) {
    if (std::ranges::find(kCommon, setting.name) == std::end(kCommon))
      AddSetting(command, arguments, setting);
  }
}

cli::CommandLine& AddDoctor(cli::CommandLine& line, Arguments& arguments) {
  auto& command = line.AddCommand(
      "doctor", "check this hub and print what to do about each problem; changes nothing");
  command.AddFlag("--json", arguments.json, "print JSON");
  return command;
}

cli::CommandLine& AddVerify(cli::CommandLine& line, Arguments& arguments) {
  auto& command = line.AddCommand(
      "verify", "recompute all stored results from the measurements, and print the differences");
  command.Add("--backup", arguments.verified.backup,
              "verify this backup instead of the database, in a temporary PostgreSQL");
  command.AddFlag("--all", arguments.verified.all,
                  "check the digests of all old revisions, not only of a sample");
  return command;
}

cli::CommandLine& AddBackup(cli::CommandLine& line, Arguments& arguments) {
  auto& command = line.AddCommand(
      "backup", "write one state of the hub to a folder; the hub may run meanwhile");
  command
      .Add("DIR", arguments.backup.place,
           "the folder to write: new, empty, or an earlier backup, which is replaced")
      .Required();
  command
      .Add("--keep", arguments.backup.keep,
           "make each backup in a subfolder named by its time, and keep this many backups")
      .Range(1, std::numeric_limits<int>::max());
  return command;
}

cli::CommandLine& AddRestore(cli::CommandLine& line, Arguments& arguments) {
  auto& command = line.AddCommand("restore", "put a backup into an empty database");
  command.Add("DIR", arguments.backup.place, "the backup").Required();
  command.AddFlag("--replace", arguments.backup.replace,
                  "first drop everything in the database's schema public");
  command.AddFlag("--revive-keys", arguments.backup.revive_keys,
                  "keep all keys as in the backup, even keys that were revoked after the backup");
  return command;
}

}  // namespace

int main(int argc, char** argv) {
  tunehub::log::Use(tunehub::log::Format::kText);  // until the settings are known
  Arguments arguments;
  cli::CommandLine line("The tunehub server: a registry of GPU kernel tuning results.",
                        "tunehub-server");
  line.AddVersion(TUNEHUB_VERSION);
  line.SetFooter(tunehub::kExitCodes);
  auto& serve = line.AddCommand("serve", "run the server until SIGTERM");
  auto& migrate = line.AddCommand("migrate", "update the database's schema, families and targets");
  auto& doctor = AddDoctor(line, arguments);
  auto& verify = AddVerify(line, arguments);
  auto& backup = AddBackup(line, arguments);
  auto& restore = AddRestore(line, arguments);
  auto& exported = AddExport(line, arguments);
  auto& key = line.AddCommand("key", "API keys");
  auto& create = key.AddCommand("create", "make a key and print only the key on stdout");
  auto& list = key.AddCommand("list", "list the keys");
  cli::CommandLine *replace = nullptr, *revoke = nullptr;
  AddReplace(key, arguments, replace, revoke);
  auto& rotate = AddRotate(key, arguments);
  for (auto* command : {&serve, &migrate, &doctor, &verify, &backup, &restore, &exported, &create,
                        &list, replace, revoke, &rotate})
    AddCommon(*command, arguments);
  for (auto* command : {&serve, &doctor}) AddServing(*command, arguments);
  serve.AddFlag("--migrate", arguments.migrate,
                "first migrate the database, as the command migrate does");
  AddCreate(create, arguments);
  const cli::Parsed parsed =
      cli::AsksForManual(argc, argv)
          ? cli::AnswerManual(line.Describe(), argc, argv, std::cout, std::cerr)
          : line.Parse(argc, argv, std::cout, std::cerr);
  if (parsed != cli::Parsed::kGiven) return parsed == cli::Parsed::kAnswered ? kGood : kFailed;

  const auto settings = LoadSettings(arguments.flags, arguments.config);
  if (doctor.IsTyped()) return Doctor(settings, arguments.json);
  if (!settings.ok()) return Fail(settings.error());
  tunehub::log::Use(settings->log_format);
  // Short commands print only their result and warnings.
  spdlog::set_level(serve.IsTyped() ? spdlog::level::from_str(settings->log_level)
                                    : spdlog::level::warn);
  try {
    if (serve.IsTyped()) return Serve(*settings, arguments.migrate);
    if (migrate.IsTyped()) return Migrate(*settings);
    if (verify.IsTyped()) return Verify(*settings, arguments.verified);
    if (backup.IsTyped()) return Backup(*settings, arguments.backup);
    if (restore.IsTyped()) return Restore(*settings, arguments.backup);
    if (exported.IsTyped()) return Export(*settings, arguments.exported);
    if (create.IsTyped()) return CreateKey(*settings, arguments);
    if (list.IsTyped()) return ListKeys(*settings);
    if (replace->IsTyped()) return RotateKey(*settings, arguments);
    if (rotate.IsTyped()) return RotateSigning(*settings, arguments.lost);
    return RevokeKey(*settings, arguments.key);
  } catch (const std::exception& error) {
    return Fail({"failed", error.what()});
  }
}
