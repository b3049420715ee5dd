-- What the receipts of these runs' batches ($1) say of their rows: keys won, rows quarantined, families.
-- Where a batch repeats another one, its receipt is a merge patch of that one's.
WITH receipt AS (
  SELECT b.run, coalesce(p.won, q.won) AS won,
         coalesce(p.quarantined_count, q.quarantined_count) AS quarantined,
         coalesce(p.family, q.family) AS family, coalesce(p.files, q.files) AS files
  FROM batch b
  LEFT JOIN batch o ON o.id = b.repeats
  CROSS JOIN json_to_record(coalesce(b.receipt, '{}')::json)
    AS p(won bigint, quarantined_count bigint, family text, files json)
  CROSS JOIN json_to_record(coalesce(o.receipt, '{}')::json)
    AS q(won bigint, quarantined_count bigint, family text, files json)
  WHERE b.run = ANY ($1::bigint[]) AND b.kind <> 'revert'
), named AS (
  SELECT run, family FROM receipt WHERE family IS NOT NULL
  UNION
  SELECT r.run, f.family
  FROM receipt r CROSS JOIN json_to_recordset(r.files) AS f(family text, status text)
  WHERE f.status = 'imported'
)
SELECT run, coalesce(sum(won), 0) AS won, coalesce(sum(quarantined), 0) AS quarantined,
       coalesce((SELECT string_agg(n.family, ',' ORDER BY n.family) FROM named n WHERE n.run = r.run), '')
         AS families
FROM receipt r
GROUP BY run
