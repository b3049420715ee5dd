-- Two owners may store a new name at once. The lock makes the second one wait until it can see the first one's row.
SELECT pg_advisory_xact_lock(7415, hashtext($1))
