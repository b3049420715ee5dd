// A hub that may be a static export of one (tunehub-server export --static): files on a page host,
// without a server. What a command asks of it is answered from the files, or refused by name. A
// refusal is an error, not an answer: a batch that a hub refuses leaves the spool.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/hub/hub_client.h"
#include "core/base/pin.h"
#include "core/base/result.h"

namespace tunehub::agent {

// A table or a bundle, as index.json lists it.
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

// A server is asked as ever. Only where something else than one answers, and no proxy that is busy,
// index.json is looked for; what has one is an export from then on.
class StaticHub : public HubClient {
 public:
  // `url` is for errors.
  StaticHub(std::unique_ptr<HubClient> host, std::string url)
      : host_(std::move(host)), url_(std::move(url)) {}

  // From an export: a table or a bundle as the server's answer has it, with its ETag,
  // Tunehub-Revision and Tunehub-Pin. Errors, beside those of the host: static_export (what it
  // cannot do), unknown_revision, revision_gone and no_rows (what it does not have), export_damaged
  // (a file is not as its index says), newer_export and bad_export.
  core::Result<Answer> Send(const Request& request) override;

 private:
  core::Result<Answer> Read(const Request& request, const ExportIndex& index);
  core::Result<Answer> Fetch(const Request& request, const ExportedFile& file,
                             const ExportIndex& index);
  core::Error About(core::Error error) const;

  std::unique_ptr<HubClient> host_;
  std::string url_;
  std::optional<ExportIndex> export_;
};

}  // namespace tunehub::agent
