-- Inserts nothing if there is no earlier statement.
INSERT INTO channel_statement (channel, sequence, revision, back, owner)
SELECT now.channel, now.sequence + 1, before.revision, before.back, $2::text
FROM channel_statement now
JOIN channel_statement before ON before.channel = now.channel AND before.sequence = now.back
WHERE now.channel = $1 AND now.sequence = (SELECT max(sequence) FROM channel_statement WHERE channel = $1)
ON CONFLICT DO NOTHING RETURNING sequence
