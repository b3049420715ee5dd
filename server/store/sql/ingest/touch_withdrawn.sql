-- Keys whose candidates stand on the run that goes.
INSERT INTO touched (key, provider)
SELECT DISTINCT c.key, c.provider
FROM measurement m
JOIN candidate c ON c.key = m.key AND c.provider = m.provider AND c.measurement = m.id
WHERE m.run = $1
ON CONFLICT DO NOTHING
