#include "server/snapshots/snapshots.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <stdexcept>

#include "server/db/listener.h"
#include "server/db/schema.h"

namespace tunehub::server {

namespace {

constexpr int kPollMs = 1'000;  // in case a notification is lost
constexpr std::chrono::seconds kUpToDateWait{2};
constexpr int kRetryMs = 250;  // between attempts while the database does not respond
// Seconds, from one changed row to reading everything.
constexpr double kRefreshSeconds[] = {0.001, 0.005, 0.01, 0.025, 0.1, 0.25, 1, 2.5, 10, 30};

}  // namespace

bool Snapshots::read_only() const {
  return listener_->ReadOnly();
}

Snapshots::Snapshots(const Definitions& definitions, ConnectionPool& pool, FamilyVersions& versions)
    : definitions_(definitions),
      pool_(pool),
      listener_(std::make_unique<Listener>(pool)),
      versions_(versions),
      known_current_(std::chrono::steady_clock::now()),
      refreshes_(kRefreshSeconds) {
  current_ = Nothing(0);
}

std::shared_ptr<SnapshotSet> Snapshots::Nothing(int era) const {
  auto empty = std::make_shared<SnapshotSet>();
  empty->era = era;
  for (const auto& family : definitions_.families.all()) {
    auto snapshot = std::make_shared<FamilySnapshot>();
    snapshot->family = family.get();
    snapshot->id = definitions_.Id(*family);
    snapshot->era = era;
    empty->families[snapshot->id] = std::move(snapshot);
  }
  return empty;
}

Snapshots::~Snapshots() {
  Stop();
}

void Snapshots::Start() {
  Refresh();
  known_current_ = answered_ = std::chrono::steady_clock::now();
  following_ = true;
  thread_ = std::thread([this] { Follow(); });
}

void Snapshots::Stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
  following_ = false;
}

std::shared_ptr<const SnapshotSet> Snapshots::Current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

std::shared_ptr<const FamilySnapshot> Snapshots::Current(const core::Family& family) const {
  auto snapshot = Current()->families.at(definitions_.Id(family));
  if (snapshot->is_unreadable()) {
    throw Unavailable(family.name + ": the family file in the database differs from this server's");
  }
  return snapshot;
}

core::Pin Snapshots::Evidence(std::int16_t family) const {
  try {
    if (!stale() && !KnowsEvidence()) return RevisionStore(pool_).ReadHeads().evidence[family];
  } catch (const Unavailable& error) {
    spdlog::debug("using the last known evidence: {}", error.what());
  }
  return Current()->EvidenceOf(family);
}

std::int64_t Snapshots::behind() const {
  const std::int64_t newest = std::max(seen_.load(), history_.expected());
  return std::max<std::int64_t>(newest - Current()->revision.number, 0);
}

std::vector<const core::Family*> Snapshots::Timed() const {
  std::vector<const core::Family*> families;
  for (const auto& family : definitions_.families.all()) {
    if (family->objective != core::kNoColumn && Reads(*family)) families.push_back(family.get());
  }
  return families;
}

bool Snapshots::WaitUpToDate() const {
  std::unique_lock lock(mutex_);
  if (stale()) return IsUpToDate(*current_);
  return published_.wait_for(lock, kUpToDateWait, [&] { return IsUpToDate(*current_); });
}

void Snapshots::Follow() {
  while (!stopping_) {
    try {
      const bool heard = listener_->AwaitChange(kPollMs);
      const auto asked = std::chrono::steady_clock::now();
      // Also runs after a failure, because a notification during the failure may have had no
      // effect.
      if (heard || failed_) on_change_();
      if (heard || failed_ || Moved()) Refresh();
      known_current_ = asked;
      answered_ = std::chrono::steady_clock::now();
      failed_ = false;
    } catch (const std::exception& error) {
      if (!failed_.exchange(true)) spdlog::warn("serving the last snapshot: {}", error.what());
      std::this_thread::sleep_for(std::chrono::milliseconds(kRetryMs));
    }
  }
}

void Snapshots::Refresh() {
  const std::lock_guard one(refresh_);
  const core::Stopwatch stopwatch(refreshes_);
  const core::Pin told = history_.newest(), known = NewestIn(*Current());
  auto next = std::make_shared<SnapshotSet>(*Current());
  const bool lost = IsLost(known) || !CatchUp(*next);
  if (lost) {
    spdlog::warn(
        "a restore or a failover lost revision {}; the server reads the whole database again",
        known.Text());
    next = ReadAnew(next->era + 1);
    history_.Forget(told);
  }
  {
    const std::lock_guard lock(mutex_);
    current_ = std::move(next);
  }
  rereading_ = false;
  published_.notify_all();
}

bool Snapshots::CatchUp(SnapshotSet& set) {
  bool lost = false;
  RevisionStore(pool_).AtOneMoment(
      set.revision.number, [&](const Heads& heads, const ReadDelta& read) {
        answered_ = std::chrono::steady_clock::now();
        lost = set.revision.has_token() && heads.known != set.revision.token;
        if (lost) return;
        seen_ = heads.revision.number;
        set.revision = heads.revision;
        set.evidence = heads.evidence;
        for (auto& [id, snapshot] : set.families) {
          const core::Pin& head = heads.Of(id);
          if (head == snapshot->revision || head == snapshot->beyond) continue;
          snapshot = Reload(*snapshot, read);
          answered_ = std::chrono::steady_clock::now();
        }
      });
  return !lost;
}

