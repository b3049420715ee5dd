// Whether the database's address gives a session of PostgreSQL's own, as the store needs it.
#pragma once

#include "core/base/result.h"

namespace tunehub::store {

class ConnectionPool;

// Error pooled_database: a pooler between lends a session for one transaction or statement at a
// time. There the settings of a connection, its temporary tables and LISTEN are lost, or are
// somebody else's. Throws Unavailable.
core::Status CheckSessions(ConnectionPool& pool);

}  // namespace tunehub::store
