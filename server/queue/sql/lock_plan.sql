-- One plan at a time, so that two do not choose the same shapes.
SELECT pg_advisory_xact_lock(7413)
