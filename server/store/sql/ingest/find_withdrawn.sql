-- Staged rows that are wrong about a candidate which competes by an earlier run, or was never measured:
-- what goes. $1, $2: as of upsert_candidates, which this comes before.
SELECT s.id, c.us, m.run
FROM stage s
JOIN candidate c ON c.key = s.key AND c.provider = s.provider AND c.candidate = s.candidate
JOIN measurement m ON m.key = c.key AND m.id = c.measurement
WHERE s.standing = 3 AND c.standing < 3 AND (c.standing > 0 OR (c.run_time, c.run) < ($2, $1))
ORDER BY s.id
