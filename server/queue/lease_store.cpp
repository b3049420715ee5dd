// Gives jobs to agents and takes them back. Each call is one statement with the lease as its
// condition, so an agent that lost the lease changes nothing.
#include "server/queue/lease_store.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ranges>

#include "core/base/read_json.h"
#include "server/db/transaction.h"
#include "server/db/write_once.h"
#include "server/queue/store_rows.h"
#include "sql.h"

namespace tunehub::server {
namespace {

// A job is parked after this many failures and expiries.
constexpr int kTries = 3;

template <typename Range>
std::string ArrayOf(const Range& items) {
  return fmt::format("{{{}}}", fmt::join(items, ","));
}

core::Error LostLease(const JobRecord& job, const Lease& lease) {
  const std::string holder = job.state == "running" ? " by " + job.agent : "";
  // Names the owner only if it differs.
  const std::string other = job.owner == lease.owner ? "" : " with a key of " + lease.owner;
  return {
      "lease_lost",
      fmt::format(
          "the lease is lost: job {} is {}{} at epoch {}; the request came from {} at epoch {}{}",
          job.id, job.state, holder, job.epoch, lease.agent, lease.epoch, other)};
}

// True if this lease was the job's last.
bool IsOf(const JobRecord& job, const Lease& lease) {
  return HolderOf(job, job.agent) == HolderOf(lease, lease.agent) && job.epoch == lease.epoch;
}

// True if the agent has already reported a failure at that epoch, so that this call is a
// repetition. If the job is still at that epoch, the lease must be of its last holder.
bool HasFailed(const JobRecord& job, const Lease& lease) {
  if (job.epoch == lease.epoch && !IsOf(job, lease)) return false;
  for (const auto& reason : core::SureJson(job.reasons)) {
    if (reason.at("agent") == lease.agent && reason.at("epoch") == lease.epoch) {
      return reason.at("reason") != "expired";
    }
  }
  return false;
}

// Returns the job in a statement's answer. If the answer is empty and the holder repeats an earlier
// call (`said_before`), returns the job. Otherwise returns the error lease_lost or unknown_job.
core::Result<JobRecord> Stepped(ConnectionPool& pool, const pqxx::result& answer,
                                const Lease& lease,
                                bool (*said_before)(const JobRecord&, const Lease&)) {
  if (!answer.empty()) return ReadJob(answer[0]);
  auto job = JobStore(pool).FindJob(lease.job);
  if (!job.ok() || said_before(*job, lease)) return job;
  return LostLease(*job, lease);
}

std::optional<JobRecord> ClaimNext(ConnectionPool& pool, const Claimant& claimant,
                                   const QueueTimes& times) {
  const std::string holder = HolderOf(claimant, claimant.agent);
  std::optional<std::string> families;
  if (claimant.families) families = ArrayOf(*claimant.families);
  for (int attempt = 1;; ++attempt) {
    try {
      const auto claimed =
          Query(pool, sql::claim_job, claimant.agent, claimant.gfx, claimant.cu_num, families,
                times.lease.count(), claimant.verifies, holder, ArrayOf(claimant.except));
      if (claimed.empty()) return std::nullopt;
      JobRecord job = ReadJob(claimed[0]);
      job.again = claimed[0]["again"].as<bool>();
      return job;
    } catch (const pqxx::unique_violation&) {
      // The agent sent two claims at once, or still has a job that no longer fits it.
      if (attempt == kAttempts) throw;
      Query(pool, sql::abandon_job, holder, claimant.gfx, claimant.cu_num, families);
    }
  }
}

}  // namespace

std::optional<JobRecord> LeaseStore::Claim(const Claimant& claimant) {
  auto job = ClaimNext(pool_, claimant, times_);
  // If no job fits, a lease that expired since the last sweep may make a job available.
  if (!job && Expire() > 0) job = ClaimNext(pool_, claimant, times_);
  return job;
}

core::Result<JobRecord> LeaseStore::Heartbeat(const Lease& lease,
                                              const std::optional<std::string>& progress) {
  const auto renewed = Query(pool_, sql::heartbeat_job, lease.job, HolderOf(lease, lease.agent),
                             lease.epoch, times_.lease.count(), progress);
  return Stepped(pool_, renewed, lease, [](const auto&, const auto&) { return false; });
}

core::Result<JobRecord> LeaseStore::Complete(const Lease& lease, std::optional<std::int64_t> run) {
  try {
    const auto done =
        Query(pool_, sql::complete_job, lease.job, HolderOf(lease, lease.agent), lease.epoch, run);
    return Stepped(pool_, done, lease, [](const JobRecord& job, const Lease& said) {
      return job.state == "done" && IsOf(job, said);
    });
  } catch (const pqxx::foreign_key_violation&) {
    return core::Error{"unknown_run", fmt::format("unknown run {}", *run)};
  }
}

core::Result<JobRecord> LeaseStore::Fail(const Lease& lease, const std::string& reason, bool park) {
  const auto failed = Query(pool_, sql::fail_job, lease.job, HolderOf(lease, lease.agent),
                            lease.epoch, reason, park, kTries, times_.rest.count());
  return Stepped(pool_, failed, lease, HasFailed);
}

core::Result<JobRecord> LeaseStore::Release(const Lease& lease,
                                            const std::optional<std::string>& reason) {
  const auto released = Query(pool_, sql::release_job, lease.job, HolderOf(lease, lease.agent),
                              lease.epoch, reason, static_cast<std::int64_t>(kReleasesKept));
  return Stepped(pool_, released, lease, [](const JobRecord& job, const Lease& said) {
    return job.state == "queued" && IsOf(job, said);
  });
}

core::Result<JobRecord> LeaseStore::Retry(std::int64_t id, const Writer& by) {
  return InTransaction(pool_, [&](pqxx::work& transaction) -> Ending<JobRecord> {
    const auto retried = transaction.exec_params(sql::retry_job, id);
    if (retried.empty()) {
      const auto job = TheJob(transaction.exec_params(sql::find_job, id), id);
      if (!job.ok()) return job.error();
      return core::Error{"not_parked",
                         fmt::format("job {} is {}; expected a parked job", id, job->state)};
    }
    Audit(transaction, by, "job retry", fmt::format("job {}", id));
    return ReadJob(retried[0]);
  });
}

std::size_t LeaseStore::Expire() {
  const std::size_t expired =
      Query(pool_, sql::expire_leases, kTries, times_.silence().count()).affected_rows();
  expired_ += expired;
  return expired;
}

std::size_t LeaseStore::WatchLeases() {
  const std::size_t renewed =
      Query(pool_, sql::watch_leases, times_.silence().count(), times_.lease.count())
          .affected_rows();
  renewed_ += renewed;
  return renewed;
}

std::vector<core::Hash128> LeaseStore::Arrived(std::int64_t job,
                                               const std::vector<core::Hash128>& keys) {
  const std::string uuids = ArrayOf(keys | std::views::transform(&core::Hash128::Uuid));
  std::vector<core::Hash128> arrived;
  for (const auto& row : Query(pool_, sql::arrived_keys, uuids, job)) {
    arrived.push_back(core::ParseUuid(row[0].as<std::string>()));
  }
  return arrived;
}

}  // namespace tunehub::server
