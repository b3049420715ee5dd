-- A name belongs to the owner of the API key that stored the name's first manifest.
SELECT coalesce(k.owner, 'default') FROM build b LEFT JOIN api_key k ON k.id = b.api_key
WHERE b.name = $1 ORDER BY b.created LIMIT 1
