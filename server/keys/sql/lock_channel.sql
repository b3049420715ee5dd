-- Locks the newest statement until the transaction ends.
SELECT sequence FROM channel_statement WHERE channel = $1 ORDER BY sequence DESC LIMIT 1 FOR UPDATE
