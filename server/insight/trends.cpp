#include "server/insight/trends.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>

#include "server/ingest/definition_store.h"

namespace tunehub::server {
namespace {

using namespace std::chrono_literals;

constexpr auto kPointPause = 5s;  // the shortest interval between checks while agents push
constexpr auto kLook = 60s;       // the longest delay after a day has ended
constexpr auto kLongest = 10s;    // limit of a pause after a past point
// A server with older models waits this long for newer servers. If both kinds of server made
// points, models would appear and disappear in a trend.
constexpr auto kOlderWaits = 1h;
// The most days for which a server makes past points after a downtime. Also the most points.
constexpr int kFillInDays = 366;
constexpr std::size_t kMostFilledIn = 400;
// If more points than this are due, they are past points. A separate PointMaker makes past points,
// so that requests for current counts do not wait.
constexpr std::size_t kPast = 3;

}  // namespace

void PointKeeper::Start() {
  thread_.Wake();
  thread_.Start([this] {
    while (thread_.Await(kLook)) {
      if (!MakeAll() || !thread_.Pause(kPointPause)) return;
    }
  });
}

// After a past point, pauses as long as the point took, so that past points use half a core.
bool PointKeeper::MakeAll() {
  for (;;) {
    const auto begun = std::chrono::steady_clock::now();
    try {
      if (!MakeNext()) return true;
    } catch (const std::exception& error) {
      spdlog::debug("cannot make a point of the trends: {}", error.what());
      return true;
    }
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begun;
    const bool is_past = past_maker_ != nullptr;
    if (!thread_.Pause(is_past ? std::min<std::chrono::nanoseconds>(took, kLongest) : 0ns))
      return false;
  }
}

// Starts again if another server has made a point.
bool PointKeeper::FindDue() {
  const auto history = histories_.Get();
  if (history->newest() != newest_ || newest_ == 0) {
    state_ = history->State();
    newest_ = history->newest();
    due_.clear();
  }
  if (!due_.empty()) return true;
  if (!history->points.empty())
    looked_at_ = std::max(looked_at_, history->points.back().record.revision.number);
  due_ = PointStore(pool_).Due(looked_at_, kFillInDays, kMostFilledIn);
  std::ranges::reverse(due_);
  if (due_.empty()) {
    states_.Forget();
    past_maker_ = nullptr;
    return false;
  }
  if (due_since_ == std::chrono::steady_clock::time_point())
    due_since_ = std::chrono::steady_clock::now();
  if (due_.size() > kPast && past_maker_ == nullptr)
    past_maker_ = std::make_unique<PointMaker>(definitions_, pool_);
  return true;
}

bool PointKeeper::Make(const core::Pin& revision, const ModelFiles& models) {
  const auto state = states_.At(revision);
  if (!state.ok()) {
    spdlog::info("revision {} gets no point of the trends: {}", revision.number,
                 state.error().detail);
    looked_at_ = std::max(looked_at_, revision.number);
    return true;
  }
  PointMaker& maker = past_maker_ != nullptr ? *past_maker_ : maker_;
  auto made = maker.Make(models, *state);
  PointBasis basis{models.sha256, models.text, definitions_.targets.Sha256(), {}};
  for (const auto& family : definitions_.families.all())
    basis.families[family->name] = family->Sha256();
  const auto id = PointStore(pool_).Add(revision, basis, newest_, ChangesOf(state_, made));
  if (!id) return false;  // another server was first: the next check finds its point
  newest_ = *id;
  state_ = std::move(made);
  return true;
}

bool PointKeeper::MakeNext() {
  if (!FindDue()) {
    due_since_ = {};
    return false;
  }
  const ModelFiles models = ReadModelFiles(definitions_.models);
  // An older server must not make points with its own definitions.
  if (snapshots_.read_only() ||
      !DefinitionStore(pool_).Differences(definitions_.families, definitions_.targets).empty()) {
    return false;
  }
  if (std::chrono::steady_clock::now() - due_since_ < kOlderWaits &&
      PointStore(pool_).AreOlderModels(models.sha256)) {
    return false;
  }
  const core::Pin revision = due_.back();
  due_.pop_back();
  return Make(revision, models);
}

namespace {

constexpr std::chrono::seconds kFresh{2};  // points and model files change without a notification
// Members of a run's provenance that are versions.
constexpr const char* kToolchain[] = {"rocm",   "aiter",  "triton",  "pytorch",
                                      "engine", "driver", "compiler"};

std::int64_t NowMicroseconds() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Trends::Trends(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
               FamilyVersions& versions, DispatchTables& tables)
    : definitions_(definitions),
      pool_(pool),
      snapshots_(snapshots),
      tables_(tables),
      maker_(definitions, pool),
      histories_(pool),
      keeper_(definitions, pool, snapshots, versions, tables, maker_, histories_) {}

std::shared_ptr<const PointRows> Trends::CountNow() {
  const std::lock_guard lock(now_mutex_);
  const auto at = std::chrono::steady_clock::now();
  RegistryState state;  // lacks families that this server cannot read
  for (const auto& family : definitions_.families.all()) {
    if (tables_.Reads(*family)) state.push_back(tables_.Current(*family));
  }
  const auto is_same = [](const auto& known, const auto& table) { return known.lock() == table; };
  if (now_.rows != nullptr && at - now_.at < kFresh &&
      std::ranges::equal(now_.tables, state, is_same)) {
    return now_.rows;
  }
  now_.rows =
      std::make_shared<const PointRows>(maker_.Make(ReadModelFiles(definitions_.models), state));
  now_.tables.assign(state.begin(), state.end());
  now_.at = at;
  return now_.rows;
}

Trend Trends::Get(const TrendSubject& subject, int days) {
  Trend trend;
  trend.revision = snapshots_.Current()->revision;
  trend.now = FiguresOf(subject, RowsAbout(subject, *CountNow()));
  trend.points = TrendOf(subject, *histories_.Get(), NowMicroseconds() - days * kDayMicroseconds);
  if (trend.points.size() > kMostTrendPoints) {
    trend.left_out = trend.points.size() - kMostTrendPoints;
    trend.points.erase(trend.points.begin(),
                       trend.points.begin() + static_cast<std::ptrdiff_t>(trend.left_out));
  }
  std::set<std::int64_t> since = {trend.now.since};
  for (const TrendPoint& it : trend.points) since.insert(it.figures.since);
  trend.times = PointStore(pool_).ReadTimes(since);
  trend.events = EventsOf(subject.target.gfx, days, subject.family);
  return trend;
}

TrendEvents Trends::EventsOf(const std::string& gfx, int days, std::optional<std::int16_t> family) {
  PointStore store(pool_);
  TrendEvents events{
      store.ListImports(days, kMostTrendEvents, family),
      store.ListToolchains(days, kMostTrendEvents, {std::begin(kToolchain), std::end(kToolchain)})};
  std::erase_if(events.toolchains, [&](const auto& it) { return it.gfx != gfx; });
  return events;
}

std::shared_ptr<const CellTrends> Trends::Cells() {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (cells_ != nullptr && now - cells_at_ < kFresh) return cells_;
  try {
    cells_ = std::make_shared<const CellTrends>(CellTrendsOf(*histories_.Get(), NowMicroseconds()));
  } catch (const Unavailable&) {
    cells_ = std::make_shared<const CellTrends>();  // the overview works without trends
  }
  cells_at_ = now;
  return cells_;
}

}  // namespace tunehub::server
