-- Counts staged rows that the run already has: all; those with the same line; those with the same line that compete.
SELECT count(*), count(*) FILTER (WHERE m.line = s.line),
       count(*) FILTER (WHERE m.line = s.line AND s.standing < 3)
FROM stage s
JOIN measurement m ON m.key = s.key AND m.run = $1 AND m.candidate = s.candidate
