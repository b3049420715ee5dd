// What `doctor` looks at on this host. Each says what keeps a server from its start, or from an
// answer; the alerts of deploy/observe say what is wrong with one that answers.
#pragma once

#include "server/doctor_report.h"
#include "server/embedded/db_user.h"
#include "server/settings.h"

namespace tunehub::server {

void CheckServer(const Settings& settings, Report& report);
// `user`: whom the server runs as.
void CheckDataFolder(const Settings& settings, const embedded::DatabaseUser& user, Report& report);
void CheckCertificate(const Settings& settings, Report& report);
void CheckWeb(const Settings& settings, Report& report);

}  // namespace tunehub::server
