#include "server/export_command.h"

#include <algorithm>
#include <cstdio>

#include "server/command.h"
#include "server/definitions.h"
#include "server/exports/static_export.h"
#include "server/hub.h"

namespace tunehub::server {
namespace {

constexpr double kMegabyte = 1e6;

// The setting may be a flag of the server that runs; that somebody holds a key to read is in the
// database.
bool ReadsNeedKey(const Settings& settings, store::Store& store) {
  const auto list = store.keys().List();
  return settings.reads_need_key || std::ranges::any_of(list.keys, [](const auto& key) {
           return key.scope == "read" && key.revoked.empty();
         });
}

core::Result<exports::StaticExportReport> ExportFrom(const Settings& settings,
                                                     const ExportOptions& options,
                                                     store::Store& store) {
  if (!options.open && ReadsNeedKey(settings, store)) {
    return core::Error{"reads_need_key",
                       "this hub needs a key for reads (--reads key, or a key of scope read is in "
                       "force), and whoever sees an export needs none; --public says that this is "
                       "meant"};
  }
  const auto definitions = LoadDefinitions(settings.configs, store, store::OtherFile::kRefused);
  if (!definitions.ok()) return definitions.error();
  Settings open = settings;
  open.reads_need_key = false;  // what is asked here is asked by this program itself
  Hub hub(open, store, *definitions);
  hub.snapshots.Refresh();  // once: all tables are of this revision, whatever a server writes
  const api::App app(hub.Services(open));
  return exports::ExportStatic(app, {options.place, settings.web / "export", options.revisions});
}

}  // namespace

int Export(const Settings& settings, const ExportOptions& options) {
  return WithStore(settings, [&](store::Store& store) {
    const auto report = ExportFrom(settings, options, store);
    if (!report.ok()) return Fail(report.error());
    std::printf("%s: revision %lld, %zu tables, %zu files, %.1f MB\n", options.place.c_str(),
                static_cast<long long>(report->revision.number), report->tables, report->files,
                static_cast<double>(report->bytes) / kMegabyte);
    if (!report->with_page) {
      std::fprintf(stderr, "%s: without the dashboard, which is not built: deploy/build-web\n",
                   kProgram);
    }
    return 0;
  });
}

}  // namespace tunehub::server
