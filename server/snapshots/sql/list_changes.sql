-- The changes of the last $1 days, the newest first: one row for each line and family. Consecutive revisions with the
-- same cause are one line, because a tuner makes one revision for each shape. A line counts each shape key once.
WITH lately AS (
  SELECT number, change, created, kind, cause,
         number - row_number() OVER (PARTITION BY kind, cause ORDER BY number) AS island
  FROM revision WHERE created > now() - $1 * interval '1 day'
), line AS (
  SELECT kind, cause, island, min(number) AS first, max(number) AS last, max(created) AS latest
  FROM lately GROUP BY kind, cause, island ORDER BY last DESC LIMIT $2
), part AS (
  SELECT l.last, r.change FROM line l JOIN lately r USING (kind, cause, island)
), runs AS (
  SELECT p.last, (array_agg(DISTINCT b.run ORDER BY b.run DESC))[1:$3] AS listed,
         count(DISTINCT b.run) AS runs
  FROM part p JOIN batch b ON b.id = p.change WHERE b.run IS NOT NULL GROUP BY p.last
), before AS (
  SELECT family, key, from_change, to_change FROM tuned_history
  WHERE to_change >= (SELECT min(change) FROM part)
), touched AS (
  SELECT p.last, t.family, t.key FROM part p JOIN tuned t ON t.change = p.change
  WHERE t.measurement IS NOT NULL AND t.change >= (SELECT min(change) FROM part)
  UNION SELECT p.last, h.family, h.key FROM part p JOIN before h ON h.to_change = p.change
  UNION SELECT p.last, h.family, h.key FROM part p JOIN before h ON h.from_change = p.change
), keys AS (
  SELECT last, family, count(*) AS keys FROM touched GROUP BY last, family
)
SELECT l.first, l.last, l.latest, l.kind, l.cause, coalesce(to_json(r.listed), '[]') AS listed,
       coalesce(r.runs, 0) AS runs, k.family, k.keys
FROM line l
LEFT JOIN runs r USING (last)
LEFT JOIN keys k USING (last)
ORDER BY l.last DESC, k.family
