-- Records a loss in the family $2 by the batch $5 of the owner $1. $3: the shape keys that lost their row or its
-- time. $4: those of $3 that lost their row. $6: true if the writer is an admin. Answers the family's name and three
-- pairs of numbers. Each pair is a number of keys before the batch, and a number of keys lost within a day:
-- - all keys, and the owner's losses
-- - the keys of other owners' rows, and the owner's losses of these keys, since own rows must not raise the limit
-- - the keys of rows of upstream and admins, and the losses of these keys by all other writers, since owners may
--   collude
WITH old AS (
  DELETE FROM loss WHERE at < now() - interval '1 day'
), gone AS (
  SELECT count(*) AS others, count(*) FILTER (WHERE r.trusted AND NOT $6) AS upstream
  FROM tuned_history h
  JOIN tuned t ON t.key = h.key AND t.provider = h.provider
  JOIN measurement m ON m.key = h.key AND m.id = h.measurement
  JOIN run r ON r.id = m.run
  LEFT JOIN candidate c ON c.key = h.key AND c.provider = h.provider AND c.candidate = m.candidate
  WHERE h.family = $2 AND h.to_change = $5 AND r.owner <> $1
    AND (t.measurement IS NULL OR h.standing = 0 AND t.standing > 0 OR c.standing = 3)
), noted AS (
  INSERT INTO loss (owner, family, keys, others, upstream) SELECT $1, $2, $3, others, upstream FROM gone
), held AS (
  SELECT count(*) AS keys, count(*) FILTER (WHERE r.owner <> $1) AS others,
         count(*) FILTER (WHERE r.trusted) AS upstream
  FROM tuned t
  JOIN measurement m ON m.key = t.key AND m.id = t.measurement
  JOIN run r ON r.id = m.run
  WHERE t.family = $2
), day AS (
  SELECT coalesce(sum(keys) FILTER (WHERE owner = $1), 0) AS keys,
         coalesce(sum(others) FILTER (WHERE owner = $1), 0) AS others, coalesce(sum(upstream), 0) AS upstream
  FROM loss WHERE family = $2 AND at >= now() - interval '1 day'
)
SELECT f.name, held.keys + $4, day.keys + $3, held.others + gone.others, day.others + gone.others,
       held.upstream + gone.upstream, CASE WHEN $6 THEN 0 ELSE day.upstream + gone.upstream END
FROM family f, held, day, gone
WHERE f.id = $2
