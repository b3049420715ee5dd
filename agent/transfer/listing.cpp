#include "agent/transfer/listing.h"

#include <fmt/core.h>

#include <algorithm>
#include <ostream>

#include "agent/base/terminal.h"
#include "core/base/read_json.h"
#include "core/base/rfc3339.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

constexpr std::size_t kMostCellBytes = 100;
constexpr int kMostEntries = 100;  // of a page; the hub's routes allow so many
constexpr int kMostPages = 100;    // that a filter reads

std::string CellText(const ListJson& value) {
  if (value.is_null()) return "-";
  std::string text;
  if (value.is_object()) {
    for (const auto& [name, cell] : value.items())
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, CellText(cell));
  } else {
    text = value.is_string() ? value.get<std::string>() : value.dump();
  }
  if (core::IsRfc3339(text)) text = text.substr(0, 10) + ' ' + text.substr(11, 8);
  return core::PlainText(core::Excerpt(text, kMostCellBytes));
}

bool Fits(const ListJson& entry, const Parameters& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& it) {
    const auto found = entry.find(it.first);
    if (found == entry.end()) return false;
    return found->is_array() ? std::ranges::count(*found, ListJson(it.second)) > 0
                             : CellText(*found) == it.second;
  });
}

// The target in `Link: </runs?after=7&limit=50>; rel="next"`; "": no further page.
std::string NextOf(const Answer& answer) {
  const std::string link = answer.Header("link");
  const std::size_t end = link.find(">; rel=\"next\"");
  return link.starts_with('<') && end != std::string::npos ? link.substr(1, end - 1) : "";
}

core::Error NotJson(const std::string& target, const std::string& expected) {
  return {"bad_answer", fmt::format("the hub's answer to {} has no JSON {}", target, expected)};
}

core::Result<ListJson> ObjectOf(const core::Result<Answer>& answer, const std::string& target) {
  if (!answer.ok()) return answer.error();
  if (answer->status != 200) return HubErrorOf(ProblemOf(*answer));
  auto json = core::ReadJsonAs<ListJson>(answer->body);
  if (json.is_object()) return json;
  return NotJson(target, "object");
}

struct ListOptions {
  std::int64_t id = 0;  // 0: the list
  int limit = 20;
  bool json = false, act = false;
  Parameters parameters;
  Parameters fits;  // only entries whose members have these values
  OnlineOptions online;
};

// Follows the pages until there are enough fitting entries. Sets `more` if the hub has more.
core::Result<ListJson> AllPages(HubClient& hub, const HubList& list, const ListOptions& options,
                                bool& more) {
  const auto most = static_cast<std::size_t>(options.limit);
  Parameters parameters = options.parameters;
  parameters.emplace_back("limit", std::to_string(std::min(options.limit, kMostEntries)));
  std::string target = WithQuery(list.path, parameters);
  ListJson entries = ListJson::array();
  for (int page = 0; page < kMostPages && !target.empty() && entries.size() < most; ++page) {
    const auto answer =
        SendWithRetries(hub, {"GET", target, {}, ""}, options.online.retry, Pauses::Real());
    const auto json = ObjectOf(answer, target);
    if (!json.ok()) return json.error();
    const auto found = json->find(list.command);
    if (found == json->end() || !found->is_array()) return NotJson(target, list.command);
    target = NextOf(*answer);
    more = !target.empty();
    for (const ListJson& entry : *found) {
      if (!entry.is_object() || !Fits(entry, options.fits)) continue;
      more = more || entries.size() == most;
      if (entries.size() < most) entries.push_back(entry);
    }
  }
  return entries;
}

void PrintEntry(const ListJson& entry, const HubList& list, std::ostream& out) {
  for (const auto& [name, value] : entry.items()) {
    if (!value.is_null() && !value.is_array() && !value.empty())
      out << core::PlainText(name) << ": " << CellText(value) << '\n';
  }
  for (const auto& [member, columns] : list.parts) {
    const auto part = entry.value(member, ListJson::array());
    if (!part.empty()) PrintList(out << '\n', columns, part);
  }
}

int Show(const HubList& list, const ListOptions& options, Console& console) {
  const auto hub = Connect(options.online);
  if (!hub.ok()) return Fail(console, list.command, hub.error());
  bool more = false;
  const std::string path = fmt::format("{}/{}{}{}", list.path, options.id, options.act ? "/" : "",
                                       options.act ? list.action : "");
  const auto shown = options.id == 0 ? AllPages(**hub, list, options, more)
                                     : GetEntry(**hub, {options.act ? "POST" : "GET", path, {}, ""},
                                                options.online);
  if (!shown.ok()) return Fail(console, list.command, shown.error());
  if (options.json) {
    const ListJson json = options.id == 0 ? ListJson{{list.command, *shown}} : *shown;
    console.out << json.dump(2) << '\n';
  } else if (options.id != 0) {
    PrintEntry(*shown, list, console.out);
  } else if (shown->empty()) {
    console.out << "the hub has none\n";
  } else {
    PrintList(console.out, list.columns, *shown);
  }
  if (more)
    console.err << "tunehub-agent " << list.command << ": the hub has more; --limit lists more\n";
  return kGood;
}

}  // namespace

int RunHubList(int argc, char** argv, Console& console, const HubList& list) {
  ListOptions options;
  options.parameters = list.parameters;
  std::vector<std::string> values = core::Mapped(list.filters, &ListFilter::fallback);
  cli::CommandLine line(list.about, "tunehub-agent " + list.command);
  if (!list.id.empty()) {
    const auto id = line.Add(list.id, options.id, list.id_help);
    if (!list.action.empty())
      line.AddFlag("--" + list.action, options.act, list.action_help).Needs(id);
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    line.Add(list.filters[i].option, values[i], list.filters[i].help).ShowDefault();
  line.Add("--limit", options.limit, "the most entries to list").Range(1, 10'000).ShowDefault();
  line.AddFlag("--json", options.json, "the hub's answer as JSON");
  AddOnlineOptions(line, options.online);
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto& chosen = list.filters[i].by_agent ? options.fits : options.parameters;
    if (!values[i].empty()) chosen.emplace_back(list.filters[i].name, values[i]);
  }
  return Show(list, options, console);
}

core::Result<ListJson> GetEntry(HubClient& hub, const Request& request,
                                const OnlineOptions& options) {
  return ObjectOf(SendWithRetries(hub, request, options.retry, Pauses::Real()), request.target);
}

std::string MemberText(const ListJson& entry, std::string_view path) {
  if (path.empty()) return CellText(entry);
  if (path == "target") {
    const std::string gfx = MemberText(entry, "gfx"), cu_num = MemberText(entry, "cu_num");
    return gfx == "-" ? "any" : cu_num == "-" ? gfx : gfx + ':' + cu_num;
  }
  const std::size_t dot = std::min(path.find('.'), path.size());
  const auto found = entry.find(path.substr(0, dot));
  if (found == entry.end() || (dot < path.size() && !found->is_object())) return "-";
  return MemberText(*found, path.substr(std::min(dot + 1, path.size())));
}

void PrintList(std::ostream& out, const std::vector<ListColumn>& columns, const ListJson& entries) {
  std::vector<TextRow> rows = {core::Mapped(columns, &ListColumn::title)};
  for (const ListJson& entry : entries) {
    if (!entry.is_object()) continue;
    rows.push_back(
        core::Mapped(columns, [&](const ListColumn& it) { return MemberText(entry, it.path); }));
  }
  PrintColumns(out, rows);
}

}  // namespace tunehub::agent
