#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "core/system/tar.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"
#include "server/service/ingest/run_description.h"

namespace tunehub::api {
namespace {

constexpr std::size_t kMaxSource = 100;
constexpr std::size_t kMaxFiles = 10'000;  // AITER's tree has 163 tables

constexpr std::string_view kRunFile = "run.json";  // beside the tables

// What the archive says of the run that its rows are of; nothing where it says nothing. Errors:
// those of ReadRun.
core::Result<std::optional<service::RunContent>> TakeRun(std::vector<core::TarFile>& files) {
  const auto file = std::ranges::find_if(files, [](const core::TarFile& it) {
    return it.name == kRunFile || it.name == "./" + std::string(kRunFile);
  });
  if (file == files.end()) return std::optional<service::RunContent>();
  auto run = service::ReadRun(file->bytes);
  if (!run.ok()) {
    core::Error error = run.error();
    error.detail = fmt::format("{}: {}", kRunFile, error.detail);
    return error;
  }
  files.erase(file);
  return std::optional<service::RunContent>(*std::move(run));
}

http::Response PostImport(Services& services, const http::Request& request, const Caller& caller) {
  const auto known = CheckParameters(request, {"source", "atomic", "dry_run"});
  if (!known.ok()) return ProblemFor(known.error());
  const auto source = TextParameter(request, "source", kMaxSource);
  if (!source.ok()) return ProblemFor(source.error());
  const auto body = DecodedBody(request, services.body_bytes);
  if (!body.ok()) return ProblemFor(body.error());
  auto files = core::ReadTar(*body, {.bytes = services.body_bytes, .files = kMaxFiles});
  if (!files.ok()) return ProblemFor(files.error());
  const auto run = TakeRun(*files);
  if (!run.ok()) return ProblemFor(run.error());
  const auto write = ReadWriteRequest(request, *body, caller);
  if (!write.ok()) return ProblemFor(write.error());
  return WriteResponse(services.ingest.Import(source->value_or(""), *files, *write, *run));
}

}  // namespace

std::vector<Endpoint> ImportRoutes(Services& services) {
  return {{"POST", "/import",
           [&](const auto& request, const auto&, const auto& caller) {
             return PostImport(services, request, caller);
           },
           "submit", true}};
}

}  // namespace tunehub::api
