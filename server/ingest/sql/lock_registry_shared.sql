-- Batches share this lock; what withdraws measurements (revert, supersede, reclassify) takes it alone.
SELECT pg_advisory_xact_lock_shared(7412)
