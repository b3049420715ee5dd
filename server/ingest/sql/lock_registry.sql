SELECT pg_advisory_xact_lock(7412)
