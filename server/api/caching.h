// The two values of Cache-Control that answers carry; app.cpp makes them private where reads need a
// key.
#pragma once

namespace tunehub::api {

// What never changes under its address.
inline constexpr const char* kImmutable = "public, max-age=31536000, immutable";
// What may be kept, and is asked for again each time.
inline constexpr const char* kAskAgain = "no-cache";

}  // namespace tunehub::api
