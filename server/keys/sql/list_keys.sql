-- This is one statement, so that the API keys and their epoch are of one moment. Without keys, it answers one row
-- without an id.
SELECT k.id, k.sha256, k.hint, k.scope,
       to_char(k.created AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       to_char(k.expires AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       to_char(k.last_used AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       to_char(k.revoked AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
       k.owner, k.limits, e.epoch, e.stamp
FROM key_epoch e LEFT JOIN api_key k ON true ORDER BY k.id
