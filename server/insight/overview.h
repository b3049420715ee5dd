// The start page's matrix: the coverage of each known model on each target.
#pragma once

#include <cstdint>
#include <map>
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

// the overview compares the current rows with the rows of this many days ago
inline constexpr int kOverviewDays = 7;

// Served rows of default providers that are slower than kOverviewDays ago, by family.
using SlowedRows = std::map<const core::Family*, std::vector<std::shared_ptr<const TunedRow>>>;

// Figures of a model on a target, over the tables that the model's engine reads on the target.
struct OverviewCell {
  analysis::BucketShare share;
  analysis::UntunedWork untuned;
  std::vector<const core::Family*> tables;  // tables that the engine reads for the model
  std::size_t slower = 0;    // number of tuned keys that became slower in the last kOverviewDays
  std::size_t measured = 0;  // number of tuned keys whose default was measured
  double log_speedups = 0;   // sum of ln(default / tuned) over `measured` keys

  bool asks() const { return share.buckets() > 0; }
};

struct OverviewModel {
  std::string name, title;
  std::string scheme;               // storage format of the model's weights
  std::string refused;              // why the hub cannot count the model at this TP; "": it can
  std::vector<OverviewCell> cells;  // in the order of the targets
};

struct OverviewTarget {
  core::Target target;
  std::vector<const core::Device*> products;  // all products with this target
};

struct OverviewTable {
  core::Pin revision;
  std::int64_t tp = 1;
  const core::EngineReads* engine = nullptr;
  // targets with rows, in the order of devices.json, then targets without a product
  std::vector<OverviewTarget> targets;
  std::vector<OverviewModel> models;  // by name
};

class Overview {
 public:
  Overview(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
           DispatchTables& tables, Speedups& speedups);

  // Returns the overview of the newest revision and evidence. Its demand may be a minute old. If
  // the database does not respond, returns the last overview. Throws Unavailable.
  std::shared_ptr<const OverviewTable> Get(std::int64_t tp, const core::EngineReads* engine);
  std::shared_ptr<const OverviewTable> Get(std::int64_t tp) {
    return Get(tp, definitions_.UsualEngine());
  }
  // Like Get, for the rows of the newest revision. The week may begin a minute too early.
  std::shared_ptr<const SlowedRows> Slower();
  // True if the usual engine's newest overview is ready.
  bool HasNewest(std::int64_t tp);

 private:
  OverviewTable Make(std::int64_t tp, const core::EngineReads* engine);
  void AddParts(const SplitModels& models, OverviewTable& table);
  void AddSpeedups(OverviewTable& table);
  void AddSlower(OverviewTable& table);
  SlowedRows FindSlower();

  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
  DispatchTables& tables_;
  Speedups& speedups_;
  DemandCounts demand_;
  ModelPartTables parts_;
  LastMade<std::pair<std::int64_t, const core::EngineReads*>, OverviewTable> made_;  // by TP
  LastMade<int, SlowedRows> slower_;  // by kOverviewDays
};

// Makes the overview in advance, because the lookups of all models after an import take long.
class OverviewAhead {
 public:
  explicit OverviewAhead(Overview& overview) : overview_(overview) {}
  OverviewAhead(const OverviewAhead&) = delete;
  OverviewAhead& operator=(const OverviewAhead&) = delete;
  ~OverviewAhead() { Stop(); }

  void Start();
  void Stop() { thread_.Stop(); }
  void Wake() { thread_.Wake(); }  // call it after a commit

 private:
  Overview& overview_;
  core::WokenThread thread_;
};

}  // namespace tunehub::server
