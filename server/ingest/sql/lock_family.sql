-- One writer per family at a time: then a batch sees every candidate of the keys it touches, and change
-- ids within a family grow in commit order. The first number keeps these locks apart from others.
SELECT pg_advisory_xact_lock(7411, $1::integer)
