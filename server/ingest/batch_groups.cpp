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
// commits alone.
bool Objects(const StagedRow& staged) {
  const core::Standing standing = staged.row.standing;
  return (standing > core::Standing::kMeasured && standing <= core::Standing::kFailed) ||
         std::isinf(staged.row.us);
}

// The shape keys and idempotency keys of a group. No two batches of a group share a key. So each
// batch finds the same registry as if it committed alone.
class Taken {
 public:
  // Returns false, without a change of the group, if the batch does not fit or shares a key with
  // the group. `alone`: true if the batch is a group by itself.
  bool Take(const BatchRequest& request, bool alone) {
    if (batches_ == kMostGrouped || (alone && batches_ > 0)) return false;
    if (alone) {
      batches_ = kMostGrouped;
      return true;
    }
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

// True if the batch may share a transaction. It must be results of an existing run, not a dry run,
// and without a row for which Objects is true.
bool MayGoTogether(const BatchRequest& request) {
  return request.kind == "results" && request.run && !request.write.dry_run && !request.supersede &&
         !request.rows->empty() && request.rows->size() <= kMostGroupedRows &&
         std::ranges::none_of(*request.rows, Objects);
}

}  // namespace

struct BatchGroups::Place {
  explicit Place(const BatchRequest& batch) : request(batch), alone(!MayGoTogether(batch)) {}

  const BatchRequest& request;
  const bool alone;
  bool leads = false, done = false;
  GroupAnswer answer;
  std::exception_ptr failure;
  std::condition_variable turn;
};

// Returns the first batch of the queue, and the later batches that share no key with the group.
std::vector<BatchGroups::Place*> BatchGroups::TakeGroup(FamilyQueue& queue) {
  std::vector<Place*> group, left;
  Taken taken;
  for (Place* place : queue.places)
    (taken.Take(place->request, place->alone) ? group : left).push_back(place);
  queue.places = std::move(left);
  return group;
}

void BatchGroups::CommitTogether(const std::vector<Place*>& group) {
  std::vector<const BatchRequest*> requests;
  for (const Place* place : group) requests.push_back(&place->request);
  auto answers = store_.CommitTogether(requests);
  for (std::size_t i = 0; i < group.size(); ++i) group[i]->answer = std::move(answers[i]);
}

void BatchGroups::CommitGroup(const std::vector<Place*>& group) {
  std::exception_ptr gone;
  try {
    if (group.size() > 1) CommitTogether(group);
  } catch (const Unavailable&) {
    gone = std::current_exception();
  } catch (const std::exception& error) {
    spdlog::warn("the commit of {} batches together failed, so the hub commits each alone: {}",
                 group.size(), error.what());
  }
  for (Place* place : group) {
    if (place->answer) continue;
    try {
      if (gone) std::rethrow_exception(gone);
      place->answer = store_.Commit(place->request);
    } catch (const Unavailable&) {
      place->failure = gone = std::current_exception();
    } catch (...) {
      place->failure = std::current_exception();
    }
  }
}

// Makes the next waiting batch, if there is one, the leader. Precondition: the caller has locked
// the mutex.
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
    place->turn.notify_one();  // with the lock, since the woken thread destroys its place
  }
}

void BatchGroups::Await(Place& own) {
  const core::Aside aside;  // destroyed after the lock
  std::unique_lock lock(mutex_);
  own.turn.wait(lock, [&] { return own.leads || own.done; });
}

core::Result<BatchOutcome> BatchGroups::Commit(const BatchRequest& request) {
  if (request.families.size() != 1) return store_.Commit(request);
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
  return *std::move(own.answer);
}

std::size_t BatchGroups::waiting() const {
  const std::lock_guard lock(mutex_);
  std::size_t places = 0;
  for (const auto& [family, it] : queues_) places += it.places.size();
  return places;
}

}  // namespace tunehub::server
