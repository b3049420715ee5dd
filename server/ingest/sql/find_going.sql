-- Of the source $1: keys of which the import in force ($2) has a row that may be served, and the staged
-- one none. Answers how many keys the former has.
WITH held AS (
  SELECT DISTINCT ON (key, provider) key, provider, line
  FROM measurement
  WHERE source = $1 AND runs @> $2::bigint AND standing < 3
  ORDER BY key, provider, id
), found AS (
  INSERT INTO going (key, provider, line)
  SELECT key, provider, line
  FROM held h
  WHERE NOT EXISTS (SELECT FROM stage s
                    WHERE s.key = h.key AND s.provider = h.provider AND s.standing < 3)
)
SELECT count(*) FROM held
