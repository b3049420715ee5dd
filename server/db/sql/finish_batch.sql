UPDATE batch SET receipt = $2, run = $3, repeats = $4, stored = $5, won = $6 WHERE id = $1
