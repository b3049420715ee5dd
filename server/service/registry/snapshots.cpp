#include "server/service/registry/snapshots.h"

#include <spdlog/spdlog.h>

namespace tunehub::service {
namespace {

constexpr int kPollMs = 1'000;  // where a notification got lost
constexpr int kRetryMs = 250;   // between attempts while the database is gone

}  // namespace

Snapshots::Snapshots(const Definitions& definitions, store::Store& store, FamilyVersions& versions)
    : definitions_(definitions), store_(store), versions_(versions) {
  auto empty = std::make_shared<SnapshotSet>();
  for (const auto& family : definitions_.families.all()) {
    auto snapshot = std::make_shared<FamilySnapshot>();
    snapshot->family = family.get();
    snapshot->id = definitions_.Id(*family);
    empty->families[snapshot->id] = std::move(snapshot);
  }
  current_ = std::move(empty);
}

Snapshots::~Snapshots() {
  Stop();
}

void Snapshots::Start() {
  Refresh();
  thread_ = std::thread([this] { Follow(); });
}

void Snapshots::Stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

std::shared_ptr<const SnapshotSet> Snapshots::Current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

std::shared_ptr<const FamilySnapshot> Snapshots::Current(const core::Family& family) const {
  return Current()->families.at(definitions_.Id(family));
}

void Snapshots::Expect(std::int64_t revision) {
  std::int64_t known = expected_.load();
  while (known < revision && !expected_.compare_exchange_weak(known, revision)) {
  }
}

bool Snapshots::WaitUpToDate(std::chrono::milliseconds limit) const {
  std::unique_lock lock(mutex_);
  return published_.wait_for(lock, limit, [&] { return current_->revision >= expected_.load(); });
}

void Snapshots::Follow() {
  while (!stopping_) {
    try {
      const bool heard = store_.AwaitChange(kPollMs);
      // After a failure, too: a notification that came then may have led to nothing.
      if (heard || stale_) on_change_();
      if (heard || stale_ || store_.revisions().ReadHeads().writes != Current()->writes) Refresh();
      stale_ = false;
    } catch (const std::exception& error) {
      if (!stale_.exchange(true)) spdlog::warn("serving the last snapshot: {}", error.what());
      std::this_thread::sleep_for(std::chrono::milliseconds(kRetryMs));
    }
  }
}

// Reads the heads again after the families: only when nothing moved meanwhile do all of them belong
// to the one revision that is published with them.
void Snapshots::Refresh() {
  const std::lock_guard one(refresh_);
  auto next = std::make_shared<SnapshotSet>(*Current());
  for (bool moved = true; moved;) {
    moved = false;
    const store::Heads heads = store_.revisions().ReadHeads();
    next->revision = heads.revision;
    next->writes = heads.writes;
    for (auto& [id, snapshot] : next->families) {
      const auto head = heads.families.find(id);
      if (head == heads.families.end() || head->second == snapshot->revision) continue;
      snapshot = Reload(*snapshot);
      moved = moved || snapshot->revision != head->second;
    }
  }
  {
    const std::lock_guard lock(mutex_);
    current_ = std::move(next);
  }
  published_.notify_all();
}

std::shared_ptr<const FamilySnapshot> Snapshots::Reload(const FamilySnapshot& old) {
  store::SnapshotDelta delta = store_.revisions().ReadSnapshot(old.id, old.change);
  if (versions_.Get(old.id, delta.family_version)->source != old.family->source) {
    // The new rows are in columns that this server does not know. Its last snapshot stays right.
    throw std::runtime_error(old.family->name +
                             ": the database has another family file than this "
                             "server; restart it with the newer files");
  }
  FamilySnapshot base = old;
  if (old.version != 0 && delta.family_version != old.version) {
    base.rows.clear();  // other columns, perhaps another order: everything anew
    delta = store_.revisions().ReadSnapshot(old.id, 0);
  }
  std::vector<std::shared_ptr<const TunedRow>> changed;
  changed.reserve(delta.rows.size());
  for (store::TunedRecord& record : delta.rows) {
    if (!record.served) continue;
    if (auto row = Convert(*old.family, old.id, delta.family_version, record)) {
      changed.push_back(std::move(row));
    }
  }
  return Advance(base, delta, std::move(changed));
}

std::shared_ptr<const TunedRow> Snapshots::Convert(const core::Family& family, std::int16_t id,
                                                   int version, store::TunedRecord& record) {
  auto row = std::make_shared<TunedRow>();
  row->key = record.key;
  row->order = record.order;
  row->gfx = std::move(record.gfx);
  row->cu_num = record.cu_num;
  row->provider = record.provider;
  row->standing = record.standing;
  row->us = record.us;
  row->baseline = record.baseline;
  row->engine_says = family.engine != core::kNoColumn;
  if (record.family_version == version) {
    row->line = std::move(record.line);
    return row;
  }
  const auto from = versions_.Get(id, record.family_version);
  auto reread = Reread(*from, family, definitions_.targets, record.line);
  if (!reread) {
    spdlog::error("a row of {} does not fit the family's version {}: {}", family.name, version,
                  record.line);
    return nullptr;
  }
  row->line = std::move(reread->line);
  return row;
}

}  // namespace tunehub::service
