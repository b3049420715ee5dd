-- Keys that a migration has left to be chosen for again.
WITH gone AS (DELETE FROM unsettled RETURNING key, provider)
INSERT INTO touched (key, provider)
SELECT key, provider FROM gone
ON CONFLICT DO NOTHING
