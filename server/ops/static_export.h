// Writes a hub as plain files, which any web server can serve.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/folder_draft.h"
#include "core/base/pin.h"
#include "core/base/result.h"
#include "core/base/signature.h"
#include "server/http/message.h"

namespace tunehub::server {

// The member "format" of an export's index.json.
inline constexpr std::string_view kExportFormat = "tunehub-static-export";
inline constexpr int kExportFormatVersion = 1;
inline constexpr const char* kIndexFile = "index.json";

// Begins an export. `place`: absent, empty, or an earlier export. Errors, also of the draft's
// Publish: file_unwritable; not_an_export (the folder contains other files; the error lists them).
core::Result<core::FolderDraft> BeginExport(const std::filesystem::path& place);

// Answers a request as for a client, but in this process (App::Handle). So an export contains the
// same bytes as the server's answers. May throw ExportFailed, which ends the export and removes its
// draft.
using Answer = std::function<http::Response(const http::Request&)>;

// The exception that ends an export. ExportStatic catches it and returns its error.
struct ExportFailed {
  core::Error error;
};
template <typename T>
T Sure(core::Result<T> result) {
  if (!result.ok()) throw ExportFailed{result.error()};
  return *std::move(result);
}

class HubReader {
 public:
  HubReader(Answer answer, std::function<void(const std::string&)> say, core::SecretKey signing_key)
      : key(std::move(signing_key)), answer_(std::move(answer)), say_(std::move(say)) {}

  const core::SecretKey key;  // signs the answers; empty: the export is not signed

  void Say(const std::string& step) const { say_(step); }

  // Returns the answer to GET if its status is 200. Otherwise returns an error with the code and
  // detail of the problem.
  core::Result<http::Response> Ask(const std::string& path, const http::Fields& query) const;
  // Like Ask, but throws.
  http::Response Get(const std::string& path, const http::Fields& query = {}) const {
    return Sure(Ask(path, query));
  }
  nlohmann::ordered_json GetJson(const std::string& path, const http::Fields& query = {}) const;

 private:
  const Answer answer_;
  const std::function<void(const std::string&)> say_;
};

// "/speedups?family=a8w8&gfx=gfx942". The parameters are sorted, so that each query has one
// address.
std::string AddressOf(const std::string& path, http::Fields query);

struct StaticExportOptions {
  std::function<void(const std::string&)> say = [](const std::string&) {};  // called for each step
  std::filesystem::path place;
  std::filesystem::path page;  // the dashboard built for exports
  std::vector<int> revisions;  // besides the newest
  core::SecretKey signing_key = {};
};

struct StaticExportReport {
  core::Pin revision;
  std::size_t tables = 0, files = 0, bytes = 0;
  bool with_page = false;
};

// Exports the rows of one revision, even if servers write at the same time. The same rows give the
// same bytes. Errors: no_rows, unknown_revision, not_an_export, file_unwritable.
core::Result<StaticExportReport> ExportStatic(const Answer& answer,
                                              const StaticExportOptions& options);

}  // namespace tunehub::server
