-- Two owners may store a new name at once. The lock makes the second owner wait until the row of the first owner is
-- visible.
SELECT pg_advisory_xact_lock(7415, hashtext($1))
