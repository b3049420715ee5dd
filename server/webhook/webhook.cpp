#include "server/webhook/webhook.h"

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

#include "core/base/read_json.h"

namespace tunehub::server {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

constexpr auto kLookEvery = 2s;
constexpr auto kPatience = 4s;    // for one attempt
constexpr auto kFirstPause = 5s;  // above kPatience, so that a notice has one sender at a time
constexpr auto kLongestPause = 600s;
constexpr int kMostTries = 12;  // about an hour

struct EventWords {
  std::string_view name;
  const char* sentence;  // format of table and number
  const char* about;     // the member with Notice::about; "": none
  const char* page;      // of the dashboard, with the family and the device
};

constexpr EventWords kEvents[] = {
    {"slower", "Rows of {} that got slower: {}", "revisions",
     "/ui/changes?kind=slower&family={0}&device={1}&from={2}&to={3}"},
    {"missing", "Shapes of {} that were missed for the first time: {}", "",
     "/ui/model?tab=tune&device={1}"},
    {"unconfirmed", "Rows of {} that wait for a confirmation: {}", "runs", "/ui/changes?run={2}"},
    {"parked", "Parked jobs of {}: {}", "jobs", "/ui/fleet"},
};

}  // namespace

void Webhook::Start() {
  if (!address_.host.empty()) thread_.Start([this] { Follow(); });
}

void Webhook::Follow() {
  while (thread_.Pause(kLookEvery)) {
    try {
      Look();
      while (SendNext() && thread_.Pause(0s)) {
      }
    } catch (const std::exception& error) {
      spdlog::debug("the webhook waits: {}", error.what());
    }
  }
}

void Webhook::Look() {
  const std::int64_t compared = store_.Compared();
  const std::int64_t newest = snapshots_.Current()->revision.number;
  store_.Add(compared, newest, SlowerSince(compared, newest));
}

std::vector<SlowerRows> Webhook::SlowerSince(std::int64_t from, std::int64_t to) {
  std::vector<SlowerRows> rows;
  if (from >= to) return rows;
  DifferenceQuery query;
  query.to.number = to;
  for (const auto& family : definitions_.families.all())
    query.tables.push_back({family.get(), {from, ""}, {}});
  std::map<std::tuple<const core::Family*, std::string, int>, std::int64_t> counts;
  const auto found = differences_.Get(query);
  for (const WeighedDifference& it : found.differences) {
    if (it.key->difference == analysis::Difference::kSlower)
      ++counts[{it.family, it.key->row->gfx, it.key->row->cu_num}];
  }
  for (const auto& [table, count] : counts) {
    const auto& [family, gfx, cu_num] = table;
    rows.push_back({definitions_.Id(*family), gfx, cu_num, count});
  }
  return rows;
}

bool Webhook::SendNext() {
  const auto notice = store_.Claim(kFirstPause, kLongestPause);
  if (!notice) return false;
  const auto status = http::PostJson(address_, BodyOf(*notice), kPatience);
  const bool is_lost = !status.ok() && notice->tries >= kMostTries;
  if (!status.ok()) {
    spdlog::warn("webhook {}: notice {} ({}): {}; {}", address_.host, notice->id, notice->event,
                 status.error().detail,
                 is_lost ? "the server gives it up" : "the server tries again");
  }
  const auto outcome = status.ok() ? NoticeOutcome::kSent
                       : is_lost   ? NoticeOutcome::kLost
                                   : NoticeOutcome::kRetried;
  if (outcome != NoticeOutcome::kRetried) store_.End(notice->id);
  ++counts_[static_cast<std::size_t>(outcome)];
  return status.ok();
}

std::string Webhook::BodyOf(const Notice& notice) const {
  const EventWords& words =
      *std::ranges::find(kEvents, notice.event, [](const auto& it) { return it.name; });
  const std::string family = definitions_.NameOf(notice.family);
  std::string device = notice.gfx;
  if (notice.cu_num > 0) device += ":" + std::to_string(notice.cu_num);
  const Json about = core::SureJsonAs<Json>(notice.about);
  const auto number = [&](std::size_t i) {
    return i < about.size() ? about[i].get<std::int64_t>() : 0;
  };
  Json json = {
      {"event", notice.event},
      {"id", notice.id},
      {"at", notice.made},
      {"text", fmt::format(fmt::runtime(words.sentence),
                           device.empty() ? family : family + " on " + device, notice.count)},
      {"family", family},
      {"gfx", notice.gfx.empty() ? Json() : Json(notice.gfx)},
      {"cu_num", notice.cu_num > 0 ? Json(notice.cu_num) : Json()},
      {"count", notice.count},
      {"address", fmt::format(fmt::runtime(words.page), family, device, number(0), number(1))}};
  if (*words.about != '\0') json[words.about] = about;
  return json.dump();
}

}  // namespace tunehub::server
