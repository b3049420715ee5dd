-- Only one plan runs at a time, so that no two plans choose the same shapes.
SELECT pg_advisory_xact_lock(7413)
