-- Staged rows that the other times of their keys show to be implausible.
SELECT s.id
FROM stage s
JOIN candidate c ON c.key = s.key AND c.provider = s.provider AND c.candidate = s.candidate
WHERE c.standing = 6 AND c.measurement = s.id
ORDER BY s.id
