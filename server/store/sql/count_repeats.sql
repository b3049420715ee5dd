-- Staged rows that the run already has: all of them, and those that say the same.
SELECT count(*), count(*) FILTER (WHERE m.line = s.line)
FROM stage s
JOIN measurement m ON m.key = s.key AND m.run = $1 AND m.candidate = s.candidate
