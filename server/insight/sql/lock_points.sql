-- Only one server at a time adds a point, because a point contains the changes since the previous point.
SELECT pg_advisory_xact_lock(7414)
