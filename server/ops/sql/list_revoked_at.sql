-- The API keys that a restore at that time revoked, according to the restore's lines in the audit.
SELECT k.id, k.hint, k.scope
FROM audit a
JOIN api_key k ON k.id = a.api_key
WHERE a.action = 'key revoke' AND a.at = $1::timestamptz
ORDER BY k.id
