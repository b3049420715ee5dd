-- The revisions just before and just after a run's writes. If the run changed no served row, both are the revision at
-- its last write.
SELECT coalesce(min(r.number) - 1, max(at.number), 0), coalesce(max(r.number), max(at.number), 0)
FROM (SELECT max(number) AS number FROM revision
      WHERE change <= (SELECT max(id) FROM batch WHERE run = $1 AND kind <> 'revert')) AS at
LEFT JOIN batch b ON b.run = $1 AND b.kind <> 'revert'
LEFT JOIN revision r ON r.change = b.id
