-- Makes notices of new misses, jobs that parked and rows that wait for a confirmation: at most one an hour for each
-- event and table. Rows that come within the hour are in the next notice.
WITH told AS (
  SELECT event, family, gfx, cu_num, max(mark) AS mark, max(made) AS made FROM notice GROUP BY 1, 2, 3, 4
), found AS (
  SELECT 'missing' AS event, family, gfx, cu_num, (extract(epoch FROM first_seen) * 1000000)::bigint AS mark,
         NULL::bigint AS about
  FROM demand WHERE closed IS NULL AND NOT copied AND first_seen > (SELECT since FROM webhook)
  UNION ALL
  SELECT 'parked', family, gfx, cu_num,
         (extract(epoch FROM (reasons -> -1 ->> 'at')::timestamptz) * 1000000)::bigint, id
  FROM job WHERE state = 'parked'
  UNION ALL
  SELECT 'unconfirmed', t.family, t.gfx, t.cu_num, c.unconfirmed, m.run
  FROM candidate c
  JOIN tuned t USING (key, provider)
  JOIN measurement m ON m.key = c.key AND m.id = c.unconfirmed
  WHERE c.unconfirmed IS NOT NULL
)
INSERT INTO notice (event, family, gfx, cu_num, count, mark, about)
SELECT event, f.family, f.gfx, f.cu_num, count(*), max(f.mark),
       coalesce((array_agg(DISTINCT f.about) FILTER (WHERE f.about IS NOT NULL))[1:10], '{}')
FROM found f LEFT JOIN told USING (event, family, gfx, cu_num)
WHERE f.mark > coalesce(told.mark, 0)
GROUP BY event, f.family, f.gfx, f.cu_num
HAVING coalesce(max(told.made) <= now() - interval '1 hour', true)
