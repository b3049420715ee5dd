DELETE FROM usage WHERE day < (now() AT TIME ZONE 'UTC')::date - 7
