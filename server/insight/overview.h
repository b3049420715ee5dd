// How well the known models are served on each target: the start page's grid.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/threads.h"
#include "core/family/targets.h"
#include "server/insight/coverage.h"
#include "server/insight/speedups.h"
#include "server/snapshots/kept.h"

namespace tunehub::server {

inline constexpr int kOverviewDays = 7;  // what "lately" is

// Of one model on one target, over the tables that its engine reads there.
struct OverviewCell {
  analysis::BucketShare share;
  analysis::UntunedWork untuned;
  std::vector<const core::Family*> tables;  // that its engine reads for it
  std::size_t slower = 0;    // tuned keys that its serving asks for, slower than a week ago
  std::size_t measured = 0;  // those whose default was measured, too
  double log_speedups = 0;   // of these, the sum

  bool asks() const { return share.buckets() > 0; }
};

struct OverviewModel {
  std::string name, title;
  std::string scheme;               // how it is stored
  std::string refused;              // why it cannot be split so; "": it can
  std::vector<OverviewCell> cells;  // by target
};

struct OverviewTarget {
  core::Target target;
  std::vector<const core::Device*> products;  // those whose rows cannot be told apart
};

struct OverviewTable {
  core::Pin revision;
  std::int64_t tp = 1;
  const core::EngineReads* engine = nullptr;
  std::vector<OverviewTarget> targets;  // with a row, as devices.json has them, the unnamed behind
  std::vector<OverviewModel> models;    // by name
};

class Overview {
 public:
  Overview(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
           DispatchTables& tables, Speedups& speedups);

  // As of the newest revision and writes; demand may be a minute old. While the database is gone,
  // or does not answer who makes the newest, the one that was made last. Throws Unavailable.
  std::shared_ptr<const OverviewTable> Get(std::int64_t tp, const core::EngineReads* engine);
  std::shared_ptr<const OverviewTable> Get(std::int64_t tp) {
    return Get(tp, definitions_.UsualEngine());
  }
  // Whether that of the usual engine is made already.
  bool HasNewest(std::int64_t tp);

 private:
  OverviewTable Make(std::int64_t tp, const core::EngineReads* engine);
  void AddParts(const SplitModels& models, OverviewTable& table);
  void AddSpeedups(OverviewTable& table);
  void AddSlower(OverviewTable& table);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
  DispatchTables& tables_;
  Speedups& speedups_;
  DemandCounts demand_;
  ModelPartTables parts_;
  LastMade<std::pair<std::int64_t, const core::EngineReads*>, OverviewTable> made_;  // by TP
};

// Makes the overview before anybody asks for it: the start page must not wait until every model's
// shapes are looked up in tables that have just been imported.
class OverviewAhead {
 public:
  explicit OverviewAhead(Overview& overview) : overview_(overview) {}
  OverviewAhead(const OverviewAhead&) = delete;
  OverviewAhead& operator=(const OverviewAhead&) = delete;
  ~OverviewAhead() { Stop(); }

  void Start();
  void Stop() { thread_.Stop(); }
  void Wake() { thread_.Wake(); }  // something was committed

 private:
  Overview& overview_;
  core::WokenThread thread_;
};

}  // namespace tunehub::server
