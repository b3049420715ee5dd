SELECT id, public_key, rotation, created FROM signing_key ORDER BY id
