-- Of two owners that put a new name at the same time the second meets the first one's.
SELECT pg_advisory_xact_lock(7415, hashtext($1))
