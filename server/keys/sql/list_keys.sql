-- This is one statement, so that the API keys and their epoch are of one moment. Without keys, it answers one row
-- without an id.
SELECT k.id, k.sha256, k.hint, k.scope, k.owner, k.limits, k.created, k.expires, k.last_used, k.revoked, k.successor,
       e.epoch, e.stamp
FROM key_epoch e LEFT JOIN api_key k ON true ORDER BY k.id
