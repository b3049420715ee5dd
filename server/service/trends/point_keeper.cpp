#include "server/service/trends/point_keeper.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "server/service/trends/point_delta.h"

namespace tunehub::service {
namespace {

using namespace std::chrono_literals;

constexpr auto kPause = 5s;     // agents that push all the time make it look no oftener
constexpr auto kLook = 60s;     // how soon it is seen that a day has ended
constexpr auto kLongest = 10s;  // of a pause after a point of the past
// A server whose models are older than others' lets those go first: points by turns of one and the
// other would say that models come and go.
constexpr auto kOlderWaits = 1h;
// Where no server made points for a time, so much of it is filled in.
constexpr int kFillInDays = 366;
constexpr std::size_t kMostFilledIn = 400;
// That many at once are a past that is filled in, by a maker of its own: who asks for what is now
// does not wait behind it.
constexpr std::size_t kPast = 3;

}  // namespace

void PointKeeper::Start() {
  thread_.Wake();
  thread_.Start([this] { Run(); });
}

void PointKeeper::Run() {
  while (thread_.Await(kLook)) {
    if (!MakeAll() || !thread_.Pause(kPause)) return;
  }
}

// A point of the past is followed by a pause as long as it took: half of a processor at most.
bool PointKeeper::MakeAll() {
  for (;;) {
    const auto begun = std::chrono::steady_clock::now();
    try {
      if (!MakeNext()) return true;
    } catch (const std::exception& error) {
      spdlog::debug("no point is made: {}", error.what());
      return true;
    }
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begun;
    const bool is_past = past_maker_ != nullptr;
    if (!thread_.Pause(is_past ? std::min<std::chrono::nanoseconds>(took, kLongest) : 0ns))
      return false;
  }
}

bool PointKeeper::MayMake(const ModelFiles& models) {
  if (snapshots_.read_only()) return false;
  if (!store_.schema().Differences(definitions_.families, definitions_.targets).empty())
    return false;
  return std::chrono::steady_clock::now() - due_since_ >= kOlderWaits ||
         !store_.points().AreOlderModels(models.sha256);
}

// Also after a point of another server's: then what is due is another one.
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
  due_ = store_.points().Due(looked_at_, kFillInDays, kMostFilledIn);
  std::ranges::reverse(due_);
  if (due_.empty()) {
    states_.Forget();
    past_maker_ = nullptr;
    return false;
  }
  if (due_since_ == std::chrono::steady_clock::time_point())
    due_since_ = std::chrono::steady_clock::now();
  if (due_.size() > kPast && past_maker_ == nullptr)
    past_maker_ = std::make_unique<PointMaker>(definitions_, store_);
  return true;
}

store::PointBasis PointKeeper::BasisOf(const ModelFiles& models) const {
  store::PointBasis basis{models.sha256, models.text, definitions_.targets.Sha256(), {}};
  for (const auto& family : definitions_.families.all())
    basis.families[family->name] = family->Sha256();
  return basis;
}

bool PointKeeper::Make(const core::Pin& revision, const ModelFiles& models) {
  const auto state = states_.At(revision);
  if (!state.ok()) {
    spdlog::info("revision {} has no point: {}", revision.number, state.error().detail);
    looked_at_ = std::max(looked_at_, revision.number);
    return true;
  }
  PointMaker& maker = past_maker_ != nullptr ? *past_maker_ : maker_;
  auto made = maker.Make(models, *state);
  const auto id = store_.points().Add(revision, BasisOf(models), newest_, ChangesOf(state_, made));
  if (!id) return false;  // another server was first: the next look finds its point
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
  if (!MayMake(models)) return false;
  const core::Pin revision = due_.back();
  due_.pop_back();
  return Make(revision, models);
}

}  // namespace tunehub::service
