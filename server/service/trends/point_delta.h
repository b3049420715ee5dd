// What a point has beside the point before: only what differs.
#pragma once

#include "server/store/points/point_records.h"

namespace tunehub::service {

// What of `now` differs from `before`. What is no more there is in it with nothing: no shapes, no
// tuned keys.
store::PointRows ChangesOf(const store::PointRows& before, const store::PointRows& now);

// `before` with the changes of the point after it: that point's whole state.
store::PointRows Applied(const store::PointRows& before, const store::PointRows& changes);

}  // namespace tunehub::service
