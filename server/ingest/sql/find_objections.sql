-- Finds staged rows of the run $1 that failed, hung or were wrong although their candidate competes. Also answers if
-- an earlier row already raised a doubt about the candidate's time. If $2 is false, finds only wrong rows, and does
-- not search for earlier rows. The hub uses this form before the rebuild of the candidates.
SELECT s.id, c.us, m.run,
       $2 AND EXISTS (
         SELECT FROM in_order o
         WHERE o.key = s.key AND o.provider = s.provider AND o.candidate = s.candidate AND o.id <> s.id
           AND (s.standing = 3 AND o.standing = 3 AND NOT EXISTS (
                  SELECT FROM in_order later
                  WHERE later.key = o.key AND later.provider = o.provider AND later.candidate = o.candidate
                    AND later.standing = 0 AND later.received > o.received)
                OR (o.standing = 4 OR o.us = 'Infinity') AND (o.run_time, o.hash) > (c.run_time, c.run)))
FROM stage s
JOIN candidate c ON c.key = s.key AND c.provider = s.provider AND c.candidate = s.candidate
JOIN measurement m ON m.key = c.key AND m.id = c.measurement
JOIN run r ON r.id = $1
WHERE c.standing < 3
  AND (s.standing = 3
       OR $2 AND (s.standing = 4 OR s.us = 'Infinity') AND c.standing < 2
          AND (c.run_time, c.run) < ((extract(epoch FROM r.started) * 1000000)::bigint, r.hash))
ORDER BY s.id
