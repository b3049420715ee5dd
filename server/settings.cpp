#include "server/settings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "build_info.h"
#include "core/base/file.h"
#include "core/base/read_json.h"
#include "core/base/text.h"

namespace tunehub::server {
namespace {

namespace fs = std::filesystem;

struct Installation {
  std::filesystem::path share;  // the folder with configs/ and web/dist/
  // The settings file of an installed program, for all its commands. "": a build, or no
  // administrator wrote a file.
  std::filesystem::path settings;
};

bool HasConfigs(const fs::path& share) {
  std::error_code error;
  return fs::exists(share / "configs/targets.json", error);
}

fs::path SettingsOf(const fs::path& prefix) {
  const fs::path file = (prefix == "/usr" ? "/" : prefix) / "etc/tunehub/server.json";
  std::error_code error;
  return fs::exists(file, error) ? file : fs::path();
}

// For a program in PREFIX/bin, returns PREFIX/share/tunehub and PREFIX/etc/tunehub/server.json. For
// the prefix /usr, the file is /etc/tunehub/server.json. For a program in a build folder, returns
// the source folder.
Installation FindInstallation() {
  std::error_code error;
  const fs::path bin = fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path prefix = bin.parent_path();
  if (HasConfigs(prefix / "share/tunehub")) return {prefix / "share/tunehub", SettingsOf(prefix)};
  // A build in build/PRESET/bin. Somebody may have moved the source folder since CMake configured
  // it.
  const fs::path tree = bin.parent_path().parent_path().parent_path();
  if (HasConfigs(tree)) return {tree, {}};
  return {TUNEHUB_SOURCE_DIR, {}};
}

constexpr std::string_view kVariables = "TUNEHUB_";
// Variables of the agent, which may run beside a server.
constexpr std::string_view kOfOthers[] = {"TUNEHUB_CA", "TUNEHUB_HUB", "TUNEHUB_KEY",
                                          "TUNEHUB_SPOOL", "TUNEHUB_STATUS"};

std::vector<std::string> SettingNames() {
  return core::Mapped(AllSettings(), [](const Setting& it) { return std::string(it.name); });
}

// The folder of the package's backup timer.
constexpr const char* kPackagedBackups = "/var/lib/tunehub-backups";

struct Wrong {
  core::Error error;
};

nlohmann::json ReadSettingsFile(const fs::path& file) {
  const auto text = core::FileBytes::Read(file);
  if (!text.ok()) throw Wrong{{"bad_setting", text.error().detail}};
  nlohmann::json json = core::ReadJson(text->view());
  if (!json.is_object()) throw Wrong{{"bad_setting", file.string() + ": expected a JSON object"}};
  for (const auto& [name, value] : json.items()) {
    if (FindSetting(name) == nullptr)
      throw Wrong{{"bad_setting", fmt::format("{}: unknown setting '{}'{}", file.string(), name,
                                              core::DidYouMean(name, SettingNames()))}};
  }
  return json;
}

std::string VariableOf(std::string_view name) {
  std::string variable(kVariables);
  for (char c : name) variable.push_back(static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c));
  return variable;
}

// A misspelt variable would leave the default in force, such as reads without a key. Variables that
// resemble no setting may belong to another program.
void ExpectKnownVariables() {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view variable = text.substr(0, text.find('='));
    if (!variable.starts_with(kVariables) || core::Contains(kOfOthers, variable)) continue;
    const std::string name = core::Lower(variable.substr(kVariables.size()));
    const auto nearest = core::Nearest(name, SettingNames());
    if (FindSetting(name) != nullptr || !nearest) continue;
    throw Wrong{{"bad_setting", fmt::format("the variable {} is unknown; did you mean {}? If it is "
                                            "for another program, unset it for this one",
                                            variable, VariableOf(*nearest))}};
  }
}

class Sources {
 public:
  Sources(const std::map<std::string, std::string>& flags, const fs::path& file) : flags_(flags) {
    ExpectKnownVariables();
    if (!file.empty()) json_ = ReadSettingsFile(file);
    file_ = file.string();
  }

  Given Get(const Setting& setting) const {
    const std::string name(setting.name);
    if (const auto flag = flags_.find(name); flag != flags_.end())
      return {setting.name, flag->second, setting.Flag()};
    const std::string variable = VariableOf(name);
    if (const char* value = std::getenv(variable.c_str());  // NOLINT(concurrency-mt-unsafe)
        value != nullptr && *value != '\0') {
      return {setting.name, value, variable};
    }
    if (!json_.contains(name)) return {setting.name, setting.Default(), "its default"};
    const auto& value = json_[name];
    return {setting.name, value.is_string() ? value.get<std::string>() : value.dump(), file_};
  }
  Given Get(std::string_view name) const { return Get(*FindSetting(name)); }

