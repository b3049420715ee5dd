-- If two owners put a new name at once, the second sees the first one's row.
SELECT pg_advisory_xact_lock(7415, hashtext($1))
