-- Touches shape keys that the reverted run measured, even if no candidate competes with the run's rows. These rows
-- may decide if a default is a baseline.
INSERT INTO touched (key, provider)
SELECT DISTINCT key, provider
FROM measurement
WHERE run = $1 AND standing < 4
ON CONFLICT DO NOTHING
