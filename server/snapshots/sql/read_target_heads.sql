-- For each target the newest batch after $2 that changed rows of its default provider, and the batch's revision. A
-- batch that only added a key without a served row has no revision. $3: true if the family's shape keys name an
-- engine; then every engine counts.
SELECT h.gfx, h.cu_num, h.change, r.number, r.token, r.created
FROM (SELECT t.gfx, t.cu_num, max(t.change) AS change
      FROM tuned t
      WHERE t.family = $1 AND t.change > $2
        AND ($3 OR t.provider = CASE WHEN t.gfx LIKE 'gfx%' THEN 0 ELSE 1 END)
        AND (t.measurement IS NOT NULL
             OR EXISTS (SELECT FROM tuned_history o
                        WHERE o.key = t.key AND o.provider = t.provider AND o.to_change = t.change))
      GROUP BY t.gfx, t.cu_num) AS h
JOIN revision r ON r.change = h.change
