#include "server/hub.h"

namespace tunehub::server {

Hub::Hub(const Settings& settings, store::Store& store, const service::Definitions& all)
    : definitions(all),
      keys(store),
      versions(store),
      snapshots(definitions, store, versions),
      revisions(store),
      analyses(definitions, store, snapshots, versions),
      audit(store),
      tables(definitions, store, snapshots, versions,
             {.cache_bytes = settings.cache_bytes, .heuristics = &analyses.heuristics}),
      ingest(definitions, store, snapshots),
      runs(store, snapshots),
      queue(definitions, store, snapshots, settings.plan_on_claim),
      dispatch_tables(definitions, snapshots),
      coverage(definitions, store, dispatch_tables),
      model_coverage(definitions, dispatch_tables),
      overview(definitions, store, snapshots, dispatch_tables, coverage, analyses.speedups),
      trends(definitions, store, snapshots, versions, dispatch_tables) {}

api::Services Hub::Services(const Settings& settings) {
  return {definitions,
          snapshots,
          revisions,
          tables,
          ingest,
          runs,
          queue,
          keys,
          versions,
          metrics,
          dispatch_tables,
          coverage,
          model_coverage,
          overview,
          trends,
          analyses,
          audit,
          service::Dashboard::Load(settings.web),
          settings.reads_need_key,
          settings.listener.limits.body_bytes,
          settings.log_format == log::Format::kJson,
          &stopping,
          settings.limits};
}

}  // namespace tunehub::server
