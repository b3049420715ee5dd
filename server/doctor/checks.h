// What can be looked at, a function each; doctor.cpp has them in a table.
#pragma once

#include "server/doctor/report.h"
#include "server/doctor/subject.h"

namespace tunehub::doctor {

// Of this host alone.
void CheckDataFolder(Subject& subject, Report& report);
void CheckDisk(Subject& subject, Report& report);
void CheckMemory(Subject& subject, Report& report);
void CheckDescriptors(Subject& subject, Report& report);
void CheckCertificate(Subject& subject, Report& report);
void CheckWeb(Subject& subject, Report& report);
void CheckBackups(Subject& subject, Report& report);
void CheckPasswordFile(Subject& subject, Report& report);

// Who answers at `listen`: fills in Subject::running.
void CheckServer(Subject& subject, Report& report);

// Of the database.
void CheckSessions(Subject& subject, Report& report);
void CheckSchema(Subject& subject, Report& report);
void CheckDefinitions(Subject& subject, Report& report);
void CheckClock(Subject& subject, Report& report);
void CheckReplication(Subject& subject, Report& report);
void CheckArchiver(Subject& subject, Report& report);
void CheckKeys(Subject& subject, Report& report);
void CheckQueue(Subject& subject, Report& report);

// Of both: what the server serves against what the database has.
void CheckServed(Subject& subject, Report& report);

}  // namespace tunehub::doctor