 private:
  const std::map<std::string, std::string>& flags_;
  nlohmann::json json_ = nlohmann::json::object();
  std::string file_;
};

void ExpectNumber(const Setting& setting, Given& given) {
  const auto number = core::NumberFrom<std::size_t>(given.text);
  if (!number || *number < setting.least || *number > setting.most)
    Refuse(given, fmt::format("expected a number from {} to {}", setting.least, setting.most));
  given.number = *number;
}

void ExpectChoice(const Setting& setting, const Given& given) {
  const std::vector<std::string_view> choices = setting.Choices();
  if (std::ranges::find(choices, given.text) != choices.end()) return;
  Refuse(given, fmt::format("expected {} or {}",
                            fmt::join(choices.begin(), choices.end() - 1, ", "), choices.back()));
}

// Checks settings that depend on one another.
void ExpectTogether(const Sources& sources, const Settings& settings) {
  if (settings.tls_certificate.empty() && !settings.tls_key.empty())
    Refuse(sources.Get("tls_key"), "also set tls_certificate");
  if (!settings.tls_certificate.empty() && settings.tls_key.empty())
    Refuse(sources.Get("tls_certificate"),
           "also set tls_key (to the same file, if it contains both)");
  if (!settings.user_header.empty() && sources.Get("trusted_proxies").text.empty())
    Refuse(sources.Get("user_header"),
           "also set trusted_proxies to the address of the proxy that checks users, such as "
           "127.0.0.1; anybody else could write the header");
  if (settings.user_header.empty() && !settings.user_owners.empty())
    Refuse(sources.Get("user_owners"), "also set user_header");
  if (!settings.wal_archive.empty() && !settings.database.empty())
    Refuse(sources.Get("wal_archive"),
           "leave this out with `database`, because your database has its own settings for the "
           "archive");
  if (settings.listener.limits.body_bytes > settings.listener.limits.bodies_in_flight_bytes)
    Refuse(sources.Get("body_mib"),
           fmt::format("expected at most bodies_mib ({}), because a larger upload would never fit",
                       sources.Get("bodies_mib").text));
}

Settings Load(const Sources& sources, const Installation& installation) {
  Settings settings;
  for (const Setting& setting : AllSettings()) {
    Given given = sources.Get(setting);
    if (setting.most > 0) ExpectNumber(setting, given);
    if (!setting.choices[0].empty()) ExpectChoice(setting, given);
    setting.take(settings, given);
  }
  ExpectTogether(sources, settings);
  if (settings.configs.empty()) settings.configs = installation.share / "configs";
  if (settings.signing_key.empty()) settings.signing_key = settings.data / "signing_key";
  settings.web = installation.share / "web/dist";
  return settings;
}

}  // namespace

std::string Setting::Default() const {
  return most > 0 ? std::to_string(number) : std::string(text);
}

std::string Setting::Flag() const {
  std::string flag = "--" + std::string(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::vector<std::string_view> Setting::Choices() const {
  const auto end = std::ranges::find(choices, "");
  return {choices.begin(), end};
}

const Setting* FindSetting(std::string_view name) {
  const auto all = AllSettings();
  const auto it = std::ranges::find(all, name, &Setting::name);
  return it == all.end() ? nullptr : &*it;
}

void Refuse(const Given& given, const std::string& allowed) {
  throw Wrong{{"bad_setting", fmt::format("{}: '{}' (from {}) is not allowed; {}", given.name,
                                          given.text, given.from, allowed)}};
}

// The package's folder exists only if its timer is enabled.
fs::path BackupsOf(const Settings& settings) {
  std::error_code error;
  if (!settings.backups.empty()) return settings.backups;
  return fs::exists(kPackagedBackups, error) ? kPackagedBackups : "";
}

core::Result<Settings> LoadSettings(const std::map<std::string, std::string>& flags,
                                    const fs::path& config_file) {
  try {
    const Installation installation = FindInstallation();
    return Load(Sources(flags, config_file.empty() ? installation.settings : config_file),
                installation);
  } catch (const Wrong& wrong) {
    return wrong.error;
  }
}

}  // namespace tunehub::server
