// HubClient over a real connection.
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

// Whether this host's clock goes as the hub's; it is said and changes nothing, for a hub may lie:
// "this host's clock is 5 min behind the hub's: ...". "": it goes as the hub's within the time from
// the request to the end of the answer, or nobody can tell (no Date, or an old one from a cache).
std::string ClockDifference(const Answer& answer, std::chrono::system_clock::time_point sent,
                            std::chrono::system_clock::time_point received);

// An import of a whole tree is judged and stored within one request.
inline constexpr std::chrono::seconds kRequestTimeout{300};

struct HubAddress {
  std::string url;  // "http://hub:8080", a path in it is a prefix
  std::string key;  // "" where none is needed
  std::chrono::seconds timeout = kRequestTimeout;
  std::string ca_file;  // whose certificates an https hub may have; "": the system's
};

// What tells hubs apart: the address, always in the same words. Errors: bad_hub.
core::Result<std::string> HubIdentity(const std::string& url);

// No redirects are followed, so that a key never travels to another host; "Expect" is never sent;
// no proxy is asked; answers may come gzipped. Any thread may send. Errors: bad_hub, no_ca, bad_ca.
core::Result<std::unique_ptr<HubClient>> MakeHttpClient(const HubAddress& address);

// The options that every command that talks to a hub has.
struct OnlineOptions {
  std::string hub, key, ca_file;
  unsigned request_timeout_s = kRequestTimeout.count();
  RetryPolicy retry;
};

// --hub (TUNEHUB_HUB), --key (TUNEHUB_KEY), --ca (TUNEHUB_CA), --tries, --request-timeout.
void AddOnlineOptions(cli::CommandLine& line, OnlineOptions& options);
// Of a command that may do without a hub: whether it asks one. TUNEHUB_HUB counts as --hub does,
// unless the command line names files in the hub's place.
bool AsksForHub(int argc, const char* const* argv, const OnlineOptions& options, bool names_files);

// Errors: bad_hub, no_ca, bad_ca.
core::Result<std::unique_ptr<HubClient>> Connect(const OnlineOptions& options);

// What the hub answers with 200. Errors: those of the client and of the hub.
core::Result<Answer> Get(HubClient& hub, const std::string& path, const Parameters& parameters,
                         const RetryPolicy& retry, const Pauses& pauses);
inline core::Result<std::string> GetBody(HubClient& hub, const std::string& path,
                                         const Parameters& parameters, const RetryPolicy& retry,
                                         const Pauses& pauses) {
  auto answer = Get(hub, path, parameters, retry, pauses);
  return answer.ok() ? core::Result<std::string>(std::move(answer->body)) : answer.error();
}

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

// A hub that may be a static export: files on a page host. If something other than a server or a busy
// proxy answers, the client looks for index.json; a host that has it is an export from then on.
// A refusal is an error, not an answer: a batch that a hub refuses leaves the spool.
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
