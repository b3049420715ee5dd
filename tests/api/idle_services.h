// Everything that the routes work with, behind a database that is never asked.
#pragma once

#include <cctype>
#include <cstdint>

#include "server/api/app.h"
#include "tests/support/shipped.h"

namespace tunehub::api {

struct IdleServices {
  IdleServices()
      : definitions(Definitions()),
        store("host=/nowhere", {.connections = 2}),
        versions(store),
        snapshots(definitions, store, versions),
        revisions(store),
        tables(definitions, store, snapshots, versions, {}),
        ingest(definitions, store, snapshots),
        runs(store, snapshots),
        queue(definitions, store, snapshots, true),
        keys(store),
        dispatch_tables(definitions, snapshots),
        coverage(definitions, store, dispatch_tables),
        model_coverage(definitions, dispatch_tables),
        analyses(definitions, store, snapshots, versions),
        overview(definitions, store, snapshots, dispatch_tables, coverage, analyses.speedups),
        trends(definitions, store, snapshots, versions, dispatch_tables),
        audit(store),
        services{definitions,    snapshots, revisions, tables,   ingest,          runs,
                 queue,          keys,      versions,  metrics,  dispatch_tables, coverage,
                 model_coverage, overview,  trends,    analyses, audit,           {}} {}

  static service::Definitions Definitions() {
    service::Definitions definitions{
        *core::Families::Load(test::ShippedFamilyFolder()), test::ShippedTargets(), {}};
    for (const auto& family : definitions.families.all()) {
      definitions.ids[family->name] = static_cast<std::int16_t>(definitions.ids.size() + 1);
    }
    return definitions;
  }

  service::Definitions definitions;
  store::Store store;
  service::FamilyVersions versions;
  service::Snapshots snapshots;
  service::Revisions revisions;
  service::TunedTables tables;
  service::Ingest ingest;
  service::Runs runs;
  service::Queue queue;
  service::Keys keys;
  service::Metrics metrics;
  service::DispatchTables dispatch_tables;
  service::CoverageService coverage;
  service::ModelCoverage model_coverage;
  service::Analyses analyses;
  service::Overview overview;
  service::Trends trends;
  service::AuditLog audit;
  Services services;
};

}  // namespace tunehub::api
