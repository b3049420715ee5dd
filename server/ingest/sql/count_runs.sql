-- For the runs $1, counts won shape keys, quarantined rows and families, from the receipts of the runs' batches. The
-- receipt of a repeating batch is a merge patch of the repeated batch's receipt. Reads each receipt once: an import's
-- receipt has some hundred kilobytes.
WITH asked AS (
  SELECT id, run, repeats FROM batch WHERE run = ANY ($1::bigint[]) AND kind <> 'revert'
), said AS MATERIALIZED (
  SELECT b.id, coalesce(p.won, b.won) AS won, p.quarantined_count AS quarantined,
         CASE WHEN p.family IS NOT NULL THEN ARRAY[p.family]
              WHEN p.files IS NOT NULL THEN ARRAY(
                SELECT DISTINCT f.family FROM json_to_recordset(p.files) AS f(family text, status text)
                WHERE f.status = 'imported') END AS families
  FROM batch b
  CROSS JOIN json_to_record(coalesce(b.receipt, '{}')::json)
    AS p(won bigint, quarantined_count bigint, family text, files json)
  WHERE b.id IN (SELECT id FROM asked UNION SELECT repeats FROM asked)
), receipt AS (
  SELECT a.run, coalesce(p.won, q.won, 0) AS won, coalesce(p.quarantined, q.quarantined, 0) AS quarantined,
         coalesce(p.families, q.families, '{}') AS families
  FROM asked a
  JOIN said p ON p.id = a.id
  LEFT JOIN said q ON q.id = a.repeats
)
SELECT run, sum(won) AS won, sum(quarantined) AS quarantined,
       coalesce((SELECT string_agg(DISTINCT name, ',' ORDER BY name)
                 FROM receipt n CROSS JOIN unnest(n.families) AS name WHERE n.run = r.run), '') AS families
FROM receipt r
GROUP BY run
