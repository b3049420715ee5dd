// Everything behind the HTTP interface, made in the order in which the parts need one another.
#pragma once

#include <atomic>

#include "server/api/services.h"
#include "server/settings.h"
#include "server/store/store.h"

namespace tunehub::server {

struct Hub {
  // All must outlive it. Nothing runs yet, and nothing is read.
  Hub(const Settings& settings, store::Store& store, const service::Definitions& definitions);

  // What the handlers work with, with the built dashboard in memory.
  api::Services Services(const Settings& settings);

  const service::Definitions& definitions;
  std::atomic<bool> stopping{false};  // told to end: /readyz says so
  service::Keys keys;                 // before the snapshots, whose thread wakes them until it ends
  service::FamilyVersions versions;
  service::Snapshots snapshots;
  service::Revisions revisions;
  service::Analyses analyses;
  service::AuditLog audit;
  service::TunedTables tables;
  service::Ingest ingest;
  service::Runs runs;
  service::Queue queue;
  service::Metrics metrics;
  service::DispatchTables dispatch_tables;
  service::CoverageService coverage;
  service::ModelCoverage model_coverage;
  service::Overview overview;
  service::Trends trends;
};

}  // namespace tunehub::server
