// Lists of a hub, as commands: runs, jobs, demand.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/command.h"
#include "agent/hub/http_client.h"

namespace tunehub::agent {

using ListJson = nlohmann::ordered_json;

// A column of a table for people. `path`: see MemberText.
struct ListColumn {
  std::string title, path;
};

// An option that sets a parameter of the route, or a value that a member of the entries must have.
struct ListFilter {
  std::string option, name, help;
  bool by_agent = false;  // the route lacks the parameter, so the agent filters
  std::string fallback = {};
};

struct HubList {
  std::string command, about, path;  // "runs", "...", "/runs"; the answer's array is `command`, too
  std::vector<ListColumn> columns;
  std::vector<ListFilter> filters;
  Parameters parameters = {};
  std::string id = {}, id_help = {};  // the argument that shows one entry; "": none
  // the tables in one entry, by member
  std::map<std::string, std::vector<ListColumn>> parts = {};
  std::string action = {}, action_help = {};  // "retry": the flag --retry of POST /jobs/{id}/retry
};
// The command, with --limit, --json and the hub's options. Follows the hub's pages.
int RunHubList(int argc, char** argv, Console& console, const HubList& list);

// The answer's JSON object. Errors: the hub's, bad_answer.
core::Result<ListJson> GetEntry(HubClient& hub, const Request& request,
                                const OnlineOptions& options);

// "-" if the member is null or absent; a moment as "2026-01-31 12:00:00"; a shape as "M=16 N=1280".
// "provenance.host" is a member of a member. "target": gfx and cu_num, as "gfx942:304". "": the
// whole entry.
std::string MemberText(const ListJson& entry, std::string_view path);
void PrintList(std::ostream& out, const std::vector<ListColumn>& columns, const ListJson& entries);

}  // namespace tunehub::agent
