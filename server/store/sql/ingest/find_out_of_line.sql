-- Places of rows of batch $1 that the other times of their keys show to be implausible.
SELECT s.id & (1 << 20) - 1
FROM stage s
JOIN candidate c ON c.key = s.key AND c.provider = s.provider AND c.candidate = s.candidate
WHERE s.id >> 20 = $1 AND c.standing = 6 AND c.measurement = s.id
ORDER BY s.id
