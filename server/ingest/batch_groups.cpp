#include "server/ingest/batch_groups.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <set>
#include <string>
#include <utility>

#include "core/base/hash.h"
#include "core/base/threads.h"
#include "server/db/failures.h"

namespace tunehub::server {
namespace {

// True if the hub must compare this row with earlier rows of its candidate. The batch of such a row
// is committed alone.
bool Objects(const StagedRow& staged) {
  const core::Standing standing = staged.row.standing;
  return (standing > core::Standing::kMeasured && standing <= core::Standing::kFailed) ||
         std::isinf(staged.row.us);
}

// The shape keys and idempotency keys of a group. No two of its batches share a key, so that each
// finds the registry as if it were committed alone.
class Taken {
 public:
  // False, and the group is unchanged, if the batch does not fit or shares a key with the group.
  bool Take(const BatchRequest& request) {
    if (batches_ == kMostGrouped) return false;
    if (batches_ > 0 && rows_ + request.rows->size() > kMostGroupedRows) return false;
    const auto& write = request.write;
    std::optional<std::pair<std::string, std::string>> once;
    if (write.idempotency_key) once.emplace(write.owner, *write.idempotency_key);
    if (once && once_.contains(*once)) return false;
    const auto taken = [&](const auto& staged) { return keys_.contains(staged.row.key.bytes); };
    if (batches_ > 0 && std::ranges::any_of(*request.rows, taken)) return false;
    for (const auto& staged : *request.rows) keys_.insert(staged.row.key.bytes);
    if (once) once_.insert(*std::move(once));
    ++batches_;
    rows_ += request.rows->size();
    return true;
  }

 private:
  std::size_t batches_ = 0, rows_ = 0;
  std::set<decltype(core::Hash128::bytes)> keys_;
  std::set<std::pair<std::string, std::string>> once_;  // owner, idempotency key
};

// True for results of an existing run that are no dry run and have no row that `Objects`.
bool MayGoTogether(const BatchRequest& request) {
  return request.kind == "results" && request.run && !request.write.dry_run && !request.supersede &&
         request.families.size() == 1 && !request.rows->empty() &&
         request.rows->size() <= kMostGroupedRows && std::ranges::none_of(*request.rows, Objects);
}

}  // namespace

struct BatchGroups::Place {
  explicit Place(const BatchRequest& batch) : request(batch) {}

  const BatchRequest& request;
  bool leads = false, done = false;
  GroupAnswer answer;
  std::exception_ptr failure;
  std::condition_variable turn;
};

// The first batch of the queue, and the later ones that share no key with the group.
std::vector<BatchGroups::Place*> BatchGroups::TakeGroup(FamilyQueue& queue) {
  std::vector<Place*> group, left;
  Taken taken;
  for (Place* place : queue.places) (taken.Take(place->request) ? group : left).push_back(place);
  queue.places = std::move(left);
  return group;
}

void BatchGroups::CommitGroup(const std::vector<Place*>& group) {
  try {
    std::vector<const BatchRequest*> requests;
    for (const Place* place : group) requests.push_back(&place->request);
    auto answers = store_.CommitTogether(requests);
    for (std::size_t i = 0; i < group.size(); ++i) group[i]->answer = std::move(answers[i]);
  } catch (const Unavailable&) {
    for (Place* place : group) place->failure = std::current_exception();
  } catch (const std::exception& error) {
    if (group.size() == 1)
      group.front()->failure = std::current_exception();
    else
      spdlog::warn("committing {} batches together failed, so each is committed alone: {}",
                   group.size(), error.what());
  }
}

// Makes the next waiting batch, if there is one, the leader. The caller holds the lock.
void BatchGroups::PassOn(FamilyQueue& queue) {
  queue.led = !queue.places.empty();
  if (!queue.led) return;
  queue.places.front()->leads = true;
  queue.places.front()->turn.notify_one();
}

std::vector<BatchGroups::Place*> BatchGroups::Begin(FamilyQueue& queue, Place& own) {
  const std::lock_guard lock(mutex_);
  try {
    return TakeGroup(queue);
  } catch (...) {  // out of memory
    std::erase(queue.places, &own);
    PassOn(queue);
    throw;
  }
}

void BatchGroups::Lead(FamilyQueue& queue, Place& own) {
  const auto group = Begin(queue, own);
  CommitGroup(group);
  const std::lock_guard lock(mutex_);
  PassOn(queue);
  for (Place* place : group) {
    place->done = true;
    place->turn.notify_one();  // under the lock, since the woken thread destroys its place
  }
}

void BatchGroups::Await(Place& own) {
  const core::Aside aside;  // destroyed after the lock
  std::unique_lock lock(mutex_);
  own.turn.wait(lock, [&] { return own.leads || own.done; });
}

GroupAnswer BatchGroups::Join(const BatchRequest& request) {
  Place own(request);
  FamilyQueue* queue = nullptr;
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    queue = &queues_[request.families.begin()->first];
    queue->places.push_back(&own);
    first = !queue->led;
    if (first) queue->led = own.leads = true;
  }
  if (!first) Await(own);
  if (own.leads) Lead(*queue, own);
  if (own.failure) std::rethrow_exception(own.failure);
  return std::move(own.answer);
}

core::Result<BatchOutcome> BatchGroups::Commit(const BatchRequest& request) {
  const std::int64_t key = request.write.api_key;
  if (MayGoTogether(request) && !IsOverQuota(key)) {
    if (auto answer = Join(request)) return *std::move(answer);
  }
  auto outcome = store_.Commit(request);
  const std::lock_guard lock(mutex_);
  if (outcome.ok())
    over_quota_.erase(key);
  else if (outcome.error().code == "over_quota")
    over_quota_.insert(key);
  return outcome;
}

bool BatchGroups::IsOverQuota(std::int64_t key) const {
  const std::lock_guard lock(mutex_);
  return over_quota_.contains(key);
}

std::size_t BatchGroups::waiting() const {
  const std::lock_guard lock(mutex_);
  std::size_t places = 0;
  for (const auto& [family, it] : queues_) places += it.places.size();
  return places;
}

}  // namespace tunehub::server
