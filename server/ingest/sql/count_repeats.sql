-- Counts staged rows that the run already has. Three counts: all; rows with the same line; competing rows with the
-- same line.
SELECT count(*), count(*) FILTER (WHERE m.line = s.line),
       count(*) FILTER (WHERE m.line = s.line AND s.standing < 3)
FROM stage s
JOIN measurement m ON m.key = s.key AND m.run = $1 AND m.candidate = s.candidate
