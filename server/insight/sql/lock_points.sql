-- Points follow each other: what one has is what differs from the one before.
SELECT pg_advisory_xact_lock(7414)
