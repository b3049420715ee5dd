-- Checks that every accepted write has correct numbers, and has its receipt unless it is older than retention_days.
WITH stored AS (
  SELECT id >> 20 AS batch, count(*) AS rows FROM measurement GROUP BY id >> 20
), told AS (
  SELECT b.*, substring(b.receipt FROM '"batch":([0-9]+)')::bigint AS told_batch,
         substring(b.receipt FROM '"run":([0-9]+)')::bigint AS told_run,
         substring(b.receipt FROM '"revision":([0-9]+)')::bigint AS told_revision,
         substring(b.receipt FROM '"stored":([0-9]+)')::bigint AS told_stored
  FROM batch b
)
SELECT format('batch %s (%s): %s', b.id, b.kind,
              CASE WHEN b.receipt IS NULL AND b.id > k.receipts THEN 'it has no receipt'
                   WHEN b.receipt NOT LIKE '{%}' THEN 'its receipt is not a JSON object'
                   WHEN b.repeats > k.receipts AND o.receipt IS NULL
                     THEN format('its receipt changes the receipt of batch %s, which is missing', b.repeats)
                   WHEN b.told_batch <> b.id THEN format('its receipt belongs to batch %s', b.told_batch)
                   WHEN b.told_run IS DISTINCT FROM b.run
                     THEN format('its receipt has run %s, but the batch has run %s', coalesce(b.told_run::text, 'none'),
                                 coalesce(b.run::text, 'none'))
                   WHEN b.told_stored <> coalesce(s.rows, 0)
                     THEN format('its receipt counts %s stored measurements, but there are %s',
                                 b.told_stored, coalesce(s.rows, 0))
                   WHEN b.stored <> coalesce(s.rows, 0)
                     THEN format('it counts %s stored measurements, but there are %s', b.stored, coalesce(s.rows, 0))
                   ELSE format('its receipt has revision %s, but its revision is %s',
                               coalesce(b.told_revision::text, 'none'), coalesce(r.number::text, 'none')) END)
FROM told b
CROSS JOIN retention k
LEFT JOIN batch o ON o.id = b.repeats
LEFT JOIN stored s ON s.batch = b.id
LEFT JOIN revision r ON r.change = b.id
WHERE (b.id > k.receipts AND b.receipt IS NULL) OR (b.repeats > k.receipts AND o.receipt IS NULL)
   OR (b.kind IN ('results', 'import') AND b.stored <> coalesce(s.rows, 0))
   OR (b.kind NOT IN ('demand', 'jobs') AND b.receipt NOT LIKE '{%}')
   OR (b.kind IN ('results', 'import') AND b.told_batch IS NOT NULL
       AND (b.told_batch <> b.id OR b.told_run IS DISTINCT FROM b.run
            OR b.told_stored <> coalesce(s.rows, 0) OR b.told_revision IS DISTINCT FROM r.number))
ORDER BY b.id
