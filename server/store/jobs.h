// A row of the table job, however it was come by.
#pragma once

#include <pqxx/pqxx>

#include "server/store/queue_records.h"

namespace tunehub::store {

JobRecord ReadJob(const pqxx::row& row);

}  // namespace tunehub::store
