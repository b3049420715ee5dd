#include "agent/hub/static_hub.h"

#include <fmt/core.h>

#include "agent/hub/export_index.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/problem.h"
#include "agent/hub/retry.h"
#include "core/base/encoding.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

constexpr std::string_view kTables = "/tuned/", kBundle = "/bundle";

core::Error NeedsServer(const std::string& what) {
  return {"static_export", fmt::format("{}; that needs a server", what)};
}

core::Error Refused(const Request& request, std::string_view path) {
  return NeedsServer(
      fmt::format("it has tables and bundles alone, and no {} {}", request.method, path));
}

// What chooses among rows or makes another table of them.
core::Error Filter(const std::string& name) {
  return NeedsServer(
      fmt::format("it has whole tables by gfx, cu_num and revision, and answers no '{}='", name));
}

core::Status ReadTarget(const std::string& value, ExportQuery& query) {
  const std::size_t colon = value.rfind(':');
  const auto cu_num = core::ParseInt64(colon == std::string::npos ? "" : value.substr(colon + 1));
  if (!cu_num) return NeedsServer(fmt::format("target={}: it has files of one target", value));
  query.gfx = value.substr(0, colon);
  query.cu_num = cu_num;
  return core::Ok();
}

core::Status ReadParameter(const std::string& name, const std::string& value, ExportQuery& query) {
  if (value.find_first_of(",;") != std::string::npos) {
    return NeedsServer(fmt::format(
        "{}={}: it has a file for one target and one for all, none for several", name, value));
  }
  const auto number = core::ParseInt64(value);
  if (name == "gfx") {
    query.gfx = value;
  } else if (name == "target") {
    return ReadTarget(value, query);
  } else if (name == "cu_num" && number) {
    query.cu_num = number;
  } else if (const auto pin = core::ParsePin(value); name == "revision" && pin) {
    query.revision = *pin;
  } else {
    return Filter(name);
  }
  return core::Ok();
}

core::Status ReadParameters(std::string_view text, ExportQuery& query) {
  for (const std::string_view pair : core::SplitAfter(text, "&")) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const auto name = core::PercentDecoded(pair.substr(0, equals));
    const auto value = core::PercentDecoded(pair.substr(std::min(pair.size(), equals + 1)));
    if (!name || !value) return Filter(std::string(pair));
    if (core::Status status = ReadParameter(*name, *value, query); !status.ok()) return status;
  }
  return core::Ok();
}

// Error static_export, which names what needs a server.
core::Result<ExportQuery> ExportQueryOf(const Request& request) {
  const std::string_view target = request.target;
  const std::size_t mark = std::min(target.find('?'), target.size());
  const std::string_view path = target.substr(0, mark);
  const bool table = path.starts_with(kTables);
  if (request.method != "GET" || (!table && path != kBundle)) return Refused(request, path);
  ExportQuery query;
  if (table) query.family = path.substr(kTables.size());
  const core::Status status =
      ReadParameters(target.substr(std::min(target.size(), mark + 1)), query);
  if (!status.ok()) return status.error();
  return query;
}

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
