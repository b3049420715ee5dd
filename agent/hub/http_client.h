// A HubClient over a real connection.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/hub/connection.h"
#include "agent/hub/hub_client.h"
#include "core/base/command_line.h"
#include "core/base/pin.h"
#include "core/base/result.h"

namespace tunehub::agent {

// A warning if this host's clock differs from the hub's: "this host's clock is 5 min behind the
// hub's. ...". "" if the clocks agree within the duration of the request, or if the answer has no
// Date or an old one from a cache. The agent only warns, because a hub may lie.
std::string ClockDifference(const Answer& answer, std::chrono::system_clock::time_point sent,
                            std::chrono::system_clock::time_point received);

// Long enough to judge and store the import of a whole tree.
inline constexpr std::chrono::seconds kRequestTimeout{300};

struct HubAddress {
  std::string url;  // "http://hub:8080"; a path is a prefix
  std::string key;  // "": none
  std::chrono::seconds timeout = kRequestTimeout;
  std::string ca_file;  // trusted authorities of an https hub; "": the system's
};

// The address in normal form; it tells hubs apart. Errors: bad_hub.
core::Result<std::string> HubIdentity(const std::string& url);

// Never follows redirects, so that a key does not reach another host. Uses no "Expect" and no
// proxy. Accepts gzip. Any thread may send. Errors: bad_hub, no_ca, bad_ca.
core::Result<std::unique_ptr<HubClient>> MakeHttpClient(const HubAddress& address);

// The options of every command that talks to a hub.
struct OnlineOptions {
  std::string hub, key, ca_file;
  unsigned request_timeout_s = kRequestTimeout.count();
  RetryPolicy retry;
};

// --hub (TUNEHUB_HUB), --key (TUNEHUB_KEY), --ca (TUNEHUB_CA), --tries, --request-timeout.
void AddOnlineOptions(cli::CommandLine& line, OnlineOptions& options);
// For a command that can run without a hub: true if it uses a hub. TUNEHUB_HUB counts like --hub,
// unless the command line names files instead.
bool AsksForHub(int argc, const char* const* argv, const OnlineOptions& options, bool names_files);

// Errors: bad_hub, no_ca, bad_ca.
core::Result<std::unique_ptr<HubClient>> Connect(const OnlineOptions& options);

// The hub's answer if its status is 200. Errors: those of the client and of the hub.
core::Result<Answer> Get(HubClient& hub, const std::string& path, const Parameters& parameters,
                         const RetryPolicy& retry, const Pauses& pauses);
inline core::Result<std::string> GetBody(HubClient& hub, const std::string& path,
                                         const Parameters& parameters, const RetryPolicy& retry,
                                         const Pauses& pauses) {
  auto answer = Get(hub, path, parameters, retry, pauses);
  return answer.ok() ? core::Result<std::string>(std::move(answer->body)) : answer.error();
}

// A table or a bundle in index.json.
struct ExportedFile {
  std::string family;                  // "": a bundle of all families
  std::string gfx;                     // "": all targets
  std::optional<std::int64_t> cu_num;  // absent: all
  std::int64_t revision = 0;
  std::string path;  // below the export's address
  std::string sha256;
  std::string signature;  // the header Tunehub-Signature; "": none
};

// Selects a file of the export. `revision` absent: the newest.
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

  // Errors: unknown_revision, revision_gone (the number has another token), no_rows. Each lists
  // what the export has.
  core::Result<ExportedFile> Find(const ExportQuery& query) const;
  // The file's revision with its token.
  core::Pin PinOf(const ExportedFile& file) const;
};

// Empty if `bytes` are not the index of an export. Errors: newer_export, bad_export.
core::Result<std::optional<ExportIndex>> ParseExportIndex(std::string_view bytes);

// A hub that may be a static export: files on a page host. If something other than a server or a
// busy proxy answers, the client looks for index.json. If it finds an index, the host is an export
// from then on. A request that needs a server gets an error, not an answer, since a batch leaves
// the spool if a hub's answer refuses it.
class StaticHub : public HubClient {
 public:
  // `url` is for error messages.
  StaticHub(std::unique_ptr<HubClient> host, std::string url)
      : host_(std::move(host)), url_(std::move(url)) {}

  // An export answers as the server does: a table or a bundle with ETag, Tunehub-Revision and
  // Tunehub-Pin. Errors, beside those of the host: static_export (needs a server),
  // unknown_revision, revision_gone and no_rows (not in the export), export_damaged (a file differs
  // from its index), newer_export and bad_export.
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
