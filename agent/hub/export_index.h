// index.json of a static export (tunehub-server export --static): which files it has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/pin.h"
#include "core/base/result.h"

namespace tunehub::agent {

// A table or a bundle.
struct ExportedFile {
  std::string family;                  // "": a bundle, of all families
  std::string gfx;                     // "": all
  std::optional<std::int64_t> cu_num;  // absent: any
  std::int64_t revision = 0;
  std::string path;  // below the export's address
  std::string sha256;
};

// What is asked of it. `revision` absent: the newest.
struct ExportQuery {
  std::string family, gfx;
  std::optional<std::int64_t> cu_num;
  std::optional<core::Pin> revision;
};

struct ExportIndex {
  core::Pin revision;
  std::string created;  // when that revision was made
  std::vector<core::Pin> revisions;
  std::vector<ExportedFile> files;

  // Errors: unknown_revision, revision_gone (the number has another token there), no_rows; each
  // says what there is.
  core::Result<ExportedFile> Find(const ExportQuery& query) const;
  // That of a file, with its token.
  core::Pin PinOf(const ExportedFile& file) const;
};

// Nothing where it is something else. Errors: newer_export, bad_export.
core::Result<std::optional<ExportIndex>> ParseExportIndex(std::string_view bytes);

}  // namespace tunehub::agent
