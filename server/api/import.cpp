#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/excerpt.h"
#include "core/base/json_object.h"
#include "core/system/tar.h"
#include "server/api/body.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"
#include "server/service/ingest/run_description.h"
#include "server/service/registry/bad_parameter.h"
#include "server/service/registry/source_name.h"

namespace tunehub::api {
namespace {

constexpr std::size_t kMaxFiles = 10'000;  // AITER's tree has 163 tables
constexpr std::size_t kDigestDigits = 64;  // a SHA-256
// What a sender found in its files: a report of every file of the largest tree has some hundred kB.
constexpr std::size_t kMaxReportBytes = 1024 * 1024;

constexpr std::string_view kRunFile = "run.json";        // beside the tables
constexpr std::string_view kReportFile = "report.json";  // where content= says what they are of

// The bytes of the archive's file of that name, which is no table.
std::optional<std::string> Take(std::vector<core::TarFile>& files, std::string_view name) {
  const auto file = std::ranges::find_if(files, [&](const core::TarFile& it) {
    return it.name == name || it.name == "./" + std::string(name);
  });
  if (file == files.end()) return std::nullopt;
  std::string bytes = std::move(file->bytes);
  files.erase(file);
  return bytes;
}

// What is said of the run that these rows are of; nothing where nothing is said. Errors: those of
// ReadRun.
core::Result<std::optional<service::RunContent>> RunIn(const std::optional<std::string>& text,
                                                       std::string_view place) {
  if (!text) return std::optional<service::RunContent>();
  auto run = service::ReadRun(*text);
  if (run.ok()) return std::optional<service::RunContent>(*std::move(run));
  core::Error error = run.error();
  error.detail = fmt::format("{}: {}", place, error.detail);
  return error;
}

// What the sender knows the files by; "": it does not say. Error bad_parameter.
core::Result<std::string> ContentParameter(const http::Request& request) {
  const auto content = TextParameter(request, "content", kDigestDigits);
  if (!content.ok()) return content.error();
  if (!*content) return std::string();
  const bool digest = (*content)->size() == kDigestDigits &&
                      (*content)->find_first_not_of("0123456789abcdef") == std::string::npos;
  if (digest) return **content;
  return core::Error{"bad_parameter",
                     fmt::format("content: '{}' is no SHA-256 of {} lower-case hex digits",
                                 core::Excerpt(**content), kDigestDigits)};
}

core::Result<std::optional<std::string>> SourceParameter(const http::Request& request) {
  auto source = TextParameter(request, "source", service::kMaxSourceBytes);
  if (!source.ok() || !*source || service::IsSourceName(**source)) return source;
  return service::NotAllowed("source", **source, std::string(service::kSourceRule));
}

// What the sender found. Errors: too_large, bad_report.
core::Result<std::string> TakeReport(std::vector<core::TarFile>& files) {
  const auto report = Take(files, kReportFile);
  if (!report) return std::string();
  if (report->size() > kMaxReportBytes) {
    return core::Error{"too_large",
                       fmt::format("{} is larger than {} bytes", kReportFile, kMaxReportBytes)};
  }
  core::JsonErrors errors(std::string(kReportFile), "bad_report");
  if (!core::ParseJson(*report, errors).is_object()) errors.Add("", "must be an object");
  if (errors.any()) return errors.first();
  return *report;
}

http::Response PostImport(Services& services, const http::Request& request, const Caller& caller) {
  const auto known =
      CheckParameters(request, {"source", "content", "atomic", "dry_run", "allow_shrink"});
  if (!known.ok()) return ProblemFor(known.error());
  const auto source = SourceParameter(request);
  if (!source.ok()) return ProblemFor(source.error());
  const auto content = ContentParameter(request);
  if (!content.ok()) return ProblemFor(content.error());
  const auto body = DecodedBody(request, services.body_bytes);
  if (!body.ok()) return ProblemFor(body.error());
  auto files = core::ReadTar(*body, {.bytes = services.body_bytes, .files = kMaxFiles});
  if (!files.ok()) return ProblemFor(files.error());
  const auto run = RunIn(Take(*files, kRunFile), kRunFile);
  if (!run.ok()) return ProblemFor(run.error());
  core::Result<std::string> report = std::string();
  if (!content->empty()) report = TakeReport(*files);
  if (!report.ok()) return ProblemFor(report.error());
  const auto write = ReadWriteRequest(request, *body, caller);
  if (!write.ok()) return ProblemFor(write.error());
  return WriteResponse(
      services.ingest.Import(source->value_or(""), *files, *write, *run, {*content, *report}));
}

http::Response PostAgain(Services& services, const http::Request& request, const Caller& caller) {
  const auto known = CheckParameters(request, {"source", "content"});
  if (!known.ok()) return ProblemFor(known.error());
  const auto source = SourceParameter(request);
  if (!source.ok()) return ProblemFor(source.error());
  const auto content = ContentParameter(request);
  if (!content.ok()) return ProblemFor(content.error());
  if (!*source || (*source)->empty() || content->empty()) {
    return ProblemFor({"bad_parameter", "source and content are needed: which import it is again"});
  }
  const auto body = DecodedBody(request, kMaxBodyBytes);
  if (!body.ok()) return ProblemFor(body.error());
  const auto run = RunIn(body->empty() ? std::nullopt : std::optional(*body), "the body");
  if (!run.ok()) return ProblemFor(run.error());
  const auto write = ReadWriteRequest(request, *body, caller);
  if (!write.ok()) return ProblemFor(write.error());
  return WriteResponse(services.ingest.ImportAgain(**source, *content, *write, *run));
}

}  // namespace

std::vector<Endpoint> ImportRoutes(Services& services) {
  return {{"POST", "/import", With(services, PostImport), "submit", true},
          {"POST", "/import/again", With(services, PostAgain), "submit", true}};
}

}  // namespace tunehub::api
