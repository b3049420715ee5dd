// A hub as plain files: what any web server or page host gives to whoever only reads.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/pin.h"
#include "core/base/result.h"
#include "server/api/app.h"

namespace tunehub::exports {

struct StaticExportOptions {
  std::filesystem::path place;
  std::filesystem::path page;  // the dashboard that is built for exports
  std::vector<int> revisions;  // beside the newest
};

struct StaticExportReport {
  core::Pin revision;
  std::size_t tables = 0, files = 0, bytes = 0;
  bool with_page = false;
};

// Of what `app` answers now: the rows of one revision, whatever is written meanwhile. The same
// content gives the same bytes. Errors: no_rows, unknown_revision, not_an_export, file_unwritable.
core::Result<StaticExportReport> ExportStatic(const api::App& app,
                                              const StaticExportOptions& options);

}  // namespace tunehub::exports
