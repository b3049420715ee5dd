// The certificate that the server shows, and its key.
#include <fmt/core.h>

#include <cmath>

#include "server/doctor/checks.h"
#include "server/doctor/readable.h"
#include "server/tls/credentials.h"

namespace tunehub::doctor {
namespace {

constexpr const char* kExpires = "tunehub_tls_certificate_expires_seconds";

// What the running server has read, and when, shows in its end alone.
void CheckShown(const Subject& subject, const tls::Credentials& credentials, Report& report) {
  if (!subject.running) return;
  const auto shown = subject.running->metrics.find(kExpires);
  if (shown == subject.running->metrics.end()) return;
  const double expires =
      std::chrono::duration<double>(credentials.expires.time_since_epoch()).count();
  if (std::abs(shown->second - expires) < 1) return;
  report.Wrong(fmt::format("the running server shows another certificate than {}",
                           subject.tls_certificate.string()),
               "have it read the files again: kill -HUP, or systemctl reload tunehub-server");
}

}  // namespace

void CheckCertificate(Subject& subject, Report& report) {
  if (subject.tls_certificate.empty()) return;
  for (const auto& file : {subject.tls_certificate, subject.tls_key}) {
    std::error_code error;
    if (!std::filesystem::exists(file, error) || MayRead(file, subject.user)) continue;
    report.Wrong(fmt::format("{} cannot be read by the user `{}`, whom the server runs as",
                             file.string(), subject.user.name),
                 fmt::format("chown {} {}", subject.user.name, file.string()));
  }
  const auto credentials = tls::ReadCredentials({subject.tls_certificate, subject.tls_key});
  if (!credentials.ok()) {
    return report.Wrong(credentials.error().detail,
                        "a server does not start with it, and one that runs keeps the one of "
                        "before: put a good one there, and reload");
  }
  for (const std::string& remark : credentials->remarks) {
    report.Wrong(remark, "see to it before clients do");
  }
  CheckShown(subject, *credentials, report);
}

}  // namespace tunehub::doctor
