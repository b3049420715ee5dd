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
// hub's. ...". Returns "" if the clocks agree within the duration of the request. Also returns ""
// if the answer has no Date, or an old Date from a cache. The agent only warns, because the hub's
// clock may be wrong.
std::string ClockDifference(const Answer& answer, std::chrono::system_clock::time_point sent,
                            std::chrono::system_clock::time_point received);

// The limit is long enough for the hub to check and store the import of a whole tree.
inline constexpr std::chrono::seconds kRequestTimeout{300};

struct HubAddress {
  std::string url;  // "http://hub:8080"; a path is a prefix
  std::string key;  // "": none
  std::chrono::seconds timeout = kRequestTimeout;
  std::string ca_file;  // trusted authorities of an https hub; "": the system's
};

// Returns the address in normal form, which identifies a hub. Errors: bad_hub.
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
// For a command that can run without a hub: returns true if the command line asks for a hub.
// TUNEHUB_HUB counts like --hub, unless the command line names files instead.
bool AsksForHub(int argc, const char* const* argv, const OnlineOptions& options, bool names_files);

// Errors: bad_hub, no_ca, bad_ca.
core::Result<std::unique_ptr<HubClient>> Connect(const OnlineOptions& options);

// Returns the hub's answer if its status is 200. Errors: those of the client and of the hub.
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

// Selects a file of the export. If `revision` is absent, selects the newest.
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

  // Errors: unknown_revision, revision_gone (the revision with this number has another token),
  // no_rows. Each error lists the files of the export.
  core::Result<ExportedFile> Find(const ExportQuery& query) const;
  // The file's revision with its token.
  core::Pin PinOf(const ExportedFile& file) const;
};

// Returns nothing if `bytes` are not the index of an export. Errors: newer_export, bad_export.
core::Result<std::optional<ExportIndex>> ParseExportIndex(std::string_view bytes);

// A hub that may be a static export: plain files on any web server. If the answer is not from a hub
// or a busy proxy, the client requests index.json. If this file is an export's index, the client
// treats the host as an export from then on. A request that needs a hub's server gets an error
// instead of an answer. (A batch leaves the spool if a hub's answer refuses it.)
class StaticHub : public HubClient {
 public:
  // `url` is for error messages.
  StaticHub(std::unique_ptr<HubClient> host, std::string url)
      : host_(std::move(host)), url_(std::move(url)) {}

  // For an export, the answer is like a server's: a table or a bundle with ETag, Tunehub-Revision
  // and Tunehub-Pin. Errors, beside those of the host: static_export (needs a server),
  // unknown_revision, revision_gone and no_rows (not in the export), export_damaged (a file differs
  // from its index), newer_export and bad_export.
  core::Result<Answer> Send(const Request& request) override;
  std::string url() const override { return url_; }
  void SetTry(int number) override { host_->SetTry(number); }

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
