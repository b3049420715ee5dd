-- Keys of which the run that goes has measured something: also where no candidate stands on it, it may be what
-- says that a default is no baseline.
INSERT INTO touched (key, provider)
SELECT DISTINCT key, provider
FROM measurement
WHERE run = $1 AND standing < 4
ON CONFLICT DO NOTHING
