#include <fmt/core.h>

#include <algorithm>
#include <optional>

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

constexpr std::size_t kMaxFiles = 10'000;          // AITER's tree has 163 tables
constexpr std::string_view kRunFile = "run.json";  // beside the tables

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
core::Result<std::optional<service::RunContent>> RunIn(const std::optional<std::string>& text) {
  if (!text) return std::optional<service::RunContent>();
  auto run = service::ReadRun(*text);
  if (run.ok()) return std::optional<service::RunContent>(*std::move(run));
  core::Error error = run.error();
  error.detail = fmt::format("{}: {}", kRunFile, error.detail);
  return error;
}

core::Result<std::optional<std::string>> SourceParameter(const http::Request& request) {
  auto source = TextParameter(request, "source", service::kMaxSourceBytes);
  if (!source.ok() || !*source || service::IsSourceName(**source)) return source;
  return service::NotAllowed("source", **source, std::string(service::kSourceRule));
}

http::Response PostImport(Services& services, const http::Request& request, const Caller& caller) {
  const auto known = CheckParameters(request, {"source", "atomic", "dry_run", "allow_shrink"});
  if (!known.ok()) return ProblemFor(known.error());
  const auto source = SourceParameter(request);
  if (!source.ok()) return ProblemFor(source.error());
  const auto body = DecodedBody(request, services.body_bytes);
  if (!body.ok()) return ProblemFor(body.error());
  auto files = core::ReadTar(*body, {.bytes = services.body_bytes, .files = kMaxFiles});
  if (!files.ok()) return ProblemFor(files.error());
  const auto run = RunIn(Take(*files, kRunFile));
  if (!run.ok()) return ProblemFor(run.error());
  const auto write = ReadWriteRequest(request, *body, caller);
  if (!write.ok()) return ProblemFor(write.error());
  return WriteResponse(services.ingest.Import(source->value_or(""), *files, *write, *run));
}

}  // namespace

std::vector<Endpoint> ImportRoutes(Services& services) {
  return {{"POST", "/import", With(services, PostImport), "submit", true}};
}

}  // namespace tunehub::api
