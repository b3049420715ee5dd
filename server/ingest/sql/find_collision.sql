-- A staged row whose shape key has the hash of another shape key. Only a bug can cause this.
SELECT s.line
FROM stage s
JOIN tuned t ON t.key = s.key AND t.provider = s.provider
WHERE t.ord <> s.ord OR t.family <> s.family
LIMIT 1
