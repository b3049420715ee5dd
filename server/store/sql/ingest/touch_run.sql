-- Keys that a run measured: it comes back, and may win again.
INSERT INTO touched (key, provider)
SELECT DISTINCT m.key, m.provider
FROM measurement m
WHERE m.run = $1 AND m.standing < 4
ON CONFLICT DO NOTHING
