-- If two owners put a new name at once, the lock makes the second wait until it can see the first one's row.
SELECT pg_advisory_xact_lock(7415, hashtext($1))
