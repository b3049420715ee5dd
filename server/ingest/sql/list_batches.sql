SELECT b.id, b.kind, to_char(b.received AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS received,
       receipt_of(b) AS receipt, o.receipt AS repeated
FROM batch b
LEFT JOIN batch o ON o.id = b.repeats
WHERE b.run = $1
ORDER BY b.id
