// A hub that may be a static export of one (tunehub-server export --static): files on a page host,
// without a server. What a command asks of it is answered from the files, or refused by name.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "agent/hub/export_index.h"
#include "agent/hub/hub_client.h"

namespace tunehub::agent {

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
