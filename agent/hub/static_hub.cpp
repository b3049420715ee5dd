#include "agent/hub/static_hub.h"

#include <fmt/core.h>

#include "agent/hub/export_request.h"
#include "agent/hub/problem.h"
#include "agent/hub/retry.h"
#include "core/base/sha256.h"

namespace tunehub::agent {
namespace {

constexpr int kFirstProblem = 400;
constexpr std::size_t kEtagHex = 32;   // as the server has it
constexpr std::size_t kDayBytes = 10;  // of a time: 2026-01-31

// An answer that a tunehub server may have given, or a proxy that is busy before one.
bool MayBeServer(const Answer& answer) {
  if (answer.status >= kFirstProblem) return ProblemOf(answer).of_hub || IsTransient(answer.status);
  // Hosts of one-page applications answer any address with their page.
  return !answer.Header("content-type").starts_with("text/html");
}

}  // namespace

core::Result<Answer> StaticHub::Send(const Request& request) {
  if (export_) return Read(request, *export_);
  auto answer = host_->Send(request);
  if (!answer.ok() || MayBeServer(*answer)) return answer;
  const auto index = host_->Send({"GET", "/index.json", {}, ""});
  if (!index.ok() || index->status != 200) return answer;
  auto parsed = ParseExportIndex(index->body);
  if (!parsed.ok()) return About(parsed.error());
  if (!*parsed) return answer;
  export_ = **std::move(parsed);
  return Read(request, *export_);
}

core::Error StaticHub::About(core::Error error) const {
  const std::string of = export_ ? fmt::format(" of revision {} ({})", export_->revision.number,
                                               export_->created.substr(0, kDayBytes))
                                 : "";
  error.detail = fmt::format("{} is a static export{}: {}", url_, of, error.detail);
  return error;
}

core::Result<Answer> StaticHub::Read(const Request& request, const ExportIndex& index) {
  const auto query = ExportQueryOf(request);
  if (!query.ok()) return About(query.error());
  const auto file = index.Find(*query);
  if (!file.ok()) return About(file.error());
  return Fetch(request, *file, index);
}

core::Result<Answer> StaticHub::Fetch(const Request& request, const ExportedFile& file,
                                      const ExportIndex& index) {
  const std::string etag = fmt::format(R"("{}")", file.sha256.substr(0, kEtagHex));
  Answer answer{200, {}, ""};
  answer.headers = {{"content-type", file.family.empty() ? "application/gzip" : "text/csv"},
                    {"etag", etag},
                    {"tunehub-revision", std::to_string(file.revision)},
                    {"tunehub-pin", index.PinOf(file).Text()}};
  for (const auto& [name, value] : request.headers) {
    if (name != "If-None-Match" || value != etag) continue;
    answer.status = 304;
    return answer;
  }
  auto got = host_->Send({"GET", "/" + file.path, {}, ""});
  if (!got.ok() || IsTransient(got->status)) return got;
  if (got->status != 200) {
    return About({"export_damaged", fmt::format("its index names {}, and the host answers {}",
                                                file.path, got->status)});
  }
  if (const std::string digest = core::Sha256Hex(got->body); digest != file.sha256) {
    return About({"export_damaged",
                  fmt::format("{} has sha256 {}, its index says {}: it was changed, or is being "
                              "replaced just now",
                              file.path, digest, file.sha256)});
  }
  answer.body = std::move(got->body);
  return answer;
}

}  // namespace tunehub::agent
