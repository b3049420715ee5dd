// What the store sets on each session, whatever the database, its role or the URL say.
#pragma once

#include <string>

namespace tunehub::store {

// The statements, in one text.
std::string SessionSettings();

}  // namespace tunehub::store
