-- Staged rows that call wrong a candidate which competes by another row: whether it goes is known once its rows
-- are judged together.
SELECT s.id, c.us, m.run
FROM stage s
JOIN candidate c ON c.key = s.key AND c.provider = s.provider AND c.candidate = s.candidate
JOIN measurement m ON m.key = c.key AND m.id = c.measurement
WHERE s.standing = 3 AND c.standing < 3
ORDER BY s.id
