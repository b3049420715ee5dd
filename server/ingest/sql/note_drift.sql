-- Adds the default's times of the staged rows to the drift of their devices. $1: the batches with their runs. The rows of
-- a batch with one shape key and provider share one time. A first time has no ratio. Times at unsteady clocks do not
-- count. 200 characters of a device's name fit into an index.
WITH reference AS MATERIALIZED (
  SELECT DISTINCT ON (id >> 20, key, provider) id >> 20 AS batch, key, provider,
         (evidence->>'us_reference')::float8 AS us
  FROM stage
  WHERE evidence ? 'us_reference' AND coalesce(evidence->>'clock', 'steady') = 'steady'
  ORDER BY id >> 20, key, provider, id
), device AS MATERIALIZED (
  SELECT g.batch, left(concat_ws(' ', p->>'host', coalesce(p->>'product', p->>'pci_id', p->>'gpu'), p->>'address'),
                       200) AS device
  FROM json_to_recordset($1::json) AS g(batch bigint, run bigint)
  JOIN run r ON r.id = g.run
  CROSS JOIN LATERAL (SELECT r.provenance AS p) AS of_run
  WHERE p ? 'host' AND p ?| '{product,pci_id,gpu}'
), told AS MATERIALIZED (
  SELECT d.device, r.key, r.provider, r.us FROM reference r JOIN device d USING (batch)
), met AS (
  INSERT INTO drift_first (device, key, provider, us)
  SELECT device, key, provider, us FROM told ORDER BY device, key, provider
  ON CONFLICT DO NOTHING
)
INSERT INTO drift AS d (device, day, since, log_ratios, keys)
SELECT t.device, today.day, coalesce((SELECT min(e.since) FROM drift e WHERE e.device = t.device), today.day),
       coalesce(sum(ln(t.us / f.us)), 0), count(f.us)
FROM told t
LEFT JOIN drift_first f ON f.device = t.device AND f.key = t.key AND f.provider = t.provider
CROSS JOIN (SELECT (now() AT TIME ZONE 'UTC')::date AS day) AS today
GROUP BY t.device, today.day
ORDER BY t.device  -- one order of row locks prevents deadlocks
ON CONFLICT (device, day) DO UPDATE
SET log_ratios = d.log_ratios + excluded.log_ratios, keys = d.keys + excluded.keys
