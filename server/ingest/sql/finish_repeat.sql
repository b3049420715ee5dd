-- The receipt is that of batch $4, but for what $2 says.
UPDATE batch SET receipt = $2, run = $3, repeats = $4 WHERE id = $1
