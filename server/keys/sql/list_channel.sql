-- The newest statement first.
SELECT c.sequence, c.revision, r.token, c.at, c.owner
FROM channel_statement c JOIN revision r ON r.number = c.revision
WHERE c.channel = $1 ORDER BY c.sequence DESC LIMIT $2
