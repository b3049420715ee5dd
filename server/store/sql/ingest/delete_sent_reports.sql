-- A report is said again where its import is its source's latest one (find_same_import), or where that was asked for
-- before and the answer was lost, which is asked again within hours. Others of run $1's source go: what stays is one
-- of each source, and those of a day.
DELETE FROM sent_report
WHERE sent IN (SELECT e.sent
               FROM run r
               JOIN run e ON e.source = r.source AND e.id < r.id AND e.received < now() - interval '1 day'
               WHERE r.id = $1)
  AND sent NOT IN (SELECT l.sent
                   FROM source s
                   CROSS JOIN LATERAL (SELECT sent FROM run WHERE source = s.name ORDER BY id DESC LIMIT 1) l
                   WHERE l.sent IS NOT NULL)
