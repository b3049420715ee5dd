// Whether the database's address gives a session of PostgreSQL's own, and the database holds any
// text, as the store needs it.
#pragma once

#include "core/base/result.h"

namespace tunehub::store {

class ConnectionPool;

// Error pooled_database: a pooler between lends a session for one transaction or statement at a
// time. There the settings of a connection, its temporary tables and LISTEN are lost, or are
// somebody else's. Error database_encoding: the database is not made for UTF-8, which nobody can
// change afterwards; what a session can set, it sets (session_settings.h). Throws Unavailable.
core::Status CheckSessions(ConnectionPool& pool);

}  // namespace tunehub::store
