-- Served rows of tunehub's own kernels on gfx $1 with $2 CUs that the hub should verify now, of one family and for one
-- reason:
-- - The shape key has an unconfirmed row.
-- - The winner is tied, and lookups missed the shape.
-- - The shape key has an implausible row.
-- - A later run on the gfx names another version of a tool ($4) than the run of the row.
-- - The row's time is older than $5 days.
-- Returns at most $6 rows, the most missed first, without rows that were planned within $7 days. Returns none if jobs
-- to verify took $8 seconds of the target's devices within a day, or if such a job is queued. $3: families.
WITH spent AS (
  SELECT coalesce(sum(extract(epoch FROM coalesce(finished, now()) - claimed)), 0) AS seconds
  FROM job
  WHERE purpose = 'verify' AND gfx = $1 AND cu_num IN (0, $2)
    AND (state = 'running' OR state = 'done' AND finished > now() - interval '1 day')
), tool AS MATERIALIZED (
  SELECT DISTINCT ON (n.name) n.name, r.provenance ->> n.name AS version, r.started
  FROM run r, unnest($4::text[]) AS n(name)
  WHERE r.active AND r.provenance ->> 'gfx' = $1 AND r.provenance ? n.name
  ORDER BY n.name, r.started DESC, r.id DESC
), due AS MATERIALIZED (
  SELECT t.family, t.key, coalesce(d.count, 0) AS missed,
         CASE WHEN o.unconfirmed THEN 'unconfirmed'
              WHEN t.baseline THEN NULL
              WHEN t.why = 7 AND d.count > 0 THEN 'tied'
              WHEN o.implausible THEN 'implausible'
              WHEN EXISTS (SELECT FROM tool WHERE tool.started > r.started AND r.provenance ->> tool.name <> tool.version)
              THEN 'toolchain'
              WHEN r.started < now() - $5 * interval '1 day' THEN 'age' END AS why
  FROM tuned t
  JOIN candidate c ON c.key = t.key AND c.provider = t.provider AND c.candidate = t.candidate
  JOIN run r ON r.hash = c.run
  LEFT JOIN demand d ON d.id = t.key
  LEFT JOIN LATERAL (SELECT bool_or(x.unconfirmed IS NOT NULL) AS unconfirmed, bool_or(x.standing = 6) AS implausible
                     FROM candidate x
                     WHERE x.key = t.key AND x.provider = t.provider AND (x.standing = 6 OR x.unconfirmed IS NOT NULL)) AS o
    ON true
  WHERE t.gfx = $1 AND t.cu_num IN (0, $2) AND t.family = ANY ($3::smallint[])
    AND t.provider = 1 AND t.standing = 0
    AND (t.verified IS NULL OR t.verified < now() - $7 * interval '1 day')
    AND (SELECT seconds FROM spent) < $8
    AND NOT EXISTS (SELECT FROM job WHERE state = 'queued' AND gfx = $1 AND purpose = 'verify' AND cu_num IN (0, $2))
), first AS (
  SELECT family, why FROM due WHERE why IS NOT NULL
  ORDER BY array_position(ARRAY['unconfirmed', 'tied', 'implausible', 'toolchain', 'age'], why), missed DESC, family LIMIT 1
)
SELECT due.family, due.key, due.why
FROM first
JOIN due ON due.family = first.family AND due.why = first.why
ORDER BY due.missed DESC, due.key
LIMIT $6
