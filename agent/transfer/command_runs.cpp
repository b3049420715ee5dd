#include <fmt/core.h>

#include <ostream>

#include "agent/transfer/commands.h"
#include "agent/transfer/listing.h"

namespace tunehub::agent {
namespace {

struct ChangeOptions {
  std::int64_t run = 0;
  bool dry_run = false, allow_shrink = false, json = false;
  OnlineOptions online;
};

// For revert and accept.
void AddChangeOptions(cli::CommandLine& line, ChangeOptions& options) {
  line.Add("RUN", options.run, "the run's number, as in `tunehub-agent runs`").Required();
  line.AddFlag("--dry-run", options.dry_run, "print what would change, but change nothing");
  line.AddFlag("--json", options.json, "the hub's answer as JSON");
  AddOnlineOptions(line, options.online);
}

// Prints the rows that win since `revision`. Prints nothing if the hub cannot compare.
void PrintWinners(HubClient& hub, const ChangeOptions& options, std::int64_t revision,
                  std::ostream& out) {
  const std::string target = WithQuery(
      "/differences", {{"from", std::to_string(revision - 1)}, {"to", std::to_string(revision)}});
  const auto compared = GetEntry(hub, {"GET", target, {}, ""}, options.online);
  // The row that a shape key has after a revert, beside the row before.
  const std::vector<ListColumn> columns = {{"FAMILY", "family"},      {"TARGET", "target"},
                                           {"SHAPE", "key"},          {"WAS us", "before.us"},
                                           {"NOW us", "after.us"},    {"OF RUN", "after.run"},
                                           {"KERNEL", "after.kernel"}};
  if (compared.ok() && compared->contains("differences"))
    PrintList(out, columns, (*compared)["differences"]);
}

// Sends the change of a run, and prints it: "run 7: 3 shape keys have another row or none". `rows`:
// the answer's member that counts the run's changed rows; "": none.
int Change(const std::string& command, const Request& request, const std::string& rows,
           const ChangeOptions& options, Console& console) {
  const auto hub = Connect(options.online);
  if (!hub.ok()) return Fail(console, command, hub.error());
  const auto answer = GetEntry(**hub, request, options.online);
  if (!answer.ok()) return Fail(console, command, answer.error());
  if (options.json) {
    console.out << answer->dump(2) << '\n';
    return kGood;
  }
  const std::string changed = MemberText(*answer, "changed");
  const char* const accepted = options.dry_run ? " rows would be accepted, " : " rows accepted, ";
  console.out << fmt::format("run {}: {}{} shape keys {} another row or none\n", options.run,
                             rows.empty() ? "" : MemberText(*answer, rows) + accepted, changed,
                             options.dry_run ? "would have" : "have");
  for (const ListJson& it : answer->value("families", ListJson::array())) {
    console.out << fmt::format("  {}: {} changed, {} of them without a row\n",
                               MemberText(it, "family"), MemberText(it, "changed"),
                               MemberText(it, "emptied"));
  }
  if (!options.dry_run && changed != "0")
    PrintWinners(**hub, options, answer->value("revision", std::int64_t{0}), console.out);
  return kGood;
}

Parameters ParametersOf(const ChangeOptions& options) {
  Parameters parameters;
  if (options.dry_run) parameters.emplace_back("dry_run", "1");
  if (options.allow_shrink) parameters.emplace_back("allow_shrink", "1");
  return parameters;
}

}  // namespace

int RunRuns(int argc, char** argv, Console& console) {
  HubList list{"runs",
               "Lists the hub's runs, the newest first, or shows one run.",
               "/runs",
               {{"RUN", "id"},
                {"RECEIVED (UTC)", "received"},
                {"OWNER", "owner"},
                {"SOURCE", "source"},
                {"HOST", "provenance.host"},
                {"ROWS", "rows"},
                {"WON", "won"},
                {"COMPETES", "active"},
                {"REVERTED (UTC)", "reverted"}},
               {{"--owner", "owner", "only this owner's runs", true},
                {"--source", "source", "only imports of this source", true},
                {"--family", "families", "only runs with rows of this family", true}}};
  list.parameters = {{"counts", "1"}};
  list.id = "RUN";
  list.id_help = "show this run and its batches";
  list.parts["batches"] = {{"BATCH", "id"},          {"RECEIVED (UTC)", "received"},
                           {"KIND", "kind"},         {"FAMILY", "receipt.family"},
                           {"ROWS", "receipt.rows"}, {"WON", "receipt.won"}};
  return RunHubList(argc, argv, console, list);
}

int RunRevert(int argc, char** argv, Console& console) {
  ChangeOptions options;
  cli::CommandLine line(
      "Withdraws a run: its measurements no longer compete, and the earlier winners return. Needs "
      "a key of the run's owner or of scope admin.",
      "tunehub-agent revert");
  AddChangeOptions(line, options);
  line.AddFlag("--allow-shrink", options.allow_shrink,
               "revert even if a table loses more than a tenth of its rows; needs scope admin");
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  const std::string path = fmt::format("/runs/{}/revert", options.run);
  return Change("revert", {"POST", WithQuery(path, ParametersOf(options)), {}, ""}, "", options,
                console);
}

int RunAccept(int argc, char** argv, Console& console) {
  ChangeOptions options;
  cli::CommandLine line(
      "Makes the hub serve a run's unconfirmed rows now, before another owner or a job confirms "
      "them. Needs a key of scope admin.",
      "tunehub-agent accept");
  AddChangeOptions(line, options);
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  const Request request{"POST",
                        WithQuery("/rows/accept", ParametersOf(options)),
                        {{"Content-Type", "application/json"}},
                        ListJson{{"run", options.run}}.dump()};
  return Change("accept", request, "accepted", options, console);
}

}  // namespace tunehub::agent
