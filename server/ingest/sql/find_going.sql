-- Finds the shape keys that the source $1 would lose. The import in force ($2) has a row of such a key that may be
-- served, but the staged import has no row of the key. Answers the first $3 of these keys in served order, the number
-- of all these keys, and the number of keys of the import in force. OFFSET 0 makes PostgreSQL look up each key
-- separately. (A join would read all tuned rows to find a few.)
WITH held AS (
  SELECT DISTINCT ON (key, provider) key, provider, line
  FROM measurement
  WHERE source = $1 AND runs @> $2::bigint AND standing < 3
  ORDER BY key, provider, id
), going AS MATERIALIZED (
  SELECT key, provider, line
  FROM held h
  WHERE NOT EXISTS (SELECT FROM stage s
                    WHERE s.key = h.key AND s.provider = h.provider AND s.standing < 3)
)
SELECT f.name, t.gfx, t.cu_num, g.line, count(*) OVER (), (SELECT count(*) FROM held)
FROM going g
CROSS JOIN LATERAL (SELECT family, gfx, cu_num, ord FROM tuned
                    WHERE key = g.key AND provider = g.provider OFFSET 0) AS t
JOIN family f ON f.id = t.family
ORDER BY f.name, t.ord, g.provider LIMIT $3
