-- The notice is sent or given up. Deletes notices older than 30 days if a later notice has the same event and table.
WITH old AS (
  DELETE FROM notice n
  WHERE due IS NULL AND made < now() - interval '30 days' AND id <> $1
    AND EXISTS (SELECT FROM notice l WHERE l.event = n.event AND l.family = n.family AND l.gfx = n.gfx
                                       AND l.cu_num = n.cu_num AND l.mark > n.mark)
)
UPDATE notice SET due = NULL WHERE id = $1