std::shared_ptr<const FamilySnapshot> Snapshots::Reload(const FamilySnapshot& old,
                                                        const ReadDelta& read) {
  SnapshotDelta delta = read(old.id, old.change);
  if (versions_.Get(old.id, delta.family_version)->source != old.family->source)
    return StayBehind(old, delta);
  FamilySnapshot base = old;
  base.beyond = {};
  if (old.version != 0 && delta.family_version != old.version) {
    base.rows.clear();  // columns and order may differ, so all rows are read
    delta = read(old.id, 0);
  }
  std::vector<std::shared_ptr<const TunedRow>> changed;
  changed.reserve(delta.rows.size());
  for (const TunedRecord& record : delta.rows) {
    if (record.served && Renew(old, delta.family_version, record)) changed.push_back(record.row);
  }
  return Advance(base, delta, std::move(changed));
}

// Snapshots calls this if the database has rows in columns that this server does not know. The
// server keeps the last rows that it could read, until the end of a rolling upgrade. A server that
// starts during the upgrade reads these rows as an old revision.
std::shared_ptr<const FamilySnapshot> Snapshots::StayBehind(const FamilySnapshot& old,
                                                            const SnapshotDelta& delta) {
  auto kept = std::make_shared<FamilySnapshot>(old.version == 0 ? LastReadable(old) : old);
  kept->change = kept->version == 0 ? 0 : delta.change;
  kept->beyond = delta.family_revision;
  if (!old.is_behind()) {
    spdlog::warn(
        "{}: the database has another family file (version {}), so this server keeps serving "
        "revision {} and reads no newer rows. To use this server's file again, run 'tunehub-server "
        "migrate'",
        old.family->name, delta.family_version, kept->revision.number);
  }
  return kept;
}

FamilySnapshot Snapshots::LastReadable(const FamilySnapshot& nothing) {
  const core::Family& family = *nothing.family;
  const auto last = RevisionStore(pool_).FindLastOf(nothing.id, family.Sha256());
  // After a restore that lost the family file, the server continues with the other families.
  if (!last && nothing.era > 0) return nothing;
  if (!last) {
    throw std::runtime_error(family.name +
                             ": the family file in the database differs from this server's; "
                             "restart the server with the newer files");
  }
  auto past = RevisionStore(pool_).ReadPast(nothing.id, last->revision);
  if (!past.ok()) throw std::runtime_error(past.error().detail);  // lost: the next check retries
  FamilySnapshot readable = nothing;
  readable.revision = past->revision;
  readable.version = last->family_version;
  readable.rows =
      RowsOfPast(family, nothing.id, std::move(past->rows), versions_, definitions_.targets);
  return readable;
}

bool Snapshots::Renew(const FamilySnapshot& snapshot, int version, const TunedRecord& record) {
  const core::Family& family = *snapshot.family;
  TunedRow& row = *record.row;
  row.engine_says = family.engine != core::kNoColumn;
  if (record.family_version == version) return true;
  if (versions_.Renew(family, snapshot.id, record.family_version, definitions_.targets, row.line))
    return true;
  spdlog::error("a row of {} cannot be read with the family's version {}: {}", family.name, version,
                row.line);
  return false;
}

bool Snapshots::Moved() {
  const auto set = Current();
  const core::Pin known = NewestIn(*set);
  const Heads heads = RevisionStore(pool_).ReadHeads(known.number);
  seen_ = heads.revision.number;
  return heads.evidence != set->evidence || (known.has_token() && heads.known != known.token);
}

bool Snapshots::IsLost(const core::Pin& told) const {
  return told.has_token() && RevisionStore(pool_).ReadHeads(told.number).known != told.token;
}

core::Pin Snapshots::NewestIn(const SnapshotSet& set) const {
  core::Pin newest = history_.newest();
  const auto see = [&](const core::Pin& it) {
    if (it.number > newest.number || !newest.has_token()) newest = it;
  };
  see(set.revision);
  for (const auto& [id, snapshot] : set.families) see(snapshot->revision);
  return newest;
}

std::shared_ptr<SnapshotSet> Snapshots::ReadAnew(int era) {
  rereading_ = true;  // stays true after an exception: the old rows belong to a lost history
  versions_.Forget();
  CheckIds();
  // Call this before CatchUp reads the heads: they include every earlier commit that is not lost.
  history_.ForgetExpected();
  auto set = Nothing(era);
  CatchUp(*set);
  return set;
}

// Throws if the restored state lacks a family, because the family's number would change.
void Snapshots::CheckIds() const {
  std::map<std::string, std::int16_t> ids;
  for (const auto& it : Schema(pool_).Families()) ids[it.name] = it.id;
  for (const auto& family : definitions_.families.all()) {
    const auto found = ids.find(family->name);
    if (found != ids.end() && found->second == definitions_.Id(*family)) continue;
    throw std::runtime_error(family->name +
                             ": the restored database does not have this family, or has another "
                             "number for it; restart the server, which then adds the family");
  }
}

}  // namespace tunehub::server
