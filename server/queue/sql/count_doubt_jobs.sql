-- Jobs that measure again, that writes of owner $1 have planned and nobody has done.
SELECT count(*) FROM job WHERE owner = $1 AND purpose = 'measure' AND state <> 'done'
