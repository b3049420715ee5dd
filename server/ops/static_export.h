// A hub as plain files, which any web server or page host can serve to readers.
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

// The folder of an export: absent, empty, or an earlier export. Errors, also of its Publish:
// file_unwritable; not_an_export (it contains other files, which the error names).
core::Result<core::FolderDraft> BeginExport(const std::filesystem::path& place);

// Answers requests as for a client, but in this process (App::Handle). So an export contains the
// server's answers byte for byte. May throw ExportFailed, which ends the export and removes its
// draft.
using Answer = std::function<http::Response(const http::Request&)>;

// Ends an export. Functions throw it, and ExportStatic returns its error.
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

  const core::SecretKey key;  // signs the answers; perhaps none

  void Say(const std::string& step) const { say_(step); }

  // The answer to GET, with status 200. An error has the code and detail of the problem.
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

// "/speedups?family=a8w8&gfx=gfx942". The names are sorted, so that one question has one address.
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

// Exports one revision's rows, even if servers write at the same time. The same content gives the
// same bytes. Errors: no_rows, unknown_revision, not_an_export, file_unwritable.
core::Result<StaticExportReport> ExportStatic(const Answer& answer,
                                              const StaticExportOptions& options);

}  // namespace tunehub::server
