// From the configs folder and the database to what the services work with.
#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "server/service/registry/definitions.h"
#include "server/store/store.h"

namespace tunehub::server {

// Brings the schema up to date where `migrate`, else only checks it. Errors: newer_schema,
// older_schema.
core::Status PrepareSchema(store::Store& store, bool migrate);

// Errors: bad_family, bad_targets; definitions_changed where a file is another one than the tables
// were judged by and `other` does not allow that. Where it is taken, every measurement of a changed
// family is judged again, in a revision of its own.
core::Result<service::Definitions> LoadDefinitions(const std::filesystem::path& configs,
                                                   store::Store& store, store::OtherFile other);

}  // namespace tunehub::server
