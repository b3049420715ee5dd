#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <system_error>

#include "agent/base/command.h"
#include "agent/hub/spool.h"
#include "agent/transfer/commands.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

// The spool's folders for batches that do not wait.
constexpr std::string_view kOwnFolders[] = {"refused", "aside"};

core::Result<std::vector<fs::path>> EntriesOf(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (std::ranges::find(kOwnFolders, name) == std::end(kOwnFolders))
      entries.push_back(entry.path());
  }
  if (error) return core::Error{"file_unreadable", folder.string() + ": " + error.message()};
  std::ranges::sort(entries);
  return entries;
}

nlohmann::ordered_json JsonOf(const fs::path& path) {
  const auto header = ReadHeader(path);
  const std::string name = path.filename().string();
  if (!header.ok()) return {{"id", name}, {"error", header.error().detail}};
  return {{"id", path.stem().string()},
          {"hub", header->hub},
          {"family", header->family},
          {"file", header->file},
          {"created", header->created}};
}

// Returns the only batch whose name contains `id`.
core::Result<fs::path> BatchOf(const std::vector<fs::path>& files, const std::string& id) {
  std::vector<fs::path> found;
  for (const fs::path& path : files) {
    if (path.filename().string().find(id) != std::string::npos) found.push_back(path);
  }
  if (found.size() == 1) return found.front();
  return core::Error{found.empty() ? "unknown_batch" : "two_batches",
                     fmt::format("'{}' matches the names of {} batches, so nothing was dropped", id,
                                 found.size())};
}

}  // namespace

int ListSpool(const fs::path& folder, bool json, Console& console) {
  const auto entries = EntriesOf(folder);
  if (!entries.ok()) return Fail(console, "spool", entries.error());
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const fs::path& path : *entries) list.push_back(JsonOf(path));
  if (json) {
    console.out << list.dump(2) << '\n';
    return kGood;
  }
  for (const auto& it : list) {
    if (it.contains("error")) {
      console.out << "not a batch of this agent: " << it["error"].get<std::string>() << '\n';
      continue;
    }
    const auto hub = it["hub"].get<std::string>();
    console.out << it["id"].get<std::string>() << "  for " << (hub.empty() ? "no hub" : hub) << "  "
                << it["family"].get<std::string>() << "  " << it["file"].get<std::string>() << '\n';
  }
  if (list.empty()) console.out << "nothing waits in the spool\n";
  return kGood;
}

int DropBatches(const fs::path& folder, const std::vector<std::string>& ids, Console& console,
                bool json) {
  auto spool = Spool::Open(folder);
  if (!spool.ok()) return Fail(console, "spool", spool.error());
  std::vector<HeldBatch> held;
  for (const std::string& id : ids) {
    const auto path = BatchOf(spool->Files(), id);
    if (!path.ok()) return Fail(console, "spool", path.error());
    const auto header = ReadHeader(*path);
    if (!header.ok()) return Fail(console, "spool", header.error());
    auto own = Spool::Open(folder, header->hub);
    if (!own.ok()) return Fail(console, "spool", own.error());
    auto taken = own->Take(*path);
    if (!taken.ok()) return Fail(console, "spool", taken.error());
    if (!taken->has_value()) {
      return Fail(console, "spool",
                  {"spool_in_use", path->string() + ": another process is sending it"});
    }
    held.push_back(std::move(**taken));
  }
  nlohmann::ordered_json dropped;
  for (const HeldBatch& it : held) {
    const auto done = spool->Done(it);
    if (!done.ok()) return Fail(console, "spool", done.error());
    dropped["dropped"].push_back(it.path.stem().string());
    if (!json) console.out << "dropped " << it.path.stem().string() << '\n';
  }
  if (json) console.out << dropped.dump(2) << '\n';
  return kGood;
}

int RunSpool(int argc, char** argv, Console& console) {
  std::string action, folder;
  std::vector<std::string> ids;
  bool json = false;
  cli::CommandLine line("Lists the batches in the spool with their hubs, or drops batches.",
                        "tunehub-agent spool");
  line.Add("ACTION", action, "list or drop").OneOf({"list", "drop"}).Required();
  line.Add("ID", ids, "with drop: the batches, each by a unique part of its name");
  line.Add("--spool", folder, kSpoolHelp);
  line.AddFlag("--json", json, "as JSON");
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  if ((action == "drop") != !ids.empty()) {
    return Fail(
        console, "spool",
        {"bad_arguments",
         action == "drop" ? "drop needs the ID of a batch; `tunehub-agent spool list` lists the IDs"
                          : "list: leave out the ID"});
  }
  const fs::path path = folder.empty() ? Spool::DefaultFolder() : fs::path(folder);
  return action == "list" ? ListSpool(path, json, console) : DropBatches(path, ids, console, json);
}

}  // namespace tunehub::agent
