-- One point at a time: a point has the changes since the previous one.
SELECT pg_advisory_xact_lock(7414)
